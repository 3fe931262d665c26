/* How sure a model is of its predictions. */
#ifndef TUNER_MODEL_SURENESS_H
#define TUNER_MODEL_SURENESS_H

#include "tuner/model/fit_report.h"

/* Fills in the report's uncertainties: how far what is `predicted` of each sample, by models that
 * had not seen its problem, is off near the best, in all and of each implementation. Reads how many
 * problems it is of. */
void tell_uncertainty(const struct model_samples *samples, const double *predicted,
                      struct fit_report *report);

/* And its doubling: how much further off predictions are the further they go beyond what a
 * configuration took where it was the best, of samples that are `chosen` from. TW_NO_MEMORY is the
 * only failure. */
tw_status tell_doubling(const struct model_samples *samples, const bool *chosen,
                        const double *predicted, struct fit_report *report, struct tw_error *error);

#endif
