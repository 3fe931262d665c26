/* What the trials so far say of points not tried yet: a Gaussian process of the logarithm of the
 * time for each implementation, over what features.h makes of its parameters and over their traits
 * (traits.h), where they are told. Where something was expected beforehand, the process is of how
 * far the times are from that, as far as the two agree. Failures have no time: where there are more
 * than a few, a process of their own says how likely one is. One thread at a time; borrows the
 * space. */
#ifndef TUNER_SEARCH_SURROGATE_H
#define TUNER_SEARCH_SURROGATE_H

#include "tuner/search/strategy.h"

struct surrogate;

struct surrogate_options {
    uint64_t seed;
    double told_apart; /* the share of the ok times that is told apart, from the fastest on */
    double margin;     /* what is less than this share below the best is no improvement */
    int candidates;    /* most that can be on offer, all implementations together */
    const struct strategy_expectation *expectation; /* borrowed; NULL: none */
};

tw_status surrogate_create(struct surrogate **out, const struct space *space,
                           const struct surrogate_options *options, struct tw_error *error);
void surrogate_free(struct surrogate *surrogate);

/* Takes an outcome in. Short of memory it is left out, as the model is only a guess. */
void surrogate_learn(struct surrogate *surrogate, size_t point,
                     const struct strategy_outcome *outcome);
/* How many outcomes were ok. */
size_t surrogate_known(const struct surrogate *surrogate);
/* Fits again if enough was learnt since. True when it did, and earlier guesses are stale. */
bool surrogate_refresh(struct surrogate *surrogate);

struct surrogate_candidate {
    size_t point;
    double improvement; /* see surrogate_improvement */
    double expected;    /* the logarithm of the seconds expected beforehand; NAN: nothing was */
};

/* Makes a point a candidate, in place of one that has been on offer for long where there is no
 * room. Guesses for candidates cost little. */
void surrogate_offer(struct surrogate *surrogate, size_t point);
/* From now on there may be `places` candidates, no more than the options'; of those there are the
 * most promising ones stay and take half of the places at most. `list` is room for the options'
 * candidates. How many stay. */
int surrogate_thin(struct surrogate *surrogate, int places, struct surrogate_candidate *list);
/* Lists the candidates worth a trial that the strategy has not seen, of one implementation or, for
 * -1, of any, with the largest improvement first. How many there are, at most the options'
 * candidates. */
size_t surrogate_rank(struct surrogate *surrogate, const struct strategy *strategy,
                      int implementation, struct surrogate_candidate *list);

/* The expected improvement on the best time less the margin, as a share of it (Jones, Schonlau and
 * Welch, "Efficient global optimization of expensive black-box functions", 1998), times the chance
 * that the point does not fail. 0 where too little is known. */
double surrogate_improvement(const struct surrogate *surrogate, size_t point);

#endif
