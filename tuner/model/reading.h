/* Internal to the room: samples while they are read. */
#ifndef TUNER_MODEL_READING_H
#define TUNER_MODEL_READING_H

#include "tuner/model/sample.h"

struct reading {
    struct model_samples *samples;
    int room, problem_room, configuration_room, mistake_room; /* of the samples' arrays */
    struct tw_error *error;
    tw_status status;
};

/* False, and the reading's status is TW_NO_MEMORY. */
bool reading_lack(struct reading *reading);
/* Room for one more in an array that doubles; false where there is no memory. */
bool reading_grow(void **array, int count, int *room, size_t size);
/* Indices among the samples', which get those that they do not have. -1: of a description that it
 * was then, or out of memory, as the status says. */
int reading_problem(struct reading *reading, const char *key);
int reading_configuration(struct reading *reading, const char *implementation, const char *text);
/* Fills in a sample's estimate and its vector. False where the device cannot have it any more. */
bool reading_look(const struct model_samples *samples, struct sample *sample, double *vector);

#endif
