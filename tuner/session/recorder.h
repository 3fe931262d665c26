/* What a session writes to the database and what it finds there: trials, the run, the best. */
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

/* A trial as the session sees it. */
struct trial {
    struct tw_configuration configuration;
    enum tw_db_trial_status status;
    char message[512];
    double time_us, ci_low_us, ci_high_us; /* when ok */
    bool has_interval;
    int repeats;
    bool screened_out;
    bool has_error;
    double max_rel_error, rms_rel_error;
    bool has_hard;
    double hard_max_error, hard_rms_error;
    bool has_compile_ms;
    double compile_ms;
    bool has_resources;
    int64_t registers, spill_bytes;
    double verify_s, measure_s; /* that it took the device worker; not stored */
};

/* Makes sure that device, problem and implementations are on record. What was stored under other
 * code and is of today's all the same goes under today's from now on. */
tw_status recorder_open(struct recorder *recorder, tw_db *db, const char *path,
                        const struct tw_problem *problem, const struct tw_device_info *device,
                        const char *cache_policy, struct tw_error *error);

/* Takes over an unfinished run that was started with the same words, or begins one. `elapsed_s` and
 * `trials` are what the run had spent. */
tw_status recorder_begin_run(struct recorder *recorder, struct tw_db_run *run, double *elapsed_s,
                             int64_t *trials, bool *resumed, struct tw_error *error);

/* Calls `visit` for every trial on record for this problem, device, cache policy and today's
 * code and judge, whose configuration the description still allows. */
tw_status recorder_known(struct recorder *recorder,
                         void (*visit)(void *context, const struct trial *trial), void *context,
                         struct tw_error *error);
/* The same for those that other runs have recorded since. */
tw_status recorder_news(struct recorder *recorder,
                        void (*visit)(void *context, const struct trial *trial), void *context,
                        struct tw_error *error);
/* How many other runs for this problem, device and cache policy are under way. */
tw_status recorder_others(const struct recorder *recorder, int *count, struct tw_error *error);

/* *added is false when another run was first to record the variant: its trial stays. */
/* Forgets the trials on record that have one of these statuses (a bit each) and adds to the counts
 * by status. recorder_known then visits the others from the first on. */
tw_status recorder_forget(struct recorder *recorder, unsigned statuses,
                          int64_t counts[TW_DB_TRIAL_STATUS_COUNT], struct tw_error *error);
tw_status recorder_add(const struct recorder *recorder, const struct trial *trial, bool *added,
                       struct tw_error *error);
tw_status recorder_update(const struct recorder *recorder, double elapsed_s, const char *conditions,
                          struct tw_error *error);

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

/* What is recorded in between is stored as a whole or, when `status` is a failure, not at all. The
 * end returns `status`, or that it could not be stored. */
/* Gives a trial that was found wrong after all its status, and removes the best row that has its
 * configuration. */
tw_status recorder_condemn(const struct recorder *r, const struct trial *trial,
                           struct tw_error *error);

tw_status recorder_begin(const struct recorder *recorder, struct tw_error *error);
tw_status recorder_end(const struct recorder *recorder, tw_status status, struct tw_error *error);

tw_status recorder_finish(const struct recorder *recorder, enum tw_db_run_state state,
                          double elapsed_s, struct tw_error *error);

#endif
