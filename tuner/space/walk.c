#include "tuner/space/walk.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/variant/geometry.h"

/* ---- Rules ---- */

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

enum verdict walk_judge(const struct enumeration *e, const struct step *step) {
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
        enum verdict verdict = walk_judge(e, step);
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

/* ---- A branch ---- */

/* All points that begin with the same ranks. */
struct branch {
    unsigned char *rows;
    size_t count, capacity;
    tw_status status;
    struct tw_error error;
};

/* Shared by those who walk. Branches are taken in order, and the first that fails is what is told,
 * as if one had walked alone. */
struct walk {
    const struct enumeration *plan;
    struct broken broken; /* at the root of all */
    int depth;            /* of the branches' roots: so many ranks they have in common */
    size_t branch_count;
    struct branch *branches;
    atomic_size_t next, failed; /* branches: the next to be taken, the first that failed */
    atomic_size_t found;        /* points, in whole blocks of BLOCK */
};

enum { BLOCK = 1024, MANY = 1 << 20, BRANCHES = 256, MOST_WALKERS = 16 };

struct walker {
    struct enumeration own; /* with values of its own, and the branch's error */
    struct walk *walk;
    struct branch *branch;
    int64_t values[TW_MAX_SYMBOLS];
    unsigned char row[TW_MAX_PARAMETERS];
};

static tw_status tell_too_many(const struct enumeration *e, struct tw_error *error) {
    return tw_fail(error, TW_INVALID,
                   "%s: the space has more than %zu valid points; constrain it further",
                   e->implementation->name, SPACE_LIMIT);
}

static tw_status add_row(struct walker *w) {
    struct branch *branch = w->branch;
    size_t width = (size_t)w->own.part->axis_count;
    if (branch->count % BLOCK == 0 && branch->count > 0 &&
        atomic_fetch_add(&w->walk->found, BLOCK) + BLOCK > w->own.options->limit)
        return tell_too_many(&w->own, w->own.error);
    if (branch->count == branch->capacity) {
        size_t capacity = branch->capacity != 0 ? 2 * branch->capacity : BLOCK;
        unsigned char *rows = realloc(branch->rows, capacity * width + 1);
        if (rows == NULL)
            return tw_fail(w->own.error, TW_NO_MEMORY, "out of memory for a space of %zu points",
                           branch->count);
        branch->rows = rows;
        branch->capacity = capacity;
    }
    memcpy(branch->rows + branch->count * width, w->row, width);
    branch->count++;
    return TW_OK;
}

static void take_rank(struct walker *w, int level, int rank) {
    const struct space_axis *axis = &w->own.part->axes[level];
    w->row[level] = (unsigned char)rank;
    w->values[axis->parameter->slot] = axis->values[rank];
}

static tw_status descend(struct walker *w, int level, struct broken broken) {
    if (level == w->own.part->axis_count)
        return broken.first == NULL ? add_row(w) : tell_broken(&w->own, broken.first);
    for (int rank = 0; rank < w->own.part->axes[level].count; rank++) {
        take_rank(w, level, rank);
        struct broken broken_here = broken;
        if (!level_passes(&w->own, level, &broken_here))
            continue;
        tw_status status = descend(w, level + 1, broken_here);
        if (status != TW_OK)
            return status;
    }
    return TW_OK;
}

/* Down to the branch's root, then all of it. */
static tw_status walk_branch(struct walker *w, size_t number) {
    int ranks[TW_MAX_PARAMETERS];
    struct broken broken = w->walk->broken;
    for (int level = w->walk->depth - 1; level >= 0; level--) {
        size_t count = (size_t)w->own.part->axes[level].count;
        ranks[level] = (int)(number % count);
        number /= count;
    }
    for (int level = 0; level < w->walk->depth; level++) {
        take_rank(w, level, ranks[level]);
        if (!level_passes(&w->own, level, &broken))
            return TW_OK;
    }
    return descend(w, w->walk->depth, broken);
}

/* ---- All of them ---- */

static void note_failure(struct walk *walk, size_t number) {
    size_t first = atomic_load(&walk->failed);
    while (number < first && !atomic_compare_exchange_weak(&walk->failed, &first, number))
        ;
}

static void *take_branches(void *argument) {
    struct walk *walk = argument;
    struct walker w = {.own = *walk->plan, .walk = walk};
    memcpy(w.values, walk->plan->values, sizeof w.values);
    w.own.values = w.values;
    for (;;) {
        size_t number = atomic_fetch_add(&walk->next, 1);
        if (number >= walk->branch_count || number > atomic_load(&walk->failed))
            return NULL;
        w.branch = &walk->branches[number];
        w.own.error = &w.branch->error;
        w.branch->status = walk_branch(&w, number);
        if (w.branch->status != TW_OK)
            note_failure(walk, number);
    }
}

/* A space that is large before rules are applied is divided; who counts what is ruled out counts it
 * once. */
static void divide(struct walk *walk) {
    const struct space_part *part = walk->plan->part;
    double points = 1;
    for (int i = 0; i < part->axis_count; i++)
        points *= part->axes[i].count;
    walk->branch_count = 1;
    if (points < MANY || walk->plan->options->census != NULL)
        return;
    while (walk->branch_count < BRANCHES)
        walk->branch_count *= (size_t)part->axes[walk->depth++].count;
}

/* A thread that cannot be had is not needed. */
static void walk_together(struct walk *walk) {
    pthread_t threads[MOST_WALKERS];
    int count = 0;
    long cores = walk->branch_count > 1 ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    while (count < MOST_WALKERS - 1 && count + 1 < cores &&
           pthread_create(&threads[count], NULL, take_branches, walk) == 0)
        count++;
    take_branches(walk);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* The branches' points, in their order. */
static tw_status gather(const struct walk *walk, struct space_part *part, struct tw_error *error) {
    size_t count = 0, width = (size_t)part->axis_count;
    for (size_t i = 0; i < walk->branch_count; i++)
        count += walk->branches[i].count;
    if (count > walk->plan->options->limit)
        return tell_too_many(walk->plan, error);
    part->count = count;
    if (walk->branch_count == 1) {
        part->rows = walk->branches[0].rows;
        walk->branches[0].rows = NULL;
        return TW_OK;
    }
    part->rows = malloc(count * width + 1);
    if (part->rows == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a space of %zu points", count);
    unsigned char *end = part->rows;
    for (size_t i = 0; i < walk->branch_count; i++) {
        struct branch *branch = &walk->branches[i];
        if (branch->count > 0)
            memcpy(end, branch->rows, branch->count * width);
        end += branch->count * width;
        free(branch->rows);
        branch->rows = NULL;
    }
    return TW_OK;
}

tw_status walk_all(const struct enumeration *e) {
    struct walk walk = {.plan = e};
    if (!level_passes(e, -1, &walk.broken))
        return TW_OK;
    divide(&walk);
    walk.failed = walk.branch_count;
    walk.branches = calloc(walk.branch_count, sizeof *walk.branches);
    if (walk.branches == NULL)
        return tw_fail(e->error, TW_NO_MEMORY, "out of memory");
    walk_together(&walk);
    tw_status status = TW_OK;
    if (walk.failed < walk.branch_count) {
        const struct branch *failed = &walk.branches[walk.failed];
        status = tw_fail(e->error, failed->status, "%s", failed->error.message);
    }
    if (status == TW_OK)
        status = gather(&walk, e->part, e->error);
    for (size_t i = 0; i < walk.branch_count; i++)
        free(walk.branches[i].rows);
    free(walk.branches);
    return status;
}
