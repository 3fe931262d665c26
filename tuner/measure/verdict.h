/* What is said of a wrong answer: where it is, what was expected there and what came. */
#ifndef TUNER_MEASURE_VERDICT_H
#define TUNER_MEASURE_VERDICT_H

#include "tuner/measure/workload.h"

/* Each returns TW_WRONG, or another status when the device could not be read. */

/* `comparison` has found wrong elements in an output under a case. `max_error` is the largest error
 * of all its elements, relative, of which `tolerance` is allowed; an infinite one is not told. */
tw_status verdict_element(const struct workload *workload, int argument, int which,
                          const struct comparison *comparison, double max_error, double tolerance,
                          struct tw_error *error);
/* It has found elements between an output's rows, or around it, that were written. */
tw_status verdict_gap(const struct workload *workload, int argument,
                      const struct comparison *comparison, struct tw_error *error);
tw_status verdict_around(const struct workload *workload, int argument,
                         const struct comparison *comparison, struct tw_error *error);
/* The sum of a protected zone is another now. */
tw_status verdict_zone(const struct workload *workload, int zone, struct tw_error *error);

#endif
