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

#include "tuner/measure/accuracy.h"
#include "tuner/measure/workload.h"

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

#endif
