/* Calls unlike those that a problem is tuned with: rows further apart, and buffers aligned to less.
 * What is compiled for them may be another source. */
#ifndef TUNER_MEASURE_CALL_H
#define TUNER_MEASURE_CALL_H

#include "runtime/backend/backend.h"
#include "runtime/description/problem.h"

/* Zeroed: as a problem is tuned. */
struct call {
    int alignment;                     /* of every buffer, bytes; 0: TW_FULL_ALIGNMENT */
    int64_t strides[TW_MAX_ARGUMENTS]; /* by argument index; 0: the default */
};

/* What is between tuning and an application: rows padded so that wide accesses still fit, so that
 * none do, and parts of such matrices that begin anywhere. */
enum call_kind { CALL_PADDED, CALL_ODD, CALL_UNALIGNED, CALL_KINDS };

/* "padded strides" */
const char *call_kind_name(enum call_kind kind);
/* A call of the kind; false when the problem has none. `values` are bound for the problem as it is
 * tuned. */
bool call_of_kind(enum call_kind kind, const struct tw_problem *problem, const int64_t *values,
                  struct call *call);

/* Makes the problem the call's and binds `values` for it. */
tw_status call_bind(const struct call *call, const struct tw_device_info *device,
                    struct tw_problem *problem, int64_t values[TW_MAX_SYMBOLS],
                    struct tw_error *error);

#endif
