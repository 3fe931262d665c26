/* What was found wrong with a description, and how it is noted. */
#ifndef TUNER_LINT_FINDINGS_H
#define TUNER_LINT_FINDINGS_H

#include "runtime/backend/backend.h"
#include "runtime/description/problem.h"

/* Something found. The same of other problems or devices is counted and not listed again. */
struct lint_finding {
    bool is_error;  /* else a warning */
    char *where;    /* a place in the description: "implementations.tiled.presets.default" */
    char *message;  /* one line */
    char *problem;  /* "M=1,N=7;dtype=f32": the first it was seen with; "" for what needs none */
    const char *on; /* the modelled device; "" likewise */
    int64_t times;
    const void *about; /* tells findings at one place apart */
};

struct lint {
    size_t count;
    struct lint_finding *findings; /* errors first, each kind in the order found */
    int64_t errors, warnings;
    int64_t problems, configurations; /* that were looked at, on all devices */
};

void lint_free(struct lint *lint);
/* Errors before warnings, and otherwise as they were found. */
void lint_sort(struct lint *lint);

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

#endif
