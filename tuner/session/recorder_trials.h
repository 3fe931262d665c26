/* The trials on record for a recorder's problem, device and cache policy. */
#ifndef TUNER_SESSION_RECORDER_TRIALS_H
#define TUNER_SESSION_RECORDER_TRIALS_H

#include "tuner/session/recorder.h"
#include "tuner/session/trial.h"

/* Calls `visit` for every trial on record for this problem, device, cache policy and today's
 * code and judge, whose configuration the description still allows, and that was not visited yet.
 */
tw_status recorder_known(struct recorder *recorder,
                         void (*visit)(void *context, const struct trial *trial), void *context,
                         struct tw_error *error);
/* The same for those that other runs have recorded since. */
tw_status recorder_news(struct recorder *recorder,
                        void (*visit)(void *context, const struct trial *trial), void *context,
                        struct tw_error *error);

/* *added is false when another run was first to record the variant: its trial stays. */
tw_status recorder_add(const struct recorder *recorder, const struct trial *trial, bool *added,
                       struct tw_error *error);
/* Gives a trial on record its time and interval anew. */
tw_status recorder_retime(const struct recorder *recorder, const struct trial *trial,
                          struct tw_error *error);
/* Forgets the trials on record that have one of these statuses (a bit each) and adds to the counts
 * by status. recorder_known then visits the others from the first on. */
tw_status recorder_forget(struct recorder *recorder, unsigned statuses,
                          int64_t counts[TW_DB_TRIAL_STATUS_COUNT], struct tw_error *error);

#endif
