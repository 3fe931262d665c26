/* The CUDA driver API, libcuda, opened at run time. */
#ifndef TW_BACKEND_CUDA_DRIVER_H
#define TW_BACKEND_CUDA_DRIVER_H

#include <cuda.h>

#include "runtime/base/error.h"

#define TW_CUDA_FUNCTIONS(X)                                                                       \
    X(init, cuInit)                                                                                \
    X(driver_version, cuDriverGetVersion)                                                          \
    X(error_name, cuGetErrorName)                                                                  \
    X(error_text, cuGetErrorString)                                                                \
    X(device_count, cuDeviceGetCount)                                                              \
    X(device_get, cuDeviceGet)                                                                     \
    X(device_name, cuDeviceGetName)                                                                \
    X(device_attribute, cuDeviceGetAttribute)                                                      \
    X(device_memory, cuDeviceTotalMem)                                                             \
    X(device_bus_id, cuDeviceGetPCIBusId)                                                          \
    X(primary_retain, cuDevicePrimaryCtxRetain)                                                    \
    X(primary_release, cuDevicePrimaryCtxRelease)                                                  \
    X(context_push, cuCtxPushCurrent)                                                              \
    X(context_pop, cuCtxPopCurrent)                                                                \
    X(context_current, cuCtxGetCurrent)                                                            \
    X(context_device, cuCtxGetDevice)                                                              \
    X(module_load, cuModuleLoadData)                                                               \
    X(module_unload, cuModuleUnload)                                                               \
    X(module_function, cuModuleGetFunction)                                                        \
    X(function_attribute, cuFuncGetAttribute)                                                      \
    X(function_attribute_set, cuFuncSetAttribute)                                                  \
    X(active_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessor)                                  \
    X(memory_allocate, cuMemAlloc)                                                                 \
    X(memory_free, cuMemFree)                                                                      \
    X(memory_info, cuMemGetInfo)                                                                   \
    X(memory_fill, cuMemsetD8Async)                                                                \
    X(memory_write, cuMemcpyHtoDAsync)                                                             \
    X(memory_read, cuMemcpyDtoHAsync)                                                              \
    X(memory_copy, cuMemcpyDtoDAsync)                                                              \
    X(pool_create, cuMemPoolCreate)                                                                \
    X(pool_destroy, cuMemPoolDestroy)                                                              \
    X(pool_attribute_set, cuMemPoolSetAttribute)                                                   \
    X(pool_allocate, cuMemAllocFromPoolAsync)                                                      \
    X(pool_free, cuMemFreeAsync)                                                                   \
    X(stream_create, cuStreamCreate)                                                               \
    X(stream_destroy, cuStreamDestroy)                                                             \
    X(stream_synchronize, cuStreamSynchronize)                                                     \
    X(event_create, cuEventCreate)                                                                 \
    X(event_destroy, cuEventDestroy)                                                               \
    X(event_record, cuEventRecord)                                                                 \
    X(event_synchronize, cuEventSynchronize)                                                       \
    X(event_elapsed, cuEventElapsedTime)                                                           \
    X(launch, cuLaunchKernel)

/* What drivers may lack, some before 12.0; NULL there. */
#define TW_CUDA_LATER_FUNCTIONS(X)                                                                 \
    X(launch_ex, cuLaunchKernelEx)                                                                 \
    X(tensor_map_encode, cuTensorMapEncodeTiled)                                                   \
    X(im2col_map_encode, cuTensorMapEncodeIm2col)                                                  \
    X(stream_id, cuStreamGetId)                                                                    \
    X(stream_is_capturing, cuStreamIsCapturing)                                                    \
    X(capture_begin, cuStreamBeginCapture)                                                         \
    X(capture_end, cuStreamEndCapture)                                                             \
    X(graph_instantiate, cuGraphInstantiateWithFlags)                                              \
    X(graph_upload, cuGraphUpload)                                                                 \
    X(graph_launch, cuGraphLaunch)                                                                 \
    X(graph_destroy, cuGraphDestroy)                                                               \
    X(graph_exec_destroy, cuGraphExecDestroy)

struct tw_cuda_driver {
#define TW_CUDA_FIELD(field, function) __typeof__(function) *field;
    TW_CUDA_FUNCTIONS(TW_CUDA_FIELD)
    TW_CUDA_LATER_FUNCTIONS(TW_CUDA_FIELD)
#undef TW_CUDA_FIELD
};

/* Opens the driver and initialises it, once a process; safe from many threads. */
tw_status tw_cuda_driver(const struct tw_cuda_driver **out, struct tw_error *error);
/* Turns a driver result into a status; `what` is the function that gave it. */
tw_status tw_cuda_check(CUresult result, const char *what, struct tw_error *error);

#endif
