/* The playoff's decisions: which of a few close candidates is the fastest.
 *
 * The caller measures every live candidate once a round, one after the other, and adds the round. A
 * candidate is out when it is proven slower than the leader, which is the one with the least
 * median: either the confidence intervals of their medians lie apart, or its ratio to the leader,
 * taken round by round, is above 1. Within a round the device is in one state, so that the ratio is
 * free of the drift of clocks and temperature that the medians suffer (blocking, as in Box, Hunter
 * and Hunter, "Statistics for Experimenters"). The ratios are looked at after every round, which
 * gives chance many a chance, so one look asks for a fifth of the error that the confidence allows.
 *
 * It is over when one candidate is left, when all that are left are proven to tie with the leader
 * (the confidence interval of the median ratio lies within 1 +- tie), or after the last round.
 *
 * Nothing here measures or prints. A playoff belongs to one thread at a time. */
#ifndef TUNER_STATISTICS_PLAYOFF_H
#define TUNER_STATISTICS_PLAYOFF_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/error.h"
#include "tuner/statistics/statistics.h"

#define PLAYOFF_NONE ((size_t)-1)

struct playoff;

struct playoff_options {
    size_t rounds;     /* at most; at least 1 */
    double confidence; /* 0: STATISTICS_CONFIDENCE */
    double tie;        /* 0: 0.005, which is +-0.5 % */
};

enum playoff_end {
    PLAYOFF_RUNNING,
    PLAYOFF_WON,      /* all others are out */
    PLAYOFF_TIED,     /* those that are left are proven equal */
    PLAYOFF_UNDECIDED /* the last round did not separate those that are left */
};

/* A candidate as its rounds have it; those that are out keep the rounds they played. */
struct playoff_standing {
    bool live;     /* at the end: in the tie set */
    size_t rounds; /* measured; with 0 the rest means nothing */
    double median;
    double spread;                       /* statistics_spread */
    struct statistics_interval interval; /* of the median */
};

/* Candidates are numbered in the caller's order, which breaks ties. The caller frees *out. */
tw_status playoff_create(struct playoff **out, size_t candidates,
                         const struct playoff_options *options, struct tw_error *error);
void playoff_free(struct playoff *playoff);

/* Whether the candidate is to be measured in the next round. */
bool playoff_live(const struct playoff *playoff, size_t candidate);

/* Adds a round of times, one a candidate, all in one unit; those of candidates that are out are not
 * read. NaN stands for a measurement that failed and puts the candidate out. Returns whether it is
 * over; when it is, adding does nothing. */
enum playoff_end playoff_add(struct playoff *playoff, const double *times);

/* Takes a candidate out that the caller has seen enough of; it keeps its rounds. */
void playoff_retire(struct playoff *playoff, size_t candidate);

/* Takes a candidate back in that was out, if all that were left are of no use. */
void playoff_restore(struct playoff *playoff, size_t candidate);

/* The median of a candidate's times over those of another in the same rounds: how many times as
 * long it takes, free of what drifted meanwhile. 0 when they had no round together. */
double playoff_ratio(const struct playoff *playoff, size_t candidate, size_t other);

/* The live candidate with the least median; PLAYOFF_NONE when all failed or there was no round. */
size_t playoff_winner(const struct playoff *playoff);
struct playoff_standing playoff_standing(const struct playoff *playoff, size_t candidate);

#endif
