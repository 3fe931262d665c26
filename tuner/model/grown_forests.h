/* Which forests of an earlier model get trees: those that are asked of a kind that has trials. */
#ifndef TUNER_MODEL_GROWN_FORESTS_H
#define TUNER_MODEL_GROWN_FORESTS_H

#include "runtime/predict/model.h"

/* The kinds, a bit each, that a forest is asked of: what the model has not, its first is. */
uint64_t kinds_asked(const struct tw_model *onto, int forest);

/* The kinds of those forests that get trees where `learnt` have trials, which may be kinds that the
 * model has not. */
uint64_t kinds_of_grown(const struct tw_model *onto, uint64_t learnt);

#endif
