/* Device events around the stream, behind a gate.
 *
 * Queueing a launch takes the host some microseconds, more than the smallest kernels run. So the
 * stream first waits at a gate, a host function, until the whole batch is queued: what is timed is
 * the device's work and nobody's host code. */
#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/backend/cuda/driver.h"
#include "runtime/backend/shared_object.h"
#include "tools/bench/stage.h"

/* A library that waits for the device inside a call would wait for ever. */
enum { GATE_MILLISECONDS = 50 };

struct own {
    const struct tw_cuda_driver *cu;
    CUdevice device;
    CUevent start, stop;
    sem_t gate;
    atomic_bool late; /* the wait at the gate ran out */
    __typeof__(cuLaunchHostFunc) *host_function;
};

/* Returns the tw_status from the function that it is used in. */
#define CHECK(call, what)                                                                          \
    do {                                                                                           \
        tw_status check_status = tw_cuda_check((call), (what), error);                             \
        if (check_status != TW_OK)                                                                 \
            return check_status;                                                                   \
    } while (0)

static void CUDA_CB wait_at_gate(void *pointer) {
    struct own *own = pointer;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += GATE_MILLISECONDS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    int result;
    do
        result = sem_timedwait(&own->gate, &until);
    while (result != 0 && errno == EINTR);
    own->late = result != 0;
}

static tw_status open(struct stage *stage, tw_error *error) {
    struct own *own = stage->own = calloc(1, sizeof *own);
    if (own == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    sem_init(&own->gate, 0, 0);
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
    const struct tw_symbol symbols[] = {{TW_SYMBOL_NAME(cuLaunchHostFunc), &own->host_function}};
    tw_status status = tw_shared_object_open(names, symbols, 1, error);
    if (status == TW_OK)
        status = tw_cuda_driver(&own->cu, error);
    if (status != TW_OK)
        return status;
    CUcontext context;
    CUstream stream;
    CHECK(own->cu->device_get(&own->device, stage->info.index), "cuDeviceGet");
    /* The primary context is the one that vendor libraries work in. */
    CHECK(own->cu->primary_retain(&context, own->device), "cuDevicePrimaryCtxRetain");
    stage->context = context;
    CHECK(own->cu->context_push(context), "cuCtxPushCurrent");
    CHECK(own->cu->stream_create(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    stage->stream = stream;
    CHECK(own->cu->event_create(&own->start, CU_EVENT_DEFAULT), "cuEventCreate");
    CHECK(own->cu->event_create(&own->stop, CU_EVENT_DEFAULT), "cuEventCreate");
    return TW_OK;
}

static void close(struct stage *stage) {
    struct own *own = stage->own;
    if (own == NULL)
        return;
    if (own->stop != NULL)
        own->cu->event_destroy(own->stop);
    if (own->start != NULL)
        own->cu->event_destroy(own->start);
    if (stage->stream != NULL)
        own->cu->stream_destroy(stage->stream);
    if (stage->context != NULL) {
        CUcontext popped;
        own->cu->context_pop(&popped);
        own->cu->primary_release(own->device);
    }
    sem_destroy(&own->gate);
    free(own);
}

static tw_status start(struct stage *stage, tw_error *error) {
    struct own *own = stage->own;
    CHECK(own->cu->stream_synchronize(stage->stream), "cuStreamSynchronize");
    /* Nobody is at the gate now; it was opened once too often if the wait there ran out. */
    while (sem_trywait(&own->gate) == 0)
        continue;
    CHECK(own->host_function(stage->stream, wait_at_gate, own), "cuLaunchHostFunc");
    CHECK(own->cu->event_record(own->start, stage->stream), "cuEventRecord");
    return TW_OK;
}

static tw_status stop(struct stage *stage, double *seconds, bool *late, tw_error *error) {
    struct own *own = stage->own;
    float milliseconds = 0;
    CHECK(own->cu->event_record(own->stop, stage->stream), "cuEventRecord");
    sem_post(&own->gate);
    CHECK(own->cu->event_synchronize(own->stop), "cuEventSynchronize");
    CHECK(own->cu->event_elapsed(&milliseconds, own->start, own->stop), "cuEventElapsedTime");
    *seconds = (double)milliseconds * 1e-3;
    *late = own->late;
    return TW_OK;
}

static tw_status copy(struct stage *stage, void *to, const void *from, uint64_t bytes,
                      tw_error *error) {
    const struct own *own = stage->own;
    CHECK(own->cu->memory_copy((uintptr_t)to, (uintptr_t)from, bytes, stage->stream),
          "cuMemcpyDtoDAsync");
    return TW_OK;
}

const struct stage_kind stage_cuda = {
    .backend = "cuda", .open = open, .close = close, .start = start, .stop = stop, .copy = copy};
