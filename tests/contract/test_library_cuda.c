/* libtilewise inside a program that uses CUDA itself: its contexts, its streams, its graphs.
 * Skipped where there is no GPU.
 *
 * Links the shared library only; CUDA is opened at run time. */
#include "tests/support/cuda.h"

#include <pthread.h>

/* C is M x N and A is M x K, so that nothing is square by chance. */
enum { M = 150, N = 90, K = 70 };

static CUdevice device;

/* ---- Matrices of one value, so that an answer is known without computing it ---- */

struct product {
    tw_library *library;
    void *a, *b, *c;
    float factor; /* what A*B has everywhere */
};

static void *constant_buffer(tw_library *library, size_t count, float value) {
    float *numbers = malloc(count * sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = value;
    void *buffer = buffer_with(library, numbers, count * sizeof *numbers);
    free(numbers);
    return buffer;
}

/* C starts as zeros. */
static struct product create_product(tw_library *library, float value) {
    return (struct product){.library = library,
                            .a = constant_buffer(library, M * K, value),
                            .b = constant_buffer(library, K * N, 1),
                            .c = constant_buffer(library, M * N, 0),
                            .factor = K * value};
}

static void free_product(const struct product *p) {
    tw_release(p->library, p->a);
    tw_release(p->library, p->b);
    tw_release(p->library, p->c);
}

static tw_status multiply(const struct product *p, void *stream, double beta, tw_error *error) {
    return tw_gemm(p->library, stream, TW_F32, TW_NN, M, N, K, 1, p->a, K, p->b, N, beta, p->c, N,
                   error);
}

/* C must be `times` A*B once the stream is done. */
static void check_product(const struct product *p, void *stream, int times) {
    static float got[M * N];
    tw_error error;
    must(tw_read(p->library, stream, got, p->c, sizeof got, &error), error);
    for (int i = 0; i < M * N; i++)
        assert_float_equal(got[i], (float)times * p->factor, 1e-3);
}

static tw_library *open_in(CUcontext context, const char *id) {
    tw_options options = bare_options();
    options.device = id;
    options.context = context;
    return open_with(&options);
}

static CUcontext context_of(const void *buffer) {
    CUcontext context = NULL;
    cuda_must(cuda.cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT,
                                         (CUdeviceptr)(uintptr_t)buffer));
    return context;
}

/* ---- Contexts ---- */

/* A library in `expected`, from a thread whose current context is `current`. */
static void check_where_it_works(tw_library *library, CUcontext expected, CUcontext current) {
    tw_error error;
    assert_ptr_equal(current_context(), current);
    assert_string_equal(tw_device_id(library), "cuda:0");
    struct product p = create_product(library, 0.5);
    assert_ptr_equal(context_of(p.a), expected);
    must(multiply(&p, NULL, 0, &error), error);
    check_product(&p, NULL, 1);
    free_product(&p);
    tw_close(library);
    assert_ptr_equal(current_context(), current);
}

static void takes_the_current_context(void **state) {
    CUcontext own, primary;
    (void)state;
    cuda_must(cuda.cuDevicePrimaryCtxRetain(&primary, device));
    cuda_must(cuda.create_context(&own, 0, device)); /* and makes it current */
    check_where_it_works(open_in(NULL, NULL), own, own);
    check_where_it_works(open_in(NULL, "cuda:0"), own, own);
    check_where_it_works(open_in(primary, "cuda:0"), primary, own);
    cuda_must(cuda.cuCtxSetCurrent(NULL));
    check_where_it_works(open_in(NULL, NULL), primary, NULL);
    check_where_it_works(open_in(own, "cuda:0"), own, NULL);
    cuda_must(cuda.cuCtxDestroy(own));
    cuda_must(cuda.cuDevicePrimaryCtxRelease(device));
}

/* What a thread does with the library, and with which context current. Threads note what went
 * wrong. */
struct visit {
    tw_library *library;
    CUcontext context;
    const char *wrong;
    tw_error error;
};

/* Each call must leave the thread's context as it was, also when it fails. */
#define leaves_alone(condition)                                                                    \
    do {                                                                                           \
        CUcontext after = (CUcontext)visit;                                                        \
        if (!(condition) || cuda.cuCtxGetCurrent(&after) != CUDA_SUCCESS ||                        \
            after != visit->context) {                                                             \
            visit->wrong = #condition;                                                             \
            return NULL;                                                                           \
        }                                                                                          \
    } while (0)

static void *call_everything(void *argument) {
    struct visit *visit = argument;
    tw_library *library = visit->library, *other;
    tw_error *error = &visit->error;
    static const float numbers[64] = {1};
    float got[64];
    void *a, *b;
    const tw_plan *plan;
    const tw_request copy = {.kernel = "copy", .dimensions = {8, 8}};
    const tw_request wrong = {.kernel = "copy"};
    const tw_options options = {
        .device = "cuda", .databases = no_databases, .binary_directory = ""};
    leaves_alone(cuda.cuCtxSetCurrent(visit->context) == CUDA_SUCCESS);
    leaves_alone(tw_open(&other, &options, error) == TW_OK);
    leaves_alone((tw_close(other), true));
    leaves_alone(tw_allocate(&a, library, sizeof numbers, error) == TW_OK);
    leaves_alone(tw_allocate(&b, library, sizeof numbers, error) == TW_OK);
    leaves_alone(tw_write(library, a, numbers, sizeof numbers, error) == TW_OK);
    leaves_alone(tw_plan_create(&plan, library, &copy, error) == TW_OK);
    leaves_alone(tw_plan_create(&plan, library, &wrong, error) == TW_INVALID);
    leaves_alone(tw_copy(library, NULL, 4, 8, 8, a, 8, b, 8, error) == TW_OK);
    leaves_alone(tw_copy(library, NULL, 4, 8, 8, NULL, 8, b, 8, error) == TW_INVALID);
    leaves_alone(tw_wait(library, NULL, error) == TW_OK);
    leaves_alone(tw_read(library, NULL, got, b, sizeof got, error) == TW_OK);
    leaves_alone(memcmp(got, numbers, sizeof got) == 0);
    leaves_alone((tw_release(library, a), tw_release(library, b), true));
    return NULL;
}

static void check_visit(const struct visit *visit) {
    if (visit->wrong != NULL) {
        fail_msg("%s, or another context is current after it: %s", visit->wrong,
                 visit->error.message);
    }
}

static void leaves_every_thread_as_it_was(void **state) {
    CUcontext own, primary;
    (void)state;
    cuda_must(cuda.cuDevicePrimaryCtxRetain(&primary, device));
    cuda_must(cuda.create_context(&own, 0, device));
    cuda_must(cuda.cuCtxSetCurrent(NULL));
    tw_library *library = open_in(NULL, "cuda:0");
    const CUcontext contexts[] = {NULL, primary, own};
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        struct visit here = {.library = library, .context = contexts[i]}, there = here;
        assert_int_equal(pthread_create(&thread, NULL, call_everything, &there), 0);
        call_everything(&here);
        pthread_join(thread, NULL);
        check_visit(&here);
        check_visit(&there);
    }
    cuda_must(cuda.cuCtxSetCurrent(NULL));
    tw_close(library);
    cuda_must(cuda.cuCtxDestroy(own));
    cuda_must(cuda.cuDevicePrimaryCtxRelease(device));
}

/* ---- Streams: in the primary context, which is current ---- */

static int make_primary_current(void **state) {
    CUcontext primary;
    cuda_must(cuda.cuDevicePrimaryCtxRetain(&primary, device));
    cuda_must(cuda.cuCtxSetCurrent(primary));
    *state = open_in(NULL, NULL);
    return 0;
}

static int forget_primary(void **state) {
    tw_close(*state);
    cuda_must(cuda.cuCtxSetCurrent(NULL));
    cuda_must(cuda.cuDevicePrimaryCtxRelease(device));
    return 0;
}

static CUstream create_stream(void) {
    CUstream stream;
    /* One that does not wait for the default stream: order must come from the stream itself. */
    cuda_must(cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

/* The buffers are large enough that work out of order would be seen. */
static void in_order_with_the_callers_work(void **state) {
    enum { ROWS = 4096, COLUMNS = 8192, CELLS = ROWS * COLUMNS };
    tw_library *library = *state;
    CUstream stream = create_stream();
    CUdeviceptr a, b;
    tw_error error;
    unsigned got[3] = {0};
    cuda_must(cuda.cuMemAlloc(&a, (size_t)CELLS * 4));
    cuda_must(cuda.cuMemAlloc(&b, (size_t)CELLS * 4));
    for (unsigned round = 1; round <= 10; round++) {
        cuda_must(cuda.cuMemsetD32Async(a, round, CELLS, stream));
        must(tw_copy(library, stream, 4, ROWS, COLUMNS, (void *)(uintptr_t)a, COLUMNS,
                     (void *)(uintptr_t)b, COLUMNS, &error),
             error);
        static const size_t places[3] = {0, CELLS / 2, CELLS - 1};
        for (int i = 0; i < 3; i++)
            cuda_must(cuda.cuMemcpyDtoHAsync(&got[i], b + places[i] * 4, 4, stream));
        cuda_must(cuda.cuStreamSynchronize(stream));
        for (int i = 0; i < 3; i++)
            assert_int_equal(got[i], round);
    }
    cuda_must(cuda.cuMemFree(a));
    cuda_must(cuda.cuMemFree(b));
    cuda_must(cuda.cuStreamDestroy(stream));
}

static void two_streams_at_once(void **state) {
    enum { ROUNDS = 20 };
    tw_library *library = *state;
    CUstream streams[2] = {create_stream(), create_stream()};
    struct product products[2] = {create_product(library, 0.25), create_product(library, -0.5)};
    tw_error error;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 2; i++)
            must(multiply(&products[i], streams[i], 1, &error), error);
    for (int i = 0; i < 2; i++) {
        check_product(&products[i], streams[i], ROUNDS);
        free_product(&products[i]);
        cuda_must(cuda.cuStreamDestroy(streams[i]));
    }
}

static void becomes_part_of_a_graph(void **state) {
    static const CUstreamCaptureMode modes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL,
                                                CU_STREAM_CAPTURE_MODE_THREAD_LOCAL};
    for (int i = 0; i < 2; i++) {
        CUstream stream = create_stream();
        struct product p = create_product(*state, 0.5);
        CUgraph graph;
        CUgraphExec executable;
        tw_error error;
        must(multiply(&p, stream, 0, &error), error); /* makes the plan */
        check_product(&p, stream, 1);
        cuda_must(cuda.cuStreamBeginCapture(stream, modes[i]));
        tw_status status = multiply(&p, stream, 1, &error);
        cuda_must(cuda.cuStreamEndCapture(stream, &graph));
        must(status, error);
        check_product(&p, stream, 1); /* nothing was launched yet */
        cuda_must(cuda.cuGraphInstantiateWithFlags(&executable, graph, 0));
        cuda_must(cuda.cuGraphLaunch(executable, stream));
        cuda_must(cuda.cuGraphLaunch(executable, stream));
        check_product(&p, stream, 3);
        cuda_must(cuda.cuGraphExecDestroy(executable));
        cuda_must(cuda.cuGraphDestroy(graph));
        cuda_must(cuda.cuStreamDestroy(stream));
        free_product(&p);
    }
}

/* Launches on a stream and in graphs that run beside it find zero, those that are lent counters as
 * those whose own are cleared. */
static void counters_in_graphs(void **state) {
    (void)state;
    enum { GRAPHS = 2, TIMES = 20 };
    const char *const descriptions[] = {KERNELS "/counted.json", NULL};
    tw_options options = bare_options();
    options.descriptions = descriptions;
    tw_library *library = open_with(&options);
    for (int n = 3; n < 6; n++) {
        const tw_request request = {.kernel = "counted", .dimensions = {n}};
        const tw_plan *plan = make_plan(library, &request);
        float a[5] = {1, 2, 3, 4, 5}, b[5] = {0};
        void *from = buffer_with(library, a, sizeof a), *to[GRAPHS + 1];
        CUstream streams[GRAPHS + 1];
        CUgraph graphs[GRAPHS];
        CUgraphExec executables[GRAPHS];
        tw_error error;
        for (int i = 0; i <= GRAPHS; i++) {
            streams[i] = create_stream();
            to[i] = buffer_with(library, b, sizeof b);
            const tw_binding bindings[] = {{.name = "A", .buffer = from},
                                           {.name = "B", .buffer = to[i]}};
            if (i == GRAPHS) {
                for (int t = 0; t < TIMES; t++)
                    must(tw_launch(plan, streams[i], bindings, 2, &error), error);
                break;
            }
            cuda_must(cuda.cuStreamBeginCapture(streams[i], CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
            tw_status status = tw_launch(plan, streams[i], bindings, 2, &error);
            cuda_must(cuda.cuStreamEndCapture(streams[i], &graphs[i]));
            must(status, error);
            cuda_must(cuda.cuGraphInstantiateWithFlags(&executables[i], graphs[i], 0));
            for (int t = 0; t < TIMES; t++)
                cuda_must(cuda.cuGraphLaunch(executables[i], streams[i]));
        }
        for (int i = 0; i <= GRAPHS; i++) {
            cuda_must(cuda.cuStreamSynchronize(streams[i]));
            read_buffer(library, to[i], b, sizeof b);
            for (int j = 0; j < n; j++)
                assert_true(b[j] == 2 * a[j]);
            if (i < GRAPHS) {
                cuda_must(cuda.cuGraphExecDestroy(executables[i]));
                cuda_must(cuda.cuGraphDestroy(graphs[i]));
            }
            cuda_must(cuda.cuStreamDestroy(streams[i]));
            tw_release(library, to[i]);
        }
        tw_release(library, from);
    }
    tw_close(library);
}

/* ---- Groups in a graph: where they end is what device memory has when it runs ---- */

enum { ROWS = 300, COLUMNS = 136, DEPTH = 128, GROUPS = 5, BF16_ONE = 0x3f80 };

/* B[group] has group + 1 everywhere. */
static void *create_factors(tw_library *library) {
    static const uint16_t numbers[GROUPS] = {BF16_ONE, 0x4000, 0x4040, 0x4080, 0x40a0};
    static uint16_t factors[GROUPS * DEPTH * COLUMNS];
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        factors[i] = numbers[i / (DEPTH * COLUMNS)];
    return buffer_with(library, factors, sizeof factors);
}

static void check_groups(tw_library *library, void *stream, const void *c, const int32_t *ends) {
    static float got[ROWS * COLUMNS];
    tw_error error;
    must(tw_read(library, stream, got, c, sizeof got, &error), error);
    for (int row = 0, group = 0; row < ROWS; row++) {
        while (row >= ends[group])
            group++;
        for (int column = 0; column < COLUMNS; column++)
            assert_true(got[row * COLUMNS + column] == (float)(DEPTH * (group + 1)));
    }
}

static void groups_of_a_graph(void **state) {
    static const int32_t lists[][GROUPS] = {
        {17, 17, 120, 299, ROWS}, {0, 256, 256, 257, ROWS}, {300, 300, 300, 300, ROWS}};
    tw_library *library = *state;
    static uint16_t ones[ROWS * DEPTH];
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        ones[i] = BF16_ONE;
    void *a = buffer_with(library, ones, sizeof ones), *b = create_factors(library);
    void *c = constant_buffer(library, ROWS * COLUMNS, 0);
    void *ends = buffer_with(library, lists[0], sizeof lists[0]);
    tw_gemm_grouped_descriptor d = TW_GEMM_GROUPED_DESCRIPTOR_INIT;
    CUstream stream = create_stream();
    CUgraph graph;
    CUgraphExec executable;
    tw_error error;
    d.a_type = "bf16";
    d.c_type = "f32";
    d.groups = GROUPS;
    d.m = ROWS, d.n = COLUMNS, d.k = DEPTH;
    must(tw_gemm_grouped(library, stream, &d, a, b, ends, c, &error), error); /* makes the plan */
    check_groups(library, stream, c, lists[0]);
    cuda_must(cuda.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    tw_status status = tw_gemm_grouped(library, stream, &d, a, b, ends, c, &error);
    cuda_must(cuda.cuStreamEndCapture(stream, &graph));
    must(status, error);
    cuda_must(cuda.cuGraphInstantiateWithFlags(&executable, graph, 0));
    for (int i = 2; i >= 0; i--) {
        must(tw_write(library, ends, lists[i], sizeof lists[i], &error), error);
        cuda_must(cuda.cuGraphLaunch(executable, stream));
        check_groups(library, stream, c, lists[i]);
    }
    cuda_must(cuda.cuGraphExecDestroy(executable));
    cuda_must(cuda.cuGraphDestroy(graph));
    cuda_must(cuda.cuStreamDestroy(stream));
    tw_release(library, a);
    tw_release(library, b);
    tw_release(library, c);
    tw_release(library, ends);
}

#define STREAM_TEST(function)                                                                      \
    cmocka_unit_test_setup_teardown(function, make_primary_current, forget_primary)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_current_context),
        cmocka_unit_test(leaves_every_thread_as_it_was),
        STREAM_TEST(in_order_with_the_callers_work),
        STREAM_TEST(two_streams_at_once),
        STREAM_TEST(becomes_part_of_a_graph),
        STREAM_TEST(counters_in_graphs),
        STREAM_TEST(groups_of_a_graph),
    };
    backend = "cuda";
    if (!cuda_is_here())
        return 0;
    if (cuda.cuDeviceGet(&device, 0) != CUDA_SUCCESS)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
