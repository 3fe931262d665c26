/* A configuration: one value for each parameter of an implementation. */
#ifndef TW_DESCRIPTION_CONFIGURATION_H
#define TW_DESCRIPTION_CONFIGURATION_H

#include "runtime/base/text.h"
#include "runtime/description/description.h"

struct tw_configuration {
    int implementation; /* index in the description */
    int64_t values[TW_MAX_PARAMETERS];
};

/* Appends canonical JSON, {"BK":8,"STAGING":"shared"}: parameters sorted by name, no spaces. */
void tw_configuration_text(const struct tw_description *description,
                           const struct tw_configuration *configuration, struct tw_text *text);
/* Reads what tw_configuration_text wrote. Every parameter must be there once and have a listed
 * value. */
tw_status tw_configuration_parse(struct tw_configuration *configuration,
                                 const struct tw_description *description, int implementation,
                                 const char *text, struct tw_error *error);

/* That of a preset of an implementation. Fails with TW_NO_MEMORY alone. */
tw_status tw_configuration_preset(struct tw_configuration *configuration,
                                  const struct tw_description *description, int implementation,
                                  const struct tw_preset *preset, struct tw_error *error);

/* Fills the slots of parameters and defines in `values`, which tw_problem_bind filled before. */
tw_status tw_configuration_bind(const struct tw_description *description,
                                const struct tw_configuration *configuration, int64_t *values,
                                struct tw_error *error);
/* TW_OK when all constraints hold under bound values, else TW_INVALID with the one that does not.
 */
tw_status tw_configuration_check(const struct tw_description *description,
                                 const struct tw_configuration *configuration,
                                 const int64_t *values, struct tw_error *error);
bool tw_parameter_has(const struct tw_parameter *parameter, int64_t value);
/* Both, the constraints first. Those with a bit in `held` are known to hold, and not asked. */
tw_status tw_configuration_allow(const struct tw_description *description,
                                 const struct tw_configuration *configuration, uint64_t held,
                                 int64_t *values, struct tw_error *error);
/* Whether the description says that another configuration does the same on this problem. */
bool tw_configuration_redundant(const struct tw_description *description,
                                const struct tw_configuration *configuration,
                                const int64_t *values);
bool tw_configuration_equal(const struct tw_description *description,
                            const struct tw_configuration *a, const struct tw_configuration *b);
/* Whether they differ in no more than parameters of the launch. */
bool tw_configuration_same_binary(const struct tw_description *description,
                                  const struct tw_configuration *a,
                                  const struct tw_configuration *b);

#endif
