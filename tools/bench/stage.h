/* Where contenders meet: one device, one context, one stream, one way to time what is queued on it.
 *
 * A backend fills in a stage_kind. Our library is opened in the stage's context, so that it and the
 * vendor's work on the same buffers, in the same order, on the same stream. */
#ifndef TOOLS_BENCH_STAGE_H
#define TOOLS_BENCH_STAGE_H

#include "runtime/library/library.h"
#include "tuner/measure/check_kernels.h"

struct stage;

struct stage_kind {
    const char *backend;
    /* Makes the context and the stream on the device of stage->info. */
    tw_status (*open)(struct stage *stage, tw_error *error);
    void (*close)(struct stage *stage);
    /* The device's time for all that is queued on the stream between the two; stop waits for it.
     * `late`: it was to begin when all was queued, and could not wait so long. */
    tw_status (*start)(struct stage *stage, tw_error *error);
    tw_status (*stop)(struct stage *stage, double *seconds, bool *late, tw_error *error);
    /* Queues the backend's own copy from device to device. */
    tw_status (*copy)(struct stage *stage, void *to, const void *from, uint64_t bytes,
                      tw_error *error);
};

struct stage {
    const struct stage_kind *kind;
    struct tw_device_info info;
    void *context;       /* CUcontext, cl_context */
    void *stream;        /* CUstream, cl_command_queue */
    void *own;           /* what else the kind needs */
    tw_library *library; /* ours */
    /* Of all tasks, as compiling them takes longer than filling buffers: the kernels, and what they
     * know of stage and task. */
    struct check_kernels checks;
    struct testbed testbed;
};

extern const struct stage_kind stage_cuda, stage_opencl;

/* Opens the device (NULL: the default one) and our library on it. `databases` and `cache_policy`
 * are those of tw_options. Close with stage_close also after a failure. */
tw_status stage_open(struct stage *stage, const char *device, const char *const *databases,
                     const char *cache_policy, tw_error *error);
void stage_close(struct stage *stage);

/* Waits for the stream and for what the checking kernels queued beside it. */
tw_status stage_settle(const struct stage *stage, tw_error *error);

#endif
