/* The trees of a model's file: what of an earlier model goes on in it, and what was grown. Where
 * trees are added to an earlier model's, all of its forests of kinds that have trials get them;
 * where kinds are fitted anew, its forests go on for the others. */
#ifndef TUNER_MODEL_FILE_FORESTS_H
#define TUNER_MODEL_FILE_FORESTS_H

#include "tuner/model/choice.h"

/* Makes a model of nothing but such trees and forests. `doubling` is that of what was `grown`.
 * TW_INVALID where they are more than a model may have. Free with boost_free in every case. */
tw_status file_forests_make(struct tw_model *model, const struct model_samples *samples,
                            const struct model_choice *choice, const struct tw_model *grown,
                            double doubling, struct tw_error *error);

/* " \"forests\": [...]", where there is more than one. */
void file_forests_write(const struct tw_model *model, struct tw_text *text);

#endif
