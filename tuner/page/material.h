/* What a page is about, read from a database and kept while the page is written.
 *
 * A subject is a problem on a device under a cache policy: what is tuned, by one run or by several.
 * Text comes from the database and may be anything. */
#ifndef TUNER_PAGE_MATERIAL_H
#define TUNER_PAGE_MATERIAL_H

#include "db/store.h"
#include "runtime/base/error.h"

struct page_device {
    const char *fingerprint, *backend, *name;
    const char *architecture, *properties; /* "" when not known */
    int64_t compute_units, memory_bytes;
};

struct page_best {
    const char *implementation, *configuration;
    const char *ties, *presets; /* JSON; NULL when there are none */
    const char *rate_unit;      /* NULL: no rate */
    double time_us, ci_low_us, ci_high_us, rate;
    bool has_error;
    double max_rel_error, rms_rel_error;
    bool has_hard;
    double hard_max_error, hard_rms_error;
    int64_t rounds, run, measured_at;
    bool provisional;
};

struct page_run {
    int64_t id;
    const char *state, *strategy, *budget_kind;
    double budget_value, elapsed_s;
    uint64_t seed;
    int64_t started_at, trials;
    const char *version, *driver, *compiler; /* "" when not known */
};

struct page_subject {
    const char *kernel, *key, *problem; /* `problem` has all attributes, for people */
    const char *cache;
    const struct page_device *device;
    int best_count; /* the fastest first, one an implementation */
    struct page_best *bests;
    int run_count; /* the oldest first, those that have trials here */
    struct page_run *runs;
};

struct page_trial {
    enum tw_db_trial_status status;
    const char *implementation, *configuration;
    const char *message; /* "" when there is none */
    int run;             /* of the subject */
    double second;       /* since the subject's first run began, without the time between runs */
    double time_us;      /* ok only */
    bool has_interval;
    double ci_low_us, ci_high_us;
    bool screened_out;
    int64_t created_at;
};

struct page_trials {
    int count;
    struct page_trial *trials; /* in the order in which they were made */
    struct page_store *store;
};

struct page_material {
    int device_count, subject_count;
    struct page_device *devices;
    struct page_subject *subjects; /* by kernel, problem and device */
    struct page_store *store;      /* owns all text */
};

struct page_filter {
    const char *kernel; /* NULL: all; likewise the next */
    const char *device_fingerprint;
    int64_t run; /* 0: all; else its subject alone, with no other run's trials */
};

/* TW_NOT_FOUND when nothing is stored that the filter lets through. Free in every case. */
tw_status material_read(struct page_material *material, tw_db *db, const struct page_filter *filter,
                        struct tw_error *error);
void material_free(struct page_material *material);

/* The trials of a subject's runs. Free in every case. */
tw_status material_trials(const struct page_subject *subject, tw_db *db, struct page_trials *trials,
                          struct tw_error *error);
void material_trials_free(struct page_trials *trials);

#endif
