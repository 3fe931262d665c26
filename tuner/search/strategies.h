/* What each strategy's file has for the table in strategies.c. */
#ifndef TUNER_SEARCH_STRATEGIES_H
#define TUNER_SEARCH_STRATEGIES_H

#include "tuner/search/strategy.h"

extern const struct strategy_kind strategy_exhaustive;
extern const struct strategy_kind strategy_annealing;
extern const struct strategy_kind strategy_automatic;
extern const struct strategy_kind strategy_bayesian;
extern const struct strategy_kind strategy_best_first;
extern const struct strategy_kind strategy_differential;
extern const struct strategy_kind strategy_genetic;
extern const struct strategy_kind strategy_local;
extern const struct strategy_kind strategy_vnd;
extern const struct strategy_kind strategy_random;

#endif
