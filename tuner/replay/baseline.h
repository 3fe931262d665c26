/* What searching at random is worth on a recording, worked out and not drawn: what other strategies
 * are held against. */
#ifndef TUNER_REPLAY_BASELINE_H
#define TUNER_REPLAY_BASELINE_H

#include "tuner/formats/recording.h"

enum { BASELINE_MOMENTS = 50 };

struct baseline {
    double trial_seconds; /* what a trial takes in the mean; 1 where nothing is recorded of that */
    double budget;        /* seconds until the mean best is 95% of the way from median to best */
    double best[BASELINE_MOMENTS]; /* the mean best at equal steps of the budget, the last at its
                                      end */
};

/* TW_NO_MEMORY is the only failure. */
tw_status baseline_of(struct baseline *baseline, const struct recording *recording,
                      struct tw_error *error);

/* The trial, from 1, by which `share` of random searches have found one of the `good` points among
 * `points`; INFINITY when none is good. */
double baseline_reaches(size_t points, size_t good, double share);

#endif
