/* Internal to the room: the trees of a model, which are nine tenths of its text. */
#ifndef TW_PREDICT_MODEL_TREES_H
#define TW_PREDICT_MODEL_TREES_H

#include "runtime/predict/model.h"

/* Where the value of the member "trees" is in a model's text: from *begin, which is a '[', to
 * before *end. False where it cannot be told, as in what is no JSON. */
bool tw_model_find_trees(const char *text, const char **begin, const char **end);

/* Reads them, after the features, from the '[' on. */
tw_status tw_model_read_trees(struct tw_model *model, const char *trees, const char *origin,
                              struct tw_error *error);

#endif
