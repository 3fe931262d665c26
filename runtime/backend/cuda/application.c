/* The CUDA backend inside an application: its context, its streams, any of its threads. */
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/cuda/application.h"
#include "runtime/backend/cuda/device.h"

int tw_cuda_current(void) {
    const struct tw_cuda_driver *cu;
    CUcontext context = NULL;
    CUdevice device;
    int count = 0;
    if (tw_cuda_driver(&cu, NULL) != TW_OK || cu->context_current(&context) != CUDA_SUCCESS ||
        context == NULL || cu->context_device(&device) != CUDA_SUCCESS ||
        cu->device_count(&count) != CUDA_SUCCESS)
        return -1;
    for (int i = 0; i < count; i++) {
        CUdevice candidate;
        if (cu->device_get(&candidate, i) == CUDA_SUCCESS && candidate == device)
            return i;
    }
    return -1;
}

/* The application's context, else the thread's own if it is this device's, else the primary one. */
static tw_status find_context(struct tw_device *device, int index, void *wanted,
                              struct tw_error *error) {
    const struct tw_cuda_driver *cu = device->cu;
    if (wanted != NULL) {
        device->context = wanted;
        return TW_OK;
    }
    if (tw_cuda_current() == index) {
        TW_CUDA_CHECK(cu->context_current(&device->context), "cuCtxGetCurrent");
        return TW_OK;
    }
    TW_CUDA_CHECK(cu->primary_retain(&device->context, device->handle), "cuDevicePrimaryCtxRetain");
    device->is_primary = true;
    return TW_OK;
}

/* A pool of our own keeps what launches gave back, instead of asking the system each time. */
static tw_status create_pool(struct tw_device *device, struct tw_error *error) {
    const CUmemPoolProps properties = {
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->handle}};
    cuuint64_t keep = UINT64_MAX;
    TW_CUDA_CHECK(device->cu->pool_create(&device->pool, &properties), "cuMemPoolCreate");
    TW_CUDA_CHECK(
        device->cu->pool_attribute_set(device->pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep),
        "cuMemPoolSetAttribute");
    return TW_OK;
}

static tw_status attach_parts(struct tw_device *device, int index, void *context,
                              struct tw_error *error) {
    TW_CUDA_CHECK(device->cu->device_get(&device->handle, index), "cuDeviceGet");
    tw_status status = find_context(device, index, context, error);
    if (status != TW_OK)
        return status;
    bool entered;
    status = tw_cuda_enter(device, &entered, error);
    if (status != TW_OK)
        return status;
    CUdevice actual;
    if (device->cu->context_device(&actual) != CUDA_SUCCESS || actual != device->handle)
        status = tw_fail(error, TW_INVALID, "the context given is not one of cuda:%d", index);
    if (status == TW_OK)
        status = tw_cuda_open_parts(device, error);
    if (status == TW_OK)
        status = create_pool(device, error);
    if (status == TW_OK)
        status = tw_cuda_counters_make(&device->counters, device->cu, device->stream, error);
    tw_cuda_leave(device, entered);
    return status;
}

tw_status tw_cuda_attach(struct tw_device **out, int index, void *context, struct tw_error *error) {
    *out = NULL;
    const struct tw_cuda_driver *cu;
    tw_status status = tw_cuda_driver(&cu, error);
    if (status != TW_OK)
        return status;
    struct tw_device *device = calloc(1, sizeof *device);
    if (device == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    device->cu = cu;
    status = attach_parts(device, index, context, error);
    if (status != TW_OK) {
        tw_cuda_close(device);
        return status;
    }
    *out = device;
    return TW_OK;
}

tw_status tw_cuda_launch_on(struct tw_device *device, void *stream,
                            const struct tw_launch *launches, size_t count,
                            struct tw_error *error) {
    tw_status status = TW_OK;
    for (size_t i = 0; i < count && status == TW_OK; i++)
        status = tw_cuda_launch(device, stream, &launches[i], error);
    return status;
}

/* In a capture these become nodes of the graph, which then owns the memory. */
tw_status tw_cuda_borrow(struct tw_device *device, void *stream, uint64_t bytes,
                         struct tw_memory *out, struct tw_error *error) {
    CUdeviceptr address = 0;
    *out = (struct tw_memory){0};
    TW_CUDA_CHECK(device->cu->pool_allocate(&address, bytes, device->pool, stream),
                  "cuMemAllocFromPoolAsync");
    *out = (struct tw_memory){.address = address, .bytes = bytes};
    return TW_OK;
}

tw_status tw_cuda_give_back(struct tw_device *device, void *stream, struct tw_memory *memory,
                            struct tw_error *error) {
    TW_CUDA_CHECK(device->cu->pool_free(memory->address, stream), "cuMemFreeAsync");
    *memory = (struct tw_memory){0};
    return TW_OK;
}

tw_status tw_cuda_lend_counters(struct tw_device *device, void *stream, uint64_t bytes,
                                struct tw_memory *out, struct tw_error *error) {
    return tw_cuda_counters_of(&device->counters, device->cu, stream, bytes, out, error);
}

tw_status tw_cuda_clear(struct tw_device *device, void *stream, const struct tw_memory *memory,
                        struct tw_error *error) {
    TW_CUDA_CHECK(device->cu->memory_fill(tw_cuda_pointer(memory), 0, memory->bytes, stream),
                  "cuMemsetD8Async");
    return TW_OK;
}

tw_status tw_cuda_wait(struct tw_device *device, void *stream, struct tw_error *error) {
    TW_CUDA_CHECK(device->cu->stream_synchronize(stream), "cuStreamSynchronize");
    return TW_OK;
}
