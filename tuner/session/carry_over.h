/* What was stored under other code but is what today's makes of its configuration all the same goes
 * under today's: a trial or a best row of the problem on the device that a run is about. */
#ifndef TUNER_SESSION_CARRY_OVER_H
#define TUNER_SESSION_CARRY_OVER_H

#include "runtime/select/current.h"
#include "tuner/session/recorder.h"

/* The recorder knows its problem, device, judge and implementations. `today` is of its description.
 */
tw_status carry_over(const struct recorder *recorder, struct tw_today *today,
                     struct tw_error *error);

#endif
