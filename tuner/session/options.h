/* What is asked of a session. */
#ifndef TUNER_SESSION_OPTIONS_H
#define TUNER_SESSION_OPTIONS_H

#include <signal.h>

#include "runtime/select/catalogue.h"
#include "tuner/search/strategy.h"

struct compile_pool;
struct pins;

enum { SESSION_MAX_DEVICES = 64 };

struct session_options {
    struct strategy_choice strategy;
    uint64_t seed;
    double budget_seconds; /* 0: no limit of time */
    int64_t budget_trials; /* 0: no limit of trials */
    int jobs;              /* compiling workers */
    const char *cache;     /* "cold" or "warm" */
    double trial_limit_s;  /* for one trial on the device; 0: from the reference's own time */
    double compile_limit_s;
    const struct tw_catalogue *hints;  /* results to begin from (hints.h); NULL: none */
    const struct tw_catalogue *models; /* to predict by where hints have none; NULL: none */
    /* Parameters held at a value; NULL: none. What is found then becomes the best row only where no
     * other run knows of anything as fast. */
    const struct pins *pins;
    bool no_prior;        /* the strategy `auto` is to begin without predictions */
    bool measures_errors; /* on hard inputs, also of problems of which nothing is promised */
    /* What is wanted is the record of the trials: of a playoff its best get their times, and no row
     * of results comes of it. */
    bool trials_only;
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

#endif
