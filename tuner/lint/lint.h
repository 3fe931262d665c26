/* What is wrong with a kernel description, found without a device: many problems on modelled
 * devices of both backends, all presets and random configurations, and the templates' text. */
#ifndef TUNER_LINT_LINT_H
#define TUNER_LINT_LINT_H

#include "tuner/lint/findings.h"

/* Looks at all of it. TW_OK when it could look, whatever it found. Free with lint_free in every
 * case. */
tw_status lint_description(const struct tw_description *description, struct lint *lint,
                           struct tw_error *error);

#endif
