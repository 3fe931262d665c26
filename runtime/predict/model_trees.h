/* Internal to the room: the trees of a model, which are nine tenths of its text. */
#ifndef TW_PREDICT_MODEL_TREES_H
#define TW_PREDICT_MODEL_TREES_H

#include "runtime/predict/model.h"

/* The values that packed trees compare a feature to, or the next of them: numbers with a space
 * between them, ascending. */
tw_status tw_model_read_cuts(struct tw_model *model, int feature, const char *text,
                             const char *origin, struct tw_error *error);
/* Reads the trees, after the features, from the '[' on, of about that length; with their nodes, or
 * without them where they can be walked without. */
tw_status tw_model_read_trees(struct tw_model *model, const char *trees, size_t length, bool nodes,
                              const char *origin, struct tw_error *error);

#endif
