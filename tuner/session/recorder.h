/* What a session writes to the database and what it finds there: the run that it is. Trials are in
 * recorder_trials.h, the best in recorder_best.h, and recorder_open.h makes a recorder. */
#ifndef TUNER_SESSION_RECORDER_H
#define TUNER_SESSION_RECORDER_H

#include "db/store.h"
#include "runtime/backend/backend.h"
#include "runtime/base/hash.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"

struct sources;

struct recorder {
    tw_db *db; /* borrowed */
    const char *path;
    const struct tw_problem *problem;
    const struct tw_device_info *device;
    const char *cache_policy;
    char fingerprint[256];         /* of the device */
    const struct sources *sources; /* that the run has rendered; may be NULL */
    char judge[TW_HASH_SIZE];      /* of the problem (variant/identity.h) */
    int64_t problem_id, device_id, run_id;
    int64_t newest_trial; /* id of the last one that recorder_known or recorder_news saw */
    int64_t implementation_ids[TW_MAX_IMPLEMENTATIONS]; /* by index in the description */
};

/* Takes over an unfinished run that was started with the same words, or begins one. `elapsed_s` and
 * `trials` are what the run had spent. */
tw_status recorder_begin_run(struct recorder *recorder, struct tw_db_run *run, double *elapsed_s,
                             int64_t *trials, bool *resumed, struct tw_error *error);
tw_status recorder_update(const struct recorder *recorder, double elapsed_s, const char *conditions,
                          struct tw_error *error);
tw_status recorder_finish(const struct recorder *recorder, enum tw_db_run_state state,
                          double elapsed_s, struct tw_error *error);

/* How many other runs for this problem, device and cache policy are under way. */
tw_status recorder_others(const struct recorder *recorder, int *count, struct tw_error *error);

/* What is recorded in between is stored as a whole or, when `status` is a failure, not at all. The
 * end returns `status`, or that it could not be stored. */
tw_status recorder_begin(const struct recorder *recorder, struct tw_error *error);
tw_status recorder_end(const struct recorder *recorder, tw_status status, struct tw_error *error);

/* For the parts of the recorder. What a call of the database returned, with its message. */
tw_status recorder_check(const struct recorder *recorder, enum tw_db_status status,
                         struct tw_error *error);
/* The hash of a configuration's sources (variant/identity.h). */
tw_status recorder_identify(const struct recorder *recorder,
                            const struct tw_configuration *configuration, char source[TW_HASH_SIZE],
                            struct tw_error *error);

#endif
