/* cuDNN by its graphs of operations: the fastest of all plans that its heuristics propose for one
 * convolution, its fallbacks included, each tried in turn. Plans whose engines round otherwise than
 * the problem allows are left out, by what they say of themselves. */
#include <cudnn_graph.h>
#include <pthread.h>
#include <stdlib.h>

#include "tools/bench/cudnn_problem.h"
#include "tools/bench/kinds.h"

enum { TENSORS = 3, MODES = 3, MOST_PLANS = 256, MOST_NOTES = 64 };

typedef cudnnBackendDescriptor_t descriptor;

#define FUNCTIONS(X)                                                                               \
    X(create, cudnnCreate)                                                                         \
    X(destroy, cudnnDestroy)                                                                       \
    X(set_stream, cudnnSetStream)                                                                  \
    X(make, cudnnBackendCreateDescriptor)                                                          \
    X(unmake, cudnnBackendDestroyDescriptor)                                                       \
    X(finalize, cudnnBackendFinalize)                                                              \
    X(set, cudnnBackendSetAttribute)                                                               \
    X(get, cudnnBackendGetAttribute)                                                               \
    X(execute, cudnnBackendExecute)

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

struct candidate {
    descriptor plan;
    int64_t engine;
};

struct state {
    struct data *data;
    struct dnn_problem problem;
    cudnnHandle_t handle;
    descriptor tensors[TENSORS]; /* in the order of a set's inputs, then its output */
    descriptor convolution, operation, graph;
    descriptor *packs; /* for each set of buffers where they are */
    void *workspace;
    int proposed, count, running; /* plans, those that may take part, and those of them that run */
    struct candidate candidates[MODES * MOST_PLANS];
    const struct candidate *chosen;
};

/* ---- Descriptors ---- */

/* One attribute of a descriptor, as the arguments of cudnnBackendSetAttribute. */
struct attribute {
    cudnnBackendAttributeName_t name;
    cudnnBackendAttributeType_t type;
    int64_t count;
    const void *values;
};

/* Makes a descriptor of what it consists of. */
static tw_status build(descriptor *out, cudnnBackendDescriptorType_t type,
                       const struct attribute *attributes, size_t count, const char *what,
                       tw_error *error) {
    DNN_CHECK(dnn.make(type, out), what);
    for (size_t i = 0; i < count; i++)
        DNN_CHECK(dnn.set(*out, attributes[i].name, attributes[i].type, attributes[i].count,
                          attributes[i].values),
                  what);
    return dnn_check(dnn.finalize(*out), what, error);
}

#define BUILD(out, type, attributes, what)                                                         \
    build(out, type, attributes, sizeof attributes / sizeof *attributes, what, error)

static void drop(descriptor *made) {
    if (*made != NULL)
        dnn.unmake(*made);
    *made = NULL;
}

/* Tensors are known by their number from 1 on. */
static tw_status describe_tensor(struct state *state, int number, const int64_t sizes[4],
                                 tw_error *error) {
    const struct dnn_problem *p = &state->problem;
    const int64_t pixels = sizes[2] * sizes[3], alignment = 16, id = number + 1;
    const int64_t nchw[] = {sizes[1] * pixels, pixels, sizes[3], 1};
    const int64_t nhwc[] = {sizes[1] * pixels, 1, sizes[3] * sizes[1], sizes[1]};
    const struct attribute attributes[] = {
        {CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &p->data},
        {CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, sizes},
        {CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, p->nhwc ? nhwc : nchw},
        {CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id},
        {CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment},
    };
    return BUILD(&state->tensors[number], CUDNN_BACKEND_TENSOR_DESCRIPTOR, attributes, "a tensor");
}

static tw_status describe_tensors(struct state *state, tw_error *error) {
    const struct dnn_problem *p = &state->problem;
    const int64_t *const sizes[DNN_PASSES][TENSORS] = {
        [DNN_FORWARD] = {p->input, p->filters, p->output},
        [DNN_BACKWARD_DATA] = {p->output, p->filters, p->input},
        [DNN_BACKWARD_FILTER] = {p->input, p->output, p->filters},
    };
    tw_status status = TW_OK;
    for (int i = 0; i < TENSORS && status == TW_OK; i++)
        status = describe_tensor(state, i, sizes[p->pass][i], error);
    return status;
}

static tw_status describe_convolution(struct state *state, tw_error *error) {
    const struct dnn_problem *p = &state->problem;
    const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    const int64_t dimensions = 2;
    const struct attribute attributes[] = {
        {CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &p->compute},
        {CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode},
        {CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &dimensions},
        {CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2, p->dilation},
        {CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2, p->strides},
        {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, p->padding},
        {CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2, p->padding},
    };
    return BUILD(&state->convolution, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, attributes,
                 "a convolution");
}

/* What an operation calls its tensors, the convolution and the scalars. */
static const struct operation {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t tensors[TENSORS], convolution, alpha, beta;
} operations[DNN_PASSES] = {
    [DNN_FORWARD] = {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y},
                     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
    [DNN_BACKWARD_DATA] = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                           {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX},
                           CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                           CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                           CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
    [DNN_BACKWARD_FILTER] = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                             {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW},
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                             CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA},
};

static tw_status describe_operation(struct state *state, tw_error *error) {
    static const float one = 1, zero = 0;
    static const double double_one = 1, double_zero = 0;
    const struct operation *op = &operations[state->problem.pass];
    const bool is_double = state->problem.compute == CUDNN_DATA_DOUBLE;
    const cudnnBackendAttributeType_t scalar = is_double ? CUDNN_TYPE_DOUBLE : CUDNN_TYPE_FLOAT;
    const struct attribute attributes[] = {
        {op->tensors[0], CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &state->tensors[0]},
        {op->tensors[1], CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &state->tensors[1]},
        {op->tensors[2], CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &state->tensors[2]},
        {op->convolution, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &state->convolution},
        {op->alpha, scalar, 1, is_double ? (const void *)&double_one : (const void *)&one},
        {op->beta, scalar, 1, is_double ? (const void *)&double_zero : (const void *)&zero},
    };
    tw_status status = BUILD(&state->operation, op->type, attributes, "an operation");
    const struct attribute whole[] = {
        {CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &state->operation},
        {CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &state->handle},
    };
    if (status == TW_OK)
        status = BUILD(&state->graph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, whole,
                       "a graph of operations");
    return status;
}

static tw_status describe_buffers(struct state *state, tw_error *error) {
    static const int64_t ids[TENSORS] = {1, 2, 3};
    const struct data *data = state->data;
    tw_status status = TW_OK;
    state->packs = calloc((size_t)data->set_count, sizeof *state->packs);
    if (state->packs == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < data->set_count && status == TW_OK; i++) {
        void *const pointers[TENSORS] = {data->sets[i].in[0], data->sets[i].in[1],
                                         data->sets[i].out};
        const struct attribute attributes[] = {
            {CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, TENSORS, ids},
            {CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, TENSORS, pointers},
            {CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &state->workspace},
        };
        status = BUILD(&state->packs[i], CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, attributes,
                       "a set of buffers");
    }
    return status;
}

/* ---- Plans ---- */

static tw_status call(void *pointer, int set, tw_error *error) {
    const struct state *s = pointer;
    return dnn_check(dnn.execute(s->handle, s->chosen->plan, s->packs[set]), "cudnnBackendExecute",
                     error);
}

/* Whether what an engine says of itself is allowed: nothing is rounded before it is multiplied, but
 * for f32 on tensor cores where tf32 is asked for, and sums are of the type asked for. */
static bool keeps_precision(const struct state *state, descriptor engine) {
    cudnnBackendNumericalNote_t notes[MOST_NOTES];
    int64_t count = 0;
    if (dnn.get(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, MOST_NOTES,
                &count, notes) != CUDNN_STATUS_SUCCESS)
        return false;
    for (int64_t i = 0; i < count && i < MOST_NOTES; i++) {
        if (notes[i] == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS ||
            notes[i] == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION)
            return false;
        if (notes[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE && state->problem.type == TW_TYPE_f32 &&
            !state->problem.tf32)
            return false;
    }
    return true;
}

/* The engine of a configuration: whether it may take part, and its number. */
static bool is_eligible(const struct state *state, descriptor configuration, int64_t *number) {
    descriptor engine = NULL;
    int64_t count = 0;
    *number = -1;
    bool may = dnn.make(CUDNN_BACKEND_ENGINE_DESCRIPTOR, &engine) == CUDNN_STATUS_SUCCESS &&
               dnn.get(configuration, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                       &count, &engine) == CUDNN_STATUS_SUCCESS &&
               dnn.get(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &count,
                       number) == CUDNN_STATUS_SUCCESS &&
               keeps_precision(state, engine);
    drop(&engine);
    return may;
}

/* Makes a plan of a configuration. One that may not take part, cannot be made or wants more
 * workspace than there is, is passed over. */
static void take_configuration(struct state *state, descriptor configuration) {
    struct candidate candidate = {0};
    int64_t workspace = 0, count = 0;
    const struct attribute attributes[] = {
        {CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &state->handle},
        {CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &configuration},
    };
    tw_error none, *error = &none;
    state->proposed++;
    if (is_eligible(state, configuration, &candidate.engine) &&
        BUILD(&candidate.plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, attributes, "a plan") ==
            TW_OK &&
        dnn.get(candidate.plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                &count, &workspace) == CUDNN_STATUS_SUCCESS &&
        (uint64_t)workspace <= DNN_WORKSPACE_BYTES)
        state->candidates[state->count++] = candidate;
    else
        drop(&candidate.plan);
}

/* All that one kind of heuristics proposes. */
static void take_mode(struct state *state, cudnnBackendHeurMode_t mode) {
    descriptor heuristics = NULL, configurations[MOST_PLANS] = {NULL};
    int64_t count = 0;
    int made = 0;
    const struct attribute attributes[] = {
        {CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &state->graph},
        {CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode},
    };
    tw_error none, *error = &none;
    if (BUILD(&heuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, attributes, "heuristics") ==
            TW_OK &&
        dnn.get(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count,
                NULL) == CUDNN_STATUS_SUCCESS)
        while (made < MOST_PLANS && made < count &&
               dnn.make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, &configurations[made]) ==
                   CUDNN_STATUS_SUCCESS)
            made++;
    if (made > 0 &&
        dnn.get(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, made,
                &count, configurations) == CUDNN_STATUS_SUCCESS)
        for (int i = 0; i < made && i < count; i++)
            take_configuration(state, configurations[i]);
    for (int i = 0; i < made; i++)
        drop(&configurations[i]);
    drop(&heuristics);
}

static void enter(void *pointer, int number) {
    struct state *state = pointer;
    state->chosen = &state->candidates[number];
}

static tw_status choose(struct state *state, tw_error *error) {
    static const cudnnBackendHeurMode_t modes[MODES] = {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B,
                                                        CUDNN_HEUR_MODE_FALLBACK};
    for (int i = 0; i < MODES; i++)
        take_mode(state, modes[i]);
    const struct dnn_race race = {state->data, call, state, enter};
    const int best = dnn_fastest(&race, state->count, &state->running);
    state->chosen = best >= 0 ? &state->candidates[best] : NULL;
    return best >= 0 ? TW_OK
                     : tw_fail(error, TW_UNAVAILABLE, "none of its %d plans runs", state->proposed);
}

/* ---- The contender ---- */

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
    if (status == TW_OK)
        status = tw_allocate(&state->workspace, data->stage->library, DNN_WORKSPACE_BYTES, error);
    if (status == TW_OK)
        status = dnn_check(dnn.create(&state->handle), "cudnnCreate", error);
    if (status == TW_OK)
        status =
            dnn_check(dnn.set_stream(state->handle, data->stage->stream), "cudnnSetStream", error);
    if (status == TW_OK)
        status = describe_tensors(state, error);
    if (status == TW_OK)
        status = describe_convolution(state, error);
    if (status == TW_OK)
        status = describe_operation(state, error);
    if (status == TW_OK)
        status = describe_buffers(state, error);
    return status == TW_OK ? choose(state, error) : status;
}

static void release(void *pointer) {
    struct state *state = pointer;
    if (state == NULL)
        return;
    for (int i = 0; i < state->count; i++)
        drop(&state->candidates[i].plan);
    for (int i = 0; state->packs != NULL && i < state->data->set_count; i++)
        drop(&state->packs[i]);
    free(state->packs);
    drop(&state->graph);
    drop(&state->operation);
    drop(&state->convolution);
    for (int i = 0; i < TENSORS; i++)
        drop(&state->tensors[i]);
    if (state->handle != NULL)
        dnn.destroy(state->handle);
    tw_release(state->data->stage->library, state->workspace);
    free(state);
}

static void describe(const void *pointer, struct tw_text *text) {
    const struct state *state = pointer;
    tw_text_print(text, "engine %lld, the best of %d plans that run, of %d",
                  (long long)state->chosen->engine, state->running, state->proposed);
}

const struct contender contender_cudnn_engines = {
    .name = "cuDNN engines", .create = create, .free = release, .call = call, .describe = describe};
