/* libtilewise inside a program that uses OpenCL itself: its context, its queues, its buffers.
 * Skipped where there is no OpenCL device.
 *
 * Links the shared library only; OpenCL is opened at run time. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/library.h"

#define OPENCL_CALLS(X)                                                                            \
    X(clGetPlatformIDs)                                                                            \
    X(clGetDeviceIDs)                                                                              \
    X(clCreateContext)                                                                             \
    X(clReleaseContext)                                                                            \
    X(clGetContextInfo)                                                                            \
    X(clCreateCommandQueue)                                                                        \
    X(clReleaseCommandQueue)                                                                       \
    X(clCreateBuffer)                                                                              \
    X(clCreateSubBuffer)                                                                           \
    X(clGetDeviceInfo)                                                                             \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clReleaseMemObject)                                                                          \
    X(clGetMemObjectInfo)                                                                          \
    X(clEnqueueFillBuffer)                                                                         \
    X(clEnqueueReadBuffer)                                                                         \
    X(clFinish)

static struct {
#define OPENCL_FIELD(function) __typeof__(function) *function;
    OPENCL_CALLS(OPENCL_FIELD)
#undef OPENCL_FIELD
} cl;

static cl_device_id device; /* opencl:0 */

#define cl_must(call) assert_int_equal(call, CL_SUCCESS)

/* What the program has of its own. */
struct application {
    cl_context context;
    cl_command_queue queues[2];
    tw_library *library;
};

static int open_application(void **state) {
    struct application *app = calloc(1, sizeof *app);
    cl_int result;
    assert_non_null(app);
    app->context = cl.clCreateContext(NULL, 1, &device, NULL, NULL, &result);
    cl_must(result);
    for (int i = 0; i < 2; i++) {
        app->queues[i] = cl.clCreateCommandQueue(app->context, device, 0, &result);
        cl_must(result);
    }
    tw_options options = bare_options();
    options.device = "opencl:0";
    options.context = app->context;
    app->library = open_with(&options);
    *state = app;
    return 0;
}

static int close_application(void **state) {
    struct application *app = *state;
    tw_close(app->library);
    for (int i = 0; i < 2; i++)
        cl_must(cl.clReleaseCommandQueue(app->queues[i]));
    cl_must(cl.clReleaseContext(app->context));
    free(app);
    return 0;
}

#define APPLICATION_TEST(function)                                                                 \
    cmocka_unit_test_setup_teardown(function, open_application, close_application)

static cl_mem create_buffer(const struct application *app, size_t bytes) {
    cl_int result;
    cl_mem buffer = cl.clCreateBuffer(app->context, CL_MEM_READ_WRITE, bytes, NULL, &result);
    cl_must(result);
    return buffer;
}

static void fill(cl_command_queue queue, cl_mem buffer, size_t cells, float value) {
    cl_must(cl.clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, cells * sizeof value, 0,
                                   NULL, NULL));
}

/* ---- Tests ---- */

static void works_in_the_context_given(void **state) {
    const struct application *app = *state;
    cl_context where = NULL;
    tw_error error;
    void *buffer;
    must(tw_allocate(&buffer, app->library, 64, &error), error);
    cl_must(cl.clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof where, &where, NULL));
    assert_ptr_equal(where, app->context);
    tw_release(app->library, buffer);
}

static void closing_gives_the_context_back(void **state) {
    const struct application *app = *state;
    cl_uint before, after;
    cl_must(cl.clGetContextInfo(app->context, CL_CONTEXT_REFERENCE_COUNT, sizeof before, &before,
                                NULL));
    tw_options options = bare_options();
    options.device = "opencl:0";
    options.context = app->context;
    tw_library *library = open_with(&options);
    make_plan(library, &(tw_request){.kernel = "copy", .dimensions = {8, 8}});
    tw_close(library);
    cl_must(
        cl.clGetContextInfo(app->context, CL_CONTEXT_REFERENCE_COUNT, sizeof after, &after, NULL));
    assert_int_equal(after, before);
}

/* The caller's work before and after a launch, nothing waited for in between. */
static void in_order_with_the_callers_work(void **state) {
    enum { ROWS = 512, COLUMNS = 512, CELLS = ROWS * COLUMNS };
    const struct application *app = *state;
    static float got[CELLS];
    cl_mem a = create_buffer(app, sizeof got), b = create_buffer(app, sizeof got);
    for (int round = 1; round <= 10; round++) {
        tw_error error;
        fill(app->queues[0], a, CELLS, (float)round);
        must(
            tw_copy(app->library, app->queues[0], 4, ROWS, COLUMNS, a, COLUMNS, b, COLUMNS, &error),
            error);
        cl_must(
            cl.clEnqueueReadBuffer(app->queues[0], b, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (int i = 0; i < CELLS; i++)
            assert_true(got[i] == (float)round);
    }
    cl_must(cl.clReleaseMemObject(a));
    cl_must(cl.clReleaseMemObject(b));
}

/* One plan on both: a launch on one queue must not take the other's buffers. */
static void two_queues_at_once(void **state) {
    enum { S = 24, CELLS = S * S, ROUNDS = 20 };
    const struct application *app = *state;
    cl_mem matrices[2][3];
    tw_error error;
    for (int q = 0; q < 2; q++)
        for (int i = 0; i < 3; i++) {
            matrices[q][i] = create_buffer(app, CELLS * sizeof(float));
            fill(app->queues[q], matrices[q][i], CELLS, i == 2 ? 0 : (float)(q + 1));
        }
    for (int round = 0; round < ROUNDS; round++)
        for (int q = 0; q < 2; q++)
            must(tw_gemm(app->library, app->queues[q], TW_F32, TW_NN, S, S, S, 1, matrices[q][0], S,
                         matrices[q][1], S, 1, matrices[q][2], S, &error),
                 error);
    for (int q = 0; q < 2; q++) {
        float got[CELLS];
        must(tw_read(app->library, app->queues[q], got, matrices[q][2], sizeof got, &error), error);
        for (int i = 0; i < CELLS; i++)
            assert_true(got[i] == (float)(ROUNDS * S * (q + 1) * (q + 1)));
        for (int i = 0; i < 3; i++)
            cl_must(cl.clReleaseMemObject(matrices[q][i]));
    }
}

/* As configs/README.md says it: a sub-buffer with the whole matrix's stride. */
static cl_mem submatrix(cl_mem whole, int row, int column, int rows, int columns, int stride) {
    cl_buffer_region region = {.origin = ((size_t)row * stride + column) * sizeof(float),
                               .size = ((size_t)(rows - 1) * stride + columns) * sizeof(float)};
    cl_uint bits = 0;
    cl_int result;
    cl_must(cl.clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
    if (region.origin % (bits / 8) != 0)
        return NULL;
    cl_mem part = cl.clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                       &region, &result);
    cl_must(result);
    return part;
}

/* A part of one matrix is transposed into a part of another, of which nothing else is written. */
static void submatrices(void **state) {
    enum { ROWS = 64, STRIDE = 96, CELLS = ROWS * STRIDE, M = 12, N = 21 };
    const struct application *app = *state;
    static float from[CELLS], to[CELLS];
    cl_mem a = create_buffer(app, sizeof from), b = create_buffer(app, sizeof to);
    tw_error error;
    for (int i = 0; i < CELLS; i++)
        from[i] = (float)i;
    cl_must(
        cl.clEnqueueWriteBuffer(app->queues[0], a, CL_TRUE, 0, sizeof from, from, 0, NULL, NULL));
    fill(app->queues[0], b, CELLS, -1);
    cl_mem from_part = submatrix(a, 3, 32, M, N, STRIDE),
           to_part = submatrix(b, 2, 64, N, M, STRIDE);
    if (from_part == NULL || to_part == NULL)
        skip(); /* a device that wants more than 128 bytes */
    must(tw_transpose(app->library, app->queues[0], 4, M, N, from_part, STRIDE, to_part, STRIDE,
                      &error),
         error);
    cl_must(cl.clEnqueueReadBuffer(app->queues[0], b, CL_TRUE, 0, sizeof to, to, 0, NULL, NULL));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < STRIDE; j++) {
            int row = j - 64, column = i - 2; /* of the source's part */
            bool inside = row >= 0 && row < M && column >= 0 && column < N;
            float expected = inside ? (float)((3 + row) * STRIDE + 32 + column) : -1;
            assert_true(to[i * STRIDE + j] == expected);
        }
    cl_must(cl.clReleaseMemObject(from_part));
    cl_must(cl.clReleaseMemObject(to_part));
    cl_must(cl.clReleaseMemObject(a));
    cl_must(cl.clReleaseMemObject(b));
}

static bool find_device(void) {
    cl_platform_id platforms[16];
    cl_uint count = 0, devices = 0;
    if (cl.clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < count && i < 16 && devices == 0; i++)
        if (cl.clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, &devices) != CL_SUCCESS)
            devices = 0;
    return devices > 0;
}

/* What a child of fork would wait for is in the parent only. */
static void a_child_is_told(void **state) {
    struct application *app = *state;
    void *buffer;
    tw_error error;
    must(tw_allocate(&buffer, app->library, 256, &error), error);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tw_library *other;
        alarm(60);
        bool told = tw_gemm(app->library, NULL, TW_F32, TW_NN, 2, 2, 2, 1, buffer, 0, buffer, 0, 0,
                            buffer, 0, &error) == TW_UNAVAILABLE &&
                    strstr(error.message, "forked") != NULL &&
                    tw_wait(app->library, NULL, &error) == TW_UNAVAILABLE &&
                    tw_open(&other, NULL, &error) != TW_OK &&
                    strstr(error.message, "forked") != NULL;
        _exit(told ? 0 : 1);
    }
    int outcome;
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_true(WIFEXITED(outcome));
    assert_int_equal(WEXITSTATUS(outcome), 0);
    tw_release(app->library, buffer);
}

static bool opencl_is_here(void) {
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    bool all = library != NULL;
#define OPENCL_FIND(function)                                                                      \
    if (all) {                                                                                     \
        void *address = dlsym(library, #function);                                                 \
        memcpy(&cl.function, &address, sizeof address);                                            \
        all = address != NULL;                                                                     \
    }
    OPENCL_CALLS(OPENCL_FIND)
#undef OPENCL_FIND
    if (all && find_device())
        return true;
    print_message("no opencl device here\n");
    return false;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        APPLICATION_TEST(works_in_the_context_given),
        APPLICATION_TEST(closing_gives_the_context_back),
        APPLICATION_TEST(in_order_with_the_callers_work),
        APPLICATION_TEST(two_queues_at_once),
        APPLICATION_TEST(submatrices),
        APPLICATION_TEST(a_child_is_told),
    };
    if (!opencl_is_here())
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
