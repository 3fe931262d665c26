/* What a configuration's sources are made of for a problem: as few facts as tell one set of sources
 * from another, so that many problems are seen to share one without rendering any. */
#ifndef TW_VARIANT_MADE_OF_H
#define TW_VARIANT_MADE_OF_H

#include "runtime/backend/backend.h"
#include "runtime/base/hash.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"

/* A hash of it: for one description and device equal keys are equal sources, with as much shared
 * memory. `values` are bound for the problem. Renders nothing. Fails where the configuration cannot
 * be bound or launched. */
tw_status tw_made_of(const struct tw_device_info *device, const struct tw_problem *problem,
                     const struct tw_configuration *configuration, const int64_t *values,
                     char key[TW_HASH_SIZE], struct tw_error *error);

#endif
