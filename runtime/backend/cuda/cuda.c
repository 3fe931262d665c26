/* The CUDA backend: driver API and NVRTC. */
#include "runtime/backend/cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/cuda/driver.h"
#include "runtime/backend/cuda/nvml.h"
#include "runtime/backend/cuda/nvrtc.h"

enum { MAX_VALUES = 64 };

struct tw_device {
    const struct tw_cuda_driver *cu;
    CUdevice handle;
    CUcontext context; /* the device's primary one, so that memory is shared with the application */
    CUstream stream;
    CUevent start, stop;
    char bus_id[32];
};

struct tw_module {
    CUmodule module;
    CUfunction function;
};

#define CHECK(call, what)                                                                          \
    do {                                                                                           \
        tw_status check_status = tw_cuda_check((call), (what), error);                             \
        if (check_status != TW_OK)                                                                 \
            return check_status;                                                                   \
    } while (0)

static tw_status cuda_count(int *count, struct tw_error *error) {
    const struct tw_cuda_driver *cu;
    *count = 0;
    tw_status status = tw_cuda_driver(&cu, error);
    if (status != TW_OK)
        return status;
    CHECK(cu->device_count(count), "cuDeviceGetCount");
    return TW_OK;
}

static int64_t attribute(const struct tw_cuda_driver *cu, CUdevice device,
                         CUdevice_attribute which) {
    int value = 0;
    /* An attribute that the driver does not know is one that the device does not have. */
    return cu->device_attribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
}

static tw_status cuda_describe(int index, struct tw_device_info *info, struct tw_error *error) {
    const struct tw_cuda_driver *cu;
    tw_status status = tw_cuda_driver(&cu, error);
    if (status != TW_OK)
        return status;
    CUdevice device;
    size_t memory = 0;
    int driver = 0;
    *info = (struct tw_device_info){.index = index, .backend = "cuda", .vendor = "NVIDIA"};
    CHECK(cu->device_get(&device, index), "cuDeviceGet");
    CHECK(cu->device_name(info->name, sizeof info->name, device), "cuDeviceGetName");
    CHECK(cu->device_memory(&memory, device), "cuDeviceTotalMem");
    CHECK(cu->driver_version(&driver), "cuDriverGetVersion");
    snprintf(info->id, sizeof info->id, "cuda:%d", index);
    info->arch = (int)(attribute(cu, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                       attribute(cu, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    snprintf(info->architecture, sizeof info->architecture, "sm_%d", info->arch);
    info->compute_units = attribute(cu, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    info->warp = attribute(cu, device, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    info->max_threads = attribute(cu, device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    for (int i = 0; i < 3; i++) {
        info->max_block[i] =
            attribute(cu, device, (CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i));
        info->max_grid[i] =
            attribute(cu, device, (CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i));
    }
    info->max_shared = attribute(cu, device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    info->max_registers = attribute(cu, device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    info->cache_bytes = attribute(cu, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    info->memory_bytes = (int64_t)memory;
    info->has_fp64 = true;
    snprintf(info->driver, sizeof info->driver, "CUDA %d.%d", driver / 1000, driver % 1000 / 10);
    /* A missing compiler is no reason not to list the device: compile says so when it is needed. */
    if (tw_nvrtc_version(info->compiler, NULL) != TW_OK)
        info->compiler[0] = '\0';
    return TW_OK;
}

static void cuda_close(struct tw_device *device) {
    if (device == NULL)
        return;
    if (device->start != NULL)
        device->cu->event_destroy(device->start);
    if (device->stop != NULL)
        device->cu->event_destroy(device->stop);
    if (device->stream != NULL)
        device->cu->stream_destroy(device->stream);
    if (device->context != NULL) {
        CUcontext popped;
        device->cu->context_pop(&popped);
        device->cu->primary_release(device->handle);
    }
    free(device);
}

static tw_status open_parts(struct tw_device *device, int index, struct tw_error *error) {
    const struct tw_cuda_driver *cu = device->cu;
    CHECK(cu->device_get(&device->handle, index), "cuDeviceGet");
    CHECK(cu->device_bus_id(device->bus_id, sizeof device->bus_id, device->handle),
          "cuDeviceGetPCIBusId");
    CUcontext context = NULL;
    CHECK(cu->primary_retain(&context, device->handle), "cuDevicePrimaryCtxRetain");
    tw_status status = tw_cuda_check(cu->context_push(context), "cuCtxPushCurrent", error);
    if (status != TW_OK) {
        cu->primary_release(device->handle);
        return status;
    }
    device->context = context;
    CHECK(cu->stream_create(&device->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    CHECK(cu->event_create(&device->start, CU_EVENT_DEFAULT), "cuEventCreate");
    CHECK(cu->event_create(&device->stop, CU_EVENT_DEFAULT), "cuEventCreate");
    return TW_OK;
}

static tw_status cuda_open(struct tw_device **out, int index, struct tw_error *error) {
    *out = NULL;
    const struct tw_cuda_driver *cu;
    tw_status status = tw_cuda_driver(&cu, error);
    if (status != TW_OK)
        return status;
    struct tw_device *device = calloc(1, sizeof *device);
    if (device == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    device->cu = cu;
    status = open_parts(device, index, error);
    if (status != TW_OK) {
        cuda_close(device);
        return status;
    }
    *out = device;
    return TW_OK;
}

static void cuda_unload(struct tw_device *device, struct tw_module *module) {
    if (module == NULL)
        return;
    /* Fails only when the context is lost, and the module with it. */
    device->cu->module_unload(module->module);
    free(module);
}

static tw_status cuda_load(struct tw_device *device, const void *bytes, size_t size,
                           const char *function, uint32_t shared, struct tw_module **out,
                           struct tw_error *error) {
    (void)size;
    *out = NULL;
    struct tw_module *module = calloc(1, sizeof *module);
    if (module == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status =
        tw_cuda_check(device->cu->module_load(&module->module, bytes), "cuModuleLoadData", error);
    if (status != TW_OK) {
        free(module);
        return status;
    }
    status = tw_cuda_check(device->cu->module_function(&module->function, module->module, function),
                           "cuModuleGetFunction", error);
    if (status == TW_OK && shared > 48 * 1024) {
        CUresult result = device->cu->function_attribute_set(
            module->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared);
        status = tw_cuda_check(result, "cuFuncSetAttribute", error);
        if (result == CUDA_ERROR_INVALID_VALUE)
            status = tw_fail(error, TW_RESOURCE,
                             "%u bytes of shared memory are more than a block may use", shared);
    }
    if (status != TW_OK) {
        cuda_unload(device, module);
        return status;
    }
    *out = module;
    return TW_OK;
}

static tw_status cuda_allocate(struct tw_device *device, uint64_t bytes, struct tw_memory *out,
                               struct tw_error *error) {
    CUdeviceptr address = 0;
    *out = (struct tw_memory){0};
    CUresult result = device->cu->memory_allocate(&address, bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return tw_fail(error, TW_NO_MEMORY, "the device has no room for %.1f MB more",
                       (double)bytes * 1e-6);
    CHECK(result, "cuMemAlloc");
    *out = (struct tw_memory){.address = address, .bytes = bytes};
    return TW_OK;
}

static void cuda_release(struct tw_device *device, struct tw_memory *memory) {
    if (memory->address != 0)
        device->cu->memory_free(memory->address);
    *memory = (struct tw_memory){0};
}

static CUdeviceptr pointer(const struct tw_memory *memory) {
    return memory->address + memory->offset;
}

static tw_status cuda_synchronize(struct tw_device *device, struct tw_error *error) {
    CHECK(device->cu->stream_synchronize(device->stream), "cuStreamSynchronize");
    return TW_OK;
}

static tw_status cuda_fill(struct tw_device *device, const struct tw_memory *memory,
                           unsigned char byte, struct tw_error *error) {
    CHECK(device->cu->memory_fill(pointer(memory), byte, memory->bytes, device->stream),
          "cuMemsetD8Async");
    return TW_OK;
}

static tw_status cuda_write(struct tw_device *device, const struct tw_memory *memory,
                            const void *bytes, struct tw_error *error) {
    CHECK(device->cu->memory_write(pointer(memory), bytes, memory->bytes, device->stream),
          "cuMemcpyHtoDAsync");
    return cuda_synchronize(device, error);
}

static tw_status cuda_read(struct tw_device *device, const struct tw_memory *memory, void *bytes,
                           struct tw_error *error) {
    CHECK(device->cu->memory_read(bytes, pointer(memory), memory->bytes, device->stream),
          "cuMemcpyDtoHAsync");
    return cuda_synchronize(device, error);
}

static tw_status cuda_copy(struct tw_device *device, const struct tw_memory *to,
                           const struct tw_memory *from, struct tw_error *error) {
    CHECK(device->cu->memory_copy(pointer(to), pointer(from), from->bytes, device->stream),
          "cuMemcpyDtoDAsync");
    return TW_OK;
}

static tw_status cuda_launch(struct tw_device *device, const struct tw_launch *launch,
                             struct tw_error *error) {
    CUdeviceptr pointers[MAX_VALUES];
    void *values[MAX_VALUES];
    if (launch->value_count > MAX_VALUES)
        return tw_fail(error, TW_LAUNCH, "more than %d arguments", MAX_VALUES);
    for (size_t i = 0; i < launch->value_count; i++) {
        const struct tw_value *value = &launch->values[i];
        if (value->kind == TW_VALUE_MEMORY) {
            pointers[i] = pointer(&value->memory);
            values[i] = &pointers[i];
        } else {
            values[i] = (void *)value->bytes;
        }
    }
    CHECK(device->cu->launch(launch->module->function, launch->grid[0], launch->grid[1],
                             launch->grid[2], launch->block[0], launch->block[1], launch->block[2],
                             launch->shared, device->stream, values, NULL),
          "cuLaunchKernel");
    return TW_OK;
}

static tw_status stop_timing(struct tw_device *device, double *seconds, struct tw_error *error) {
    CHECK(device->cu->event_record(device->stop, device->stream), "cuEventRecord");
    CHECK(device->cu->event_synchronize(device->stop), "cuEventSynchronize");
    float milliseconds = 0;
    CHECK(device->cu->event_elapsed(&milliseconds, device->start, device->stop),
          "cuEventElapsedTime");
    *seconds = (double)milliseconds * 1e-3;
    return TW_OK;
}

static tw_status cuda_time(struct tw_device *device, const struct tw_launch *launches, size_t count,
                           double *seconds, struct tw_error *error) {
    *seconds = 0;
    CHECK(device->cu->event_record(device->start, device->stream), "cuEventRecord");
    for (size_t i = 0; i < count; i++) {
        tw_status status = cuda_launch(device, &launches[i], error);
        if (status != TW_OK)
            return status;
    }
    return stop_timing(device, seconds, error);
}

static tw_status cuda_time_copy(struct tw_device *device, const struct tw_memory *to,
                                const struct tw_memory *from, double *seconds,
                                struct tw_error *error) {
    *seconds = 0;
    CHECK(device->cu->event_record(device->start, device->stream), "cuEventRecord");
    tw_status status = cuda_copy(device, to, from, error);
    return status == TW_OK ? stop_timing(device, seconds, error) : status;
}

static tw_status cuda_memory(struct tw_device *device, uint64_t *free_bytes, uint64_t *total,
                             struct tw_error *error) {
    size_t available = 0, all = 0;
    CHECK(device->cu->memory_info(&available, &all), "cuMemGetInfo");
    *free_bytes = available;
    *total = all;
    return TW_OK;
}

static void cuda_conditions(struct tw_device *device, struct tw_text *json) {
    tw_nvml_conditions(device->bus_id, json);
}

const struct tw_backend tw_cuda_backend = {
    .name = "cuda",
    .count = cuda_count,
    .describe = cuda_describe,
    .compile = tw_nvrtc_compile,
    .open = cuda_open,
    .close = cuda_close,
    .load = cuda_load,
    .unload = cuda_unload,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .fill = cuda_fill,
    .write = cuda_write,
    .read = cuda_read,
    .copy = cuda_copy,
    .launch = cuda_launch,
    .synchronize = cuda_synchronize,
    .time = cuda_time,
    .time_copy = cuda_time_copy,
    .memory = cuda_memory,
    .conditions = cuda_conditions,
};
