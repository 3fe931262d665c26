/* Which forests of an earlier model get trees: those that are asked of a kind that has trials. */
#ifndef TUNER_MODEL_GROWN_FORESTS_H
#define TUNER_MODEL_GROWN_FORESTS_H

#include "runtime/predict/model.h"

/* What has trials, as the earlier model asks of it: a kind that it has not is asked as one that is
 * alike, or of the first forest where there is none. */
struct learnt_kinds {
    uint64_t kinds; /* of its own, a bit each */
    bool others;    /* that are like none */
};

void learn_kind(struct learnt_kinds *learnt, int asked_as); /* -1: like none */
bool forest_grows(const struct tw_model *onto, int forest, const struct learnt_kinds *learnt);
/* All kinds of those forests that get trees. */
uint64_t kinds_of_grown(const struct tw_model *onto, const struct learnt_kinds *learnt);

#endif
