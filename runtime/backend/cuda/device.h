/* What the files of the CUDA backend know of an open device. */
#ifndef TW_BACKEND_CUDA_DEVICE_H
#define TW_BACKEND_CUDA_DEVICE_H

#include "runtime/backend/backend.h"
#include "runtime/backend/cuda/driver.h"

struct tw_device {
    const struct tw_cuda_driver *cu;
    CUdevice handle;
    CUcontext context;
    bool is_primary; /* the context is the device's primary one, and retained */
    bool is_pushed;  /* it is on the stack of the thread that opened the device */
    CUstream stream;
    CUevent start, stop;
    CUmemoryPool pool; /* of an attached device: what launches borrow */
    char bus_id[32];
};

struct tw_module {
    CUmodule module;
    CUfunction function;
};

/* Returns the tw_status from the function that it is used in when a driver call fails; needs an
 * `error` there. */
#define TW_CUDA_CHECK(call, what)                                                                  \
    do {                                                                                           \
        tw_status check_status = tw_cuda_check((call), (what), error);                             \
        if (check_status != TW_OK)                                                                 \
            return check_status;                                                                   \
    } while (0)

/* Makes the device's parts in its context, which is current. */
tw_status tw_cuda_open_parts(struct tw_device *device, struct tw_error *error);
tw_status tw_cuda_launch(const struct tw_device *device, CUstream stream,
                         const struct tw_launch *launch, struct tw_error *error);

/* The vtable's entries for applications. */
int tw_cuda_current(void);
tw_status tw_cuda_attach(struct tw_device **out, int index, void *context, struct tw_error *error);
tw_status tw_cuda_enter(struct tw_device *device, bool *entered, struct tw_error *error);
void tw_cuda_leave(struct tw_device *device, bool entered);
tw_status tw_cuda_launch_on(struct tw_device *device, void *stream,
                            const struct tw_launch *launches, size_t count, struct tw_error *error);
tw_status tw_cuda_borrow(struct tw_device *device, void *stream, uint64_t bytes,
                         struct tw_memory *out, struct tw_error *error);
tw_status tw_cuda_give_back(struct tw_device *device, void *stream, struct tw_memory *memory,
                            struct tw_error *error);
tw_status tw_cuda_wait(struct tw_device *device, void *stream, struct tw_error *error);
void tw_cuda_close(struct tw_device *device);

#endif
