/* How many times as long something takes as something else, from times of both that were measured
 * in turns.
 *
 * The ratio is taken round by round, where the device was in one state for both (blocking, as in
 * Box, Hunter and Hunter, "Statistics for Experimenters"), and what is told is the median over the
 * rounds. Its interval is between order statistics (statistics.h), so that nothing is assumed of
 * how times are distributed.
 *
 * All functions are pure and may be called from many threads. */
#ifndef TUNER_STATISTICS_RATIO_H
#define TUNER_STATISTICS_RATIO_H

#include "tuner/statistics/statistics.h"

struct ratio {
    size_t rounds; /* that both were measured in; with 0 the rest means nothing */
    double median;
    struct statistics_interval interval;
};

/* Of `times` to `others`, which have an entry a round, in one unit; a round in which either is NaN
 * does not count. `room` is for `rounds` values. */
struct ratio ratio_of(const double *times, const double *others, size_t rounds, double *room);

/* The times of two sides on one problem. */
struct ratio_pair {
    const double *times, *others;
    size_t rounds;
};

/* The geometric mean over problems: of each round's ratios, and then the median over the rounds.
 * Only as many rounds count as every problem has. `room` is for that many values. */
struct ratio ratio_mean(const struct ratio_pair *pairs, size_t count, double *room);

enum ratio_verdict {
    RATIO_LESS,    /* the interval lies below 1 */
    RATIO_MORE,    /* above */
    RATIO_EQUAL,   /* within 1 +- RATIO_TIE */
    RATIO_UNKNOWN, /* neither: more rounds would tell */
};

/* What nobody would notice: half a percent, as in the playoff. */
#define RATIO_TIE 0.005

enum ratio_verdict ratio_verdict(const struct ratio *ratio);

#endif
