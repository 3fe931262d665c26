/* What predictions are worth: the times that they choose. */
#ifndef TUNER_MODEL_CHOSEN_TIMES_H
#define TUNER_MODEL_CHOSEN_TIMES_H

#include "tuner/model/samples.h"

/* `times` gets, for each problem, how long what is predicted to take least took, in microseconds;
 * 0 where nothing is to be chosen from. `chosen` and `predicted` are of the samples. TW_NO_MEMORY
 * is the only failure. */
tw_status chosen_times(const struct model_samples *samples, const bool *chosen,
                       const double *predicted, double *times, struct tw_error *error);

/* How much less time one choice takes than another of the same problems, as a logarithm. */
struct paired_gain {
    int problems;
    double mean, error; /* of the mean: its standard error, infinite for one problem */
};

/* Of choosing by `predicted` over choosing by what an earlier model says. Problems that only teach
 * are not judged. TW_NO_MEMORY is the only failure. */
tw_status chosen_gain(const struct model_samples *samples, const bool *chosen,
                      const double *predicted, struct paired_gain *gain, struct tw_error *error);

#endif
