/* What a description promises of errors (runtime/description/accuracy.h), made ready for a
 * workload's problem and held against variants.
 *
 * On each family of inputs a sample of the output (templates/check/sampled.cu) is compared with
 * sums in double. An element's error is relative to the sum of its terms' sizes, which is what any
 * order of summing in a type is exact to; so each counts, however small it is beside others, and so
 * do sums that cancel. What is allowed is so many times what a plain kernel's errors are on the
 * very same elements. */
#ifndef TUNER_MEASURE_PROMISE_H
#define TUNER_MEASURE_PROMISE_H

#include "tuner/measure/hard_inputs.h"
#include "tuner/measure/references.h"

struct workload;
struct accuracy;

/* The largest and the root mean square of errors over the elements that are numbers. */
struct sample_errors {
    double max, rms;
    int64_t count;
};

struct promised_family {
    const struct tw_input_family *family;
    /* Of the sampled elements; the caller's, in one piece. */
    double *right, *plain, *sizes;
    struct sample_errors plain_errors, rounding; /* of right answers that are rounded to the type */
};

struct promise {
    const struct tw_error_bound *bound; /* NULL: errors are measured and not judged */
    int output;                         /* the argument that is compared */
    enum tw_type type;
    int64_t elements; /* sampled */
    int family_count; /* 0: there is nothing to try */
    struct promised_family families[TW_MAX_FAMILIES];
    struct hard_inputs inputs;
    struct tw_memory sample; /* of the device: what kernels write */
};

/* Computes what plain kernels give, on the inputs of set 0, which are as always afterwards. Where
 * the description promises nothing for the problem there is nothing to try, unless the testbed
 * measures errors all the same and the description says on what. What is compiled goes to
 * `compiled`. Free with promise_free also after a failure. */
tw_status promise_create(struct promise *promise, const struct workload *workload,
                         struct references *compiled, struct tw_error *error);
void promise_free(struct promise *promise, const struct testbed *testbed);

/* Tries a variant on each family. TW_WRONG when errors are above what is promised, or what is no
 * number is not where the plain kernel has it; `error` says of which inputs. Inputs of set 0 are as
 * always afterwards. */
tw_status promise_check(const struct promise *promise, const struct workload *workload,
                        const struct tw_variant *variant, struct accuracy *accuracy,
                        struct tw_error *error);

/* How much an error of `elements` elements may be above `times` the plain kernel's: few are left to
 * chance. With `largest` the bound of the largest error, else of the root mean square. */
double promise_allowed(const struct tw_error_bound *bound, const struct promised_family *family,
                       bool largest);

#endif
