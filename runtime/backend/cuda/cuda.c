/* The CUDA backend: driver API and NVRTC. */
#include "runtime/backend/cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/cuda/application.h"
#include "runtime/backend/cuda/device.h"
#include "runtime/backend/cuda/graph.h"
#include "runtime/backend/cuda/nvml.h"
#include "runtime/backend/cuda/nvrtc.h"

static tw_status cuda_count(int *count, struct tw_error *error) {
    const struct tw_cuda_driver *cu;
    *count = 0;
    tw_status status = tw_cuda_driver(&cu, error);
    if (status != TW_OK)
        return status;
    TW_CUDA_CHECK(cu->device_count(count), "cuDeviceGetCount");
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
    TW_CUDA_CHECK(cu->device_get(&device, index), "cuDeviceGet");
    TW_CUDA_CHECK(cu->device_name(info->name, sizeof info->name, device), "cuDeviceGetName");
    TW_CUDA_CHECK(cu->device_memory(&memory, device), "cuDeviceTotalMem");
    TW_CUDA_CHECK(cu->driver_version(&driver), "cuDriverGetVersion");
    snprintf(info->id, sizeof info->id, "cuda:%d", index);
    if (cu->device_bus_id(info->bus, sizeof info->bus, device) != CUDA_SUCCESS)
        info->bus[0] = '\0';
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
    /* Eight blocks a cluster are what every device with clusters allows (CUDA programming guide).
     */
    bool clusters =
        cu->launch_ex != NULL && attribute(cu, device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
    info->max_cluster = clusters ? 8 : 1;
    info->has_tensor_maps =
        cu->tensor_map_encode != NULL && cu->im2col_map_encode != NULL &&
        attribute(cu, device, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED) != 0;
    info->unit_threads = attribute(cu, device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    info->unit_blocks = attribute(cu, device, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    info->unit_registers =
        attribute(cu, device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    info->unit_shared =
        attribute(cu, device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    info->reserved_shared =
        attribute(cu, device, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    info->clock_khz = attribute(cu, device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    /* Two transfers a clock, over a bus of so many bits. */
    info->bandwidth = 2 * 1000 * attribute(cu, device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) *
                      attribute(cu, device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
    snprintf(info->driver, sizeof info->driver, "CUDA %d.%d", driver / 1000, driver % 1000 / 10);
    /* A missing compiler is no reason not to list the device: compile says so when it is needed. */
    if (tw_nvrtc_version(info->compiler, NULL) != TW_OK)
        info->compiler[0] = '\0';
    return TW_OK;
}

/* In the primary context, so that memory is shared with whatever else the process runs. */
static tw_status open_primary(struct tw_device *device, int index, struct tw_error *error) {
    const struct tw_cuda_driver *cu = device->cu;
    TW_CUDA_CHECK(cu->device_get(&device->handle, index), "cuDeviceGet");
    TW_CUDA_CHECK(cu->primary_retain(&device->context, device->handle), "cuDevicePrimaryCtxRetain");
    device->is_primary = true;
    TW_CUDA_CHECK(cu->context_push(device->context), "cuCtxPushCurrent");
    device->is_pushed = true;
    return tw_cuda_open_parts(device, error);
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
    status = open_primary(device, index, error);
    if (status != TW_OK) {
        tw_cuda_close(device);
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
    /* With lazy loading this is what loads the kernel, which a stream capture would not allow. */
    int registers = 0;
    if (status == TW_OK)
        status = tw_cuda_check(device->cu->function_attribute(
                                   &registers, CU_FUNC_ATTRIBUTE_NUM_REGS, module->function),
                               "cuFuncGetAttribute", error);
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

static tw_status cuda_resources(struct tw_device *device, const struct tw_module *module,
                                int64_t threads, uint32_t shared,
                                struct tw_kernel_resources *resources, struct tw_error *error) {
    const struct tw_cuda_driver *cu = device->cu;
    const struct {
        CUfunction_attribute which;
        int64_t *to;
    } attributes[] = {{CU_FUNC_ATTRIBUTE_NUM_REGS, &resources->registers},
                      {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &resources->static_shared},
                      {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &resources->local_bytes},
                      {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &resources->max_threads}};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        int value = 0;
        TW_CUDA_CHECK(cu->function_attribute(&value, attributes[i].which, module->function),
                      "cuFuncGetAttribute");
        *attributes[i].to = value;
    }
    int blocks = 0;
    TW_CUDA_CHECK(cu->active_blocks(&blocks, module->function, (int)threads, shared),
                  "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    resources->active_blocks = blocks;
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
    TW_CUDA_CHECK(result, "cuMemAlloc");
    *out = (struct tw_memory){.address = address, .bytes = bytes};
    return TW_OK;
}

static void cuda_release(struct tw_device *device, struct tw_memory *memory) {
    if (memory->address != 0)
        device->cu->memory_free(memory->address);
    *memory = (struct tw_memory){0};
}

static tw_status cuda_synchronize(struct tw_device *device, struct tw_error *error) {
    TW_CUDA_CHECK(device->cu->stream_synchronize(device->stream), "cuStreamSynchronize");
    return TW_OK;
}

static tw_status cuda_fill(struct tw_device *device, const struct tw_memory *memory,
                           unsigned char byte, struct tw_error *error) {
    TW_CUDA_CHECK(
        device->cu->memory_fill(tw_cuda_pointer(memory), byte, memory->bytes, device->stream),
        "cuMemsetD8Async");
    return TW_OK;
}

static tw_status cuda_write(struct tw_device *device, const struct tw_memory *memory,
                            const void *bytes, struct tw_error *error) {
    TW_CUDA_CHECK(
        device->cu->memory_write(tw_cuda_pointer(memory), bytes, memory->bytes, device->stream),
        "cuMemcpyHtoDAsync");
    return cuda_synchronize(device, error);
}

static tw_status cuda_read(struct tw_device *device, const struct tw_memory *memory, void *bytes,
                           struct tw_error *error) {
    TW_CUDA_CHECK(
        device->cu->memory_read(bytes, tw_cuda_pointer(memory), memory->bytes, device->stream),
        "cuMemcpyDtoHAsync");
    return cuda_synchronize(device, error);
}

static tw_status cuda_copy(struct tw_device *device, const struct tw_memory *to,
                           const struct tw_memory *from, struct tw_error *error) {
    TW_CUDA_CHECK(device->cu->memory_copy(tw_cuda_pointer(to), tw_cuda_pointer(from), from->bytes,
                                          device->stream),
                  "cuMemcpyDtoDAsync");
    return TW_OK;
}

static tw_status cuda_launch(struct tw_device *device, const struct tw_launch *launch,
                             struct tw_error *error) {
    return tw_cuda_launch(device, device->stream, launch, error);
}

static tw_status cuda_time(struct tw_device *device, const struct tw_launch *launches, size_t count,
                           double *seconds, struct tw_error *error) {
    *seconds = 0;
    TW_CUDA_CHECK(device->cu->event_record(device->start, device->stream), "cuEventRecord");
    for (size_t i = 0; i < count; i++) {
        tw_status status = cuda_launch(device, &launches[i], error);
        if (status != TW_OK)
            return status;
    }
    return tw_cuda_stop_timing(device, seconds, error);
}

static tw_status cuda_time_copy(struct tw_device *device, const struct tw_memory *to,
                                const struct tw_memory *from, double *seconds,
                                struct tw_error *error) {
    *seconds = 0;
    TW_CUDA_CHECK(device->cu->event_record(device->start, device->stream), "cuEventRecord");
    tw_status status = cuda_copy(device, to, from, error);
    return status == TW_OK ? tw_cuda_stop_timing(device, seconds, error) : status;
}

static tw_status cuda_memory(struct tw_device *device, uint64_t *free_bytes, uint64_t *total,
                             struct tw_error *error) {
    size_t available = 0, all = 0;
    TW_CUDA_CHECK(device->cu->memory_info(&available, &all), "cuMemGetInfo");
    *free_bytes = available;
    *total = all;
    return TW_OK;
}

static void cuda_conditions(struct tw_device *device, struct tw_text *json) {
    tw_nvml_conditions(device->bus_id, json);
}

static void cuda_health(struct tw_device *device, struct tw_device_health *health) {
    tw_nvml_health(device->bus_id, health);
}

const struct tw_backend tw_cuda_backend = {
    .name = "cuda",
    .has_addresses = true,
    .count = cuda_count,
    .describe = cuda_describe,
    .compile = tw_nvrtc_compile,
    .open = cuda_open,
    .attach = tw_cuda_attach,
    .close = tw_cuda_close,
    .current = tw_cuda_current,
    .enter = tw_cuda_enter,
    .leave = tw_cuda_leave,
    .load = cuda_load,
    .unload = cuda_unload,
    .resources = cuda_resources,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .fill = cuda_fill,
    .write = cuda_write,
    .read = cuda_read,
    .copy = cuda_copy,
    .launch = cuda_launch,
    .start = cuda_launch, /* nothing is left to the first launch */
    .launch_on = tw_cuda_launch_on,
    .borrow = tw_cuda_borrow,
    .give_back = tw_cuda_give_back,
    .counters = tw_cuda_lend_counters,
    .clear = tw_cuda_clear,
    .wait = tw_cuda_wait,
    .synchronize = cuda_synchronize,
    .time = cuda_time,
    .graph_create = tw_cuda_graph_create,
    .graph_destroy = tw_cuda_graph_destroy,
    .graph_queue = tw_cuda_graph_queue,
    .graph_time = tw_cuda_graph_time,
    .time_copy = cuda_time_copy,
    .memory = cuda_memory,
    .conditions = cuda_conditions,
    .health = cuda_health,
};
