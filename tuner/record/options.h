/* What is asked of a recording, and what it tells. */
#ifndef TUNER_RECORD_OPTIONS_H
#define TUNER_RECORD_OPTIONS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/select/catalogue.h"

struct record_options {
    const char *cache; /* "cold" or "warm" */
    uint32_t seed;     /* of the inputs */
    int jobs;          /* compiling workers */
    double seconds;    /* the most that it may take; 0: no limit */
    int trials; /* of each problem, what is predicted to take least; 0: all that may be good */
    double trial_limit_s, compile_limit_s; /* as session_options' */
    const volatile sig_atomic_t *interrupted;
    /* The models that say what is good, and what is unlikely to be; and others that say only what
     * is good, of problems that those are not about. NULL: nothing says. Borrowed. */
    const struct tw_catalogue *models, *other_models;
};

struct record_progress {
    double elapsed_s;
    int problem, problem_count; /* the one under way, from 1 */
    int64_t trials;
};

struct record_result {
    int problems; /* that are recorded to the end, now or before */
    int64_t trials, failures;
    int64_t known;    /* trials that were on record */
    int64_t unlikely; /* left out, since a model that knows them predicts that they take long */
    /* Left out, since `trials` others are predicted to take less, or enough launches of the binary.
     */
    int64_t beyond;
    int by_model; /* problems of which a model said so, and not the estimate */
    int64_t compiled;
    int left_out; /* configurations that were far from the best on all of the first problems */
    bool interrupted, out_of_time;
    double elapsed_s;
    char first_failure[TW_ERROR_SIZE];
};

#endif
