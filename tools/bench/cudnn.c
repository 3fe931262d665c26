/* cuDNN: the fastest of the algorithms of its convolution call, or of the calls for its gradients,
 * each tried in turn with the arithmetic that the problem allows: none of f32 rounds to tf32 unless
 * that was asked for. */
#include <pthread.h>
#include <stdlib.h>

#include "tools/bench/cudnn_problem.h"
#include "tools/bench/kinds.h"

enum {
    MOST_MATHS = 2,
    MOST_ALGORITHMS = CUDNN_CONVOLUTION_FWD_ALGO_COUNT, /* of the three, the most */
    MOST_CANDIDATES = MOST_MATHS * MOST_ALGORITHMS
};

#define FUNCTIONS(X)                                                                               \
    X(create, cudnnCreate)                                                                         \
    X(destroy, cudnnDestroy)                                                                       \
    X(set_stream, cudnnSetStream)                                                                  \
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
    const struct tw_symbol symbols[] = {
#define SYMBOL(field, function) {TW_SYMBOL_NAME(function), &dnn.field},
        FUNCTIONS(SYMBOL)
#undef SYMBOL
    };
    dnn_status = dnn_open(symbols, sizeof symbols / sizeof *symbols, &dnn_error);
}

/* The arithmetic that goes with a problem. */
struct maths {
    int count;
    cudnnMathType_t of[MOST_MATHS];
};

static struct maths maths_of(const struct dnn_problem *problem) {
    if (problem->type == TW_TYPE_f32 && !problem->tf32)
        return (struct maths){1, {CUDNN_FMA_MATH}};
    if (problem->type == TW_TYPE_f64)
        return (struct maths){1, {CUDNN_DEFAULT_MATH}};
    return (struct maths){2, {CUDNN_DEFAULT_MATH, CUDNN_TENSOR_OP_MATH}};
}

struct candidate {
    int algorithm; /* of its pass */
    cudnnMathType_t math;
    size_t workspace;
};

/* The algorithms of a pass. */
struct pass {
    int count;
    const char *algorithms[MOST_ALGORITHMS];
};

static const struct pass passes[DNN_PASSES] = {
    {CUDNN_CONVOLUTION_FWD_ALGO_COUNT,
     {"IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM", "DIRECT", "FFT", "FFT_TILING", "WINOGRAD",
      "WINOGRAD_NONFUSED"}},
    {CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT,
     {"ALGO_0", "ALGO_1", "FFT", "FFT_TILING", "WINOGRAD", "WINOGRAD_NONFUSED"}},
    {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT,
     {"ALGO_0", "ALGO_1", "FFT", "ALGO_3", "WINOGRAD", "WINOGRAD_NONFUSED", "FFT_TILING"}},
};

struct state {
    struct data *data;
    struct dnn_problem problem;
    struct maths maths;
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t input, output;
    cudnnFilterDescriptor_t filters;
    cudnnConvolutionDescriptor_t convolution;
    void *workspace;
    int tried, count, running; /* algorithms, those that there is room for, and those that run */
    struct candidate candidates[MOST_CANDIDATES];
    const struct candidate *chosen;
};

static cudnnStatus_t workspace_of(const struct state *state, int algorithm, size_t *bytes) {
    if (state->problem.pass == DNN_BACKWARD_DATA)
        return dnn.data_workspace_size(state->handle, state->filters, state->output,
                                       state->convolution, state->input,
                                       (cudnnConvolutionBwdDataAlgo_t)algorithm, bytes);
    if (state->problem.pass == DNN_BACKWARD_FILTER)
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
    const bool is_double = s->problem.compute == CUDNN_DATA_DOUBLE;
    const void *alpha = is_double ? (const void *)&double_one : (const void *)&one;
    const void *beta = is_double ? (const void *)&double_zero : (const void *)&zero;
    const int algorithm = s->chosen->algorithm;
    DNN_CHECK(dnn.set_math(s->convolution, s->chosen->math), "cudnnSetConvolutionMathType");
    if (s->problem.pass == DNN_BACKWARD_DATA)
        return dnn_check(dnn.backward_data(s->handle, alpha, s->filters, set->in[1], s->output,
                                           set->in[0], s->convolution,
                                           (cudnnConvolutionBwdDataAlgo_t)algorithm, s->workspace,
                                           DNN_WORKSPACE_BYTES, beta, s->input, set->out),
                         "cudnnConvolutionBackwardData", error);
    if (s->problem.pass == DNN_BACKWARD_FILTER)
        return dnn_check(
            dnn.backward_filter(s->handle, alpha, s->input, set->in[0], s->output, set->in[1],
                                s->convolution, (cudnnConvolutionBwdFilterAlgo_t)algorithm,
                                s->workspace, DNN_WORKSPACE_BYTES, beta, s->filters, set->out),
            "cudnnConvolutionBackwardFilter", error);
    return dnn_check(dnn.forward(s->handle, alpha, s->input, set->in[0], s->filters, set->in[1],
                                 s->convolution, (cudnnConvolutionFwdAlgo_t)algorithm, s->workspace,
                                 DNN_WORKSPACE_BYTES, beta, s->output, set->out),
                     "cudnnConvolutionForward", error);
}

static tw_status describe_convolution(struct state *state, tw_error *error) {
    const struct dnn_problem *p = &state->problem;
    const cudnnTensorFormat_t format = p->nhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    const int64_t *in = p->input, *f = p->filters, *out = p->output;
    DNN_CHECK(dnn.create(&state->handle), "cudnnCreate");
    DNN_CHECK(dnn.set_stream(state->handle, state->data->stage->stream), "cudnnSetStream");
    DNN_CHECK(dnn.tensor_create(&state->input), "cudnnCreateTensorDescriptor");
    DNN_CHECK(dnn.tensor_create(&state->output), "cudnnCreateTensorDescriptor");
    DNN_CHECK(dnn.filter_create(&state->filters), "cudnnCreateFilterDescriptor");
    DNN_CHECK(dnn.convolution_create(&state->convolution), "cudnnCreateConvolutionDescriptor");
    DNN_CHECK(dnn.tensor_set(state->input, format, p->data, (int)in[0], (int)in[1], (int)in[2],
                             (int)in[3]),
              "cudnnSetTensor4dDescriptor");
    DNN_CHECK(
        dnn.filter_set(state->filters, p->data, format, (int)f[0], (int)f[1], (int)f[2], (int)f[3]),
        "cudnnSetFilter4dDescriptor");
    DNN_CHECK(dnn.convolution_set(state->convolution, (int)p->padding[0], (int)p->padding[1],
                                  (int)p->strides[0], (int)p->strides[1], (int)p->dilation[0],
                                  (int)p->dilation[1], CUDNN_CROSS_CORRELATION, p->compute),
              "cudnnSetConvolution2dDescriptor");
    DNN_CHECK(dnn.set_groups(state->convolution, (int)p->groups), "cudnnSetConvolutionGroupCount");
    DNN_CHECK(dnn.tensor_set(state->output, format, p->data, (int)out[0], (int)out[1], (int)out[2],
                             (int)out[3]),
              "cudnnSetTensor4dDescriptor");
    return TW_OK;
}

static void enter(void *pointer, int number) {
    struct state *state = pointer;
    state->chosen = &state->candidates[number];
}

/* Those that cannot be, or want more workspace than there is, are left out. */
static tw_status choose(struct state *state, tw_error *error) {
    for (int math = 0; math < state->maths.count; math++)
        for (int algorithm = 0; algorithm < passes[state->problem.pass].count; algorithm++) {
            struct candidate *candidate = &state->candidates[state->count];
            *candidate = (struct candidate){.algorithm = algorithm, .math = state->maths.of[math]};
            state->tried++;
            if (dnn.set_math(state->convolution, candidate->math) == CUDNN_STATUS_SUCCESS &&
                workspace_of(state, algorithm, &candidate->workspace) == CUDNN_STATUS_SUCCESS &&
                candidate->workspace <= DNN_WORKSPACE_BYTES)
                state->count++;
        }
    const struct dnn_race race = {state->data, call, state, enter};
    const int best = dnn_fastest(&race, state->count, &state->running);
    state->chosen = best >= 0 ? &state->candidates[best] : NULL;
    return best >= 0
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
    tw_status status = dnn_problem(&state->problem, data->task, error);
    state->maths = maths_of(&state->problem);
    if (status == TW_OK)
        status = tw_allocate(&state->workspace, data->stage->library, DNN_WORKSPACE_BYTES, error);
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
                  passes[state->problem.pass].algorithms[state->chosen->algorithm], state->running);
}

const struct contender contender_cudnn = {
    .name = "cuDNN best", .create = create, .free = release, .call = call, .describe = describe};
