/* Describing OpenCL devices and compiling for them. */
#ifndef TW_BACKEND_OPENCL_COMPILE_H
#define TW_BACKEND_OPENCL_COMPILE_H

#include "runtime/backend/backend.h"
#include "runtime/backend/opencl/loader.h"

tw_status tw_opencl_count(int *count, struct tw_error *error);
tw_status tw_opencl_describe(int index, struct tw_device_info *info, struct tw_error *error);
tw_status tw_opencl_compile(const struct tw_device_info *info,
                            const struct tw_compile_request *request, struct tw_binary *binary,
                            struct tw_error *error);
/* A program, to be built, of what tw_opencl_compile gave; bytes from elsewhere are the driver's to
 * refuse. */
tw_status tw_opencl_program(const struct tw_opencl *cl, cl_context context, cl_device_id device,
                            const void *bytes, size_t size, cl_program *program,
                            struct tw_error *error);
/* Builds a program, source or binary, and appends the build log if there is one. What fails without
 * a log is tried once more. */
tw_status tw_opencl_build(const struct tw_opencl *cl, cl_program program, cl_device_id device,
                          struct tw_text *log, struct tw_error *error);

#endif
