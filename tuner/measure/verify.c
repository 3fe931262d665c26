#include "tuner/measure/verify.h"

#include <math.h>

#include "tuner/measure/promise.h"
#include "tuner/measure/verdict.h"

static tw_status tolerance_of(const struct workload *w, enum tw_type type, double *tolerance,
                              struct tw_error *error) {
    const struct tw_description *d = w->testbed->problem.description;
    int64_t growth = 1;
    if (d->growth != NULL) {
        enum tw_evaluation outcome = tw_expression_evaluate(d->growth, w->testbed->values, &growth);
        if (outcome != TW_EVALUATED || growth < 1)
            return tw_fail(error, TW_BAD_DESCRIPTION,
                           "%s: key tolerance.growth: must be at least 1 for every problem",
                           d->origin);
    }
    *tolerance = d->tolerance[type] * sqrt((double)growth);
    return TW_OK;
}

static tw_status compare(const struct workload *w, int argument, int which, double allowed,
                         struct comparison *c, struct tw_error *error) {
    const struct tw_extent *extent = &w->extents[argument];
    const struct tw_memory zone = workload_zone(w, argument);
    return check_kernels_compare(&w->checks, &zone, w->shift / tw_type_info(extent->type)->bytes,
                                 &w->references[which][argument], extent, allowed, c, error);
}

/* Which elements are off by too much is known once the scale is: of a wrong answer, so, and the
 * others are compared once. */
static tw_status judge(const struct workload *w, int argument, int which,
                       const struct comparison *c, struct tw_error *error) {
    const struct tw_extent *extent = &w->extents[argument];
    double tolerance = 0;
    tw_status status = TW_OK;
    if (c->around > 0)
        return verdict_around(w, argument, c, error);
    if (c->gaps > 0)
        return verdict_gap(w, argument, c, error);
    if (!tw_type_info(extent->type)->floating)
        return c->wrong > 0 ? verdict_element(w, argument, which, c, INFINITY, 0, error) : TW_OK;
    status = tolerance_of(w, extent->type, &tolerance, error);
    if (status != TW_OK || c->max_error <= tolerance)
        return status;
    struct comparison closer;
    /* The largest is off by too much, however its share of the scale was rounded. */
    double allowed = fmin(tolerance, c->max_error * (1 - 1e-9)) * c->scale;
    status = compare(w, argument, which, allowed, &closer, error);
    if (status == TW_OK)
        status = verdict_element(w, argument, which, &closer, c->max_error, tolerance, error);
    return status;
}

static tw_status verify_case(const struct workload *w, const struct tw_variant *variant, int which,
                             struct accuracy *accuracy, struct tw_error *error) {
    const struct tw_description *d = w->testbed->problem.description;
    struct tw_arguments arguments;
    workload_arguments(w, 0, which, &arguments);
    tw_status status = workload_prepare(w, which, error);
    if (status == TW_OK)
        status = tw_variant_launch(variant, &arguments, error);
    if (status == TW_OK)
        status = w->testbed->backend->synchronize(w->testbed->device, error);
    for (int i = 0; i < d->argument_count && status == TW_OK; i++) {
        const struct tw_argument *a = &d->arguments[i];
        if (!tw_problem_has(&w->testbed->problem, i, w->testbed->values) ||
            a->access == TW_ACCESS_IN)
            continue;
        struct comparison comparison;
        status = compare(w, i, which, CHECKS_ANY_NUMBER, &comparison, error);
        if (status != TW_OK)
            return status;
        accuracy->max_rel_error = fmax(accuracy->max_rel_error, comparison.max_error);
        accuracy->rms_rel_error = fmax(accuracy->rms_rel_error, comparison.rms_error);
        status = judge(w, i, which, &comparison, error);
    }
    return status;
}

static tw_status verify_protected(const struct workload *w, struct tw_error *error) {
    struct tw_memory memory[CHECKS_MAX_ZONES];
    int zones[CHECKS_MAX_ZONES];
    uint64_t sums[CHECKS_MAX_ZONES];
    int count = workload_protected(w, memory, zones);
    tw_status status = check_kernels_sums(&w->checks, memory, count, sums, error);
    for (int z = 0; z < count && status == TW_OK; z++)
        if (sums[z] != w->input_sums[z])
            status = verdict_zone(w, zones[z], error);
    return status;
}

/* Also after a wrong answer: writing elsewhere explains it better. */
static tw_status explain(const struct workload *w, tw_status status, struct tw_error *error) {
    struct tw_error outside;
    if (status != TW_OK && status != TW_WRONG)
        return status;
    tw_status protected_status = verify_protected(w, &outside);
    return protected_status == TW_OK ? status
                                     : tw_fail(error, protected_status, "%s", outside.message);
}

tw_status verify_variant(const struct workload *w, const struct tw_variant *variant,
                         struct accuracy *accuracy, struct tw_error *error) {
    *accuracy = (struct accuracy){0};
    tw_status status = TW_OK;
    for (int c = 0; c < w->testbed->problem.description->case_count && status == TW_OK; c++)
        status = verify_case(w, variant, c, accuracy, error);
    status = explain(w, status, error);
    /* Trying fills inputs anew, so what was written to them must have been seen before. */
    if (status == TW_OK && w->promise.family_count > 0)
        status = explain(w, promise_check(&w->promise, w, variant, accuracy, error), error);
    return status;
}
