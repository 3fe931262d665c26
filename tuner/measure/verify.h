/* Is a variant right? The whole output is compared with the double-precision reference, for every
 * case, and nothing else may have been written. */
#ifndef TUNER_MEASURE_VERIFY_H
#define TUNER_MEASURE_VERIFY_H

#include "tuner/measure/accuracy.h"
#include "tuner/measure/workload.h"

/* TW_WRONG when the answer, an input, a gap or a guard zone is not as it must be; `error` says
 * which and where. After that the workload may be damaged: call workload_restore. `accuracy` is
 * filled in whenever outputs could be compared. */
tw_status verify_variant(const struct workload *workload, const struct tw_variant *variant,
                         struct accuracy *accuracy, struct tw_error *error);

#endif
