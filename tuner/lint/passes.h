/* What looks at a description, and notes what it finds in the run's `lint`. */
#ifndef TUNER_LINT_PASSES_H
#define TUNER_LINT_PASSES_H

#include "tuner/lint/findings.h"

/* sources.c: templates, functions and what is passed. */
void lint_sources(struct lint_run *run);
/* rules.c: everything that is evaluated, over many problems. */
void lint_rules(struct lint_run *run);
/* unused.c: names that nothing uses. */
void lint_unused(struct lint_run *run);
/* references.c: what descriptions refer to outside of expressions. */
void lint_references(struct lint_run *run);

#endif
