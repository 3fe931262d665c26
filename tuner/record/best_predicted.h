/* What a model predicts to be the fastest of all that there is, of many problems: what it errs on
 * most is what it hopes most of and was never shown. */
#ifndef TUNER_RECORD_BEST_PREDICTED_H
#define TUNER_RECORD_BEST_PREDICTED_H

#include "tuner/record/options.h"
#include "tuner/record/portfolio.h"

/* Adds, for each problem that `options->models` or `other_models` are about, the first few that
 * prior_first takes of its space. On as many threads as `options->jobs`; what is added does not
 * depend on that. Stops early, and without an error, where the recording is interrupted. */
tw_status portfolio_add_best_predicted(struct portfolio *portfolio,
                                       const struct record_options *options,
                                       const struct tw_problem *problems, int problem_count,
                                       const struct tw_device_info *device, struct tw_error *error);

#endif
