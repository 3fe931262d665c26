/* The features and trees of a model as its file has them. */
#ifndef TUNER_MODEL_WRITE_TREES_H
#define TUNER_MODEL_WRITE_TREES_H

#include "runtime/base/text.h"
#include "runtime/predict/model.h"

/* `names` are the features' and `shape` has them, which the trees of `model` compare. Adds the
 * members "features" and "trees". */
void write_trees(const char *const *names, const struct tw_model *shape,
                 const struct tw_model *model, struct tw_text *text);
/* A string as JSON has it. */
void write_string(struct tw_text *text, const char *string);

#endif
