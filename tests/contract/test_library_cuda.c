/* libtilewise inside a program that has CUDA to itself already: its contexts, streams, graphs, and
 * the CUDA runtime and cuBLAS next to it. Skipped where there is no GPU.
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

/* ---- Next to the CUDA runtime and cuBLAS, whose headers tests do without ---- */

struct toolkit {
    int (*malloc)(void **pointer, size_t bytes);
    int (*free)(void *pointer);
    int (*copy)(void *to, const void *from, size_t bytes, int kind);
    int (*stream_create)(void **stream);
    int (*stream_synchronize)(void *stream);
    int (*stream_destroy)(void *stream);
    int (*last_error)(void);
    int (*blas_create)(void **handle);
    int (*blas_destroy)(void *handle);
    int (*blas_set_stream)(void *handle, void *stream);
    int (*sgemm)(void *handle, int trans_a, int trans_b, int m, int n, int k, const float *alpha,
                 const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                 int ldc);
};

enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 };

static void *open_one_of(const char *const *names) {
    void *library = NULL;
    for (; *names != NULL && library == NULL; names++)
        library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    return library;
}

static bool open_toolkit(struct toolkit *kit) {
    static const char *const runtimes[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so",
                                           NULL};
    static const char *const blases[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                                         NULL};
    void *runtime = open_one_of(runtimes), *blas = open_one_of(blases);
    return find_function(runtime, "cudaMalloc", &kit->malloc) &&
           find_function(runtime, "cudaFree", &kit->free) &&
           find_function(runtime, "cudaMemcpy", &kit->copy) &&
           find_function(runtime, "cudaStreamCreate", &kit->stream_create) &&
           find_function(runtime, "cudaStreamSynchronize", &kit->stream_synchronize) &&
           find_function(runtime, "cudaStreamDestroy", &kit->stream_destroy) &&
           find_function(runtime, "cudaGetLastError", &kit->last_error) &&
           find_function(blas, "cublasCreate_v2", &kit->blas_create) &&
           find_function(blas, "cublasDestroy_v2", &kit->blas_destroy) &&
           find_function(blas, "cublasSetStream_v2", &kit->blas_set_stream) &&
           find_function(blas, "cublasSgemm_v2", &kit->sgemm);
}

/* cuBLAS, then Tilewise, then cuBLAS: each takes what the other has made, all
 * on one stream, with nothing waited for in between. */
static void next_to_cublas(void **state) {
    (void)state;
    struct toolkit kit = {0};
    if (!open_toolkit(&kit)) {
        print_message("no CUDA runtime and cuBLAS here\n");
        skip();
    }
    enum { S = 96, CELLS = S * S };
    static float ones[CELLS], got[CELLS];
    void *handle, *stream, *matrices[4];
    const float one = 1, zero = 0;
    tw_library *library;
    tw_error error;
    for (int i = 0; i < CELLS; i++)
        ones[i] = 1;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(kit.malloc(&matrices[i], sizeof ones), 0);
        assert_int_equal(kit.copy(matrices[i], ones, sizeof ones, HOST_TO_DEVICE), 0);
    }
    assert_int_equal(kit.blas_create(&handle), 0);
    assert_int_equal(kit.stream_create(&stream), 0);
    assert_int_equal(kit.blas_set_stream(handle, stream), 0);
    const tw_options options = {.databases = no_databases, .binary_directory = ""};
    must(tw_open(&library, &options, &error), error);
    /* 1 = 0*0; 2 = 1*0; 3 = 2*0: S, then S*S, then S*S*S everywhere. */
    assert_int_equal(kit.sgemm(handle, 0, 0, S, S, S, &one, matrices[0], S, matrices[0], S, &zero,
                               matrices[1], S),
                     0);
    must(tw_gemm(library, stream, TW_F32, TW_NN, S, S, S, 1, matrices[1], S, matrices[0], S, 0,
                 matrices[2], S, &error),
         error);
    assert_int_equal(kit.sgemm(handle, 0, 0, S, S, S, &one, matrices[2], S, matrices[0], S, &zero,
                               matrices[3], S),
                     0);
    assert_int_equal(kit.stream_synchronize(stream), 0);
    assert_int_equal(kit.copy(got, matrices[3], sizeof got, DEVICE_TO_HOST), 0);
    for (int i = 0; i < CELLS; i++)
        assert_true(got[i] == (float)S * S * S);
    tw_close(library);
    /* The runtime goes on as if nobody else had been there. */
    assert_int_equal(kit.copy(got, matrices[2], sizeof got, DEVICE_TO_HOST), 0);
    assert_true(got[0] == (float)S * S);
    assert_int_equal(kit.last_error(), 0);
    assert_int_equal(kit.stream_destroy(stream), 0);
    assert_int_equal(kit.blas_destroy(handle), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(kit.free(matrices[i]), 0);
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
        cmocka_unit_test(next_to_cublas),
    };
    backend = "cuda";
    if (!cuda_is_here())
        return 0;
    if (cuda.cuDeviceGet(&device, 0) != CUDA_SUCCESS)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
