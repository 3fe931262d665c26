/* The OpenCL backend: running on a device. Describing and compiling are in compile.c. */
#include "runtime/backend/opencl/opencl.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/opencl/compile.h"

struct tw_device {
    const struct tw_opencl *cl;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

struct tw_module {
    cl_program program;
    cl_kernel kernel;
    pthread_mutex_t lock; /* a cl_kernel's arguments must not be set by two threads at once */
};

static cl_mem object(const struct tw_memory *memory) {
    return (cl_mem)(uintptr_t)memory->address;
}

static void opencl_close(struct tw_device *device) {
    if (device == NULL)
        return;
    if (device->queue != NULL)
        device->cl->queue_release(device->queue);
    if (device->context != NULL)
        device->cl->context_release(device->context);
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

static tw_status opencl_attach(struct tw_device **out, int index, void *context,
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
        opencl_close(device);
        return status;
    }
    *out = device;
    return TW_OK;
}

static tw_status opencl_open(struct tw_device **out, int index, struct tw_error *error) {
    return opencl_attach(out, index, NULL, error);
}

/* OpenCL has no thread's current context: there is nothing to enter. */
static int opencl_current(void) {
    return -1;
}

static tw_status opencl_enter(struct tw_device *device, bool *entered, struct tw_error *error) {
    (void)device;
    (void)error;
    *entered = false;
    return TW_OK;
}

static void opencl_leave(struct tw_device *device, bool entered) {
    (void)device;
    (void)entered;
}

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

static tw_status load_parts(struct tw_device *device, const unsigned char *bytes, size_t size,
                            const char *function, struct tw_module *module,
                            struct tw_error *error) {
    const struct tw_opencl *cl = device->cl;
    cl_int result, binary_result = CL_SUCCESS;
    module->program = cl->program_from_binary(device->context, 1, &device->device, &size, &bytes,
                                              &binary_result, &result);
    tw_status status = tw_opencl_check(result, "clCreateProgramWithBinary", error);
    if (status != TW_OK)
        return status;
    struct tw_text log = {0};
    status = tw_opencl_build(cl, module->program, device->device, &log, error);
    tw_text_free(&log);
    if (status != TW_OK)
        return status;
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
        device->cl->memory_release(object(memory));
    *memory = (struct tw_memory){0};
}

static tw_status opencl_fill(struct tw_device *device, const struct tw_memory *memory,
                             unsigned char byte, struct tw_error *error) {
    /* A wide pattern is filled many times faster than single bytes. */
    unsigned char pattern[16];
    memset(pattern, byte, sizeof pattern);
    size_t width = (memory->bytes | memory->offset) % sizeof pattern == 0 ? sizeof pattern : 1;
    return tw_opencl_check(device->cl->memory_fill(device->queue, object(memory), pattern, width,
                                                   memory->offset, memory->bytes, 0, NULL, NULL),
                           "clEnqueueFillBuffer", error);
}

static tw_status opencl_write(struct tw_device *device, const struct tw_memory *memory,
                              const void *bytes, struct tw_error *error) {
    return tw_opencl_check(device->cl->memory_write(device->queue, object(memory), CL_TRUE,
                                                    memory->offset, memory->bytes, bytes, 0, NULL,
                                                    NULL),
                           "clEnqueueWriteBuffer", error);
}

static tw_status opencl_read(struct tw_device *device, const struct tw_memory *memory, void *bytes,
                             struct tw_error *error) {
    return tw_opencl_check(device->cl->memory_read(device->queue, object(memory), CL_TRUE,
                                                   memory->offset, memory->bytes, bytes, 0, NULL,
                                                   NULL),
                           "clEnqueueReadBuffer", error);
}

static tw_status opencl_copy(struct tw_device *device, const struct tw_memory *to,
                             const struct tw_memory *from, struct tw_error *error) {
    return tw_opencl_check(device->cl->memory_copy(device->queue, object(from), object(to),
                                                   from->offset, to->offset, from->bytes, 0, NULL,
                                                   NULL),
                           "clEnqueueCopyBuffer", error);
}

/* A part of an allocation reaches a kernel as a sub-buffer, which lives until the launch is done.
 */
static tw_status set_memory(struct tw_device *device, cl_kernel kernel, cl_uint index,
                            const struct tw_memory *memory, struct tw_error *error) {
    const struct tw_opencl *cl = device->cl;
    cl_mem whole = object(memory);
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

static tw_status enqueue(struct tw_device *device, cl_command_queue queue,
                         const struct tw_launch *launch, cl_event *event, struct tw_error *error) {
    pthread_mutex_t *lock = (pthread_mutex_t *)&launch->module->lock;
    pthread_mutex_lock(lock);
    tw_status status = set_and_enqueue(device, queue, launch, event, error);
    pthread_mutex_unlock(lock);
    return status;
}

static tw_status opencl_launch(struct tw_device *device, const struct tw_launch *launch,
                               struct tw_error *error) {
    return enqueue(device, device->queue, launch, NULL, error);
}

static cl_command_queue queue_of(const struct tw_device *device, void *stream) {
    return stream != NULL ? stream : device->queue;
}

static tw_status opencl_launch_on(struct tw_device *device, void *stream,
                                  const struct tw_launch *launches, size_t count,
                                  struct tw_error *error) {
    tw_status status = TW_OK;
    for (size_t i = 0; i < count && status == TW_OK; i++)
        status = enqueue(device, queue_of(device, stream), &launches[i], NULL, error);
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

static tw_status opencl_wait(struct tw_device *device, void *stream, struct tw_error *error) {
    return tw_opencl_check(device->cl->finish(queue_of(device, stream)), "clFinish", error);
}

static tw_status opencl_synchronize(struct tw_device *device, struct tw_error *error) {
    return tw_opencl_check(device->cl->finish(device->queue), "clFinish", error);
}

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

static tw_status opencl_time(struct tw_device *device, const struct tw_launch *launches,
                             size_t count, double *seconds, struct tw_error *error) {
    *seconds = 0;
    cl_event *events = calloc(count, sizeof *events);
    if (events == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = TW_OK;
    size_t queued = 0;
    while (status == TW_OK && queued < count) {
        status = enqueue(device, device->queue, &launches[queued], &events[queued], error);
        queued += status == TW_OK;
    }
    if (status == TW_OK)
        status = opencl_synchronize(device, error);
    for (size_t i = 0; i < queued; i++) {
        if (status == TW_OK)
            status = event_seconds(device, events[i], seconds, error);
        device->cl->event_release(events[i]);
    }
    free(events);
    return status;
}

static tw_status opencl_time_copy(struct tw_device *device, const struct tw_memory *to,
                                  const struct tw_memory *from, double *seconds,
                                  struct tw_error *error) {
    *seconds = 0;
    cl_event event;
    tw_status status = tw_opencl_check(device->cl->memory_copy(device->queue, object(from),
                                                               object(to), from->offset, to->offset,
                                                               from->bytes, 0, NULL, &event),
                                       "clEnqueueCopyBuffer", error);
    if (status != TW_OK)
        return status;
    status = opencl_synchronize(device, error);
    if (status == TW_OK)
        status = event_seconds(device, event, seconds, error);
    device->cl->event_release(event);
    return status;
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
    .open = opencl_open,
    .attach = opencl_attach,
    .close = opencl_close,
    .current = opencl_current,
    .enter = opencl_enter,
    .leave = opencl_leave,
    .load = opencl_load,
    .unload = opencl_unload,
    .allocate = opencl_allocate,
    .release = opencl_release,
    .fill = opencl_fill,
    .write = opencl_write,
    .read = opencl_read,
    .copy = opencl_copy,
    .launch = opencl_launch,
    .launch_on = opencl_launch_on,
    .borrow = opencl_borrow,
    .give_back = opencl_give_back,
    .wait = opencl_wait,
    .synchronize = opencl_synchronize,
    .time = opencl_time,
    .time_copy = opencl_time_copy,
    .memory = opencl_memory,
    .conditions = opencl_conditions,
};
