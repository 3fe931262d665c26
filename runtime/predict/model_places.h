/* Internal to the room: the problems that a model was fitted to, as its file has them. */
#ifndef TW_PREDICT_MODEL_PLACES_H
#define TW_PREDICT_MODEL_PLACES_H

#include "runtime/predict/model.h"

/* Adds one that is written as its kind and its dimensions, "0 1024 512 64"; there is room for it.
 * False: it is no such place, or has other dimensions than those before it. */
bool tw_model_read_place(struct tw_model *model, const char *text);

/* Fills in what was good at each place, from what configurations say, and draws the map of all;
 * false: out of memory. */
bool tw_model_sort_near(struct tw_model *model);

#endif
