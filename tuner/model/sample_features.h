/* Internal to the room: what a model is to see of samples. */
#ifndef TUNER_MODEL_SAMPLE_FEATURES_H
#define TUNER_MODEL_SAMPLE_FEATURES_H

#include "tuner/model/sample.h"

/* Fills in the features of the samples' shape, the earlier model's first, from the description and
 * the configurations that have samples. TW_NO_MEMORY is the only failure. */
tw_status sample_features_choose(struct model_samples *samples, struct tw_error *error);

#endif
