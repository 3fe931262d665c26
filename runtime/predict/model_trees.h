/* Internal to the room: the trees of a model, which are nine tenths of its text. */
#ifndef TW_PREDICT_MODEL_TREES_H
#define TW_PREDICT_MODEL_TREES_H

#include "runtime/predict/model.h"

/* Reads them, after the features, from the '[' on. */
tw_status tw_model_read_trees(struct tw_model *model, const char *trees, const char *origin,
                              struct tw_error *error);

#endif
