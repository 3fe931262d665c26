/* What a device of its own and one within an application have in common. */
#include "runtime/backend/cuda/device.h"

#include <stdlib.h>

#include "runtime/backend/cuda/tensor_map.h"

enum { MAX_VALUES = 64, MAX_TENSOR_MAPS = 8 };

/* Programmatic dependent launch is older; from this driver on captures into graphs keep it. */
enum { FIRST_EARLY_DRIVER = 12030 };

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
    tw_cuda_counters_free(&device->counters, cu);
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
    int driver = 0;
    TW_CUDA_CHECK(cu->driver_version(&driver), "cuDriverGetVersion");
    device->early_launches = cu->launch_ex != NULL && driver >= FIRST_EARLY_DRIVER;
    TW_CUDA_CHECK(cu->stream_create(&device->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    TW_CUDA_CHECK(cu->event_create(&device->start, CU_EVENT_DEFAULT), "cuEventCreate");
    TW_CUDA_CHECK(cu->event_create(&device->stop, CU_EVENT_DEFAULT), "cuEventCreate");
    return TW_OK;
}

static bool has_cluster(const struct tw_launch *launch) {
    return launch->cluster[0] > 1 || launch->cluster[1] > 1 || launch->cluster[2] > 1;
}

static tw_status launch_with_attributes(const struct tw_device *device, CUstream stream,
                                        const struct tw_launch *launch, void **values,
                                        struct tw_error *error) {
    CUlaunchAttribute attributes[2];
    unsigned count = 0;
    if (has_cluster(launch)) {
        CUlaunchAttribute *cluster = &attributes[count++];
        *cluster = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
        cluster->value.clusterDim.x = launch->cluster[0];
        cluster->value.clusterDim.y = launch->cluster[1] > 0 ? launch->cluster[1] : 1;
        cluster->value.clusterDim.z = launch->cluster[2] > 0 ? launch->cluster[2] : 1;
    }
    if (launch->early && device->early_launches) {
        CUlaunchAttribute *early = &attributes[count++];
        *early = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
        early->value.programmaticStreamSerializationAllowed = 1;
    }
    const CUlaunchConfig config = {.gridDimX = launch->grid[0],
                                   .gridDimY = launch->grid[1],
                                   .gridDimZ = launch->grid[2],
                                   .blockDimX = launch->block[0],
                                   .blockDimY = launch->block[1],
                                   .blockDimZ = launch->block[2],
                                   .sharedMemBytes = launch->shared,
                                   .hStream = stream,
                                   .attrs = attributes,
                                   .numAttrs = count};
    if (device->cu->launch_ex == NULL)
        return tw_fail(error, TW_UNAVAILABLE, "the driver knows no clusters (12.0 and later do)");
    TW_CUDA_CHECK(device->cu->launch_ex(&config, launch->module->function, values, NULL),
                  "cuLaunchKernelEx");
    return TW_OK;
}

tw_status tw_cuda_launch(const struct tw_device *device, CUstream stream,
                         const struct tw_launch *launch, struct tw_error *error) {
    CUdeviceptr pointers[MAX_VALUES];
    void *values[MAX_VALUES];
    CUtensorMap maps[MAX_TENSOR_MAPS];
    int map_count = 0;
    if (launch->value_count > MAX_VALUES)
        return tw_fail(error, TW_LAUNCH, "more than %d arguments", MAX_VALUES);
    for (size_t i = 0; i < launch->value_count; i++) {
        const struct tw_value *value = &launch->values[i];
        if (value->kind == TW_VALUE_MEMORY) {
            pointers[i] = tw_cuda_pointer(&value->memory);
            values[i] = &pointers[i];
        } else if (value->kind == TW_VALUE_TENSOR_MAP) {
            if (map_count == MAX_TENSOR_MAPS)
                return tw_fail(error, TW_LAUNCH, "more than %d tensor maps", MAX_TENSOR_MAPS);
            tw_status status =
                tw_cuda_tensor_map(device->cu, value->tensor, tw_cuda_pointer(&value->memory),
                                   &maps[map_count], error);
            if (status != TW_OK)
                return status;
            values[i] = &maps[map_count++];
        } else {
            values[i] = (void *)value->bytes;
        }
    }
    if (has_cluster(launch) || (launch->early && device->early_launches))
        return launch_with_attributes(device, stream, launch, values, error);
    TW_CUDA_CHECK(device->cu->launch(launch->module->function, launch->grid[0], launch->grid[1],
                                     launch->grid[2], launch->block[0], launch->block[1],
                                     launch->block[2], launch->shared, stream, values, NULL),
                  "cuLaunchKernel");
    return TW_OK;
}

tw_status tw_cuda_stop_timing(struct tw_device *device, double *seconds, struct tw_error *error) {
    TW_CUDA_CHECK(device->cu->event_record(device->stop, device->stream), "cuEventRecord");
    TW_CUDA_CHECK(device->cu->event_synchronize(device->stop), "cuEventSynchronize");
    float milliseconds = 0;
    TW_CUDA_CHECK(device->cu->event_elapsed(&milliseconds, device->start, device->stop),
                  "cuEventElapsedTime");
    *seconds = (double)milliseconds * 1e-3;
    return TW_OK;
}
