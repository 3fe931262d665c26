/* Whether a description allows what a stored row says. */
#ifndef TUNER_EXCHANGE_ALLOWED_H
#define TUNER_EXCHANGE_ALLOWED_H

#include "db/store.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"

/* The problem that a row means: every dimension of the kernel, attributes that it has, allowed
 * values, and a key that says the same. Attributes that are not there are at their defaults. */
tw_status allowed_problem(const struct tw_description *description, const struct tw_db_problem *row,
                          struct tw_problem *problem, struct tw_error *error);

/* A problem as the tuner stores it. Texts of `row` point into `parts` and the description. */
struct allowed_parts {
    char key[TW_PROBLEM_KEY_SIZE], text[TW_PROBLEM_KEY_SIZE];
    struct tw_db_dimension dimensions[TW_MAX_DIMENSIONS];
    struct tw_db_attribute attributes[TW_MAX_ATTRIBUTES];
    char numbers[TW_MAX_ATTRIBUTES][TW_NUMBER_SIZE];
};
void allowed_problem_row(const struct tw_problem *problem, struct allowed_parts *parts,
                         struct tw_db_problem *row);

/* The configuration that a row means: an implementation the kernel has, a listed value for each of
 * its parameters, and constraints that hold, as far as they do not ask for the device. */
tw_status allowed_configuration(const struct tw_problem *problem, const char *implementation,
                                const char *configuration, struct tw_configuration *out,
                                struct tw_error *error);

/* TW_INVALID when a rate is not what the description's work makes of the time. */
tw_status allowed_rate(const struct tw_problem *problem, const struct tw_db_best *best,
                       struct tw_error *error);

#endif
