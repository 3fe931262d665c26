/* One variant's way through the workers, as messages: what comes out of the compiling worker, what
 * the device worker is asked, and what it answers. */
#ifndef TUNER_SESSION_ATTEMPT_H
#define TUNER_SESSION_ATTEMPT_H

#include "tuner/session/trial.h"
#include "tuner/workers/compile_pool.h"
#include "tuner/workers/device_link.h"

/* The trial as far as compiling has settled it. */
struct trial attempt_compiled(const struct tw_configuration *configuration,
                              const struct compiled *compiled);

/* The most that a trial may take on the device: what the user says, or, when `asked_s` is 0, what
 * suits a reference that takes `reference_s`. */
double attempt_limit(double asked_s, double reference_s);

/* Sends a compiled variant to an idle worker. `best_us` lets it stop early with what is clearly
 * slower; 0: it has no rival. `enough_s` is as timer_measure's. */
tw_status attempt_send(struct device_link *link, const struct tw_configuration *configuration,
                       const struct compiled *compiled, double best_us, double enough_s,
                       double limit_s, struct tw_error *error);
/* Takes the worker's answer into the trial. */
void attempt_read(const struct message *answer, struct trial *trial);
/* The trial after DEVICE_TIMEOUT or DEVICE_LOAD_TIMEOUT. */
void attempt_timed_out(enum device_event event, double compile_limit_s, double limit_s,
                       struct trial *trial);

#endif
