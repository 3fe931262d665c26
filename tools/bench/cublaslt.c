/* cuBLASLt: the fastest of the algorithms that its heuristic lists, each tried in turn. Batches are
 * its own by strides. An epilogue is done by the product's kernel or not at all: a second kernel
 * after a bare product would be compared with what we do not do. Groups of rows are a loop of
 * products, one for each group that has rows, every one with an algorithm that was chosen for it.
 */
#include <cublasLt.h>
#include <pthread.h>
#include <stdlib.h>

#include "runtime/backend/shared_object.h"
#include "tools/bench/batch.h"
#include "tools/bench/block_scales.h"
#include "tools/bench/kinds.h"
#include "tools/bench/vendor_types.h"
#include "tuner/statistics/statistics.h"

/* ALGORITHMS: more than a heuristic lists. */
enum { ALGORITHMS = 512, FINALISTS = 8, REPEATS = 5, WORKSPACE_BYTES = 64 << 20 };

#define FUNCTIONS(X)                                                                               \
    X(create, cublasLtCreate)                                                                      \
    X(destroy, cublasLtDestroy)                                                                    \
    X(name, cublasLtGetStatusName)                                                                 \
    X(product_create, cublasLtMatmulDescCreate)                                                    \
    X(product_destroy, cublasLtMatmulDescDestroy)                                                  \
    X(product_set, cublasLtMatmulDescSetAttribute)                                                 \
    X(layout_create, cublasLtMatrixLayoutCreate)                                                   \
    X(layout_set, cublasLtMatrixLayoutSetAttribute)                                                \
    X(layout_destroy, cublasLtMatrixLayoutDestroy)                                                 \
    X(preference_create, cublasLtMatmulPreferenceCreate)                                           \
    X(preference_destroy, cublasLtMatmulPreferenceDestroy)                                         \
    X(preference_set, cublasLtMatmulPreferenceSetAttribute)                                        \
    X(heuristic, cublasLtMatmulAlgoGetHeuristic)                                                   \
    X(matmul, cublasLtMatmul)

static struct {
#define FIELD(field, function) __typeof__(function) *field;
    FUNCTIONS(FIELD)
#undef FIELD
} lt;
static tw_status lt_status;
static tw_error lt_error;
static pthread_once_t lt_once = PTHREAD_ONCE_INIT;

static void open_lt(void) {
    static const char *const names[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so",
                                        "/usr/local/cuda/lib64/libcublasLt.so", NULL};
    const struct tw_symbol symbols[] = {
#define SYMBOL(field, function) {TW_SYMBOL_NAME(function), &lt.field},
        FUNCTIONS(SYMBOL)
#undef SYMBOL
    };
    lt_status = tw_shared_object_open(names, symbols, sizeof symbols / sizeof *symbols, &lt_error);
}

static tw_status check(cublasStatus_t result, const char *what, tw_error *error) {
    return result == CUBLAS_STATUS_SUCCESS
               ? TW_OK
               : tw_fail(error, TW_DEVICE, "%s: %s", what, lt.name(result));
}

/* Returns the tw_status from the function that it is used in. */
#define CHECK(call, what)                                                                          \
    do {                                                                                           \
        tw_status check_status = check((call), (what), error);                                     \
        if (check_status != TW_OK)                                                                 \
            return check_status;                                                                   \
    } while (0)

struct candidate {
    cublasLtMatmulAlgo_t algorithm;
    int rank; /* in the heuristic's list, from 1 */
    double seconds;
};

struct state {
    struct data *data;
    const struct vendor_types *types;
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulPreference_t preference;
    void *workspace;
    struct candidate candidates[ALGORITHMS];
    int listed, count;
    const struct candidate *chosen;
    int added, biases, a_scales, b_scales; /* which inputs are; -1: none */
    struct block_scales block_scales;      /* in place of the inputs, where scales are by blocks */
    const char *epilogue;
    int64_t m;                          /* rows of A and C */
    uint64_t a_at, b_at, c_at, bias_at; /* bytes from the beginning of each buffer */
};

static tw_status set_biases(const struct state *state, const struct set *set, tw_error *error) {
    if (state->biases < 0)
        return TW_OK;
    const void *biases = (const char *)set->in[state->biases] + state->bias_at;
    return check(
        lt.product_set(state->product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &biases, sizeof biases),
        "cublasLtMatmulDescSetAttribute", error);
}

/* Those of a set. B comes first, and is what it calls A. */
static tw_status set_scales(const struct state *state, int number, tw_error *error) {
    if (state->a_scales < 0)
        return TW_OK;
    const struct block_scales *blocks = &state->block_scales;
    const struct set *set = &state->data->sets[number];
    void *const a = blocks->count > 0 ? blocks->sets[number].a : set->in[state->a_scales];
    void *const b = blocks->count > 0 ? blocks->sets[number].b : set->in[state->b_scales];
    CHECK(lt.product_set(state->product, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &b, sizeof b),
          "cublasLtMatmulDescSetAttribute");
    CHECK(lt.product_set(state->product, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &a, sizeof a),
          "cublasLtMatmulDescSetAttribute");
    return TW_OK;
}

static tw_status call(void *pointer, int number, tw_error *error) {
    const struct state *state = pointer;
    const struct set *set = &state->data->sets[number];
    const bool adds = state->added >= 0;
    tw_status status = set_biases(state, set, error);
    if (status == TW_OK)
        status = set_scales(state, number, error);
    if (status != TW_OK)
        return status;
    /* Columns instead of rows: B comes first. */
    void *c = (char *)set->out + state->c_at;
    return check(lt.matmul(state->handle, state->product, state->types->one,
                           (const char *)set->in[1] + state->b_at, state->b,
                           (const char *)set->in[0] + state->a_at, state->a,
                           adds ? state->types->one : state->types->zero,
                           adds ? set->in[state->added] : c, state->c, c, state->c,
                           &state->chosen->algorithm, state->workspace, WORKSPACE_BYTES,
                           state->data->stage->stream),
                 "cublasLtMatmul", error);
}

/* Its columns are our rows, so that its bias, one for each of its rows, is ours per column. */
static tw_status choose_epilogue(struct state *state, tw_error *error) {
    static const struct {
        enum task_bias bias;
        enum task_activation activation;
        cublasLtEpilogue_t epilogue;
        const char *name;
    } table[] = {
        {TASK_BIAS_NONE, TASK_ACTIVATION_NONE, CUBLASLT_EPILOGUE_DEFAULT, NULL},
        {TASK_BIAS_NONE, TASK_ACTIVATION_RELU, CUBLASLT_EPILOGUE_RELU, "RELU"},
        {TASK_BIAS_NONE, TASK_ACTIVATION_GELU_TANH, CUBLASLT_EPILOGUE_GELU, "GELU"},
        {TASK_BIAS_COLUMN, TASK_ACTIVATION_NONE, CUBLASLT_EPILOGUE_BIAS, "BIAS"},
        {TASK_BIAS_COLUMN, TASK_ACTIVATION_RELU, CUBLASLT_EPILOGUE_RELU_BIAS, "RELU_BIAS"},
        {TASK_BIAS_COLUMN, TASK_ACTIVATION_GELU_TANH, CUBLASLT_EPILOGUE_GELU_BIAS, "GELU_BIAS"},
    };
    const struct task *t = state->data->task;
    state->added = data_input(state->data, "E");
    state->biases = data_input(state->data, "biases");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].bias != t->bias || table[i].activation != t->activation)
            continue;
        state->epilogue = table[i].name;
        CHECK(lt.product_set(state->product, CUBLASLT_MATMUL_DESC_EPILOGUE, &table[i].epilogue,
                             sizeof table[i].epilogue),
              "cublasLtMatmulDescSetAttribute");
        return set_biases(state, &state->data->sets[0], error);
    }
    return tw_fail(error, TW_UNAVAILABLE, "fuses no %s",
                   t->bias == TASK_BIAS_ROW ? "bias per row" : task_word(t, "activation"));
}

/* Since CUDA 12.9 it has scales of rows and columns, and of blocks of 128, too. */
static tw_status set_scale_modes(struct state *state, tw_error *error) {
#if CUBLAS_VERSION >= 120900
    const bool by_blocks = state->data->task->scales == TASK_SCALES_BLOCKS;
    const cublasLtMatmulMatrixScale_t of_b = by_blocks ? CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F
                                                       : CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
    const cublasLtMatmulMatrixScale_t of_a = by_blocks ? CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F
                                                       : CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
    CHECK(lt.product_set(state->product, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, &of_b, sizeof of_b),
          "cublasLtMatmulDescSetAttribute");
    CHECK(lt.product_set(state->product, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, &of_a, sizeof of_a),
          "cublasLtMatmulDescSetAttribute");
    return by_blocks ? block_scales_create(&state->block_scales, state->data, error) : TW_OK;
#else
    (void)state;
    return tw_fail(error, TW_UNAVAILABLE, "has scales of one matrix only before CUDA 12.9");
#endif
}

/* Of e4m3 and e5m2. */
static tw_status choose_scales(struct state *state, tw_error *error) {
    const struct task *t = state->data->task;
    state->a_scales = data_input(state->data, "a_scales");
    state->b_scales = data_input(state->data, "b_scales");
    if (t->scales == TASK_SCALES_NONE)
        return TW_OK;
    if (!tw_type_info(state->types->a)->floating)
        return tw_fail(error, TW_UNAVAILABLE, "has no scales of %s",
                       tw_type_info(state->types->a)->word);
    tw_status status = t->scales == TASK_SCALES_TENSOR ? TW_OK : set_scale_modes(state, error);
    return status == TW_OK ? set_scales(state, 0, error) : status;
}

static tw_status set_batch(cublasLtMatrixLayout_t layout, int64_t batch, int64_t stride,
                           tw_error *error) {
    int32_t count = (int32_t)batch;
    CHECK(lt.layout_set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
          "cublasLtMatrixLayoutSetAttribute");
    CHECK(
        lt.layout_set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride),
        "cublasLtMatrixLayoutSetAttribute");
    return TW_OK;
}

static tw_status describe_product(struct state *state, tw_error *error) {
    const struct task *t = state->data->task;
    cublasOperation_t first = t->transposed_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasOperation_t second = t->transposed_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    uint64_t m = (uint64_t)state->m, n = (uint64_t)t->n, k = (uint64_t)t->k;
    const size_t workspace = WORKSPACE_BYTES;
    CHECK(lt.create(&state->handle), "cublasLtCreate");
    CHECK(lt.product_create(&state->product, state->types->compute, state->types->scale),
          "cublasLtMatmulDescCreate");
    CHECK(lt.product_set(state->product, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first),
          "cublasLtMatmulDescSetAttribute");
    CHECK(lt.product_set(state->product, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second),
          "cublasLtMatmulDescSetAttribute");
    CHECK(lt.layout_create(&state->a, state->types->a_type, t->transposed_a ? m : k,
                           t->transposed_a ? k : m, t->lda),
          "cublasLtMatrixLayoutCreate");
    CHECK(lt.layout_create(&state->b, state->types->b_type, t->transposed_b ? k : n,
                           t->transposed_b ? n : k, t->ldb),
          "cublasLtMatrixLayoutCreate");
    CHECK(lt.layout_create(&state->c, state->types->c_type, n, m, t->ldc),
          "cublasLtMatrixLayoutCreate");
    tw_status status = choose_epilogue(state, error);
    if (status == TW_OK)
        status = choose_scales(state, error);
    if (status == TW_OK && t->batch > 1) {
        status = set_batch(state->a, t->batch, t->m * t->k, error);
        if (status == TW_OK)
            status = set_batch(state->b, t->batch, t->k * t->n, error);
        if (status == TW_OK)
            status = set_batch(state->c, t->batch, t->m * t->n, error);
    }
    if (status != TW_OK)
        return status;
    CHECK(lt.preference_create(&state->preference), "cublasLtMatmulPreferenceCreate");
    CHECK(lt.preference_set(state->preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                            sizeof workspace),
          "cublasLtMatmulPreferenceSetAttribute");
    return TW_OK;
}

static int compare(const void *a, const void *b) {
    double x = ((const struct candidate *)a)->seconds, y = ((const struct candidate *)b)->seconds;
    return (x > y) - (x < y);
}

static tw_status list_algorithms(struct state *state, cublasLtMatmulHeuristicResult_t *results,
                                 tw_error *error) {
    cublasStatus_t result =
        lt.heuristic(state->handle, state->product, state->b, state->a, state->c, state->c,
                     state->preference, ALGORITHMS, results, &state->listed);
    if (result == CUBLAS_STATUS_NOT_SUPPORTED ||
        (result == CUBLAS_STATUS_SUCCESS && !state->listed))
        return tw_fail(error, TW_UNAVAILABLE, "its heuristic lists nothing for this problem");
    return check(result, "cublasLtMatmulAlgoGetHeuristic", error);
}

/* One batch each, after a call that pays for loading and one that tells how long a batch must be;
 * those that do not run are left out. */
static void screen(struct state *state, const cublasLtMatmulHeuristicResult_t *results) {
    for (int i = 0; i < state->listed; i++) {
        struct candidate *candidate = &state->candidates[state->count];
        *candidate = (struct candidate){.algorithm = results[i].algo, .rank = i + 1};
        state->chosen = candidate;
        struct batch once, batch;
        if (results[i].state == CUBLAS_STATUS_SUCCESS && call(state, 0, NULL) == TW_OK &&
            stage_settle(state->data->stage, NULL) == TW_OK &&
            batch_time(state->data, call, state, 1, &once, NULL) == TW_OK &&
            batch_time(state->data, call, state, batch_calls(state->data, once.seconds), &batch,
                       NULL) == TW_OK) {
            candidate->seconds = batch.seconds;
            state->count++;
        }
    }
    qsort(state->candidates, (size_t)state->count, sizeof *state->candidates, compare);
}

/* The best of the screen again, interleaved. */
static tw_status settle(struct state *state, tw_error *error) {
    int finalists = state->count < FINALISTS ? state->count : FINALISTS;
    double times[FINALISTS][REPEATS];
    tw_status status = TW_OK;
    for (int r = 0; r < REPEATS; r++) {
        for (int i = 0; i < finalists && status == TW_OK; i++) {
            struct batch batch;
            state->chosen = &state->candidates[i];
            status = batch_time(state->data, call, state,
                                batch_calls(state->data, state->chosen->seconds), &batch, error);
            times[i][r] = batch.seconds;
        }
    }
    for (int i = 0; i < finalists && status == TW_OK; i++) {
        statistics_sort(times[i], REPEATS);
        state->candidates[i].seconds = statistics_median(times[i], REPEATS);
    }
    qsort(state->candidates, (size_t)finalists, sizeof *state->candidates, compare);
    state->chosen = &state->candidates[0];
    return status;
}

static tw_status open_library(tw_error *error) {
    pthread_once(&lt_once, open_lt);
    return lt_status == TW_OK ? TW_OK : tw_fail(error, lt_status, "%s", lt_error.message);
}

/* Chooses the algorithm. `state` has the workspace, the rows and where they begin. */
static tw_status prepare(struct state *state, struct data *data, tw_error *error) {
    state->data = data;
    state->types = vendor_types_of(data, error);
    if (state->types == NULL)
        return TW_UNAVAILABLE;
    tw_status status = describe_product(state, error);
    if (status != TW_OK)
        return status;
    cublasLtMatmulHeuristicResult_t *results = calloc(ALGORITHMS, sizeof *results);
    if (results == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    status = list_algorithms(state, results, error);
    if (status == TW_OK)
        screen(state, results);
    free(results);
    if (status != TW_OK)
        return status;
    if (state->count == 0)
        return tw_fail(error, TW_UNAVAILABLE, "none of the %d algorithms listed runs",
                       state->listed);
    return settle(state, error);
}

/* All but the workspace. */
static void unprepare(struct state *state) {
    if (state->data != NULL)
        block_scales_free(&state->block_scales, state->data->stage->library);
    if (state->preference != NULL)
        lt.preference_destroy(state->preference);
    if (state->c != NULL)
        lt.layout_destroy(state->c);
    if (state->b != NULL)
        lt.layout_destroy(state->b);
    if (state->a != NULL)
        lt.layout_destroy(state->a);
    if (state->product != NULL)
        lt.product_destroy(state->product);
    if (state->handle != NULL)
        lt.destroy(state->handle);
}

static tw_status create(void **out, struct data *data, tw_error *error) {
    *out = NULL;
    tw_status status = open_library(error);
    if (status != TW_OK)
        return status;
    struct state *state = *out = calloc(1, sizeof *state);
    if (state == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    state->data = data;
    state->m = data->task->m;
    status = tw_allocate(&state->workspace, data->stage->library, WORKSPACE_BYTES, error);
    return status == TW_OK ? prepare(state, data, error) : status;
}

static void release(void *pointer) {
    struct state *state = pointer;
    if (state == NULL)
        return;
    unprepare(state);
    tw_release(state->data->stage->library, state->workspace);
    free(state);
}

static void describe(const void *pointer, struct tw_text *text) {
    const struct state *state = pointer;
    tw_text_print(text, "number %d of the %d listed%s%s", state->chosen->rank, state->listed,
                  state->epilogue != NULL ? ", epilogue " : "",
                  state->epilogue != NULL ? state->epilogue : "");
}

const struct contender contender_cublaslt = {
    .name = "cuBLASLt best", .create = create, .free = release, .call = call, .describe = describe};

/* ---- Groups ---- */

struct loop {
    struct data *data;
    void *workspace;
    struct state *groups; /* those that have rows */
    int count;
};

static tw_status prepare_groups(struct loop *loop, const int32_t *ends, tw_error *error) {
    struct data *data = loop->data;
    const struct task *t = data->task;
    const uint64_t a_bytes = tw_type_info(data->in[0].type)->bytes;
    const uint64_t b_bytes = tw_type_info(data_type_b(data))->bytes;
    const uint64_t c_bytes = tw_type_info(data->out.type)->bytes;
    tw_status status = TW_OK;
    int64_t first = 0;
    for (int64_t g = 0; g < t->groups && status == TW_OK; first = ends[g++]) {
        if (ends[g] == first)
            continue;
        struct state *state = &loop->groups[loop->count++];
        state->m = ends[g] - first;
        state->workspace = loop->workspace;
        state->a_at = (uint64_t)(first * t->lda) * a_bytes;
        state->b_at = (uint64_t)(g * t->k * t->n) * b_bytes;
        state->c_at = (uint64_t)(first * t->ldc) * c_bytes;
        state->bias_at = (uint64_t)(g * t->n) * c_bytes;
        status = prepare(state, data, error);
    }
    return status;
}

static tw_status create_loop(void **out, struct data *data, tw_error *error) {
    *out = NULL;
    tw_status status = open_library(error);
    if (status != TW_OK)
        return status;
    struct loop *loop = *out = calloc(1, sizeof *loop);
    if (loop == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_library *library = data->stage->library;
    const size_t groups = (size_t)data->task->groups;
    int32_t *ends = malloc(groups * sizeof *ends);
    loop->data = data;
    loop->groups = calloc(groups, sizeof *loop->groups);
    if (ends == NULL || loop->groups == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK)
        status = tw_allocate(&loop->workspace, library, WORKSPACE_BYTES, error);
    if (status == TW_OK)
        status = tw_read(library, data->stage->stream, ends,
                         data->sets[0].in[data_input(data, "ends")], groups * sizeof *ends, error);
    if (status == TW_OK)
        status = prepare_groups(loop, ends, error);
    free(ends);
    return status;
}

static void release_loop(void *pointer) {
    struct loop *loop = pointer;
    if (loop == NULL)
        return;
    for (int g = 0; g < loop->count; g++)
        unprepare(&loop->groups[g]);
    tw_release(loop->data->stage->library, loop->workspace);
    free(loop->groups);
    free(loop);
}

static tw_status call_loop(void *pointer, int number, tw_error *error) {
    const struct loop *loop = pointer;
    tw_status status = TW_OK;
    for (int g = 0; g < loop->count && status == TW_OK; g++)
        status = call(&loop->groups[g], number, error);
    return status;
}

static void describe_loop(const void *pointer, struct tw_text *text) {
    const struct loop *loop = pointer;
    tw_text_print(text, "%d calls, each with its own best algorithm", loop->count);
}

const struct contender contender_cublaslt_loop = {.name = "cuBLASLt loop",
                                                  .create = create_loop,
                                                  .free = release_loop,
                                                  .call = call_loop,
                                                  .describe = describe_loop};
