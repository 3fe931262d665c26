/* The CUDA driver as an application has it, opened at run time: tests build where it is not. */
#ifndef TESTS_SUPPORT_CUDA_H
#define TESTS_SUPPORT_CUDA_H

#include <cuda.h>
#include <dlfcn.h>

#include "tests/support/library.h"

#define CUDA_CALLS(X)                                                                              \
    X(cuInit)                                                                                      \
    X(cuDeviceGet)                                                                                 \
    X(cuDevicePrimaryCtxRetain)                                                                    \
    X(cuDevicePrimaryCtxRelease)                                                                   \
    X(cuCtxGetCurrent)                                                                             \
    X(cuCtxSetCurrent)                                                                             \
    X(cuCtxDestroy)                                                                                \
    X(cuPointerGetAttribute)                                                                       \
    X(cuMemAlloc)                                                                                  \
    X(cuMemFree)                                                                                   \
    X(cuMemcpyDtoHAsync)                                                                           \
    X(cuMemsetD32Async)                                                                            \
    X(cuStreamCreate)                                                                              \
    X(cuStreamDestroy)                                                                             \
    X(cuStreamSynchronize)                                                                         \
    X(cuStreamBeginCapture)                                                                        \
    X(cuStreamEndCapture)                                                                          \
    X(cuGraphInstantiateWithFlags)                                                                 \
    X(cuGraphLaunch)                                                                               \
    X(cuGraphExecDestroy)                                                                          \
    X(cuGraphDestroy)

/* The headers rename functions to their versions by macros, which both of these follow. */
#define CUDA_FIELD(function) __typeof__(function) *function;
#define CUDA_TEXT(function) #function
#define CUDA_NAME(function) CUDA_TEXT(function)

static struct {
    CUDA_CALLS(CUDA_FIELD)
    /* By its old name: what cuCtxCreate takes depends on the toolkit. */
    CUresult (*create_context)(CUcontext *context, unsigned flags, CUdevice device);
} cuda;

#define cuda_must(call)                                                                            \
    do {                                                                                           \
        CUresult cuda_result = (call);                                                             \
        if (cuda_result != CUDA_SUCCESS) {                                                         \
            fail_msg("%s: CUDA error %d", #call, (int)cuda_result);                                \
        }                                                                                          \
    } while (0)

/* The address of a function of an opened library, kept at `to`; false when it has none. */
SUPPORT bool find_function(void *library, const char *name, void *to) {
    void *address = library != NULL ? dlsym(library, name) : NULL;
    memcpy(to, &address, sizeof address);
    return address != NULL;
}

/* Says why and returns false where there is no GPU. */
SUPPORT bool cuda_is_here(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        print_message("no cuda device here: %s\n", dlerror());
        return false;
    }
    bool all = find_function(library, "cuCtxCreate_v2", &cuda.create_context);
#define CUDA_FIND(function) all &= find_function(library, CUDA_NAME(function), &cuda.function);
    CUDA_CALLS(CUDA_FIND)
#undef CUDA_FIND
    CUresult result = all ? cuda.cuInit(0) : CUDA_ERROR_NOT_FOUND;
    if (result != CUDA_SUCCESS)
        print_message("no cuda device here: cuInit gave error %d\n", (int)result);
    return result == CUDA_SUCCESS;
}

SUPPORT CUcontext current_context(void) {
    CUcontext context;
    cuda_must(cuda.cuCtxGetCurrent(&context));
    return context;
}

#endif
