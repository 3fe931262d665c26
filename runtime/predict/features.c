#include "runtime/predict/features.h"

#include <math.h>

#include "runtime/variant/geometry.h"

/* ---- What is rounded up ---- */

enum { MOST_CUTS = 32 };

struct cuts {
    const struct tw_problem *problem;
    struct tw_features *features; /* whose pieces are filled in */
    double use;
    int64_t units;
    double persistent; /* what blocks that go on with more tiles do, over what they are */
    int count;
    struct {
        int64_t size, piece;
    } seen[MOST_CUTS];
};

static double used(int64_t size, int64_t piece) {
    return (double)size / ((double)piece * ceil((double)size / (double)piece));
}

static void cut_dimension(const struct cuts *cuts, int64_t size, int64_t piece) {
    struct tw_features *f = cuts->features;
    for (int i = 0; i < cuts->problem->description->dimension_count; i++) {
        if (cuts->problem->dimensions[i] != size || f->pieces[i] > 0)
            continue;
        f->pieces[i] = ceil((double)size / (double)piece);
        f->filled[i] = used(size, piece);
        return;
    }
}

/* In a grid every ceil_div counts: a size that is cut twice alike, as both sides of a square are,
 * loses twice. A minimum that leaves about as many as there are units makes a persistent kernel,
 * whose blocks share out the larger number. */
static void visit_grid(void *context, enum tw_visited what, int64_t a, int64_t b) {
    struct cuts *cuts = context;
    if (a < 1 || b < 1)
        return;
    if (what == TW_VISITED_MINIMUM && a > b && 4 * b >= cuts->units)
        cuts->persistent *= (double)a / (double)b;
    if (what != TW_VISITED_CEIL_DIV)
        return;
    cuts->use *= used(a, b);
    cut_dimension(cuts, a, b);
    if (cuts->count < MOST_CUTS) {
        cuts->seen[cuts->count].size = a;
        cuts->seen[cuts->count++].piece = b;
    }
}

static bool is_dimension(const struct tw_problem *problem, int64_t size) {
    for (int i = 0; i < problem->description->dimension_count; i++)
        if (problem->dimensions[i] == size)
            return true;
    return false;
}

/* A define that asks whether a dimension ends with a whole piece: that of a loop within the kernel,
 * unless the grid has it already. Small pieces are the widths of accesses, which lose nothing. */
static void visit_define(void *context, enum tw_visited what, int64_t a, int64_t b) {
    enum { WIDEST = 4 };
    struct cuts *cuts = context;
    if (what != TW_VISITED_REMAINDER || a < 1 || b <= WIDEST || cuts->count == MOST_CUTS ||
        !is_dimension(cuts->problem, a))
        return;
    for (int i = 0; i < cuts->count; i++)
        if (cuts->seen[i].size == a && cuts->seen[i].piece == b)
            return;
    visit_grid(context, TW_VISITED_CEIL_DIV, a, b);
}

/* A define that counts the pieces of a dimension which nothing else cuts: the steps of a loop whose
 * last one asks for nothing that is not there, so that nothing is lost by it. */
static void visit_steps(void *context, enum tw_visited what, int64_t a, int64_t b) {
    if (what == TW_VISITED_CEIL_DIV && a >= 1 && b > 1)
        cut_dimension(context, a, b);
}

/* Those that may tell of `what`. */
static void visit_defines(const struct tw_implementation *in, enum tw_visited what,
                          const int64_t *values, tw_expression_visitor visit, struct cuts *cuts) {
    const uint64_t telling = in->telling_defines[what];
    int64_t ignored;
    for (int i = 0; i < in->define_count; i++)
        if ((telling >> i & 1) != 0)
            tw_expression_visit(in->defines[i].expression, values, visit, cuts, &ignored);
}

static void find_cuts(const struct tw_implementation *in, const struct tw_launch_description *main,
                      const int64_t *values, struct cuts *cuts) {
    int64_t ignored;
    /* What cannot be evaluated was refused when it was bound. */
    for (int i = 0; i < 3; i++)
        if (main->grid[i] != NULL)
            tw_expression_visit(main->grid[i], values, visit_grid, cuts, &ignored);
    /* Most defines have nothing to tell, and are not evaluated once more to find that out. */
    const uint64_t *telling = in->telling_defines;
    const uint64_t cutting = telling[TW_VISITED_CEIL_DIV] | telling[TW_VISITED_MINIMUM];
    for (int i = 0; i < in->define_count; i++) {
        bool in_grid = false;
        for (int k = 0; k < 3 && (cutting >> i & 1) != 0; k++)
            in_grid |=
                main->grid[k] != NULL && tw_expression_uses(main->grid[k], in->defines[i].slot);
        if (in_grid)
            tw_expression_visit(in->defines[i].expression, values, visit_grid, cuts, &ignored);
    }
    visit_defines(in, TW_VISITED_REMAINDER, values, visit_define, cuts);
    visit_defines(in, TW_VISITED_CEIL_DIV, values, visit_steps, cuts);
}

/* ---- What a unit holds ---- */

static double limit(int64_t has, double takes) {
    return has > 0 && takes > 0 ? floor((double)has / takes) : INFINITY;
}

static double resident(const struct tw_geometry *geometry, const struct tw_device_info *device,
                       int64_t registers) {
    double threads = (double)tw_geometry_threads(geometry);
    if (device->is_cpu)
        return 1;
    double blocks = limit(device->unit_threads, threads);
    blocks = fmin(blocks, limit(device->unit_blocks, 1));
    blocks = fmin(blocks, limit(device->unit_shared,
                                (double)geometry->shared + (double)device->reserved_shared));
    blocks = fmin(blocks, limit(device->unit_registers, (double)registers * threads));
    if (isinf(blocks))
        blocks = fmax(1, floor(1024 / threads));
    return fmax(blocks, 1);
}

/* ---- How wide accesses may be, and where rows begin ---- */

static double pitch(int64_t bytes) {
    enum { LINE = 128 };
    int64_t width = LINE;
    while (bytes % width != 0)
        width /= 2;
    return log2((double)width);
}

static double widest(int64_t bytes, int64_t alignment) {
    int64_t width = alignment < 16 ? alignment : 16;
    while (width > 1 && bytes % width != 0)
        width /= 2;
    return (double)width;
}

static tw_status see_buffers(const struct tw_problem *problem, const int64_t *values,
                             struct tw_features *features, struct tw_error *error) {
    const struct tw_description *d = problem->description;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < d->argument_count; i++) {
        features->widths[i] = features->pitches[i] = -1;
        if (d->arguments[i].kind != TW_ARGUMENT_BUFFER || !tw_problem_has(problem, i, values))
            continue;
        struct tw_extent extent;
        tw_status status = tw_problem_extent(problem, i, values, &extent, error);
        if (status != TW_OK)
            return status;
        int64_t element = (int64_t)tw_type_info(extent.type)->bytes;
        features->element_bytes = fmax(features->element_bytes, (double)element);
        /* Both where rows begin and where they end: there is no wide access to a part of one. */
        double width = fmin(widest(extent.stride * element, values[TW_SLOT_ALIGNMENT]),
                            widest(extent.columns * element, values[TW_SLOT_ALIGNMENT]));
        features->widths[i] = log2(width);
        features->pitches[i] = pitch(extent.stride * element);
        sum += features->widths[i];
        count++;
    }
    features->width = count > 0 ? sum / count : 0;
    return TW_OK;
}

/* ---- All of it ---- */

static bool does_more(const struct tw_launch_description *a, const struct tw_geometry *of_a,
                      const struct tw_launch_description *b, const struct tw_geometry *of_b) {
    return a->template_count != b->template_count ? a->template_count > b->template_count
                                                  : of_a->shared > of_b->shared;
}

tw_status tw_features_begin(const struct tw_problem *problem, const int64_t *values,
                            struct tw_features *features, struct tw_error *error) {
    struct tw_work work;
    *features = (struct tw_features){0};
    tw_status status = tw_problem_work(problem, values, &work, error);
    if (status != TW_OK)
        return status;
    features->flops = work.flops;
    features->bytes = work.bytes;
    return see_buffers(problem, values, features, error);
}

tw_status tw_features_add(const struct tw_problem *problem,
                          const struct tw_configuration *configuration, const int64_t *values,
                          const struct tw_device_info *device, int64_t registers,
                          struct tw_features *features, struct tw_error *error) {
    const struct tw_description *d = problem->description;
    const struct tw_implementation *in = &d->implementations[configuration->implementation];
    const struct tw_launch_description *main = NULL;
    struct tw_geometry of_main = {0};
    tw_status status = TW_OK;
    features->launches = in->launch_count;
    for (int i = 0; i < in->launch_count && status == TW_OK; i++) {
        struct tw_geometry geometry;
        status = tw_geometry_of(&in->launches[i], values, device, &geometry, error);
        if (status == TW_OK && i == 0)
            features->early = geometry.early;
        if (status == TW_OK &&
            (main == NULL || does_more(&in->launches[i], &geometry, main, &of_main))) {
            main = &in->launches[i];
            of_main = geometry;
        }
    }
    if (status != TW_OK)
        return status;
    int64_t workspace = 0;
    if (in->workspace != NULL &&
        tw_expression_evaluate(in->workspace, values, &workspace) != TW_EVALUATED)
        return tw_fail(error, TW_INVALID, "the workspace cannot be evaluated");
    int64_t flops = 0;
    if (in->flops != NULL && tw_expression_evaluate(in->flops, values, &flops) != TW_EVALUATED)
        return tw_fail(error, TW_INVALID, "the flops cannot be evaluated");
    int64_t units = device->compute_units > 0 ? device->compute_units : 1;
    struct cuts cuts = {
        .problem = problem, .features = features, .use = 1, .units = units, .persistent = 1};
    for (int i = 0; i < d->dimension_count; i++)
        features->filled[i] = 1;
    find_cuts(in, main, values, &cuts);
    if (in->flops != NULL)
        features->flops = (double)flops;
    features->workspace = (double)workspace;
    features->blocks = (double)of_main.grid[0] * (double)of_main.grid[1] * (double)of_main.grid[2];
    features->threads = (double)tw_geometry_threads(&of_main);
    features->resident = resident(&of_main, device, registers);
    features->use = fmax(cuts.use, 1e-4);
    features->units = (double)units;
    double each = features->blocks / (double)units;
    features->per_unit = ceil(each) * ceil(cuts.persistent);
    features->balance = each * cuts.persistent / features->per_unit;
    features->redundant = tw_configuration_redundant(d, configuration, values);
    return TW_OK;
}

tw_status tw_features_of(const struct tw_problem *problem,
                         const struct tw_configuration *configuration, const int64_t *values,
                         const struct tw_device_info *device, int64_t registers,
                         struct tw_features *features, struct tw_error *error) {
    tw_status status = tw_features_begin(problem, values, features, error);
    return status == TW_OK
               ? tw_features_add(problem, configuration, values, device, registers, features, error)
               : status;
}
