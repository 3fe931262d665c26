/* What predictions are worth: the times that they choose. */
#ifndef TUNER_MODEL_CHOSEN_TIMES_H
#define TUNER_MODEL_CHOSEN_TIMES_H

#include "tuner/model/samples.h"

/* `times` gets, for each problem, how long what is predicted to take least took, in microseconds;
 * 0 where nothing is to be chosen from. `chosen` and `predicted` are of the samples; the latter
 * NULL: what the samples' estimates say, which are an earlier model's where there is one.
 * TW_NO_MEMORY is the only failure. */
tw_status chosen_times(const struct model_samples *samples, const bool *chosen,
                       const double *predicted, double *times, struct tw_error *error);

/* How much less time one choice takes than another of the same problems, as a logarithm. */
struct paired_gain {
    int problems;
    double mean, error; /* of the mean: its standard error, infinite for one problem */
};

/* Of choosing from `chosen` by `predicted` over choosing from `before` by what an earlier model
 * says, on the problems that both know something to choose for. Problems that only teach are not
 * judged. TW_NO_MEMORY is the only failure. */
tw_status chosen_gain(const struct model_samples *samples, const bool *chosen,
                      const double *predicted, const bool *before, struct paired_gain *gain,
                      struct tw_error *error);

#endif
