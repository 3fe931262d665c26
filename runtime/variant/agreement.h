/* Whether a launch's description and its kernel agree: on the parameters that it is given, which
 * the backend compares, and on the bytes of shared memory, which the compiler does. */
#ifndef TW_VARIANT_AGREEMENT_H
#define TW_VARIANT_AGREEMENT_H

#include "runtime/backend/expected.h"
#include "runtime/base/text.h"
#include "runtime/description/problem.h"

/* What the launch gives its kernel, under bound values. `implementation` is NULL for the
 * reference. */
void tw_launch_expected(const struct tw_problem *problem,
                        const struct tw_implementation *implementation,
                        const struct tw_launch_description *launch, const int64_t *values,
                        uint32_t shared, struct tw_expected *expected);

/* Appends the source with a check behind each TW_SHARED of the kernel `function`, on the same line,
 * that compiles only if it takes so many bytes. It makes no difference to the machine code. */
void tw_shared_checked(const char *source, const char *function, uint32_t bytes,
                       struct tw_text *checked);
/* Where the text has TW_KERNEL(function), outside of comments: behind it. NULL: nowhere. */
const char *tw_kernel_find(const char *source, const char *function);
/* If one of those checks is what did not compile, makes `error` say so and returns
 * TW_BAD_DESCRIPTION; else returns `status`. */
tw_status tw_shared_explain(tw_status status, const char *log, const char *function, uint32_t bytes,
                            struct tw_error *error);

#endif
