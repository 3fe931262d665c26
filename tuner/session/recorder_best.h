/* The best rows on record for a recorder's problem, device and cache policy. */
#ifndef TUNER_SESSION_RECORDER_BEST_H
#define TUNER_SESSION_RECORDER_BEST_H

#include "tuner/session/recorder.h"
#include "tuner/session/trial.h"

/* Calls `visit` for every best row of a playoff that is stored for this problem, device, cache
 * policy and today's templates, whose configuration the description still allows. */
tw_status recorder_winners(const struct recorder *recorder,
                           void (*visit)(void *context,
                                         const struct tw_configuration *configuration),
                           void *context, struct tw_error *error);
/* The time of the fastest best row that other runs have stored for this problem, device, cache
 * policy and today's templates; 0: there is none. */
tw_status recorder_fastest(const struct recorder *recorder, double *time_us,
                           struct tw_error *error);
/* Stores a best row. Problem, device and so on are filled in; `best` says the rest. */
tw_status recorder_best(const struct recorder *recorder, struct tw_db_best *best,
                        const struct tw_configuration *configuration, struct tw_error *error);
/* Stores the best of the search so far, unless the winner of a playoff, or what a search found that
 * is as fast, is there. */
tw_status recorder_provisional(const struct recorder *recorder, struct tw_db_best *best,
                               const struct tw_configuration *configuration,
                               struct tw_error *error);
/* Removes what searches have stored so. */
tw_status recorder_drop_provisional(const struct recorder *recorder, struct tw_error *error);
/* Gives a trial that was found wrong after all its status, and removes the best row that has its
 * configuration. */
tw_status recorder_condemn(const struct recorder *recorder, const struct trial *trial,
                           struct tw_error *error);

#endif
