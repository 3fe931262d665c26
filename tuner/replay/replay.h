/* Searches replayed on a recording: what a strategy would have found there, trial by trial, with no
 * device. */
#ifndef TUNER_REPLAY_REPLAY_H
#define TUNER_REPLAY_REPLAY_H

#include "tuner/formats/recording.h"
#include "tuner/search/strategy.h"

/* One search: what is known after each trial. */
struct replay {
    size_t count;
    double *best;  /* after trial i, from 0: the least seconds so far; INFINITY before any worked */
    double *spent; /* recorded seconds of the trials up to it */
    double *clock; /* when it ended: compiled beside the others outstanding, run one by one */
};

struct replay_options {
    size_t trials;  /* at most */
    double seconds; /* by the clock, after which nothing counts; 0: as many as the trials take */
    size_t outstanding; /* asked for before the first of them is told, as by many compile workers */
    const double *expected; /* of each of the file's entries (strategy.h); NULL: nothing */
    const double *traits;   /* so many of each of the entries; NULL: none */
    int trait_count;
};

/* `replay` is zero, or was used before. TW_NO_MEMORY is the only failure.
 * Free with replay_free in every case. */
tw_status replay_run(struct replay *replay, const struct recording *recording,
                     const struct strategy_choice *choice, uint64_t seed,
                     const struct replay_options *options, struct tw_error *error);
void replay_free(struct replay *replay);

/* The first trial, from 1, after which the best is no more than `seconds`; 0: none is. */
size_t replay_reaches(const struct replay *replay, double seconds);

#endif
