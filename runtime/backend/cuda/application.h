/* The entries of the backend's table that applications need. */
#ifndef TW_BACKEND_CUDA_APPLICATION_H
#define TW_BACKEND_CUDA_APPLICATION_H

#include "runtime/backend/backend.h"

int tw_cuda_current(void);
tw_status tw_cuda_attach(struct tw_device **out, int index, void *context, struct tw_error *error);
tw_status tw_cuda_launch_on(struct tw_device *device, void *stream,
                            const struct tw_launch *launches, size_t count, struct tw_error *error);
tw_status tw_cuda_borrow(struct tw_device *device, void *stream, uint64_t bytes,
                         struct tw_memory *out, struct tw_error *error);
tw_status tw_cuda_give_back(struct tw_device *device, void *stream, struct tw_memory *memory,
                            struct tw_error *error);
tw_status tw_cuda_lend_counters(struct tw_device *device, void *stream, uint64_t bytes,
                                struct tw_memory *out, struct tw_error *error);
tw_status tw_cuda_clear(struct tw_device *device, void *stream, const struct tw_memory *memory,
                        struct tw_error *error);
tw_status tw_cuda_wait(struct tw_device *device, void *stream, struct tw_error *error);

#endif
