#include "runtime/backend/opencl/loader.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "runtime/backend/shared_object.h"

static struct tw_opencl cl;
static struct tw_opencl_devices all;
static tw_status opencl_status;
static struct tw_error opencl_error;
static pthread_once_t opencl_once = PTHREAD_ONCE_INIT;
static pid_t opencl_process;

static void find_devices(void) {
    enum { MAX_PLATFORMS = 16 };
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint platform_count = 0;
    cl_int result = cl.platform_ids(MAX_PLATFORMS, platforms, &platform_count);
    if (result != CL_SUCCESS || platform_count == 0) {
        opencl_status = tw_fail(&opencl_error, TW_UNAVAILABLE,
                                "the OpenCL loader finds no platform; on Debian, "
                                "\"apt install pocl-opencl-icd\" makes the CPU one");
        return;
    }
    for (cl_uint p = 0; p < platform_count && p < MAX_PLATFORMS; p++) {
        cl_device_id devices[TW_OPENCL_MAX_DEVICES];
        cl_uint count = 0;
        /* A platform without devices answers with an error, and has nothing for us either way. */
        if (cl.device_ids(platforms[p], CL_DEVICE_TYPE_ALL, TW_OPENCL_MAX_DEVICES, devices,
                          &count) != CL_SUCCESS)
            continue;
        for (cl_uint i = 0; i < count && all.count < TW_OPENCL_MAX_DEVICES; i++) {
            all.devices[all.count++] = devices[i];
        }
    }
    if (all.count == 0)
        opencl_status = tw_fail(&opencl_error, TW_UNAVAILABLE, "no OpenCL platform has a device");
}

static void open_opencl(void) {
    static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};
    static const struct tw_symbol symbols[] = {
#define TW_OPENCL_SYMBOL(field, function) {#function, &cl.field},
        TW_OPENCL_FUNCTIONS(TW_OPENCL_SYMBOL)
#undef TW_OPENCL_SYMBOL
    };
    opencl_process = getpid();
    opencl_status =
        tw_shared_object_open(names, symbols, sizeof symbols / sizeof *symbols, &opencl_error);
    if (opencl_status == TW_OK)
        find_devices();
}

tw_status tw_opencl_ready(const struct tw_opencl **out, const struct tw_opencl_devices **devices,
                          struct tw_error *error) {
    pthread_once(&opencl_once, open_opencl);
    *out = &cl;
    *devices = &all;
    if (opencl_status != TW_OK)
        return tw_fail(error, opencl_status, "%s", opencl_error.message);
    return tw_opencl_forked(error);
}

tw_status tw_opencl_device(int index, const struct tw_opencl **out, cl_device_id *device,
                           struct tw_error *error) {
    const struct tw_opencl_devices *devices;
    tw_status status = tw_opencl_ready(out, &devices, error);
    if (status != TW_OK)
        return status;
    if (index < 0 || index >= devices->count)
        return tw_fail(error, TW_NOT_FOUND, "there is no OpenCL device %d", index);
    *device = devices->devices[index];
    return TW_OK;
}

static const struct {
    cl_int result;
    const char *name;
    tw_status status;
} results[] = {
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE", TW_DEVICE_LOST},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE", TW_NO_MEMORY},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES", TW_RESOURCE},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY", TW_NO_MEMORY},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE", TW_COMPILE},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE", TW_NO_MEMORY},
    {CL_INVALID_BINARY, "CL_INVALID_BINARY", TW_LAUNCH},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME", TW_LAUNCH},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS", TW_LAUNCH},
    {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX", TW_LAUNCH},
    {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE", TW_LAUNCH},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE", TW_LAUNCH},
    {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE", TW_LAUNCH},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE", TW_DEVICE},
    {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT", TW_DEVICE},
    {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT", TW_DEVICE},
    {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE", TW_DEVICE},
    {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE", TW_DEVICE},
    {CL_INVALID_OPERATION, "CL_INVALID_OPERATION", TW_DEVICE},
    {CL_MISALIGNED_SUB_BUFFER_OFFSET, "CL_MISALIGNED_SUB_BUFFER_OFFSET", TW_DEVICE},
};

tw_status tw_opencl_check(cl_int result, const char *what, struct tw_error *error) {
    if (result == CL_SUCCESS)
        return TW_OK;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i].result == result)
            return tw_fail(error, results[i].status, "%s: %s", what, results[i].name);
    return tw_fail(error, TW_DEVICE, "%s: OpenCL error %d", what, (int)result);
}

/* What serves an OpenCL platform, its threads and their locks, is not there in a child that did not
 * exec: it would wait for ever. */
tw_status tw_opencl_forked(struct tw_error *error) {
    return opencl_process == getpid()
               ? TW_OK
               : tw_fail(error, TW_UNAVAILABLE,
                         "OpenCL was opened before this process was forked, and works in the "
                         "parent only; fork first, or start a new program (Python: "
                         "multiprocessing's \"spawn\")");
}
