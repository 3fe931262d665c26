/* Two forests of the same problems, of which one says how long a configuration takes and one how
 * much longer than the best of its problem. The second knows nothing of how long problems take, so
 * that all of it tells configurations apart, and errs where the first does not: of gemm's types of
 * 8 and 16 bits another library's folds choose 1.049 by 400 trees of each, 1.062 by 800 of the
 * first (docs/notes/2026-11-28-predicting-odd-sizes.md). */
#ifndef TUNER_MODEL_BOTH_FORESTS_H
#define TUNER_MODEL_BOTH_FORESTS_H

#include "tuner/model/samples.h"

/* What the second is fitted to, and how much it counts, of a sample. */
double beside_wanted(const struct model_samples *samples, int sample);
double beside_weight(const struct model_samples *samples, int sample);

/* Makes of what each forest says of the samples what a plan makes of it: of each problem's the
 * `chosen` are candidates. `predicted` is in microseconds, infinite for what is not predicted.
 * TW_NO_MEMORY is the only failure. */
tw_status both_join(const struct model_samples *samples, const bool *chosen, const double *beside,
                    double *predicted, struct tw_error *error);

/* A model of the trees of both, with a forest each. Free with boost_free. */
tw_status both_merge(struct tw_model *merged, const struct tw_model *model,
                     const struct tw_model *beside, struct tw_error *error);

#endif
