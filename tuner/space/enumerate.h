/* Finding the valid points of one implementation. */
#ifndef TUNER_SPACE_ENUMERATE_H
#define TUNER_SPACE_ENUMERATE_H

#include "runtime/backend/backend.h"
#include "tuner/space/axis.h"
#include "tuner/space/census.h"
#include "tuner/space/pins.h"

/* The valid points of an implementation, in the lexicographic order of their coordinates. */
struct space_part {
    size_t first; /* number of its first point in the space */
    size_t count;
    int axis_count;
    int compiled_axes; /* axes before the launch parameters */
    struct space_axis axes[TW_MAX_PARAMETERS];
    unsigned char *rows; /* count x axis_count ranks */
};

struct enumerate_options {
    const struct tw_device_info *device;
    const struct pins *pins; /* which fit the implementation; NULL: none */
    size_t limit;            /* on the number of points */
    struct census *census;   /* told what is ruled out; NULL: nobody wants to know */
};

/* Fills `part` except `first`. `values` were filled by tw_problem_bind; the implementation's own
 * slots are overwritten. TW_INVALID when there are more points than the limit. The caller frees
 * part->rows, also after a failure. */
tw_status space_enumerate(struct space_part *part, const struct tw_implementation *implementation,
                          const struct enumerate_options *options, int64_t *values,
                          struct tw_error *error);

#endif
