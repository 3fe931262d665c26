/* An expression of a description for a problem, or why it has no value there. */
#include "runtime/description/problem_parts.h"

tw_status tw_problem_evaluate(const struct tw_problem *problem, const char *what, const char *name,
                              const struct tw_expression *expression, const int64_t *values,
                              int64_t *result, struct tw_error *error) {
    enum tw_evaluation outcome = tw_expression_evaluate(expression, values, result);
    if (outcome == TW_EVALUATED)
        return TW_OK;
    char shape[TW_PROBLEM_KEY_SIZE];
    tw_problem_shape(problem, shape);
    return tw_fail(error, TW_INVALID, "%s: %s %s, \"%s\", %s for %s", problem->description->origin,
                   what, name, tw_expression_text(expression), tw_evaluation_text(outcome), shape);
}
