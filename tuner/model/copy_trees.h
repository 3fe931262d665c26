/* Trees of one model among those of another. */
#ifndef TUNER_MODEL_COPY_TREES_H
#define TUNER_MODEL_COPY_TREES_H

#include "runtime/predict/model.h"

/* Room for so many trees, of so many nodes in all, and none of them yet. False: out of memory. Free
 * with boost_free in every case. */
bool copy_trees_begin(struct tw_model *copy, int trees, int nodes);
/* Adds the trees of a forest, with the nodes that lie between theirs, as a model has them. */
void copy_trees(struct tw_model *copy, const struct tw_model *from,
                const struct tw_model_forest *forest);

#endif
