/* What a device of its own and one within an application have in common. */
#include "runtime/backend/cuda/device.h"

#include <stdlib.h>

enum { MAX_VALUES = 64 };

tw_status tw_cuda_enter(struct tw_device *device, bool *entered, struct tw_error *error) {
    CUcontext current = NULL;
    *entered = false;
    TW_CUDA_CHECK(device->cu->context_current(&current), "cuCtxGetCurrent");
    if (current == device->context)
        return TW_OK;
    TW_CUDA_CHECK(device->cu->context_push(device->context), "cuCtxPushCurrent");
    *entered = true;
    return TW_OK;
}

void tw_cuda_leave(struct tw_device *device, bool entered) {
    CUcontext popped;
    /* Fails only when somebody else took the context from the stack between enter and leave. */
    if (entered)
        (void)device->cu->context_pop(&popped);
}

void tw_cuda_close(struct tw_device *device) {
    if (device == NULL)
        return;
    const struct tw_cuda_driver *cu = device->cu;
    bool entered = false;
    if (!device->is_pushed && device->context != NULL)
        (void)tw_cuda_enter(device, &entered, NULL);
    if (device->start != NULL)
        cu->event_destroy(device->start);
    if (device->stop != NULL)
        cu->event_destroy(device->stop);
    if (device->stream != NULL)
        cu->stream_destroy(device->stream);
    if (device->pool != NULL)
        cu->pool_destroy(device->pool);
    tw_cuda_leave(device, entered || device->is_pushed);
    if (device->is_primary)
        cu->primary_release(device->handle);
    free(device);
}

tw_status tw_cuda_open_parts(struct tw_device *device, struct tw_error *error) {
    const struct tw_cuda_driver *cu = device->cu;
    TW_CUDA_CHECK(cu->device_bus_id(device->bus_id, sizeof device->bus_id, device->handle),
                  "cuDeviceGetPCIBusId");
    TW_CUDA_CHECK(cu->stream_create(&device->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    TW_CUDA_CHECK(cu->event_create(&device->start, CU_EVENT_DEFAULT), "cuEventCreate");
    TW_CUDA_CHECK(cu->event_create(&device->stop, CU_EVENT_DEFAULT), "cuEventCreate");
    return TW_OK;
}

tw_status tw_cuda_launch(const struct tw_device *device, CUstream stream,
                         const struct tw_launch *launch, struct tw_error *error) {
    CUdeviceptr pointers[MAX_VALUES];
    void *values[MAX_VALUES];
    if (launch->value_count > MAX_VALUES)
        return tw_fail(error, TW_LAUNCH, "more than %d arguments", MAX_VALUES);
    for (size_t i = 0; i < launch->value_count; i++) {
        const struct tw_value *value = &launch->values[i];
        if (value->kind == TW_VALUE_MEMORY) {
            pointers[i] = tw_cuda_pointer(&value->memory);
            values[i] = &pointers[i];
        } else {
            values[i] = (void *)value->bytes;
        }
    }
    TW_CUDA_CHECK(device->cu->launch(launch->module->function, launch->grid[0], launch->grid[1],
                                     launch->grid[2], launch->block[0], launch->block[1],
                                     launch->block[2], launch->shared, stream, values, NULL),
                  "cuLaunchKernel");
    return TW_OK;
}
