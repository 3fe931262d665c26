/* What each strategy's file has for the table in strategies.c. */
#ifndef TUNER_SEARCH_STRATEGIES_H
#define TUNER_SEARCH_STRATEGIES_H

#include "tuner/search/strategy.h"

extern const struct strategy_kind strategy_exhaustive;
extern const struct strategy_kind strategy_greedy;
extern const struct strategy_kind strategy_random;

#endif
