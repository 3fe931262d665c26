/* Trees of one model among those of another. */
#ifndef TUNER_MODEL_COPY_TREES_H
#define TUNER_MODEL_COPY_TREES_H

#include "runtime/predict/model.h"

/* Room for the trees of both models, and none of them yet; `b` may be NULL. False: out of memory.
 * Free roots and nodes. */
bool copy_trees_begin(struct tw_model *copy, const struct tw_model *a, const struct tw_model *b);
/* Adds the trees of a forest, with the nodes that lie between theirs, as a model has them. */
void copy_trees(struct tw_model *copy, const struct tw_model *from,
                const struct tw_model_forest *forest);

#endif
