/* What a session tells: while it runs, and at its end. */
#ifndef TUNER_SESSION_RESULT_H
#define TUNER_SESSION_RESULT_H

#include "tuner/session/options.h"
#include "tuner/session/trial.h"
#include "tuner/session/wall.h"

enum { SESSION_MAX_PRESETS = 256, SESSION_STATUSES = 8 };

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
    int other_runs;       /* of the same problem on this device that were under way meanwhile */
    int64_t trials;       /* on record for this problem, known ones included */
    int64_t trials_now;   /* of this invocation */
    int64_t stopped_now;  /* of these, whose timing was stopped as they had lost */
    int64_t siblings_now; /* of these, that shared a binary with one of the best */
    int64_t again_now;    /* measurements of the best while nothing new was ready; no trials */
    bool retried;         /* the next is filled in */
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
    int64_t compiled;      /* variants compiled now */
    int64_t shared;        /* launches of theirs that had been compiled for others */
    int64_t rendered;      /* sources rendered now, one a launch */
    int64_t distinct;      /* of which differ */
    double compile_wall_s; /* from the first source handed out to the last binary */
    int replaced;          /* device workers */
    int device_count;
    struct session_device_result devices[SESSION_MAX_DEVICES]; /* the session's own first */
    struct wall_parts wall; /* where the time of this invocation went */
    double elapsed_s;       /* of the run, earlier parts included */
    char first_failure[TW_ERROR_SIZE];
    char unverified[TW_ERROR_SIZE]; /* a kind of call that the best is not verified for, and why */
};

#endif
