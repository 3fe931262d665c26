/* One implementation's part of a space, and what it is made for. */
#ifndef TUNER_SPACE_PART_H
#define TUNER_SPACE_PART_H

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

#endif
