/* What the kernels in one call have in common. */
#ifndef TW_LIBRARY_CALLS_H
#define TW_LIBRARY_CALLS_H

#include "runtime/library/library.h"

/* What all buffers are aligned to, if that is less than what is usual, else 0: parts of matrices
 * begin anywhere. */
int64_t tw_call_alignment(const tw_library *library, const tw_binding *bindings, size_t count);

/* Launches a plan that is held, and lets go of it. */
tw_status tw_call_launch(const tw_plan *plan, void *stream, const tw_binding *bindings,
                         size_t count, tw_error *error);

/* Finds or makes the plan of a request, and launches it. Without an alignment it has that of its
 * buffers. */
tw_status tw_call_run(tw_library *library, void *stream, tw_request *request,
                      const tw_binding *bindings, size_t count, tw_error *error);

/* Whether a size of a call may be what it is: not negative. */
tw_status tw_call_size(const char *call, const char *name, int64_t size, tw_error *error);

/* C = beta*C: what remains of a product over nothing. `type` is NULL for the default. */
tw_status tw_call_scale(tw_library *library, void *stream, const char *type, int64_t m, int64_t n,
                        double beta, void *c, int64_t ldc, tw_error *error);

#endif
