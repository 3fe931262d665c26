/* The OpenCL API, opened at run time through the ICD loader, libOpenCL. */
#ifndef TW_BACKEND_OPENCL_LOADER_H
#define TW_BACKEND_OPENCL_LOADER_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "runtime/base/error.h"

#define TW_OPENCL_FUNCTIONS(X)                                                                     \
    X(platform_ids, clGetPlatformIDs)                                                              \
    X(platform_info, clGetPlatformInfo)                                                            \
    X(device_ids, clGetDeviceIDs)                                                                  \
    X(device_info, clGetDeviceInfo)                                                                \
    X(context_create, clCreateContext)                                                             \
    X(context_retain, clRetainContext)                                                             \
    X(context_info, clGetContextInfo)                                                              \
    X(context_release, clReleaseContext)                                                           \
    X(queue_create, clCreateCommandQueue)                                                          \
    X(queue_release, clReleaseCommandQueue)                                                        \
    X(program_from_source, clCreateProgramWithSource)                                              \
    X(program_from_binary, clCreateProgramWithBinary)                                              \
    X(program_build, clBuildProgram)                                                               \
    X(program_build_info, clGetProgramBuildInfo)                                                   \
    X(program_info, clGetProgramInfo)                                                              \
    X(program_release, clReleaseProgram)                                                           \
    X(kernel_create, clCreateKernel)                                                               \
    X(kernel_info, clGetKernelInfo)                                                                \
    X(kernel_set, clSetKernelArg)                                                                  \
    X(kernel_group_info, clGetKernelWorkGroupInfo)                                                 \
    X(kernel_release, clReleaseKernel)                                                             \
    X(memory_create, clCreateBuffer)                                                               \
    X(memory_part, clCreateSubBuffer)                                                              \
    X(memory_release, clReleaseMemObject)                                                          \
    X(memory_fill, clEnqueueFillBuffer)                                                            \
    X(memory_write, clEnqueueWriteBuffer)                                                          \
    X(memory_read, clEnqueueReadBuffer)                                                            \
    X(memory_copy, clEnqueueCopyBuffer)                                                            \
    X(launch, clEnqueueNDRangeKernel)                                                              \
    X(flush, clFlush)                                                                              \
    X(finish, clFinish)                                                                            \
    X(event_info, clGetEventInfo)                                                                  \
    X(event_profile, clGetEventProfilingInfo)                                                      \
    X(event_release, clReleaseEvent)

struct tw_opencl {
#define TW_OPENCL_FIELD(field, function) __typeof__(function) *field;
    TW_OPENCL_FUNCTIONS(TW_OPENCL_FIELD)
#undef TW_OPENCL_FIELD
};

enum { TW_OPENCL_MAX_DEVICES = 64 };

/* Every device of every platform, in the loader's order; found once a process. */
struct tw_opencl_devices {
    int count;
    cl_device_id devices[TW_OPENCL_MAX_DEVICES];
};

/* Safe from many threads. TW_UNAVAILABLE with the reason when there is no loader or no platform. */
tw_status tw_opencl_ready(const struct tw_opencl **cl, const struct tw_opencl_devices **devices,
                          struct tw_error *error);
/* TW_UNAVAILABLE in a child of the process that found the devices. */
tw_status tw_opencl_forked(struct tw_error *error);
/* The device of that index. */
tw_status tw_opencl_device(int index, const struct tw_opencl **cl, cl_device_id *device,
                           struct tw_error *error);
/* Turns a result into a status; `what` is the function that gave it. */
tw_status tw_opencl_check(cl_int result, const char *what, struct tw_error *error);

#endif
