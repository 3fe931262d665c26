/* A tuning session: one problem on one device, from its space to a stored winner.
 *
 * The coordinator. It never touches a device or a compiler itself: workers do, and may fail. */
#ifndef TUNER_SESSION_SESSION_H
#define TUNER_SESSION_SESSION_H

#include <signal.h>

#include <cjson/cJSON.h>

#include "runtime/select/catalogue.h"
#include "tuner/search/strategy.h"
#include "tuner/session/recorder.h"
#include "tuner/session/wall.h"

struct compile_pool;

struct session_options {
    struct strategy_choice strategy;
    uint64_t seed;
    double budget_seconds; /* 0: no limit of time */
    int64_t budget_trials; /* 0: no limit of trials */
    int jobs;              /* compiling workers */
    const char *cache;     /* "cold" or "warm" */
    double trial_limit_s;  /* for one trial on the device; 0: from the reference's own time */
    double compile_limit_s;
    const struct tw_catalogue *hints; /* results to begin from (hints.h); NULL: none */
    /* Parameters held at a value; NULL: none. What is found then becomes the best row only where no
     * other run knows of anything as fast. */
    const struct pins *pins;
    bool no_prior;        /* the strategy `auto` is to begin without predictions */
    bool measures_errors; /* on hard inputs, also of problems of which nothing is promised */
    bool trials_only;     /* no playoff: what is wanted is the record of the trials */
    unsigned retry; /* trials of these statuses (a bit each) are forgotten, and tried again first */
    const volatile sig_atomic_t *interrupted; /* set from outside to stop cleanly */
    /* Devices like the session's (of one fingerprint), which take part in the search; at most
     * SESSION_MAX_DEVICES - 1. */
    const struct tw_device_info *others;
    int other_count;
    struct compile_pool *pool; /* that compiles for devices like these; NULL: `jobs` of its own */
    /* Told in a line what went wrong where the run goes on; may be NULL. */
    void (*notice)(void *context, const char *line);
    void *notice_context;
};

enum { SESSION_MAX_PRESETS = 64, SESSION_STATUSES = 8, SESSION_MAX_DEVICES = 64 };

struct session_preset {
    char name[TW_NAME_SIZE];
    struct tw_configuration configuration;
    bool tried; /* trial is filled in */
    bool fits;  /* this device can run it on this problem; else trial.message says why not */
    /* After a playoff trial.time_us can be compared with the best's: it was measured in rounds
     * beside it, or else put in proportion from what the search saw. */
    bool in_playoff;
    struct trial trial;
};

struct session_progress {
    double elapsed_s;
    int64_t trials; /* of this run */
    double best_us; /* 0: none yet */
    const char *best_rate_unit;
    double best_rate;
    int64_t failures;
    double left_s; /* negative: unknown */
    const char *phase;
    int devices;    /* that it measures on */
    int other_runs; /* under way for the same problem on this device */
};

/* What came of one of the devices. */
struct session_device_result {
    char id[24];
    int64_t trials; /* measured there now */
    int replaced;   /* its workers */
    bool played;    /* the playoff was here */
    bool lost;      /* it was given up, and `why` says so */
    char why[256];
};

/* What was predicted before anything was measured (search/prior.h). */
struct session_prior {
    bool used;
    bool of_model;           /* else of the estimate alone */
    int first;               /* points that the search began with */
    int64_t put_off;         /* proposals, at the start */
    int64_t trials;          /* of this invocation, that the next is of */
    double rank_correlation; /* Spearman's, of predicted and measured times */
};

struct session_result {
    struct session_prior prior;
    size_t space_size;
    int hints; /* configurations that were tried first because they did well nearby */
    bool resumed;
    bool interrupted;
    int other_runs;      /* of the same problem on this device that were under way meanwhile */
    int64_t trials;      /* on record for this problem, known ones included */
    int64_t trials_now;  /* of this invocation */
    int64_t stopped_now; /* of these, whose timing was stopped as they had lost */
    bool retried;        /* the next is filled in */
    int64_t forgotten[TW_DB_TRIAL_STATUS_COUNT]; /* to be tried again */
    int64_t counts[SESSION_STATUSES]; /* by enum tw_db_trial_status, known ones included */
    int preset_count;
    struct session_preset presets[SESSION_MAX_PRESETS];
    bool has_best; /* the rest is filled in */
    struct trial best;
    const char *rate_unit;
    double rate;
    double ci_low_us, ci_high_us;
    const struct pins *pins; /* as in the options */
    double known_us;         /* pinned: the best that other runs have stored; 0: none */
    int rounds;              /* of the playoff; 0: none was held */
    int tie_count; /* finalists that the playoff could not tell from the winner, itself included */
    bool decided;  /* all others were proven slower, or equal */
    double spread; /* of the winner's times over the rounds, between quartiles: 0.01 is 1 % */
    bool has_copy;
    double copy_us;        /* device-to-device copy of the bytes the problem moves */
    double copy_rate;      /* GB/s */
    int64_t compiled;      /* sources compiled now */
    int64_t rendered;      /* sources rendered now, one a launch */
    double compile_wall_s; /* from the first source handed out to the last binary */
    int replaced;          /* device workers */
    int device_count;
    struct session_device_result devices[SESSION_MAX_DEVICES]; /* the session's own first */
    struct wall_parts wall; /* where the time of this invocation went */
    double elapsed_s;       /* of the run, earlier parts included */
    char first_failure[TW_ERROR_SIZE];
    char unverified[TW_ERROR_SIZE]; /* a kind of call that the best is not verified for, and why */
};

/* The parts as an object, in seconds; the caller's. */
cJSON *session_wall_json(const struct wall_parts *parts);

/* Runs the session and fills in `result`. `progress` (may be NULL) is called a few times a second.
 * TW_OK also when interrupted, and when every variant failed: then has_best is false. */
tw_status session_run(const struct session_options *options, const struct tw_problem *problem,
                      const struct tw_device_info *device, tw_db *db, const char *db_path,
                      void (*progress)(void *context, const struct session_progress *progress),
                      void *context, struct session_result *result, struct tw_error *error);

#endif
