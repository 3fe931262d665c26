/* libtilewise from many threads at once: nobody gets in anybody's way, and nothing is made twice.
 *
 *     test_library_threads BACKEND
 *
 * Threads note what went wrong; the test looks at it when they have ended. */
#include "tests/support/library.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 16, CELLS = 256 };

struct worker {
    int index;
    tw_library *library;
    const char *directory; /* of binaries */
    pthread_barrier_t *start;
    atomic_int *running;
    const tw_plan **plans;
    const char *wrong; /* NULL: nothing */
    tw_error error;
};

/* All begin at the same moment. What went wrong in any of them fails the test. */
static void run_all(struct worker workers[THREADS], void *(*work)(void *worker)) {
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    atomic_int running = THREADS;
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        workers[i].index = i;
        workers[i].start = &start;
        workers[i].running = &running;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    for (int i = 0; i < THREADS; i++)
        if (workers[i].wrong != NULL) {
            fail_msg("thread %d: %s: %s", i, workers[i].wrong, workers[i].error.message);
        }
}

/* Ends a thread's work when a call fails. */
#define work_must(call)                                                                            \
    do {                                                                                           \
        if ((call) != TW_OK) {                                                                     \
            worker->wrong = #call;                                                                 \
            return NULL;                                                                           \
        }                                                                                          \
    } while (0)

static tw_library *open_keeping(const char *directory) {
    tw_options options = bare_options();
    options.binary_directory = directory;
    return open_with(&options);
}

/* ---- One plan for all ---- */

static void *multiply(void *context) {
    struct worker *worker = context;
    enum { M = 17, N = 15, K = 13, ROUNDS = 20 };
    static const tw_request request = {.kernel = "gemm", .dimensions = {M, N, K}};
    float a[M * K], b[K * N], c[M * N];
    for (int i = 0; i < M * K; i++)
        a[i] = (float)(worker->index + 1);
    for (int i = 0; i < K * N; i++)
        b[i] = 1;
    void *buffers[3];
    tw_library *library = worker->library;
    tw_error *error = &worker->error;
    work_must(tw_allocate(&buffers[0], library, sizeof a, error));
    work_must(tw_allocate(&buffers[1], library, sizeof b, error));
    work_must(tw_allocate(&buffers[2], library, sizeof c, error));
    work_must(tw_write(library, buffers[0], a, sizeof a, error));
    work_must(tw_write(library, buffers[1], b, sizeof b, error));
    pthread_barrier_wait(worker->start);
    work_must(tw_plan_create(&worker->plans[worker->index], library, &request, error));
    for (int round = 1; round <= ROUNDS; round++) {
        const tw_binding bindings[] = {{.name = "A", .buffer = buffers[0]},
                                       {.name = "B", .buffer = buffers[1]},
                                       {.name = "C", .buffer = buffers[2]},
                                       {.name = "alpha", .number = round}};
        work_must(tw_launch(worker->plans[worker->index], NULL, bindings, 4, error));
        work_must(tw_read(library, NULL, c, buffers[2], sizeof c, error));
        for (int i = 0; i < M * N; i++)
            if (c[i] != (float)(round * K * (worker->index + 1)))
                worker->wrong = "a wrong answer";
    }
    for (int i = 0; i < 3; i++)
        tw_release(library, buffers[i]);
    return NULL;
}

static void one_plan_for_all(void **state) {
    const struct scratch *scratch = *state;
    tw_library *library = open_keeping(scratch->path);
    struct worker workers[THREADS];
    const tw_plan *plans[THREADS] = {NULL};
    for (int i = 0; i < THREADS; i++)
        workers[i] = (struct worker){.library = library, .plans = plans};
    run_all(workers, multiply);
    for (int i = 1; i < THREADS; i++)
        assert_ptr_equal(plans[i], plans[0]);
    assert_string_equal(tw_plan_explain(plans[0])->binary, "compiled");
    assert_int_equal(count_binaries(scratch->path, NULL), 1);
    tw_close(library);
}

/* ---- Different plans, four threads a kind ---- */

static void *copy(void *context) {
    struct worker *worker = context;
    unsigned char bytes[CELLS * 8], got[CELLS * 8];
    int width = 1 << worker->index % 4;
    size_t size = (size_t)width * CELLS;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 7 + (size_t)worker->index);
    void *from, *to;
    tw_library *library = worker->library;
    tw_error *error = &worker->error;
    work_must(tw_allocate(&from, library, size, error));
    work_must(tw_allocate(&to, library, size, error));
    work_must(tw_write(library, from, bytes, size, error));
    pthread_barrier_wait(worker->start);
    work_must(tw_copy(library, NULL, width, 1, CELLS, from, CELLS, to, CELLS, error));
    work_must(tw_read(library, NULL, got, to, size, error));
    if (memcmp(bytes, got, size) != 0)
        worker->wrong = "a wrong answer";
    tw_release(library, from);
    tw_release(library, to);
    return NULL;
}

static void different_plans_at_once(void **state) {
    const struct scratch *scratch = *state;
    tw_library *library = open_keeping(scratch->path);
    struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++)
        workers[i] = (struct worker){.library = library};
    run_all(workers, copy);
    assert_int_equal(count_binaries(scratch->path, NULL), 4);
    tw_close(library);
}

/* ---- Looking up while others insert ---- */

enum { WRITERS = 8, SHAPES = 500, KNOWN = 64 };

static tw_request copy_request(int rows, int columns) {
    return (tw_request){.kernel = "copy", .dimensions = {rows, columns}};
}

/* Two writers each insert the same shapes, so that half of what is inserted is there already. */
static void *insert(struct worker *worker) {
    for (int i = 0; i < SHAPES; i++) {
        const tw_request request = copy_request(100 + worker->index / 2, 1 + i);
        work_must(tw_plan_create(&worker->plans[worker->index * SHAPES + i], worker->library,
                                 &request, &worker->error));
    }
    return NULL;
}

static void *look_up(struct worker *worker) {
    const tw_plan *known[KNOWN] = {NULL}, *plan;
    while (atomic_load(worker->running) > THREADS - WRITERS)
        for (int i = 0; i < KNOWN; i++) {
            const tw_request request = copy_request(1, 1 + i);
            work_must(tw_plan_create(&plan, worker->library, &request, &worker->error));
            if (known[i] != NULL && plan != known[i])
                worker->wrong = "a plan has changed";
            known[i] = plan;
        }
    return NULL;
}

static void *insert_or_look_up(void *context) {
    struct worker *worker = context;
    pthread_barrier_wait(worker->start);
    if (worker->index < WRITERS)
        insert(worker);
    else
        look_up(worker);
    atomic_fetch_sub(worker->running, 1);
    return NULL;
}

static void looks_up_while_others_insert(void **state) {
    struct worker workers[THREADS];
    static const tw_plan *plans[WRITERS * SHAPES];
    for (int i = 0; i < THREADS; i++)
        workers[i] = (struct worker){.library = *state, .plans = plans};
    run_all(workers, insert_or_look_up);
    for (int i = 0; i < WRITERS * SHAPES; i++) {
        int writer = i / SHAPES, shape = i % SHAPES;
        const tw_request request = copy_request(100 + writer / 2, 1 + shape);
        char expected[64];
        snprintf(expected, sizeof expected, "M=%d,N=%d;dtype=f32", 100 + writer / 2, 1 + shape);
        assert_ptr_equal(make_plan(*state, &request), plans[i]);
        assert_ptr_equal(plans[i], plans[writer / 2 * 2 * SHAPES + shape]);
        assert_string_equal(tw_plan_explain(plans[i])->problem, expected);
    }
}

/* ---- A library for each ---- */

static void *open_and_close(void *context) {
    struct worker *worker = context;
    tw_options options = bare_options();
    options.binary_directory = worker->directory;
    const tw_request request = copy_request(4, 4);
    const tw_plan *plan;
    pthread_barrier_wait(worker->start);
    work_must(tw_open(&worker->library, &options, &worker->error));
    work_must(tw_plan_create(&plan, worker->library, &request, &worker->error));
    tw_close(worker->library);
    return NULL;
}

static void a_library_for_each(void **state) {
    const struct scratch *scratch = *state;
    struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++)
        workers[i] = (struct worker){.directory = scratch->path};
    run_all(workers, open_and_close);
    assert_int_equal(count_binaries(scratch->path, NULL), 1);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(one_plan_for_all),
        SCRATCH_TEST(different_plans_at_once),
        LIBRARY_TEST(looks_up_while_others_insert),
        SCRATCH_TEST(a_library_for_each),
    };
    if (!backend_is_here(count, arguments))
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
