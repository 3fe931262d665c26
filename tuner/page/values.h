/* A configuration as a page shows it: names and values, which may be broken between. */
#ifndef TUNER_PAGE_VALUES_H
#define TUNER_PAGE_VALUES_H

#include <cjson/cJSON.h>

#include "runtime/base/text.h"

/* All values of an object, or with `beside` those that are others than there. */
void values_print(const cJSON *configuration, const cJSON *beside, struct tw_text *out);

#endif
