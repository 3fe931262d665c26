/* A plan: a problem's configuration, chosen and loaded, with everything that a launch needs worked
 * out as far as it can be without the buffers. */
#ifndef TW_LIBRARY_PLAN_H
#define TW_LIBRARY_PLAN_H

#include "runtime/backend/backend.h"
#include "runtime/base/text.h"
#include "runtime/description/description.h"
#include "runtime/description/problem.h"
#include "runtime/variant/executable.h"

/* An argument that calls give. These lie together, where a description's are cache lines apart. */
struct tw_plan_argument {
    const char *name;
    unsigned char argument;  /* index in the description */
    unsigned char alignment; /* of a buffer's address, a power of two; 0: it has no address */
    bool is_buffer;
    bool is_absent; /* a buffer that the problem has not */
};

struct tw_plan {
    tw_library *library;
    const struct tw_description *description;
    struct tw_executable *executable;
    const struct tw_module *modules[TW_MAX_LAUNCHES]; /* of its launches */
    int argument_count;
    struct tw_plan_argument arguments[TW_MAX_ARGUMENTS];
    tw_explanation explanation;
    struct tw_text texts[8];       /* what the explanation points to */
    struct tw_asked *asked;        /* counts its launches; NULL: nobody does */
    struct tw_plan_record *record; /* of the table that it is in */
    tw_plan *replaced;             /* the plan in whose place it came */
};

void tw_plan_free(tw_plan *plan);

#endif
