/* Depth-first over the parameters, with every rule applied as soon as all that it reads is bound.
 */
#include "tuner/space/enumerate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/hash.h"
#include "runtime/variant/geometry.h"

enum step_kind { STEP_DEFINE, STEP_CONSTRAINT, STEP_REDUNDANT, STEP_FITS };

/* Something to compute or to check once the parameters in `needs` (a bit each) are bound. */
struct step {
    enum step_kind kind;
    const struct tw_expression *expression;
    int slot; /* where a define's value goes */
    uint32_t needs;
    double log_share;
};

enum { MAX_STEPS = 3 * TW_MAX_RULES + 1, SAMPLES = 1000 };

struct enumeration {
    struct space_part *part;
    const struct tw_implementation *implementation;
    const struct enumerate_options *options;
    struct tw_error *error;
    int64_t *values;
    size_t capacity;
    int step_count;
    struct step steps[MAX_STEPS];           /* sorted by level */
    int level_start[TW_MAX_PARAMETERS + 2]; /* [level + 1]: where a level's steps begin; level -1
                                               has those that need no parameter */
    unsigned char row[TW_MAX_PARAMETERS];
};

static uint32_t needs_of(const struct enumeration *e, const struct tw_expression *expression) {
    uint32_t needs = 0;
    if (expression == NULL)
        return 0;
    for (int i = 0; i < e->implementation->parameter_count; i++)
        if (tw_expression_uses(expression, e->implementation->parameters[i].slot))
            needs |= UINT32_C(1) << i;
    for (int i = 0; i < e->step_count; i++)
        if (e->steps[i].kind == STEP_DEFINE && tw_expression_uses(expression, e->steps[i].slot))
            needs |= e->steps[i].needs;
    return needs;
}

static void add_step(struct enumeration *e, enum step_kind kind,
                     const struct tw_expression *expression, int slot) {
    struct step step = {.kind = kind, .expression = expression, .slot = slot};
    step.needs = needs_of(e, expression);
    e->steps[e->step_count++] = step;
}

/* Defines first: they come in an order where each uses only earlier ones, and rules use them. */
static void add_steps(struct enumeration *e) {
    const struct tw_implementation *implementation = e->implementation;
    for (int i = 0; i < implementation->define_count; i++)
        add_step(e, STEP_DEFINE, implementation->defines[i].expression,
                 implementation->defines[i].slot);
    for (int i = 0; i < implementation->constraint_count; i++)
        add_step(e, STEP_CONSTRAINT, implementation->constraints[i], -1);
    for (int i = 0; i < implementation->redundant_count; i++)
        add_step(e, STEP_REDUNDANT, implementation->redundant[i], -1);
    add_step(e, STEP_FITS, NULL, -1);
    struct step *fits = &e->steps[e->step_count - 1];
    for (int i = 0; i < implementation->launch_count; i++) {
        const struct tw_launch_description *launch = &implementation->launches[i];
        for (int j = 0; j < 3; j++)
            fits->needs |= needs_of(e, launch->block[j]) | needs_of(e, launch->grid[j]);
        fits->needs |= needs_of(e, launch->shared) | needs_of(e, launch->min_blocks);
    }
}

static bool pinned(const struct enumeration *e, int index, int64_t *value) {
    return e->options->pins != NULL &&
           pins_value(e->options->pins, e->implementation, index, value);
}

static int choices(const struct enumeration *e, int index) {
    int64_t value;
    return pinned(e, index, &value) ? 1 : e->implementation->parameters[index].count;
}

static void add_axis(struct enumeration *e, int index) {
    const struct tw_parameter *parameter = &e->implementation->parameters[index];
    struct space_axis *axis = &e->part->axes[e->part->axis_count++];
    *axis = (struct space_axis){.parameter = parameter,
                                .index = index,
                                .numeric = !parameter->is_word,
                                .count = choices(e, index)};
    if (pinned(e, index, &axis->values[0]))
        return;
    for (int i = 0; i < parameter->count; i++) {
        int at = i;
        for (; at > 0 && !parameter->is_word && axis->values[at - 1] > parameter->values[i]; at--)
            axis->values[at] = axis->values[at - 1];
        axis->values[at] = parameter->values[i];
    }
}

/* Whether every launch is one that the device allows; the implementation itself is. */
static bool fits(const struct enumeration *e, struct tw_geometry *geometry, bool *too_large) {
    for (int i = 0; i < e->implementation->launch_count; i++) {
        tw_status status = tw_geometry_of(&e->implementation->launches[i], e->values,
                                          e->options->device, geometry, NULL);
        *too_large = status == TW_RESOURCE;
        if (status != TW_OK)
            return false;
    }
    return true;
}

/* What a step says of the values that are bound. */
enum verdict { PASSES, FAILS, BROKEN /* it cannot be evaluated */ };

static enum verdict judge(const struct enumeration *e, const struct step *step) {
    int64_t result = 0;
    struct tw_geometry geometry;
    bool too_large;
    if (step->kind == STEP_FITS)
        return fits(e, &geometry, &too_large) ? PASSES : FAILS;
    if (tw_expression_evaluate(step->expression, e->values, &result) != TW_EVALUATED)
        return BROKEN;
    if (step->kind == STEP_DEFINE) {
        e->values[step->slot] = result;
        return PASSES;
    }
    return (result != 0) == (step->kind == STEP_CONSTRAINT) ? PASSES : FAILS;
}

/* How much of the space each rule lets through, as the logarithm of a share, seen on random points.
 */
static void sample_rules(struct enumeration *e) {
    int passed[MAX_STEPS] = {0};
    for (uint32_t sample = 0; sample < SAMPLES; sample++) {
        for (int i = 0; i < e->implementation->parameter_count; i++) {
            const struct tw_parameter *parameter = &e->implementation->parameters[i];
            uint32_t key[] = {sample, (uint32_t)i};
            uint64_t choice = tw_hash64(key, sizeof key) % (uint64_t)parameter->count;
            if (!pinned(e, i, &e->values[parameter->slot]))
                e->values[parameter->slot] = parameter->values[choice];
        }
        for (int i = 0; i < e->step_count; i++)
            passed[i] += judge(e, &e->steps[i]) == PASSES;
    }
    for (int i = 0; i < e->step_count; i++)
        e->steps[i].log_share = log((passed[i] + 0.5) / (SAMPLES + 0.5));
}

/* What binding `set` next gains: how far the rules that it completes prune, for each bit of
 * branching. */
static double gain(const struct enumeration *e, uint32_t bound, uint32_t set) {
    double branching = 0, pruning = 0;
    for (int i = 0; i < e->implementation->parameter_count; i++)
        if (set >> i & 1)
            branching += log(choices(e, i));
    for (int i = 0; i < e->step_count; i++)
        if ((e->steps[i].needs & ~bound & ~set) == 0 && (e->steps[i].needs & set) != 0)
            pruning -= e->steps[i].log_share;
    return branching > 0 ? pruning / branching : INFINITY;
}

/* Orders the axes: again and again, the parameters that some rule still lacks and whose binding
 * gains the most, so that dead ends are found near the root. Only parameters in `allowed` are
 * added. */
static void order_axes(struct enumeration *e, uint32_t *bound, uint32_t allowed) {
    while ((allowed & ~*bound) != 0) {
        uint32_t chosen = allowed & ~*bound; /* parameters that no rule reads: all the rest */
        double best = -1;
        for (int i = 0; i < e->step_count; i++) {
            uint32_t missing = e->steps[i].needs & ~*bound;
            if (missing == 0 || (missing & ~allowed) != 0)
                continue;
            double gained = gain(e, *bound, missing);
            if (gained > best) {
                best = gained;
                chosen = missing;
            }
        }
        for (int i = 0; i < e->implementation->parameter_count; i++)
            if (chosen >> i & 1)
                add_axis(e, i);
        *bound |= chosen;
    }
}

/* Sorts the steps by the level that completes them, keeping the order within a level. */
static void place_steps(struct enumeration *e) {
    struct step placed[MAX_STEPS];
    int count = 0;
    uint32_t bound = 0;
    for (int level = -1; level < e->part->axis_count; level++) {
        if (level >= 0)
            bound |= UINT32_C(1) << e->part->axes[level].index;
        e->level_start[level + 1] = count;
        for (int i = 0; i < e->step_count; i++) {
            bool complete = (e->steps[i].needs & ~bound) == 0;
            bool before = level >= 0 && (e->steps[i].needs >> e->part->axes[level].index & 1) == 0;
            if (complete && !before)
                placed[count++] = e->steps[i];
        }
    }
    e->level_start[e->part->axis_count + 1] = count;
    memcpy(e->steps, placed, (size_t)count * sizeof *placed);
}

/* Tells the census of all points below `level`: the step rules them out. */
static void count_ruled_out(const struct enumeration *e, const struct step *step, int level) {
    double count = 1;
    for (int i = level + 1; i < e->part->axis_count; i++)
        count *= e->part->axes[i].count;
    struct tw_geometry geometry = {.broken = NULL};
    bool too_large = false;
    if (step->kind != STEP_FITS)
        census_add(e->options->census,
                   step->kind == STEP_CONSTRAINT ? CENSUS_CONSTRAINT : CENSUS_REDUNDANT,
                   tw_expression_text(step->expression), count);
    else if (!fits(e, &geometry, &too_large))
        census_add(e->options->census, too_large ? CENSUS_LIMIT : CENSUS_SIZE, geometry.broken,
                   count);
}

/* The rules on the way to a point that cannot be evaluated. The others go on, for one of them may
 * rule the point out. */
struct broken {
    const struct step *first; /* NULL: none */
    bool define;              /* what launches need is not known either */
};

static bool level_passes(const struct enumeration *e, int level, struct broken *broken) {
    for (int i = e->level_start[level + 1]; i < e->level_start[level + 2]; i++) {
        const struct step *step = &e->steps[i];
        if (broken->define && step->kind == STEP_FITS)
            continue;
        enum verdict verdict = judge(e, step);
        if (verdict == FAILS && e->options->census != NULL)
            count_ruled_out(e, step, level);
        if (verdict == FAILS)
            return false;
        if (verdict == BROKEN && broken->first == NULL)
            broken->first = step;
        broken->define |= verdict == BROKEN && step->kind == STEP_DEFINE;
    }
    return true;
}

/* Nothing else rules the point out: the description is at fault. */
static tw_status tell_broken(const struct enumeration *e, const struct step *broken) {
    struct tw_text point = {0};
    int64_t result;
    enum tw_evaluation outcome = tw_expression_evaluate(broken->expression, e->values, &result);
    for (int i = 0; i < e->implementation->parameter_count; i++) {
        const struct tw_parameter *parameter = &e->implementation->parameters[i];
        if ((broken->needs >> i & 1) == 0)
            continue;
        tw_text_print(&point, "%s%s=", point.length > 0 ? ", " : " with ", parameter->name);
        if (parameter->is_word)
            tw_text_print(&point, "%s",
                          e->implementation->symbols->words[e->values[parameter->slot]]);
        else
            tw_text_print(&point, "%" PRId64, e->values[parameter->slot]);
    }
    tw_status status =
        tw_fail(e->error, TW_INVALID, "%s: the %s \"%s\" %s%s", e->implementation->name,
                broken->kind == STEP_DEFINE       ? "define"
                : broken->kind == STEP_CONSTRAINT ? "constraint"
                                                  : "redundancy",
                tw_expression_text(broken->expression), tw_evaluation_text(outcome),
                tw_text_or(&point, ""));
    tw_text_free(&point);
    return status;
}

static tw_status add_row(struct enumeration *e) {
    struct space_part *part = e->part;
    size_t width = (size_t)part->axis_count;
    if (part->count == e->options->limit)
        return tw_fail(e->error, TW_INVALID,
                       "%s: the space has more than %zu valid points; constrain it further",
                       e->implementation->name, SPACE_LIMIT);
    if (part->count == e->capacity) {
        size_t capacity = e->capacity != 0 ? 2 * e->capacity : 1024;
        unsigned char *rows = realloc(part->rows, capacity * width + 1);
        if (rows == NULL)
            return tw_fail(e->error, TW_NO_MEMORY, "out of memory for a space of %zu points",
                           part->count);
        part->rows = rows;
        e->capacity = capacity;
    }
    memcpy(part->rows + part->count * width, e->row, width);
    part->count++;
    return TW_OK;
}

static tw_status descend(struct enumeration *e, int level, struct broken broken) {
    if (level == e->part->axis_count)
        return broken.first == NULL ? add_row(e) : tell_broken(e, broken.first);
    const struct space_axis *axis = &e->part->axes[level];
    for (int rank = 0; rank < axis->count; rank++) {
        e->row[level] = (unsigned char)rank;
        e->values[axis->parameter->slot] = axis->values[rank];
        struct broken broken_here = broken;
        if (!level_passes(e, level, &broken_here))
            continue;
        tw_status status = descend(e, level + 1, broken_here);
        if (status != TW_OK)
            return status;
    }
    return TW_OK;
}

tw_status space_enumerate(struct space_part *part, const struct tw_implementation *implementation,
                          const struct enumerate_options *options, int64_t *values,
                          struct tw_error *error) {
    struct enumeration e = {.part = part,
                            .implementation = implementation,
                            .options = options,
                            .error = error,
                            .values = values};
    uint32_t launch = 0, bound = 0;
    uint32_t all = (uint32_t)((UINT64_C(1) << implementation->parameter_count) - 1);
    for (int i = 0; i < implementation->parameter_count; i++)
        if (implementation->parameters[i].launch)
            launch |= UINT32_C(1) << i;
    add_steps(&e);
    sample_rules(&e);
    order_axes(&e, &bound, all & ~launch);
    part->compiled_axes = part->axis_count;
    order_axes(&e, &bound, all);
    place_steps(&e);
    struct broken broken = {NULL, false};
    return level_passes(&e, -1, &broken) ? descend(&e, 0, broken) : TW_OK;
}
