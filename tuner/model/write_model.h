/* The file of a model that was fitted. */
#ifndef TUNER_MODEL_WRITE_MODEL_H
#define TUNER_MODEL_WRITE_MODEL_H

#include "tuner/model/choice.h"
#include "tuner/model/fit_report.h"

/* `model` has the trees that were grown (file_forests.h). Where the text fails it says so itself.
 * TW_INVALID where there are more trees or places than a model may have. */
tw_status write_model(const struct model_samples *samples, const struct model_choice *choice,
                      const struct tw_model *model, const struct fit_report *report,
                      struct tw_text *text, struct tw_error *error);

#endif
