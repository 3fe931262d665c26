/* What drawn variants are held to where errors are promised (runtime/description/accuracy.h).
 *
 * An implementation that is also for problems of which nothing is promised sums as plain f32 does,
 * in an order of its own. Where halves of a sum cancel, one order's errors are half as large again
 * as another's: a search that meets such a variant takes another, so it is no mistake of the
 * kernel. It may have twice what is promised. What was made for a promise has to keep it. */
#ifndef TESTS_SUPPORT_PLAIN_SUMS_H
#define TESTS_SUPPORT_PLAIN_SUMS_H

#include "tests/support/bench.h"
#include "tests/support/problems.h"
#include "tuner/measure/verify.h"

/* Whether some attribute's default takes the promise away and leaves the configuration allowed. */
SUPPORT bool sums_plainly(const struct testbed *testbed, const struct tw_configuration *c) {
    const struct tw_description *d = testbed->problem.description;
    int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    tw_device_values(&testbed->info, slots);
    for (int a = 0; a < d->attribute_count; a++) {
        struct tw_problem problem = testbed->problem;
        problem.words[a] = d->attributes[a].default_word;
        if (tw_problem_bind(&problem, slots, NULL, values, NULL) == TW_OK &&
            tw_accuracy_bound(d, values) == NULL &&
            is_allowed(d, c, values, &testbed->info, NULL) == TW_OK)
            return true;
    }
    return false;
}

SUPPORT tw_status verify_once(struct bench *bench, const struct tw_configuration *c,
                              const struct tw_variant *variant, struct accuracy *accuracy,
                              struct tw_error *error) {
    const struct tw_error_bound *const promised = bench->workload.promise.bound;
    struct tw_error_bound twice;
    if (promised != NULL && sums_plainly(&bench->testbed, c)) {
        twice = *promised;
        twice.times_plain *= 2;
        bench->workload.promise.bound = &twice;
    }
    tw_status status = verify_variant(&bench->workload, variant, accuracy, error);
    bench->workload.promise.bound = promised;
    return status;
}

/* Errors are told in proportion to all results. One or two may be what is left of an addend that
 * happens to be as large as the product. */
SUPPORT bool has_few_results(const struct workload *w) {
    enum { FEW = 8 };
    int64_t most = 0;
    for (int i = 0; i < w->testbed->problem.description->argument_count; i++)
        if (workload_writes(w, i) &&
            w->extents[i].layers * w->extents[i].rows * w->extents[i].columns > most)
            most = w->extents[i].layers * w->extents[i].rows * w->extents[i].columns;
    return most < FEW;
}

/* verify_variant, by these rules; where there are few results, on other inputs too before it is
 * wrong. */
SUPPORT tw_status verify_drawn(struct bench *bench, const struct tw_configuration *c,
                               const struct tw_variant *variant, struct accuracy *accuracy,
                               struct tw_error *error) {
    enum { OTHER = 1000 };
    struct workload *w = &bench->workload;
    tw_status status = verify_once(bench, c, variant, accuracy, error);
    if (status != TW_WRONG || !has_few_results(w))
        return status;
    struct tw_error why;
    w->seed += OTHER;
    status = workload_change(w, CACHE_WARM, error);
    if (status == TW_OK)
        status = verify_once(bench, c, variant, accuracy, error);
    w->seed -= OTHER;
    tw_status back = workload_change(w, CACHE_WARM, &why);
    if (status == TW_OK && back != TW_OK)
        *error = why;
    return status == TW_OK ? back : status;
}

#endif
