/* Two forests of the same problems, of which one says how long a configuration takes and one how
 * the configurations of a problem are to each other. The second knows nothing of how long problems
 * take, so that all of it tells configurations apart, and errs where the first does not
 * (docs/notes). */
#ifndef TUNER_MODEL_BOTH_FORESTS_H
#define TUNER_MODEL_BOTH_FORESTS_H

#include "tuner/model/samples.h"

/* Makes of what each forest says of the samples what a plan makes of it: of each problem's the
 * `chosen` are candidates. `predicted` is in microseconds, infinite for what is not predicted.
 * TW_NO_MEMORY is the only failure. */
tw_status both_join(const struct model_samples *samples, const bool *chosen, const double *beside,
                    double *predicted, struct tw_error *error);

/* A model of the trees of both, with a forest each. Free with boost_free. */
tw_status both_merge(struct tw_model *merged, const struct tw_model *model,
                     const struct tw_model *beside, struct tw_error *error);

#endif
