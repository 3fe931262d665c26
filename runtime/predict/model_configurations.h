/* Internal to the room: a model's configurations as `tune model fit` writes them, which are most of
 * its text beside the trees. */
#ifndef TW_PREDICT_MODEL_CONFIGURATIONS_H
#define TW_PREDICT_MODEL_CONFIGURATIONS_H

#include "runtime/predict/model.h"

/* Reads the list from the '[' at `begin` to before `end` in a tenth of the time that JSON's reader
 * takes. False, and nothing is read: it is written otherwise, or wrong, or there is no memory, and
 * for the reader that can say what is wrong. Kinds are not looked up among the model's: `most_kind`
 * is the highest. */
bool tw_model_read_written(struct tw_model *model, const char *begin, const char *end,
                           int *most_kind);

#endif
