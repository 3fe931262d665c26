/* A device of one's own, or within an application's context. */
#include <stdlib.h>

#include "runtime/backend/opencl/built.h"
#include "runtime/backend/opencl/device.h"

void tw_opencl_close(struct tw_device *device) {
    if (device == NULL)
        return;
    if (device->queue != NULL)
        device->cl->queue_release(device->queue);
    if (device->context != NULL) {
        tw_opencl_built_close(device->cl, device->context);
        device->cl->context_release(device->context);
    }
    free(device);
}

/* A context of our own, or the application's, which must be one of this device. */
static tw_status take_context(struct tw_device *device, cl_context given, struct tw_error *error) {
    const struct tw_opencl *cl = device->cl;
    cl_int result;
    if (given == NULL) {
        device->context = cl->context_create(NULL, 1, &device->device, NULL, NULL, &result);
        return tw_opencl_check(result, "clCreateContext", error);
    }
    cl_device_id devices[TW_OPENCL_MAX_DEVICES];
    size_t bytes = 0;
    result = cl->context_info(given, CL_CONTEXT_DEVICES, sizeof devices, devices, &bytes);
    tw_status status = tw_opencl_check(result, "clGetContextInfo", error);
    bool found = false;
    for (size_t i = 0; status == TW_OK && i < bytes / sizeof *devices; i++)
        found |= devices[i] == device->device;
    if (status == TW_OK && !found)
        status = tw_fail(error, TW_INVALID, "the context given is not one of the device's");
    if (status == TW_OK)
        status = tw_opencl_check(cl->context_retain(given), "clRetainContext", error);
    if (status == TW_OK)
        device->context = given;
    return status;
}

tw_status tw_opencl_attach(struct tw_device **out, int index, void *context,
                           struct tw_error *error) {
    *out = NULL;
    const struct tw_opencl *cl;
    cl_device_id handle;
    tw_status status = tw_opencl_device(index, &cl, &handle, error);
    if (status != TW_OK)
        return status;
    struct tw_device *device = calloc(1, sizeof *device);
    if (device == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    device->cl = cl;
    device->device = handle;
    status = take_context(device, context, error);
    if (status == TW_OK) {
        cl_int result;
        device->queue =
            cl->queue_create(device->context, device->device, CL_QUEUE_PROFILING_ENABLE, &result);
        status = tw_opencl_check(result, "clCreateCommandQueue", error);
    }
    if (status != TW_OK) {
        tw_opencl_close(device);
        return status;
    }
    *out = device;
    return TW_OK;
}

tw_status tw_opencl_open(struct tw_device **out, int index, struct tw_error *error) {
    tw_status status = tw_opencl_attach(out, index, NULL, error);
    if (status == TW_OK)
        tw_opencl_built_open(index, (*out)->context);
    return status;
}

/* OpenCL has no thread's current context: there is nothing to enter, but for the process. */
int tw_opencl_current(void) {
    return -1;
}

tw_status tw_opencl_enter(struct tw_device *device, bool *entered, struct tw_error *error) {
    (void)device;
    *entered = false;
    return tw_opencl_forked(error);
}

void tw_opencl_leave(struct tw_device *device, bool entered) {
    (void)device;
    (void)entered;
}
