/* Internal to the room: every expression of a description, for what looks at all of them. */
#ifndef TUNER_LINT_EXPRESSIONS_H
#define TUNER_LINT_EXPRESSIONS_H

#include "runtime/description/description.h"

/* Told an expression, never NULL. */
typedef void (*lint_expression_visitor)(void *context, const struct tw_expression *expression);

void lint_each_of_launch(const struct tw_launch_description *launch, lint_expression_visitor visit,
                         void *context);
/* Those of its rules, defines, workspace and launches. */
void lint_each_of_implementation(const struct tw_implementation *implementation,
                                 lint_expression_visitor visit, void *context);
/* Those outside of the implementations. */
void lint_each_of_description(const struct tw_description *description,
                              lint_expression_visitor visit, void *context);

#endif
