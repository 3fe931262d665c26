/* Configurations that a user names: a preset, or the parameters as JSON. */
#ifndef TUNER_SPACE_GIVEN_H
#define TUNER_SPACE_GIVEN_H

#include "runtime/description/configuration.h"

/* TW_INVALID with the names of all when the kernel has no such preset. */
tw_status given_preset(const struct tw_description *description, const char *name,
                       struct tw_configuration *configuration, struct tw_error *error);

/* Reads {"BK":8,"STAGING":"shared"}, of the implementation named or, when that is NULL, of the one
 * that has these parameters with these values. TW_INVALID when there is none, or more than one. */
tw_status given_configuration(const struct tw_description *description, const char *implementation,
                              const char *json, struct tw_configuration *configuration,
                              struct tw_error *error);

#endif
