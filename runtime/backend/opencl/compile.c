#include "runtime/backend/opencl/compile.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/opencl/built.h"

tw_status tw_opencl_count(int *count, struct tw_error *error) {
    const struct tw_opencl *cl;
    const struct tw_opencl_devices *devices;
    *count = 0;
    tw_status status = tw_opencl_ready(&cl, &devices, error);
    if (status == TW_OK)
        *count = devices->count;
    return status;
}

static void device_text(const struct tw_opencl *cl, cl_device_id device, cl_device_info what,
                        char *out, size_t size) {
    char text[1024] = "";
    if (cl->device_info(device, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    snprintf(out, size, "%s", text);
}

static int64_t device_number(const struct tw_opencl *cl, cl_device_id device, cl_device_info what) {
    cl_ulong value = 0; /* a smaller answer fills its low bytes */
    if (cl->device_info(device, what, sizeof value, &value, NULL) != CL_SUCCESS)
        return 0;
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

tw_status tw_opencl_describe(int index, struct tw_device_info *info, struct tw_error *error) {
    const struct tw_opencl *cl;
    cl_device_id device;
    tw_status status = tw_opencl_device(index, &cl, &device, error);
    if (status != TW_OK)
        return status;
    *info = (struct tw_device_info){.index = index, .backend = "opencl"};
    snprintf(info->id, sizeof info->id, "opencl:%d", index);
    device_text(cl, device, CL_DEVICE_NAME, info->name, sizeof info->name);
    device_text(cl, device, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    device_text(cl, device, CL_DEVICE_VERSION, info->architecture, sizeof info->architecture);
    device_text(cl, device, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    snprintf(info->compiler, sizeof info->compiler, "%s", info->architecture);
    info->is_cpu = (device_number(cl, device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
    info->compute_units = device_number(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->warp = info->is_cpu ? 1 : 32;
    info->max_threads = device_number(cl, device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    size_t items[8] = {0};
    status = tw_opencl_check(
        cl->device_info(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, NULL),
        "clGetDeviceInfo", error);
    if (status != TW_OK)
        return status;
    for (int i = 0; i < 3; i++) {
        info->max_block[i] = items[i] > INT32_MAX ? INT32_MAX : (int64_t)items[i];
        info->max_grid[i] = INT32_MAX;
    }
    info->max_shared = device_number(cl, device, CL_DEVICE_LOCAL_MEM_SIZE);
    info->cache_bytes = device_number(cl, device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    info->memory_bytes = device_number(cl, device, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->has_fp64 = device_number(cl, device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    return TW_OK;
}

static void add_log(const struct tw_opencl *cl, cl_program program, cl_device_id device,
                    struct tw_text *log) {
    size_t size = 0;
    if (cl->program_build_info(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) !=
            CL_SUCCESS ||
        size <= 1)
        return;
    char *text = malloc(size);
    if (text != NULL && cl->program_build_info(program, device, CL_PROGRAM_BUILD_LOG, size, text,
                                               NULL) == CL_SUCCESS)
        tw_text_add(log, text, strnlen(text, size));
    free(text);
}

/* A source that a compiler refuses has a log. PoCL also refuses, without one, where another process
 * builds the same source for the first time and both begin its cache's entry; then the entry is
 * there (https://github.com/pocl/pocl/issues/586 and 1480). */
tw_status tw_opencl_build(const struct tw_opencl *cl, cl_program program, cl_device_id device,
                          struct tw_text *log, struct tw_error *error) {
    const size_t before = log->length;
    cl_int result = CL_BUILD_PROGRAM_FAILURE;
    for (int tries = 0; tries < 2 && result == CL_BUILD_PROGRAM_FAILURE && log->length == before;
         tries++) {
        result = cl->program_build(program, 1, &device, "-cl-std=CL1.2", NULL, NULL);
        add_log(cl, program, device, log);
    }
    /* Implementations differ in which error a bad source gives; with a log it is the compiler's. */
    if (result != CL_SUCCESS && result != CL_OUT_OF_HOST_MEMORY)
        return tw_fail(error, TW_COMPILE, "clBuildProgram: OpenCL error %d", (int)result);
    return tw_opencl_check(result, "clBuildProgram", error);
}

static tw_status take_binary(const struct tw_opencl *cl, cl_program program,
                             struct tw_binary *binary, struct tw_error *error) {
    tw_status status = tw_opencl_check(cl->program_info(program, CL_PROGRAM_BINARY_SIZES,
                                                        sizeof binary->size, &binary->size, NULL),
                                       "clGetProgramInfo", error);
    if (status != TW_OK)
        return status;
    binary->bytes = malloc(binary->size > 0 ? binary->size : 1);
    if (binary->bytes == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a binary");
    return tw_opencl_check(
        cl->program_info(program, CL_PROGRAM_BINARIES, sizeof binary->bytes, &binary->bytes, NULL),
        "clGetProgramInfo", error);
}

/* Before a source that stands for a binary. */
static const char SOURCE_MARK[] = "tilewise OpenCL source\n";
enum { MARK_LENGTH = sizeof SOURCE_MARK - 1 };

static bool is_pocl(const struct tw_device_info *info) {
    return strstr(info->architecture, "PoCL") != NULL;
}

static tw_status take_source(const char *source, struct tw_binary *binary, struct tw_error *error) {
    struct tw_text text = {0};
    tw_text_print(&text, "%s%s", SOURCE_MARK, source);
    if (text.failed)
        return tw_fail(error, TW_NO_MEMORY, "out of memory for a source");
    binary->bytes = (unsigned char *)text.data;
    binary->size = text.length;
    return TW_OK;
}

tw_status tw_opencl_program(const struct tw_opencl *cl, cl_context context, cl_device_id device,
                            const void *bytes, size_t size, cl_program *program,
                            struct tw_error *error) {
    cl_int result, binary_result = CL_SUCCESS;
    if (size > MARK_LENGTH && memcmp(bytes, SOURCE_MARK, MARK_LENGTH) == 0) {
        const char *source = (const char *)bytes + MARK_LENGTH;
        size_t length = size - MARK_LENGTH;
        *program = cl->program_from_source(context, 1, &source, &length, &result);
        return tw_opencl_check(result, "clCreateProgramWithSource", error);
    }
    const unsigned char *binary = bytes;
    *program =
        cl->program_from_binary(context, 1, &device, &size, &binary, &binary_result, &result);
    return tw_opencl_check(result, "clCreateProgramWithBinary", error);
}

/* A value, or no memory, of each parameter's size: the kernel is not launched. */
static tw_status try_parameters(const struct tw_opencl *cl, cl_kernel kernel,
                                const struct tw_compile_request *request, struct tw_error *error) {
    static const unsigned char zeros[256];
    const struct tw_expected *expected = request->expected;
    for (int i = 0; i < expected->count; i++) {
        uint32_t bytes = expected->parameters[i].bytes;
        if (bytes > sizeof zeros)
            continue;
        cl_int result = bytes == 0 ? cl->kernel_set(kernel, (cl_uint)i, sizeof(cl_mem), NULL)
                                   : cl->kernel_set(kernel, (cl_uint)i, bytes, zeros);
        if (result == CL_INVALID_ARG_SIZE || result == CL_INVALID_ARG_VALUE ||
            result == CL_INVALID_MEM_OBJECT)
            return tw_expected_refuse(expected, i, request->function, error);
    }
    return TW_OK;
}

static tw_status no_kernel(const struct tw_opencl *cl, cl_program program, const char *function,
                           struct tw_error *error) {
    char names[2048] = "";
    if (cl->program_info(program, CL_PROGRAM_KERNEL_NAMES, sizeof names - 1, names, NULL) !=
        CL_SUCCESS)
        names[0] = '\0';
    return tw_expected_missing(function, names, ';', error);
}

static tw_status check_expected(const struct tw_opencl *cl, cl_program program,
                                const struct tw_compile_request *request, struct tw_error *error) {
    cl_int result;
    cl_uint count = 0;
    cl_kernel kernel = cl->kernel_create(program, request->function, &result);
    if (result == CL_INVALID_KERNEL_NAME)
        return no_kernel(cl, program, request->function, error);
    tw_status status = tw_opencl_check(result, "clCreateKernel", error);
    if (status != TW_OK)
        return status;
    status =
        tw_opencl_check(cl->kernel_info(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL),
                        "clGetKernelInfo", error);
    const struct tw_taken taken = {.count = (int)count};
    if (status == TW_OK)
        status =
            tw_expected_check(request->expected, &taken, sizeof(cl_mem), request->function, error);
    if (status == TW_OK)
        status = try_parameters(cl, kernel, request, error);
    cl->kernel_release(kernel);
    return status;
}

/* A context of PoCL's that sources were compiled in and the next will be, one a device. PoCL reads
 * its library of functions anew for each context, which takes as long as a small kernel does. */
static struct scratch {
    cl_context context; /* NULL while it is lent */
    int uses;
    bool is_a_devices; /* that of an open device, which will load what is built in it */
} scratches[TW_OPENCL_MAX_DEVICES];
static pthread_mutex_t scratch_lock = PTHREAD_MUTEX_INITIALIZER;

/* What is compiled in a context stays in part until the context goes. */
enum { SCRATCH_USES = 64 };

static tw_status borrow_scratch(const struct tw_opencl *cl, int index, cl_device_id device,
                                bool to_load, struct scratch *scratch, struct tw_error *error) {
    cl_int result;
    if (to_load && (scratch->context = tw_opencl_built_context(cl, index)) != NULL) {
        scratch->is_a_devices = true;
        return TW_OK;
    }
    pthread_mutex_lock(&scratch_lock);
    *scratch = scratches[index];
    scratches[index] = (struct scratch){0};
    pthread_mutex_unlock(&scratch_lock);
    if (scratch->context != NULL)
        return TW_OK;
    scratch->context = cl->context_create(NULL, 1, &device, NULL, NULL, &result);
    return tw_opencl_check(result, "clCreateContext", error);
}

/* Another thread may have brought its own back before. That of a GPU's own driver would hold memory
 * of the device. */
static void return_scratch(const struct tw_opencl *cl, const struct tw_device_info *info,
                           struct scratch *scratch) {
    scratch->uses++;
    pthread_mutex_lock(&scratch_lock);
    struct scratch *place = &scratches[info->index];
    bool kept = is_pocl(info) && !scratch->is_a_devices && place->context == NULL &&
                scratch->uses < SCRATCH_USES;
    if (kept)
        *place = *scratch;
    pthread_mutex_unlock(&scratch_lock);
    if (!kept)
        cl->context_release(scratch->context);
}

tw_status tw_opencl_compile(const struct tw_device_info *info,
                            const struct tw_compile_request *request, struct tw_binary *binary,
                            struct tw_error *error) {
    *binary = (struct tw_binary){0};
    const struct tw_opencl *cl;
    cl_device_id device;
    tw_status status = tw_opencl_device(info->index, &cl, &device, error);
    if (status != TW_OK)
        return status;
    /* PoCL compiles a kernel for its work-group size at the first launch, and to hand out a binary
     * compiles it for any size besides, which takes longer and is never run. */
    const bool to_load = request->passing && is_pocl(info);
    if (request->trusted && to_load)
        return take_source(request->source, binary, error);
    struct scratch scratch = {0};
    status = borrow_scratch(cl, info->index, device, to_load, &scratch, error);
    if (status != TW_OK)
        return status;
    cl_int result;
    const char *source = request->source;
    cl_program program = cl->program_from_source(scratch.context, 1, &source, NULL, &result);
    status = tw_opencl_check(result, "clCreateProgramWithSource", error);
    if (status == TW_OK) {
        status = tw_opencl_build(cl, program, device, &binary->log, error);
        if (status == TW_OK && request->expected != NULL)
            status = check_expected(cl, program, request, error);
        if (status == TW_OK)
            status = to_load ? take_source(source, binary, error)
                             : take_binary(cl, program, binary, error);
        if (status == TW_OK && scratch.is_a_devices)
            tw_opencl_built_keep(cl, scratch.context, binary->bytes, binary->size, program);
        else
            cl->program_release(program);
    }
    return_scratch(cl, info, &scratch);
    return status;
}
