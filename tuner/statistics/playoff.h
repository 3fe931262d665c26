/* The decisions of a playoff: candidates are measured in interleaved rounds, one repeat of each a
 * round, until it is clear who is fastest or that it cannot be told.
 *
 * Comparisons are paired: what slows a whole round down (clocks, heat, a neighbour) slows all
 * candidates alike and cancels in the ratio of two times of one round. A candidate is out when the
 * confidence interval of its median ratio to the leader's times lies above 1; it is a proven tie
 * when that interval lies within +-0.5% of 1. No clock, no device: the caller measures. One thread
 * at a time. */
#ifndef TUNER_STATISTICS_PLAYOFF_H
#define TUNER_STATISTICS_PLAYOFF_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/statistics/statistics.h"

enum { PLAYOFF_CANDIDATES = 64, PLAYOFF_ROUNDS = 200 };

struct playoff {
    int candidates;
    int rounds; /* so far */
    int max_rounds;
    bool live[PLAYOFF_CANDIDATES];
    double times[PLAYOFF_CANDIDATES][PLAYOFF_ROUNDS]; /* of a candidate, while it was live */
    int repeats[PLAYOFF_CANDIDATES];
};

/* Candidates 0 .. candidates-1 are all live. At most PLAYOFF_CANDIDATES and PLAYOFF_ROUNDS. */
void playoff_begin(struct playoff *playoff, int candidates, int max_rounds);

/* Takes a round: a time above 0 for every live candidate, by index (others are ignored). Then
 * decides who stays live. */
void playoff_add(struct playoff *playoff, const double *times);

/* One is left, or all that are left are proven ties, or the rounds are used up. */
bool playoff_finished(const struct playoff *playoff);

/* The live candidate with the smallest median; of equal ones the first. At least one round is
 * needed. */
int playoff_winner(const struct playoff *playoff);

double playoff_median(const struct playoff *playoff, int candidate);
/* The 95% interval of a candidate's median; false when it had too few rounds for one. */
bool playoff_interval(const struct playoff *playoff, int candidate,
                      struct statistics_interval *interval);

#endif
