/* Internal to the room: what is asked of a problem's expressions. */
#ifndef TW_DESCRIPTION_PROBLEM_PARTS_H
#define TW_DESCRIPTION_PROBLEM_PARTS_H

#include "runtime/description/problem.h"

/* Evaluates `what` of the name given, "the rows of A": TW_INVALID says where that fails. */
tw_status tw_problem_evaluate(const struct tw_problem *problem, const char *what, const char *name,
                              const struct tw_expression *expression, const int64_t *values,
                              int64_t *result, struct tw_error *error);

#endif
