/* The OpenCL backend: running on a device. Describing and compiling are in compile.c. */
#include "runtime/backend/opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/backend/opencl/built.h"
#include "runtime/backend/opencl/compile.h"
#include "runtime/backend/opencl/device.h"

static void opencl_unload(struct tw_device *device, struct tw_module *module) {
    if (module == NULL)
        return;
    if (module->kernel != NULL)
        device->cl->kernel_release(module->kernel);
    if (module->program != NULL)
        device->cl->program_release(module->program);
    pthread_mutex_destroy(&module->lock);
    free(module);
}

static tw_status load_parts(struct tw_device *device, const void *bytes, size_t size,
                            const char *function, struct tw_module *module,
                            struct tw_error *error) {
    const struct tw_opencl *cl = device->cl;
    cl_int result;
    module->program = tw_opencl_built_take(device->context, bytes, size);
    if (module->program == NULL) {
        tw_status status = tw_opencl_program(cl, device->context, device->device, bytes, size,
                                             &module->program, error);
        if (status != TW_OK)
            return status;
        struct tw_text log = {0};
        status = tw_opencl_build(cl, module->program, device->device, &log, error);
        tw_text_free(&log);
        if (status != TW_OK)
            return status;
    }
    module->kernel = cl->kernel_create(module->program, function, &result);
    return tw_opencl_check(result, "clCreateKernel", error);
}

static tw_status opencl_load(struct tw_device *device, const void *bytes, size_t size,
                             const char *function, uint32_t shared, struct tw_module **out,
                             struct tw_error *error) {
    /* __local arrays are sized in the source; not every implementation checks them against its
     * limit. */
    cl_ulong limit = 0;
    *out = NULL;
    tw_status status =
        tw_opencl_check(device->cl->device_info(device->device, CL_DEVICE_LOCAL_MEM_SIZE,
                                                sizeof limit, &limit, NULL),
                        "clGetDeviceInfo", error);
    if (status == TW_OK && shared > limit)
        status = tw_fail(error, TW_RESOURCE,
                         "%u bytes of shared memory are more than a block may use", shared);
    if (status != TW_OK)
        return status;
    struct tw_module *module = calloc(1, sizeof *module);
    if (module == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    pthread_mutex_init(&module->lock, NULL);
    status = load_parts(device, bytes, size, function, module, error);
    if (status != TW_OK) {
        opencl_unload(device, module);
        return status;
    }
    *out = module;
    return TW_OK;
}

/* OpenCL tells of neither registers nor how many work-groups are active at once. */
static tw_status opencl_resources(struct tw_device *device, const struct tw_module *module,
                                  int64_t threads, uint32_t shared,
                                  struct tw_kernel_resources *resources, struct tw_error *error) {
    (void)threads;
    (void)shared;
    const struct tw_opencl *cl = device->cl;
    cl_ulong local = 0, own = 0;
    size_t most = 0;
    tw_status status =
        tw_opencl_check(cl->kernel_group_info(module->kernel, device->device,
                                              CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL),
                        "clGetKernelWorkGroupInfo", error);
    if (status == TW_OK)
        status = tw_opencl_check(cl->kernel_group_info(module->kernel, device->device,
                                                       CL_KERNEL_PRIVATE_MEM_SIZE, sizeof own, &own,
                                                       NULL),
                                 "clGetKernelWorkGroupInfo", error);
    if (status == TW_OK)
        status = tw_opencl_check(cl->kernel_group_info(module->kernel, device->device,
                                                       CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                                       &most, NULL),
                                 "clGetKernelWorkGroupInfo", error);
    *resources = (struct tw_kernel_resources){.static_shared = (int64_t)local,
                                              .local_bytes = (int64_t)own,
                                              .max_threads = (int64_t)most,
                                              .active_blocks = -1};
    return status;
}

static tw_status opencl_allocate(struct tw_device *device, uint64_t bytes, struct tw_memory *out,
                                 struct tw_error *error) {
    *out = (struct tw_memory){0};
    cl_int result;
    cl_mem memory =
        device->cl->memory_create(device->context, CL_MEM_READ_WRITE, bytes, NULL, &result);
    tw_status status = tw_opencl_check(result, "clCreateBuffer", error);
    if (status == TW_NO_MEMORY || status == TW_RESOURCE)
        return tw_fail(error, TW_NO_MEMORY, "the device has no room for %.1f MB more",
                       (double)bytes * 1e-6);
    if (status == TW_OK)
        *out = (struct tw_memory){.address = (uintptr_t)memory, .bytes = bytes};
    return status;
}

static void opencl_release(struct tw_device *device, struct tw_memory *memory) {
    if (memory->address != 0)
        device->cl->memory_release(tw_opencl_object(memory));
    *memory = (struct tw_memory){0};
}

static tw_status fill_on(const struct tw_device *device, cl_command_queue queue,
                         const struct tw_memory *memory, unsigned char byte,
                         struct tw_error *error) {
    /* A wide pattern is filled many times faster than single bytes. */
    unsigned char pattern[16];
    memset(pattern, byte, sizeof pattern);
    size_t width = (memory->bytes | memory->offset) % sizeof pattern == 0 ? sizeof pattern : 1;
    return tw_opencl_check(device->cl->memory_fill(queue, tw_opencl_object(memory), pattern, width,
                                                   memory->offset, memory->bytes, 0, NULL, NULL),
                           "clEnqueueFillBuffer", error);
}

static tw_status opencl_fill(struct tw_device *device, const struct tw_memory *memory,
                             unsigned char byte, struct tw_error *error) {
    return fill_on(device, device->queue, memory, byte, error);
}

static tw_status opencl_write(struct tw_device *device, const struct tw_memory *memory,
                              const void *bytes, struct tw_error *error) {
    return tw_opencl_check(device->cl->memory_write(device->queue, tw_opencl_object(memory),
                                                    CL_TRUE, memory->offset, memory->bytes, bytes,
                                                    0, NULL, NULL),
                           "clEnqueueWriteBuffer", error);
}

static tw_status opencl_read(struct tw_device *device, const struct tw_memory *memory, void *bytes,
                             struct tw_error *error) {
    return tw_opencl_check(device->cl->memory_read(device->queue, tw_opencl_object(memory), CL_TRUE,
                                                   memory->offset, memory->bytes, bytes, 0, NULL,
                                                   NULL),
                           "clEnqueueReadBuffer", error);
}

static tw_status opencl_copy(struct tw_device *device, const struct tw_memory *to,
                             const struct tw_memory *from, struct tw_error *error) {
    return tw_opencl_check(device->cl->memory_copy(device->queue, tw_opencl_object(from),
                                                   tw_opencl_object(to), from->offset, to->offset,
                                                   from->bytes, 0, NULL, NULL),
                           "clEnqueueCopyBuffer", error);
}

static tw_status opencl_launch(struct tw_device *device, const struct tw_launch *launch,
                               struct tw_error *error) {
    return tw_opencl_enqueue(device, device->queue, launch, NULL, error);
}

static cl_command_queue queue_of(const struct tw_device *device, void *stream) {
    return stream != NULL ? stream : device->queue;
}

static tw_status opencl_launch_on(struct tw_device *device, void *stream,
                                  const struct tw_launch *launches, size_t count,
                                  struct tw_error *error) {
    tw_status status = TW_OK;
    for (size_t i = 0; i < count && status == TW_OK; i++)
        status = tw_opencl_enqueue(device, queue_of(device, stream), &launches[i], NULL, error);
    return status;
}

static tw_status opencl_borrow(struct tw_device *device, void *stream, uint64_t bytes,
                               struct tw_memory *out, struct tw_error *error) {
    (void)stream;
    return opencl_allocate(device, bytes, out, error);
}

/* Commands that are queued keep the object until they are done. */
static tw_status opencl_give_back(struct tw_device *device, void *stream, struct tw_memory *memory,
                                  struct tw_error *error) {
    (void)stream;
    (void)error;
    opencl_release(device, memory);
    return TW_OK;
}

static tw_status opencl_clear(struct tw_device *device, void *stream,
                              const struct tw_memory *memory, struct tw_error *error) {
    return fill_on(device, queue_of(device, stream), memory, 0, error);
}

static tw_status opencl_wait(struct tw_device *device, void *stream, struct tw_error *error) {
    return tw_opencl_check(device->cl->finish(queue_of(device, stream)), "clFinish", error);
}

static tw_status opencl_synchronize(struct tw_device *device, struct tw_error *error) {
    return tw_opencl_check(device->cl->finish(device->queue), "clFinish", error);
}

static tw_status opencl_memory(struct tw_device *device, uint64_t *free_bytes, uint64_t *total,
                               struct tw_error *error) {
    /* OpenCL does not tell how much is free. */
    cl_ulong all = 0;
    tw_status status = tw_opencl_check(
        device->cl->device_info(device->device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all, NULL),
        "clGetDeviceInfo", error);
    *free_bytes = *total = all;
    return status;
}

static void opencl_conditions(struct tw_device *device, struct tw_text *json) {
    (void)device; /* OpenCL tells nothing of clocks or power */
    tw_text_print(json, "{}");
}

const struct tw_backend tw_opencl_backend = {
    .name = "opencl",
    .count = tw_opencl_count,
    .describe = tw_opencl_describe,
    .compile = tw_opencl_compile,
    .open = tw_opencl_open,
    .attach = tw_opencl_attach,
    .close = tw_opencl_close,
    .current = tw_opencl_current,
    .enter = tw_opencl_enter,
    .leave = tw_opencl_leave,
    .load = opencl_load,
    .unload = opencl_unload,
    .resources = opencl_resources,
    .allocate = opencl_allocate,
    .release = opencl_release,
    .fill = opencl_fill,
    .write = opencl_write,
    .read = opencl_read,
    .copy = opencl_copy,
    .launch = opencl_launch,
    .start = tw_opencl_start,
    .launch_on = opencl_launch_on,
    .borrow = opencl_borrow,
    .give_back = opencl_give_back,
    .clear = opencl_clear,
    .wait = opencl_wait,
    .synchronize = opencl_synchronize,
    .time = tw_opencl_time,
    .time_copy = tw_opencl_time_copy,
    .memory = opencl_memory,
    .conditions = opencl_conditions,
};
