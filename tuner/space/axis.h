/* A parameter as a dimension of a space: what of its values is there, by rank. */
#ifndef TUNER_SPACE_AXIS_H
#define TUNER_SPACE_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/description/description.h"

#define SPACE_LIMIT ((size_t)1 << 24) /* points that a space may have */

struct space_axis {
    const struct tw_parameter *parameter; /* NULL in a listed space */
    int index;                            /* of the parameter in its implementation */
    bool numeric;                         /* the values are numbers, ascending */
    int count;                            /* values */
    int64_t values[TW_MAX_CHOICES];       /* by rank */
};

#endif
