/* cuDNN: the fastest of the algorithms of its convolution call, or of the calls for its gradients,
 * each tried in turn with the arithmetic that the problem allows: none of f32 rounds to tf32 unless
 * that was asked for. */
#include <cudnn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/shared_object.h"
#include "tools/bench/batch.h"
#include "tools/bench/kinds.h"
#include "tuner/statistics/statistics.h"

enum {
    REPEATS = 5,
    MOST_MATHS = 2,
    MOST_ALGORITHMS = CUDNN_CONVOLUTION_FWD_ALGO_COUNT, /* of the three, the most */
    MOST_CANDIDATES = MOST_MATHS * MOST_ALGORITHMS
};
static const size_t WORKSPACE_BYTES = (size_t)1 << 30;

#define FUNCTIONS(X)                                                                               \
    X(create, cudnnCreate)                                                                         \
    X(destroy, cudnnDestroy)                                                                       \
    X(set_stream, cudnnSetStream)                                                                  \
    X(name, cudnnGetErrorString)                                                                   \
    X(tensor_create, cudnnCreateTensorDescriptor)                                                  \
    X(tensor_set, cudnnSetTensor4dDescriptor)                                                      \
    X(tensor_destroy, cudnnDestroyTensorDescriptor)                                                \
    X(filter_create, cudnnCreateFilterDescriptor)                                                  \
    X(filter_set, cudnnSetFilter4dDescriptor)                                                      \
    X(filter_destroy, cudnnDestroyFilterDescriptor)                                                \
    X(convolution_create, cudnnCreateConvolutionDescriptor)                                        \
    X(convolution_set, cudnnSetConvolution2dDescriptor)                                            \
    X(convolution_destroy, cudnnDestroyConvolutionDescriptor)                                      \
    X(set_groups, cudnnSetConvolutionGroupCount)                                                   \
    X(set_math, cudnnSetConvolutionMathType)                                                       \
    X(output_size, cudnnGetConvolution2dForwardOutputDim)                                          \
    X(workspace_size, cudnnGetConvolutionForwardWorkspaceSize)                                     \
    X(forward, cudnnConvolutionForward)                                                            \
    X(data_workspace_size, cudnnGetConvolutionBackwardDataWorkspaceSize)                           \
    X(backward_data, cudnnConvolutionBackwardData)                                                 \
    X(filter_workspace_size, cudnnGetConvolutionBackwardFilterWorkspaceSize)                       \
    X(backward_filter, cudnnConvolutionBackwardFilter)

static struct {
#define FIELD(field, function) __typeof__(function) *field;
    FUNCTIONS(FIELD)
#undef FIELD
} dnn;
static tw_status dnn_status;
static tw_error dnn_error;
static pthread_once_t dnn_once = PTHREAD_ONCE_INIT;

static void open_dnn(void) {
    static const char *const names[] = {"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so",
                                        "/usr/local/cuda/lib64/libcudnn.so", NULL};
    const struct tw_symbol symbols[] = {
#define SYMBOL(field, function) {TW_SYMBOL_NAME(function), &dnn.field},
        FUNCTIONS(SYMBOL)
#undef SYMBOL
    };
    dnn_status =
        tw_shared_object_open(names, symbols, sizeof symbols / sizeof *symbols, &dnn_error);
}

static tw_status check(cudnnStatus_t result, const char *what, tw_error *error) {
    return result == CUDNN_STATUS_SUCCESS
               ? TW_OK
               : tw_fail(error, TW_DEVICE, "%s: %s", what, dnn.name(result));
}

#define CHECK(call, what)                                                                          \
    do {                                                                                           \
        tw_status checked = check(call, what, error);                                              \
        if (checked != TW_OK)                                                                      \
            return checked;                                                                        \
    } while (0)

/* What cuDNN calls types, and the arithmetic that goes with them. */
struct types {
    enum tw_type type;
    bool tf32;
    cudnnDataType_t data, compute;
    int math_count;
    cudnnMathType_t maths[MOST_MATHS];
};

static const struct types table[] = {
    {TW_TYPE_f32, false, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, 1, {CUDNN_FMA_MATH}},
    {TW_TYPE_f32,
     true,
     CUDNN_DATA_FLOAT,
     CUDNN_DATA_FLOAT,
     2,
     {CUDNN_DEFAULT_MATH, CUDNN_TENSOR_OP_MATH}},
    {TW_TYPE_f64, false, CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE, 1, {CUDNN_DEFAULT_MATH}},
    {TW_TYPE_f16,
     false,
     CUDNN_DATA_HALF,
     CUDNN_DATA_FLOAT,
     2,
     {CUDNN_DEFAULT_MATH, CUDNN_TENSOR_OP_MATH}},
    {TW_TYPE_bf16,
     false,
     CUDNN_DATA_BFLOAT16,
     CUDNN_DATA_FLOAT,
     2,
     {CUDNN_DEFAULT_MATH, CUDNN_TENSOR_OP_MATH}},
};

struct candidate {
    int algorithm; /* of its pass */
    cudnnMathType_t math;
    size_t workspace;
    double seconds;
};

/* What is computed, and its algorithms. */
struct pass {
    const char *kernel;
    int count;
    const char *algorithms[MOST_ALGORITHMS];
};

enum { FORWARD, BACKWARD_DATA, BACKWARD_FILTER, PASSES };

static const struct pass passes[PASSES] = {
    {"conv2d",
     CUDNN_CONVOLUTION_FWD_ALGO_COUNT,
     {"IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM", "DIRECT", "FFT", "FFT_TILING", "WINOGRAD",
      "WINOGRAD_NONFUSED"}},
    {"conv2d_backward_data",
     CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT,
     {"ALGO_0", "ALGO_1", "FFT", "FFT_TILING", "WINOGRAD", "WINOGRAD_NONFUSED"}},
    {"conv2d_backward_weights",
     CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT,
     {"ALGO_0", "ALGO_1", "FFT", "ALGO_3", "WINOGRAD", "WINOGRAD_NONFUSED", "FFT_TILING"}},
};

struct state {
    struct data *data;
    int pass;
    const struct types *types;
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t input, output;
    cudnnFilterDescriptor_t filters;
    cudnnConvolutionDescriptor_t convolution;
    void *workspace;
    int tried, count;
    struct candidate candidates[MOST_CANDIDATES];
    const struct candidate *chosen;
};

static cudnnStatus_t workspace_of(const struct state *state, int algorithm, size_t *bytes) {
    if (state->pass == BACKWARD_DATA)
        return dnn.data_workspace_size(state->handle, state->filters, state->output,
                                       state->convolution, state->input,
                                       (cudnnConvolutionBwdDataAlgo_t)algorithm, bytes);
    if (state->pass == BACKWARD_FILTER)
        return dnn.filter_workspace_size(state->handle, state->input, state->output,
                                         state->convolution, state->filters,
                                         (cudnnConvolutionBwdFilterAlgo_t)algorithm, bytes);
    return dnn.workspace_size(state->handle, state->input, state->filters, state->convolution,
                              state->output, (cudnnConvolutionFwdAlgo_t)algorithm, bytes);
}

static tw_status call(void *pointer, int number, tw_error *error) {
    static const float one = 1, zero = 0;
    static const double double_one = 1, double_zero = 0;
    const struct state *s = pointer;
    const struct set *set = &s->data->sets[number];
    const bool is_double = s->types->compute == CUDNN_DATA_DOUBLE;
    const void *alpha = is_double ? (const void *)&double_one : (const void *)&one;
    const void *beta = is_double ? (const void *)&double_zero : (const void *)&zero;
    const int algorithm = s->chosen->algorithm;
    CHECK(dnn.set_math(s->convolution, s->chosen->math), "cudnnSetConvolutionMathType");
    if (s->pass == BACKWARD_DATA)
        return check(dnn.backward_data(s->handle, alpha, s->filters, set->in[1], s->output,
                                       set->in[0], s->convolution,
                                       (cudnnConvolutionBwdDataAlgo_t)algorithm, s->workspace,
                                       WORKSPACE_BYTES, beta, s->input, set->out),
                     "cudnnConvolutionBackwardData", error);
    if (s->pass == BACKWARD_FILTER)
        return check(dnn.backward_filter(s->handle, alpha, s->input, set->in[0], s->output,
                                         set->in[1], s->convolution,
                                         (cudnnConvolutionBwdFilterAlgo_t)algorithm, s->workspace,
                                         WORKSPACE_BYTES, beta, s->filters, set->out),
                     "cudnnConvolutionBackwardFilter", error);
    return check(dnn.forward(s->handle, alpha, s->input, set->in[0], s->filters, set->in[1],
                             s->convolution, (cudnnConvolutionFwdAlgo_t)algorithm, s->workspace,
                             WORKSPACE_BYTES, beta, s->output, set->out),
                 "cudnnConvolutionForward", error);
}

static tw_status find_types(struct state *state, tw_error *error) {
    const struct task *task = state->data->task;
    const bool tf32 = strcmp(task_word(task, "compute"), "tf32") == 0;
    while (strcmp(passes[state->pass].kernel, task->description->kernel) != 0)
        state->pass++;
    if (state->pass == FORWARD && (strcmp(task_word(task, "bias"), "none") != 0 ||
                                   strcmp(task_word(task, "activation"), "none") != 0))
        return tw_fail(error, TW_UNAVAILABLE, "is compared without a bias and an activation only");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].type == task->type && table[i].tf32 == tf32)
            state->types = &table[i];
    return state->types != NULL ? TW_OK
                                : tw_fail(error, TW_UNAVAILABLE, "has no such type of convolution");
}

static tw_status describe_convolution(struct state *state, tw_error *error) {
    const struct task *task = state->data->task;
    const int64_t *sizes = task->problem.dimensions;
    const bool nhwc = strcmp(task_word(task, "layout"), "nhwc") == 0;
    const cudnnTensorFormat_t format = nhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    const cudnnDataType_t type = state->types->data;
    const int groups = (int)task_number(task, "groups", 1);
    int n, c, h, w;
    CHECK(dnn.create(&state->handle), "cudnnCreate");
    CHECK(dnn.set_stream(state->handle, state->data->stage->stream), "cudnnSetStream");
    CHECK(dnn.tensor_create(&state->input), "cudnnCreateTensorDescriptor");
    CHECK(dnn.tensor_create(&state->output), "cudnnCreateTensorDescriptor");
    CHECK(dnn.filter_create(&state->filters), "cudnnCreateFilterDescriptor");
    CHECK(dnn.convolution_create(&state->convolution), "cudnnCreateConvolutionDescriptor");
    CHECK(dnn.tensor_set(state->input, format, type, (int)sizes[0], (int)sizes[1], (int)sizes[2],
                         (int)sizes[3]),
          "cudnnSetTensor4dDescriptor");
    CHECK(dnn.filter_set(state->filters, type, format, (int)sizes[4], (int)sizes[1] / groups,
                         (int)sizes[5], (int)sizes[6]),
          "cudnnSetFilter4dDescriptor");
    CHECK(dnn.convolution_set(
              state->convolution, (int)task_number(task, "pad_h", 0),
              (int)task_number(task, "pad_w", 0), (int)task_number(task, "stride_h", 1),
              (int)task_number(task, "stride_w", 1), (int)task_number(task, "dilation_h", 1),
              (int)task_number(task, "dilation_w", 1), CUDNN_CROSS_CORRELATION,
              state->types->compute),
          "cudnnSetConvolution2dDescriptor");
    CHECK(dnn.set_groups(state->convolution, groups), "cudnnSetConvolutionGroupCount");
    CHECK(dnn.output_size(state->convolution, state->input, state->filters, &n, &c, &h, &w),
          "cudnnGetConvolution2dForwardOutputDim");
    CHECK(dnn.tensor_set(state->output, format, type, n, c, h, w), "cudnnSetTensor4dDescriptor");
    return TW_OK;
}

/* One batch, after a call that pays for loading and one that tells how long a batch must be. */
static bool time_one(struct state *state, struct candidate *candidate) {
    struct batch once, batch;
    state->chosen = candidate;
    if (call(state, 0, NULL) != TW_OK || stage_settle(state->data->stage, NULL) != TW_OK ||
        batch_time(state->data, call, state, 1, &once, NULL) != TW_OK)
        return false;
    double times[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        if (batch_time(state->data, call, state, batch_calls(state->data, once.seconds), &batch,
                       NULL) != TW_OK)
            return false;
        times[i] = batch.seconds;
    }
    statistics_sort(times, REPEATS);
    candidate->seconds = statistics_median(times, REPEATS);
    return true;
}

/* Those that do not run, or want more workspace than there is, are left out. */
static tw_status choose(struct state *state, tw_error *error) {
    const struct candidate *best = NULL;
    for (int math = 0; math < state->types->math_count; math++)
        for (int algorithm = 0; algorithm < passes[state->pass].count; algorithm++) {
            struct candidate *candidate = &state->candidates[state->tried++];
            *candidate =
                (struct candidate){.algorithm = algorithm, .math = state->types->maths[math]};
            if (dnn.set_math(state->convolution, candidate->math) != CUDNN_STATUS_SUCCESS ||
                workspace_of(state, algorithm, &candidate->workspace) != CUDNN_STATUS_SUCCESS ||
                candidate->workspace > WORKSPACE_BYTES || !time_one(state, candidate))
                continue;
            state->count++;
            if (best == NULL || candidate->seconds < best->seconds)
                best = candidate;
        }
    state->chosen = best;
    return best != NULL
               ? TW_OK
               : tw_fail(error, TW_UNAVAILABLE, "none of its %d algorithms runs", state->tried);
}

static tw_status create(void **out, struct data *data, tw_error *error) {
    *out = NULL;
    pthread_once(&dnn_once, open_dnn);
    if (dnn_status != TW_OK)
        return tw_fail(error, dnn_status, "%s", dnn_error.message);
    struct state *state = *out = calloc(1, sizeof *state);
    if (state == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    state->data = data;
    tw_status status = find_types(state, error);
    if (status == TW_OK)
        status = tw_allocate(&state->workspace, data->stage->library, WORKSPACE_BYTES, error);
    if (status == TW_OK)
        status = describe_convolution(state, error);
    return status == TW_OK ? choose(state, error) : status;
}

static void release(void *pointer) {
    struct state *state = pointer;
    if (state == NULL)
        return;
    if (state->convolution != NULL)
        dnn.convolution_destroy(state->convolution);
    if (state->filters != NULL)
        dnn.filter_destroy(state->filters);
    if (state->output != NULL)
        dnn.tensor_destroy(state->output);
    if (state->input != NULL)
        dnn.tensor_destroy(state->input);
    if (state->handle != NULL)
        dnn.destroy(state->handle);
    tw_release(state->data->stage->library, state->workspace);
    free(state);
}

static void describe(const void *pointer, struct tw_text *text) {
    const struct state *state = pointer;
    tw_text_print(text, "%s, the best of %d that run",
                  passes[state->pass].algorithms[state->chosen->algorithm], state->count);
}

const struct contender contender_cudnn = {
    .name = "cuDNN best", .create = create, .free = release, .call = call, .describe = describe};
