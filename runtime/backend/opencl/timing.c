/* The device's own times, from the events of commands. */
#include <stdlib.h>

#include "runtime/backend/opencl/device.h"

static tw_status event_seconds(struct tw_device *device, cl_event event, double *seconds,
                               struct tw_error *error) {
    cl_ulong start = 0, end = 0;
    tw_status status = tw_opencl_check(
        device->cl->event_profile(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
        "clGetEventProfilingInfo", error);
    if (status == TW_OK)
        status = tw_opencl_check(
            device->cl->event_profile(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
            "clGetEventProfilingInfo", error);
    *seconds += (double)(end - start) * 1e-9;
    return status;
}

tw_status tw_opencl_time(struct tw_device *device, const struct tw_launch *launches, size_t count,
                         double *seconds, struct tw_error *error) {
    *seconds = 0;
    cl_event *events = calloc(count, sizeof *events);
    if (events == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = TW_OK;
    size_t queued = 0;
    while (status == TW_OK && queued < count) {
        status =
            tw_opencl_enqueue(device, device->queue, &launches[queued], &events[queued], error);
        queued += status == TW_OK;
    }
    if (status == TW_OK)
        status = tw_opencl_check(device->cl->finish(device->queue), "clFinish", error);
    for (size_t i = 0; i < queued; i++) {
        if (status == TW_OK)
            status = event_seconds(device, events[i], seconds, error);
        device->cl->event_release(events[i]);
    }
    free(events);
    return status;
}

tw_status tw_opencl_time_copy(struct tw_device *device, const struct tw_memory *to,
                              const struct tw_memory *from, double *seconds,
                              struct tw_error *error) {
    *seconds = 0;
    cl_event event;
    tw_status status = tw_opencl_check(
        device->cl->memory_copy(device->queue, tw_opencl_object(from), tw_opencl_object(to),
                                from->offset, to->offset, from->bytes, 0, NULL, &event),
        "clEnqueueCopyBuffer", error);
    if (status != TW_OK)
        return status;
    status = tw_opencl_check(device->cl->finish(device->queue), "clFinish", error);
    if (status == TW_OK)
        status = event_seconds(device, event, seconds, error);
    device->cl->event_release(event);
    return status;
}
