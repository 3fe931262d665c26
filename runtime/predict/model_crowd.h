/* Internal to the room: many configurations on one problem, walked down trees together.
 *
 * Most of what trees ask is the problem's, or the same of all: of 64 configurations the nodes of a
 * tree tell few apart, and they end in a handful of its leaves. So a set of them goes down, one bit
 * each, and is parted where a node tells them apart, in place of each going down by itself. */
#ifndef TW_PREDICT_MODEL_CROWD_H
#define TW_PREDICT_MODEL_CROWD_H

#include "runtime/predict/model.h"

struct tw_model_crowd;

/* Of a model with steps; it and the cases, up to TW_MODEL_AT_ONCE, are borrowed. NULL: out of
 * memory. */
struct tw_model_crowd *tw_model_crowd_create(const struct tw_model *model,
                                             struct tw_model_case *cases);
void tw_model_crowd_free(struct tw_model_crowd *crowd);

/* Adds to the sums of `count` of its cases what a forest's trees from `first` up to `end` say, to
 * each in the order of the trees. False: out of memory, and nothing was added. */
bool tw_model_crowd_walk(struct tw_model_crowd *crowd, const struct tw_model_forest *forest,
                         int first, int end, const uint16_t *of, size_t count);

#endif
