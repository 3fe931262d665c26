/* What a model is fitted to: the trials of a kernel on a device, as a model sees them. */
#ifndef TUNER_MODEL_SAMPLES_H
#define TUNER_MODEL_SAMPLES_H

#include "db/store.h"
#include "tuner/model/sample.h"

/* Reads the trials that were right, and which were wrong; of a configuration only while the one
 * that says where it was good is of today's code. `earlier` is of the same kernel, device and
 * policy: its features come first and its configurations are among the samples', without any of
 * their own where no trial is of them. Borrows it. Free with model_samples_free in every case.
 * TW_NOT_FOUND: there are no trials. */
tw_status model_samples_read(struct model_samples *samples, tw_db *db,
                             const struct tw_description *description,
                             const struct tw_device_info *device, const char *cache,
                             const struct earlier_model *earlier, struct tw_error *error);
void model_samples_free(struct model_samples *samples);

#endif
