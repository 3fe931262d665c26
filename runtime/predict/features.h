/* What decides how long a configuration takes on a problem, as far as a description tells it: how
 * many blocks there are and how they fill the device, how much of what they do belongs to the
 * problem, what is moved. It is worked out from the geometry that every description has, for any
 * kernel, and nothing is rendered or compiled. */
#ifndef TW_PREDICT_FEATURES_H
#define TW_PREDICT_FEATURES_H

#include "runtime/backend/backend.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"

struct tw_features {
    double flops, bytes;  /* of one call, as the description or the implementation has them */
    double element_bytes; /* of the widest buffer's type */
    double workspace;     /* bytes, written and read where there are several launches */
    int launches;
    bool early; /* the first of them may begin before what is queued before it has ended */
    /* Of the launch that does most of the work: the one made of the most templates, then the one
     * with the most shared memory, then the first. */
    double blocks;
    double threads;  /* of a block */
    double resident; /* blocks that a unit can have at once */
    /* The part of the blocks' work that belongs to the problem: what is left after each size in the
     * grid, and each dimension that a define takes a remainder of, was rounded up. */
    double use;
    double units;    /* compute units */
    double per_unit; /* blocks of the busiest unit, of those that a persistent kernel goes on with
                        too */
    double balance;  /* the mean unit's share of the busiest unit's blocks */
    /* Of an access that strides and alignment allow: log2 of the bytes, the mean over buffers. */
    double width;
    double widths[TW_MAX_ARGUMENTS]; /* log2 of the bytes of each buffer; -1: it is not there */
    /* log2 of the bytes, up to a line of memory, that rows begin at a multiple of: what begins
     * between lines is read in more of them. -1: it is not there. */
    double pitches[TW_MAX_ARGUMENTS];
    /* What each dimension is cut into, by the grid or by a loop, and the part of the pieces that
     * the dimension fills; 0 and 1 where it is not cut. Of sizes that are equal, the first that has
     * no pieces yet is the one that is cut. */
    double pieces[TW_MAX_DIMENSIONS], filled[TW_MAX_DIMENSIONS];
    bool redundant; /* the description says that it does what a cheaper one does */
};

/* `values` are bound for problem and configuration. `registers` are those of a thread, 0 where they
 * are not known. Fails with TW_RESOURCE or TW_INVALID like tw_geometry_of. */
tw_status tw_features_of(const struct tw_problem *problem,
                         const struct tw_configuration *configuration, const int64_t *values,
                         const struct tw_device_info *device, int64_t registers,
                         struct tw_features *features, struct tw_error *error);

/* The same in two steps, for many configurations of a problem: what belongs to the problem alone,
 * and the rest, which is added to a copy of that. */
tw_status tw_features_begin(const struct tw_problem *problem, const int64_t *values,
                            struct tw_features *features, struct tw_error *error);
tw_status tw_features_add(const struct tw_problem *problem,
                          const struct tw_configuration *configuration, const int64_t *values,
                          const struct tw_device_info *device, int64_t registers,
                          struct tw_features *features, struct tw_error *error);

#endif
