/* What a walk through an implementation's points goes by: the order of its parameters, in which
 * dead ends are found near the root, and which rule is looked at when. */
#include "tuner/space/enumerate.h"

#include <math.h>
#include <string.h>

#include "runtime/base/hash.h"
#include "tuner/space/walk.h"

enum { SAMPLES = 1000 };

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
            passed[i] += walk_judge(e, &e->steps[i]) == PASSES;
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
    return walk_all(&e);
}
