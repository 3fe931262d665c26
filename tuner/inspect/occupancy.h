/* How many blocks of a kernel are active at once, what limits them, and how the grid fills the
 * device. */
#ifndef TUNER_INSPECT_OCCUPANCY_H
#define TUNER_INSPECT_OCCUPANCY_H

#include "runtime/backend/backend.h"
#include "runtime/variant/geometry.h"

/* word in reports */
#define OCCUPANCY_LIMITS_OF(X)                                                                     \
    X(REGISTERS, "registers")                                                                      \
    X(SHARED, "shared memory")                                                                     \
    X(THREADS, "threads")                                                                          \
    X(BLOCKS, "blocks")

enum occupancy_limit {
#define OCCUPANCY_ENUM(name, word) OCCUPANCY_##name,
    OCCUPANCY_LIMITS_OF(OCCUPANCY_ENUM)
#undef OCCUPANCY_ENUM
        OCCUPANCY_LIMITS
};

struct occupancy {
    bool known;
    int64_t blocks;                /* active on a compute unit */
    bool is_told;                  /* by the driver; else worked out here */
    int64_t warps;                 /* of these blocks */
    int64_t max_warps;             /* of a compute unit */
    bool limits[OCCUPANCY_LIMITS]; /* what lets no further block in; none: not known */
    double waves;                  /* turns in which the device takes the grid; 0: not known */
    double last_wave;              /* share of the last turn's places that is filled */
};

void occupancy_of(const struct tw_device_info *device, const struct tw_geometry *geometry,
                  const struct tw_kernel_resources *resources, struct occupancy *occupancy);

const char *occupancy_limit_word(enum occupancy_limit limit);

#endif
