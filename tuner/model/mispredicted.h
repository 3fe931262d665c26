/* Configurations that a model is wrong about where it matters: it would choose them. */
#ifndef TUNER_MODEL_MISPREDICTED_H
#define TUNER_MODEL_MISPREDICTED_H

#include "tuner/model/choice.h"

/* Takes from each kind of problems the configurations without which these take less in all.
 * `predicted` is the time of each sample in microseconds, by models that had not seen its problem.
 * Tells how many that were, a configuration once a kind. */
tw_status model_leave_out_mispredicted(const struct model_samples *samples, const double *predicted,
                                       struct model_choice *choice, int *left_out,
                                       struct tw_error *error);

#endif
