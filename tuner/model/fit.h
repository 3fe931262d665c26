/* Fitting a model to samples, and what it is worth on problems that it has not seen. */
#ifndef TUNER_MODEL_FIT_H
#define TUNER_MODEL_FIT_H

#include "tuner/model/fit_report.h"
#include "tuner/model/samples.h"

/* Fits, first without each fifth of the problems, which it is then judged by, then with all. `text`
 * is the model's JSON, which the caller frees. */
tw_status fit_model(const struct model_samples *samples, struct fit_report *report,
                    struct tw_text *text, struct tw_error *error);

#endif
