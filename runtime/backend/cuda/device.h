/* What the files of the CUDA backend know of an open device. */
#ifndef TW_BACKEND_CUDA_DEVICE_H
#define TW_BACKEND_CUDA_DEVICE_H

#include "runtime/backend/backend.h"
#include "runtime/backend/cuda/counters.h"
#include "runtime/backend/cuda/driver.h"

struct tw_device {
    const struct tw_cuda_driver *cu;
    CUdevice handle;
    CUcontext context;
    bool is_primary;     /* the context is the device's primary one, and retained */
    bool is_pushed;      /* it is on the stack of the thread that opened the device */
    bool early_launches; /* the driver lets launches begin early, in captures too */
    CUstream stream;
    CUevent start, stop;
    CUmemoryPool pool;                /* of an attached device: what launches borrow */
    struct tw_cuda_counters counters; /* of an attached device */
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

/* device.c: makes the device's parts in its context, which is current. */
tw_status tw_cuda_open_parts(struct tw_device *device, struct tw_error *error);
tw_status tw_cuda_launch(const struct tw_device *device, CUstream stream,
                         const struct tw_launch *launch, struct tw_error *error);

/* Ends what the event `start` began: waits, and tells the seconds between. */
tw_status tw_cuda_stop_timing(struct tw_device *device, double *seconds, struct tw_error *error);

void tw_cuda_close(struct tw_device *device);
/* As backend.h has them. */
tw_status tw_cuda_enter(struct tw_device *device, bool *entered, struct tw_error *error);
void tw_cuda_leave(struct tw_device *device, bool entered);

static inline CUdeviceptr tw_cuda_pointer(const struct tw_memory *memory) {
    return memory->address + memory->offset;
}

#endif
