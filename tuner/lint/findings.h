/* Internal to the room: findings as they are made. */
#ifndef TUNER_LINT_FINDINGS_H
#define TUNER_LINT_FINDINGS_H

#include "runtime/backend/backend.h"
#include "runtime/description/problem.h"
#include "tuner/lint/lint.h"

/* What is being looked at. */
struct lint_run {
    const struct tw_description *description;
    struct lint *lint;
    const struct tw_problem *problem;    /* NULL: none in particular */
    const struct tw_device_info *device; /* likewise */
    bool no_memory;
};

enum lint_kind { LINT_WARNING, LINT_ERROR };

/* Adds a finding, or counts it when the same place has one with the same `about`: whatever the
 * finding is of, such as an expression. `where` is copied. */
void lint_add(struct lint_run *run, enum lint_kind kind, const char *where, const void *about,
              const char *format, ...) __attribute__((format(printf, 5, 6)));

/* sources.c: templates, functions and what is passed. */
void lint_sources(struct lint_run *run);
/* rules.c: everything that is evaluated, over many problems. */
void lint_rules(struct lint_run *run);
/* unused.c: names that nothing uses. */
void lint_unused(struct lint_run *run);
/* references.c: what descriptions refer to outside of expressions. */
void lint_references(struct lint_run *run);

#endif
