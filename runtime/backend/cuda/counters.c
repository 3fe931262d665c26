#include "runtime/backend/cuda/counters.h"

tw_status tw_cuda_counters_make(struct tw_cuda_counters *counters, const struct tw_cuda_driver *cu,
                                CUstream stream, struct tw_error *error) {
    const uint64_t bytes = (uint64_t)TW_COUNTER_BYTES * (TW_COUNTER_STREAMS + TW_COUNTER_GRAPHS);
    if (cu->stream_id == NULL || cu->stream_is_capturing == NULL ||
        cu->memory_allocate(&counters->memory, bytes) != CUDA_SUCCESS) {
        counters->memory = 0;
        return TW_OK;
    }
    tw_status status = tw_cuda_check(cu->memory_fill(counters->memory, 0, bytes, stream),
                                     "cuMemsetD8Async", error);
    return status == TW_OK
               ? tw_cuda_check(cu->stream_synchronize(stream), "cuStreamSynchronize", error)
               : status;
}

void tw_cuda_counters_free(struct tw_cuda_counters *counters, const struct tw_cuda_driver *cu) {
    if (counters->memory != 0)
        cu->memory_free(counters->memory);
    counters->memory = 0;
}

/* Which a stream has; -1: all are others'. Its number is never another stream's, so that what one
 * that is gone still runs has its counters for itself. */
static int of_stream(struct tw_cuda_counters *counters, uint64_t number) {
    for (int tries = 0; tries < TW_COUNTER_STREAMS; tries++) {
        const int at = (int)((number + (uint64_t)tries) % TW_COUNTER_STREAMS);
        uint64_t owner = atomic_load_explicit(&counters->streams[at], memory_order_relaxed);
        if (owner == 0 &&
            atomic_compare_exchange_strong(&counters->streams[at], &owner, number + 1))
            return at;
        if (owner == number + 1)
            return at;
    }
    return -1;
}

static int of_graph(struct tw_cuda_counters *counters) {
    if (atomic_load_explicit(&counters->graphs, memory_order_relaxed) >= TW_COUNTER_GRAPHS)
        return -1;
    const uint64_t at = atomic_fetch_add(&counters->graphs, 1);
    return at < TW_COUNTER_GRAPHS ? TW_COUNTER_STREAMS + (int)at : -1;
}

tw_status tw_cuda_counters_of(struct tw_cuda_counters *counters, const struct tw_cuda_driver *cu,
                              CUstream stream, uint64_t bytes, struct tw_memory *out,
                              struct tw_error *error) {
    CUstreamCaptureStatus capturing;
    unsigned long long number;
    int at = -1;
    *out = (struct tw_memory){0};
    if (counters->memory == 0 || bytes > TW_COUNTER_BYTES)
        return TW_OK;
    tw_status status =
        tw_cuda_check(cu->stream_is_capturing(stream, &capturing), "cuStreamIsCapturing", error);
    if (status != TW_OK)
        return status;
    if (capturing != CU_STREAM_CAPTURE_STATUS_NONE) {
        at = of_graph(counters);
    } else {
        status = tw_cuda_check(cu->stream_id(stream, &number), "cuStreamGetId", error);
        if (status != TW_OK)
            return status;
        at = of_stream(counters, number);
    }
    if (at >= 0)
        *out = (struct tw_memory){
            .address = counters->memory, .offset = (uint64_t)at * TW_COUNTER_BYTES, .bytes = bytes};
    return TW_OK;
}
