/* Internal to the room: where a value lies among the cuts of a feature. */
#ifndef TW_PREDICT_MODEL_CUTS_H
#define TW_PREDICT_MODEL_CUTS_H

#include "runtime/predict/model.h"

/* Divides the cuts of all features into cells, by which tw_model_above begins near the end; false:
 * out of memory. */
bool tw_model_divide_cuts(struct tw_model *model);
void tw_model_free_cuts(struct tw_model *model);

#endif
