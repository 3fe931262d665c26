/* The host's clock, from an idle queue until it is idle again: what every library shows alike, also
 * one that works on the host. */
#include <stdlib.h>

#include "runtime/backend/opencl/loader.h"
#include "runtime/base/clock.h"
#include "tools/bench/stage.h"

struct own {
    const struct tw_opencl *cl;
    double began;
};

static tw_status open(struct stage *stage, tw_error *error) {
    struct own *own = stage->own = calloc(1, sizeof *own);
    cl_device_id device;
    cl_int result;
    if (own == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = tw_opencl_device(stage->info.index, &own->cl, &device, error);
    if (status != TW_OK)
        return status;
    stage->context = own->cl->context_create(NULL, 1, &device, NULL, NULL, &result);
    status = tw_opencl_check(result, "clCreateContext", error);
    if (status != TW_OK)
        return status;
    stage->stream = own->cl->queue_create(stage->context, device, 0, &result);
    return tw_opencl_check(result, "clCreateCommandQueue", error);
}

static void close(struct stage *stage) {
    struct own *own = stage->own;
    if (own == NULL)
        return;
    if (stage->stream != NULL)
        own->cl->queue_release(stage->stream);
    if (stage->context != NULL)
        own->cl->context_release(stage->context);
    free(own);
}

static tw_status start(struct stage *stage, tw_error *error) {
    struct own *own = stage->own;
    tw_status status = tw_opencl_check(own->cl->finish(stage->stream), "clFinish", error);
    own->began = tw_clock_now();
    return status;
}

static tw_status stop(struct stage *stage, double *seconds, bool *late, tw_error *error) {
    struct own *own = stage->own;
    tw_status status = tw_opencl_check(own->cl->finish(stage->stream), "clFinish", error);
    *seconds = tw_clock_now() - own->began;
    *late = false;
    return status;
}

static tw_status copy(struct stage *stage, void *to, const void *from, uint64_t bytes,
                      tw_error *error) {
    const struct own *own = stage->own;
    return tw_opencl_check(
        own->cl->memory_copy(stage->stream, (cl_mem)from, (cl_mem)to, 0, 0, bytes, 0, NULL, NULL),
        "clEnqueueCopyBuffer", error);
}

const struct stage_kind stage_opencl = {
    .backend = "opencl", .open = open, .close = close, .start = start, .stop = stop, .copy = copy};
