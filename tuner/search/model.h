/* What the trials so far say of points not tried yet: a Gaussian process of the logarithm of the
 * time for each implementation, over the ranks of its parameters. One thread at a time; borrows the
 * space. */
#ifndef TUNER_SEARCH_MODEL_H
#define TUNER_SEARCH_MODEL_H

#include "tuner/search/strategy.h"

struct model;

tw_status model_create(struct model **out, const struct space *space, uint64_t seed,
                       struct tw_error *error);
void model_free(struct model *model);

/* Takes an outcome in. Short of memory it is left out, as the model is only a guess. */
void model_learn(struct model *model, size_t point, const struct strategy_outcome *outcome);
/* How many outcomes were ok. */
size_t model_known(const struct model *model);
/* Fits again if enough was learnt since. True when it did, and earlier guesses are stale. */
bool model_refresh(struct model *model);

/* Guessed logarithm of a point's seconds; INFINITY where too little is known to guess. */
double model_guess(const struct model *model, size_t point);
/* The expected improvement on the best time, as a share of it (Jones, Schonlau and Welch,
 * "Efficient global optimization of expensive black-box functions", 1998). 0 where too little is
 * known. */
double model_improvement(const struct model *model, size_t point);

#endif
