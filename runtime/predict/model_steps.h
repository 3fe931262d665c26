/* Internal to the room: trees as they are walked, steps and leaves (struct tw_model). */
#ifndef TW_PREDICT_MODEL_STEPS_H
#define TW_PREDICT_MODEL_STEPS_H

#include "runtime/predict/model.h"

/* Which trees are which forest's, of all that were read; what a file says of forests was read
 * before. False: those are of so many `trees`, and nothing is changed. */
bool tw_model_share_out(struct tw_model *model, int *trees);

/* From its nodes, if no tree is too deep. */
tw_status tw_model_make_steps(struct tw_model *model, const char *origin, struct tw_error *error);

/* Straight from the text, from its '[' on, without nodes, which take three times as much room as
 * the steps: most of what reading a model takes is memory that is new. False, and nothing is read:
 * not all trees are packed as `tune model fit` does it, or one is too deep, or something is wrong,
 * or there is no memory. */
bool tw_model_read_steps(struct tw_model *model, const char *trees);

#endif
