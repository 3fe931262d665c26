/* What is wrong with a kernel description, found without a device: many problems on modelled
 * devices of both backends, all presets and random configurations, and the templates' text. */
#ifndef TUNER_LINT_LINT_H
#define TUNER_LINT_LINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/description/description.h"

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

/* Looks at all of it. TW_OK when it could look, whatever it found. Free with lint_free in every
 * case. */
tw_status lint_description(const struct tw_description *description, struct lint *lint,
                           struct tw_error *error);
void lint_free(struct lint *lint);

#endif
