/* An audit: for each problem that is wanted, what an application would get, held against a short
 * tuning. Both are measured again in interleaved rounds, so that times can be compared. */
#ifndef TUNER_AUDIT_AUDIT_H
#define TUNER_AUDIT_AUDIT_H

#include <signal.h>

#include <cjson/cJSON.h>

#include "tuner/audit/demand.h"
#include "tuner/session/session.h"
#include "tuner/statistics/ratio.h"

struct audited {
    const struct wanted *wanted;
    bool measured;               /* if not, `failure` says why */
    char failure[TW_ERROR_SIZE]; /* also where what an application gets is wrong */
    /* What an application gets: the first that compiles and loads, as its library has it. */
    struct tw_selection given;
    double given_us;
    struct tw_configuration tuned; /* what tuning found */
    bool same;                     /* it is what an application gets */
    double tuned_us;
    int64_t trials;      /* of the tuning */
    struct ratio ratio;  /* what is given over what was found, round by round */
    double regret;       /* at least 1: of that, where tuning found nothing better 1 */
    double saved_us;     /* by all launches, if the better one is used */
    double vendor_us;    /* as bench measured it; 0: not known */
    double vendor_ratio; /* then, the vendor's time over ours, both as bench had them */
};

struct audit_options {
    struct session_options
        session; /* of the tunings: strategy, seed, budget, jobs, cache, limits */
    int rounds;  /* interleaved; 6 at least, fewer give no interval */
    const struct tw_device_info *device;
    const struct tw_catalogue *catalogue; /* what an application has */
    tw_db *db;                            /* where tuning stores what it tries */
    const char *db_path;
    /* Told before each problem; may be NULL. */
    void (*progress)(void *context, const struct wanted *wanted, int place, int count);
    void *context;
};

struct audit_summary {
    int measured, failed;
    double mean, p95, worst; /* of the regrets; the mean is geometric */
    const struct wanted *worst_problem;
    double saved_us, launched_us; /* of all launches: what would be saved, and what they take */
};

/* Audits a problem. What is wrong with it alone is told in `out`; fails where nobody can go on, as
 * for want of a device. */
tw_status audit_problem(const struct audit_options *options, const struct wanted *wanted,
                        struct audited *out, struct tw_error *error);

/* Reads the vendor's times from `text`, what `bench --json` wrote to `file`; TW_INVALID when it is
 * no such thing. Free with cJSON_Delete in every case. */
tw_status audit_read_vendor(cJSON **vendor, const char *file, const char *text,
                            struct tw_error *error);
/* Takes the times of the same problems. */
void audit_add_vendor(struct audited *all, int count, const cJSON *vendor);

/* Those that save the most come first, and what could not be measured last. */
void audit_sort(struct audited *all, int count);
/* `room` is for `count` values. */
struct audit_summary audit_sum_up(const struct audited *all, int count, double *room);

/* For people and for programs, on standard output. `counted`: launches are from a log. */
void audit_print_table(const struct audited *all, int count, const struct audit_summary *summary,
                       const struct tw_device_info *device, bool counted);
tw_status audit_print_json(const struct audited *all, int count,
                           const struct audit_summary *summary, const struct tw_device_info *device,
                           bool counted, struct tw_error *error);

#endif
