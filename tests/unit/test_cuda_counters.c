/* Which counters launches get on CUDA: those of their stream, or of their own in a graph, and none
 * where all are given away. The driver's calls are the test's own. */
#include <pthread.h>
#include <string.h>

#include "runtime/backend/cuda/counters.h"
#include "tests/support/support.h"

static bool full;
static size_t allocated, freed;
static unsigned char cleared[TW_COUNTER_BYTES * (TW_COUNTER_STREAMS + TW_COUNTER_GRAPHS)];

static CUresult allocate(CUdeviceptr *out, size_t bytes) {
    *out = 256;
    allocated = bytes;
    return full ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
static CUresult release(CUdeviceptr memory) {
    freed += memory == 256;
    return CUDA_SUCCESS;
}
static CUresult fill(CUdeviceptr memory, unsigned char byte, size_t bytes, CUstream stream) {
    assert_true(memory == 256 && byte == 0 && stream == NULL && bytes == sizeof cleared);
    memset(cleared, 1, bytes);
    return CUDA_SUCCESS;
}
static CUresult synchronize(CUstream stream) {
    return stream == NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
/* Streams are numbers here: the lowest bit says that one is captured. */
static CUresult number_of(CUstream stream, unsigned long long *number) {
    assert_false((uintptr_t)stream & 1);
    *number = (uintptr_t)stream;
    return CUDA_SUCCESS;
}
static CUresult is_capturing(CUstream stream, CUstreamCaptureStatus *status) {
    *status =
        (uintptr_t)stream & 1 ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}

static const struct tw_cuda_driver driver = {.memory_allocate = allocate,
                                             .memory_free = release,
                                             .memory_fill = fill,
                                             .stream_synchronize = synchronize,
                                             .stream_id = number_of,
                                             .stream_is_capturing = is_capturing};

/* Their place; -1: none. */
static int64_t place(struct tw_cuda_counters *counters, uintptr_t stream, uint64_t bytes) {
    struct tw_memory memory;
    struct tw_error error;
    must(tw_cuda_counters_of(counters, &driver, (CUstream)stream, bytes, &memory, &error), error);
    if (memory.bytes == 0)
        return -1;
    assert_true(memory.address == 256 && memory.bytes == bytes);
    assert_true(memory.offset % TW_COUNTER_BYTES == 0 &&
                memory.offset + TW_COUNTER_BYTES <= allocated);
    return (int64_t)(memory.offset / TW_COUNTER_BYTES);
}

static struct tw_cuda_counters *make(const struct tw_cuda_driver *cu) {
    struct tw_cuda_counters *counters = calloc(1, sizeof *counters);
    struct tw_error error;
    assert_non_null(counters);
    must(tw_cuda_counters_make(counters, cu, NULL, &error), error);
    return counters;
}

static void streams_keep_theirs(void **state) {
    (void)state;
    struct tw_cuda_counters *counters = make(&driver);
    bool taken[TW_COUNTER_STREAMS] = {false};
    assert_int_equal(allocated, sizeof cleared);
    assert_int_equal(cleared[sizeof cleared - 1], 1);
    for (int again = 0; again < 2; again++)
        for (uintptr_t s = 0; s < TW_COUNTER_STREAMS; s++) {
            /* Numbers that meet. */
            int64_t at = place(counters, s * TW_COUNTER_STREAMS * 2, 4);
            assert_in_range(at, 0, TW_COUNTER_STREAMS - 1);
            assert_int_equal(taken[at], again);
            assert_int_equal(at, place(counters, s * TW_COUNTER_STREAMS * 2, TW_COUNTER_BYTES));
            taken[at] = true;
        }
    assert_int_equal(place(counters, 2, 4), -1); /* one too many */
    assert_int_equal(place(counters, 0, TW_COUNTER_BYTES + 1), -1);
    tw_cuda_counters_free(counters, &driver);
    assert_int_equal(freed, 1);
    free(counters);
}

static void launches_in_graphs_have_their_own(void **state) {
    (void)state;
    struct tw_cuda_counters *counters = make(&driver);
    for (int i = 0; i < TW_COUNTER_GRAPHS; i++)
        assert_int_equal(place(counters, 1, 4), TW_COUNTER_STREAMS + i);
    assert_int_equal(place(counters, 1, 4), -1);
    assert_int_equal(place(counters, 3, 4), -1);
    assert_int_not_equal(place(counters, 2, 4), -1);
    free(counters);
}

/* Nothing to be had, or a driver that does not tell streams apart: callers clear their own. */
static void without_any(void **state) {
    (void)state;
    struct tw_cuda_driver old = driver;
    full = true;
    struct tw_cuda_counters *counters = make(&driver);
    full = false;
    assert_int_equal(place(counters, 0, 4), -1);
    free(counters);
    old.stream_id = NULL;
    counters = make(&old);
    assert_int_equal(place(counters, 0, 4), -1);
    freed = 0;
    tw_cuda_counters_free(counters, &driver);
    assert_int_equal(freed, 0);
    free(counters);
}

static struct tw_cuda_counters *shared;

static void *ask(void *context) {
    int64_t *places = context;
    for (uintptr_t s = 0; s < TW_COUNTER_STREAMS; s++)
        places[s] = place(shared, 2 * s, 4);
    return NULL;
}

static void threads_agree(void **state) {
    (void)state;
    enum { THREADS = 8 };
    static int64_t places[THREADS][TW_COUNTER_STREAMS];
    pthread_t threads[THREADS];
    shared = make(&driver);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, ask, places[t]), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (int t = 1; t < THREADS; t++)
        assert_memory_equal(places[0], places[t], sizeof places[0]);
    for (int s = 0; s < TW_COUNTER_STREAMS; s++)
        for (int o = 0; o < s; o++)
            assert_int_not_equal(places[0][s], places[0][o]);
    free(shared);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_keep_theirs),
        cmocka_unit_test(launches_in_graphs_have_their_own),
        cmocka_unit_test(without_any),
        cmocka_unit_test(threads_agree),
    };
    return cmocka_run_group_tests_name("counters on CUDA", tests, NULL, NULL);
}
