/* What the files of the OpenCL backend know of an open device. */
#ifndef TW_BACKEND_OPENCL_DEVICE_H
#define TW_BACKEND_OPENCL_DEVICE_H

#include <pthread.h>

#include "runtime/backend/backend.h"
#include "runtime/backend/opencl/loader.h"

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

static inline cl_mem tw_opencl_object(const struct tw_memory *memory) {
    return (cl_mem)(uintptr_t)memory->address;
}

/* context.c: the entries of the backend's table about opening and closing. */
tw_status tw_opencl_attach(struct tw_device **out, int index, void *context,
                           struct tw_error *error);
tw_status tw_opencl_open(struct tw_device **out, int index, struct tw_error *error);
void tw_opencl_close(struct tw_device *device);
int tw_opencl_current(void);
tw_status tw_opencl_enter(struct tw_device *device, bool *entered, struct tw_error *error);
void tw_opencl_leave(struct tw_device *device, bool entered);

/* enqueue.c: queues a launch; `event` may be NULL. Safe from many threads. */
tw_status tw_opencl_enqueue(struct tw_device *device, cl_command_queue queue,
                            const struct tw_launch *launch, cl_event *event,
                            struct tw_error *error);

/* The same, and waits until the device runs it. */
tw_status tw_opencl_start(struct tw_device *device, const struct tw_launch *launch,
                          struct tw_error *error);

/* timing.c: the entries that tell time. */
tw_status tw_opencl_time(struct tw_device *device, const struct tw_launch *launches, size_t count,
                         double *seconds, struct tw_error *error);
tw_status tw_opencl_time_copy(struct tw_device *device, const struct tw_memory *to,
                              const struct tw_memory *from, double *seconds,
                              struct tw_error *error);

#endif
