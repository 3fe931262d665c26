/* Which forests of an earlier model get trees: those that are asked of a kind that has trials. */
#ifndef TUNER_MODEL_GROWN_FORESTS_H
#define TUNER_MODEL_GROWN_FORESTS_H

#include "runtime/predict/model.h"

/* `kept`: the model's kinds that have no trials, a bit each, of it or of a kind that is alike.
 * `others`: some are of kinds that are like none of its, which are asked of its first forest. */
bool forest_grows(const struct tw_model *onto, int forest, uint64_t kept, bool others);
/* All kinds of those forests that get trees. */
uint64_t kinds_of_grown(const struct tw_model *onto, uint64_t kept, bool others);

#endif
