/* How many trees are grown of so many trials, and how deep they are. What each figure rests on is
 * in docs/notes, where recordings of gemm were fitted with others. */
#ifndef TUNER_MODEL_TREES_FOR_H
#define TUNER_MODEL_TREES_FOR_H

#include "tuner/model/boost.h"

/* From so many on trees are deeper, and a model of its own has two forests of them
 * (both_forests.h). */
bool trials_are_many(int trials);

/* `grows_on`: they are added to an earlier model's. */
struct boost_options trees_for(int trials, bool grows_on);

#endif
