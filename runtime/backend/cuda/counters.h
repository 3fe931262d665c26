/* Counters: memory that launches find zero and leave zero, so that nothing is cleared before one.
 * Launches on a stream come one after the other and share theirs. A launch in a graph has its own:
 * a graph that borrows memory, as who counts there does, runs once at a time. */
#ifndef TW_BACKEND_CUDA_COUNTERS_H
#define TW_BACKEND_CUDA_COUNTERS_H

#include <stdatomic.h>

#include "runtime/backend/backend.h"
#include "runtime/backend/cuda/driver.h"

enum { TW_COUNTER_BYTES = 1024, TW_COUNTER_STREAMS = 128, TW_COUNTER_GRAPHS = 1920 };

/* Begins as zeros. */
struct tw_cuda_counters {
    CUdeviceptr memory;                           /* 0: none could be had */
    _Atomic uint64_t streams[TW_COUNTER_STREAMS]; /* whose they are: its number and one more; 0:
                                                     nobody's yet */
    _Atomic uint64_t graphs;                      /* launches in graphs that asked for some */
};

/* In the context that is current, where `stream` is; without memory to spare there are none. */
tw_status tw_cuda_counters_make(struct tw_cuda_counters *counters, const struct tw_cuda_driver *cu,
                                CUstream stream, struct tw_error *error);
void tw_cuda_counters_free(struct tw_cuda_counters *counters, const struct tw_cuda_driver *cu);
/* As backend.h has it; from any thread. */
tw_status tw_cuda_counters_of(struct tw_cuda_counters *counters, const struct tw_cuda_driver *cu,
                              CUstream stream, uint64_t bytes, struct tw_memory *out,
                              struct tw_error *error);

#endif
