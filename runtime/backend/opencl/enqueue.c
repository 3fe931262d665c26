/* Handing a launch to a queue. */
#include <time.h>

#include "runtime/backend/opencl/device.h"

/* A part of an allocation reaches a kernel as a sub-buffer, which lives until the launch is done.
 */
static tw_status set_memory(struct tw_device *device, cl_kernel kernel, cl_uint index,
                            const struct tw_memory *memory, struct tw_error *error) {
    const struct tw_opencl *cl = device->cl;
    cl_mem whole = tw_opencl_object(memory);
    if (memory->offset == 0)
        return tw_opencl_check(cl->kernel_set(kernel, index, sizeof whole, &whole),
                               "clSetKernelArg", error);
    cl_buffer_region region = {.origin = memory->offset, .size = memory->bytes};
    cl_int result;
    cl_mem part =
        cl->memory_part(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &result);
    tw_status status = tw_opencl_check(result, "clCreateSubBuffer", error);
    if (status != TW_OK)
        return status;
    status =
        tw_opencl_check(cl->kernel_set(kernel, index, sizeof part, &part), "clSetKernelArg", error);
    cl->memory_release(part);
    return status;
}

static tw_status set_and_enqueue(struct tw_device *device, cl_command_queue queue,
                                 const struct tw_launch *launch, cl_event *event,
                                 struct tw_error *error) {
    cl_kernel kernel = launch->module->kernel;
    for (size_t i = 0; i < launch->value_count; i++) {
        const struct tw_value *value = &launch->values[i];
        tw_status status = value->kind == TW_VALUE_MEMORY
                               ? set_memory(device, kernel, (cl_uint)i, &value->memory, error)
                               : tw_opencl_check(device->cl->kernel_set(kernel, (cl_uint)i,
                                                                        value->size, value->bytes),
                                                 "clSetKernelArg", error);
        if (status != TW_OK)
            return status;
    }
    size_t local[3], global[3];
    for (int i = 0; i < 3; i++) {
        local[i] = launch->block[i];
        global[i] = (size_t)launch->grid[i] * launch->block[i];
    }
    return tw_opencl_check(
        device->cl->launch(queue, kernel, 3, NULL, global, local, 0, NULL, event),
        "clEnqueueNDRangeKernel", error);
}

tw_status tw_opencl_enqueue(struct tw_device *device, cl_command_queue queue,
                            const struct tw_launch *launch, cl_event *event,
                            struct tw_error *error) {
    pthread_mutex_t *lock = (pthread_mutex_t *)&launch->module->lock;
    pthread_mutex_lock(lock);
    tw_status status = set_and_enqueue(device, queue, launch, event, error);
    pthread_mutex_unlock(lock);
    return status;
}

/* Until an event's command runs, looking more and more rarely. */
static tw_status await_running(struct tw_device *device, cl_event event, struct tw_error *error) {
    struct timespec pause = {.tv_nsec = 10000};
    for (;;) {
        cl_int state = CL_QUEUED;
        tw_status status =
            tw_opencl_check(device->cl->event_info(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                   sizeof state, &state, NULL),
                            "clGetEventInfo", error);
        /* Below zero it is the error that ended it. */
        if (status == TW_OK && state < 0)
            status = tw_opencl_check(state, "the launch", error);
        if (status != TW_OK || state <= CL_RUNNING)
            return status;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 2000000)
            pause.tv_nsec *= 2;
    }
}

tw_status tw_opencl_start(struct tw_device *device, const struct tw_launch *launch,
                          struct tw_error *error) {
    cl_event event;
    tw_status status = tw_opencl_enqueue(device, device->queue, launch, &event, error);
    if (status != TW_OK)
        return status;
    status = tw_opencl_check(device->cl->flush(device->queue), "clFlush", error);
    if (status == TW_OK)
        status = await_running(device, event, error);
    device->cl->event_release(event);
    return status;
}
