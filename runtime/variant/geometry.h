/* Block, grid and shared memory of a launch under bound values. */
#ifndef TW_VARIANT_GEOMETRY_H
#define TW_VARIANT_GEOMETRY_H

#include "runtime/backend/backend.h"
#include "runtime/description/description.h"

struct tw_geometry {
    uint32_t block[3];
    uint32_t grid[3];
    uint32_t cluster[3];
    uint32_t shared;     /* bytes */
    uint32_t min_blocks; /* resident blocks to ask of the compiler */
    bool early;          /* it may begin before what is queued before it has ended */
    const char *broken;  /* after a failure: which of them cannot be, "shared memory"; else NULL */
};

/* `values` were filled by tw_problem_bind and, for an implementation's launch,
 * tw_configuration_bind. TW_RESOURCE when the device cannot launch it; TW_INVALID when a size
 * cannot be evaluated or is below 1 (below 0 for shared memory). */
tw_status tw_geometry_of(const struct tw_launch_description *launch, const int64_t *values,
                         const struct tw_device_info *device, struct tw_geometry *geometry,
                         struct tw_error *error);

/* Of a block. */
static inline int64_t tw_geometry_threads(const struct tw_geometry *geometry) {
    return (int64_t)geometry->block[0] * geometry->block[1] * geometry->block[2];
}

/* Whether an implementation runs on the device at all. */
tw_status tw_implementation_runs(const struct tw_implementation *implementation,
                                 const struct tw_device_info *device, struct tw_error *error);
/* Whether every launch of it fits there as well. */
tw_status tw_implementation_fits(const struct tw_implementation *implementation,
                                 const int64_t *values, const struct tw_device_info *device,
                                 struct tw_error *error);

#endif
