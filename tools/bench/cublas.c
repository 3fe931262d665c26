/* cuBLAS, held by CUBLAS_PEDANTIC_MATH to the arithmetic of f32. It thinks in columns: a
 * row-major matrix is its transpose there, so operands are swapped. */
#include <pthread.h>
#include <stdlib.h>

#include "runtime/backend/shared_object.h"
#include "tools/bench/kinds.h"
#include "tools/bench/mirror.h"
#include "tools/bench/vendor_types.h"

#define FUNCTIONS(X)                                                                               \
    X(create, cublasCreate)                                                                        \
    X(destroy, cublasDestroy)                                                                      \
    X(version, cublasGetVersion)                                                                   \
    X(set_stream, cublasSetStream)                                                                 \
    X(set_math, cublasSetMathMode)                                                                 \
    X(name, cublasGetStatusName)                                                                   \
    X(sgemm, cublasSgemm)                                                                          \
    X(dgemm, cublasDgemm)                                                                          \
    X(gemm_ex, cublasGemmEx)                                                                       \
    X(gemm_strided, cublasGemmStridedBatchedEx)                                                    \
    X(ssyrk, cublasSsyrk)                                                                          \
    X(sgeam, cublasSgeam)                                                                          \
    X(dgeam, cublasDgeam)

static struct {
#define FIELD(field, function) __typeof__(function) *field;
    FUNCTIONS(FIELD)
#undef FIELD
} cublas;
static tw_status cublas_status;
static tw_error cublas_error;
static pthread_once_t cublas_once = PTHREAD_ONCE_INIT;

static void open_cublas(void) {
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so",
                                        "/usr/local/cuda/lib64/libcublas.so", NULL};
    const struct tw_symbol symbols[] = {
#define SYMBOL(field, function) {TW_SYMBOL_NAME(function), &cublas.field},
        FUNCTIONS(SYMBOL)
#undef SYMBOL
    };
    cublas_status =
        tw_shared_object_open(names, symbols, sizeof symbols / sizeof *symbols, &cublas_error);
}

static tw_status check(cublasStatus_t result, const char *what, tw_error *error) {
    if (result == CUBLAS_STATUS_SUCCESS)
        return TW_OK;
    return tw_fail(error, result == CUBLAS_STATUS_NOT_SUPPORTED ? TW_UNAVAILABLE : TW_DEVICE,
                   "%s: %s", what, cublas.name(result));
}

struct state {
    struct data *data;
    cublasHandle_t handle;
    const struct vendor_types *types; /* of a product; else NULL */
    struct tw_module *mirror;         /* NULL: not needed */
};

static tw_status open(struct state *state, cublasMath_t math, tw_error *error) {
    tw_status status = check(cublas.create(&state->handle), "cublasCreate", error);
    if (status == TW_OK)
        status = check(cublas.set_stream(state->handle, state->data->stage->stream),
                       "cublasSetStream", error);
    return status == TW_OK ? check(cublas.set_math(state->handle, math), "cublasSetMathMode", error)
                           : status;
}

static tw_status allocate(void **out, struct data *data, tw_error *error) {
    *out = NULL;
    pthread_once(&cublas_once, open_cublas);
    if (cublas_status != TW_OK)
        return tw_fail(error, cublas_status, "%s", cublas_error.message);
    struct state *state = *out = calloc(1, sizeof *state);
    if (state == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    state->data = data;
    return TW_OK;
}

static tw_status create(void **out, struct data *data, tw_error *error) {
    tw_status status = allocate(out, data, error);
    if (status == TW_OK && data->task->type != TW_TYPE_f32 && data->task->type != TW_TYPE_f64)
        return tw_fail(error, TW_UNAVAILABLE, "has no %s", tw_type_info(data->task->type)->word);
    return status == TW_OK ? open(*out, CUBLAS_PEDANTIC_MATH, error) : status;
}

static tw_status create_product(void **out, struct data *data, tw_error *error) {
    tw_status status = allocate(out, data, error);
    struct state *state = *out;
    if (status != TW_OK)
        return status;
    state->types = vendor_types_of(data, error);
    if (state->types == NULL)
        return TW_UNAVAILABLE;
    const struct tw_type_info *a = tw_type_info(state->types->a);
    if (a->floating && a->bytes == 1)
        return tw_fail(error, TW_UNAVAILABLE, "has no %s; cuBLASLt has", a->word);
    if (data->task->scales != TASK_SCALES_NONE || data->task->apart ||
        data->task->bias != TASK_BIAS_NONE || data->task->activation != TASK_ACTIVATION_NONE)
        return tw_fail(error, TW_UNAVAILABLE, "has no epilogues and scales; cuBLASLt has");
    return open(state, state->types->math, error);
}

static tw_status create_with_mirror(void **out, struct data *data, tw_error *error) {
    tw_status status = create(out, data, error);
    struct state *state = *out;
    return status == TW_OK ? mirror_create(&state->mirror, data->stage, error) : status;
}

static void release(void *pointer) {
    struct state *state = pointer;
    if (state == NULL)
        return;
    const tw_library *library = state->data->stage->library;
    library->backend->unload(library->device, state->mirror);
    if (state->handle != NULL)
        cublas.destroy(state->handle);
    free(state);
}

static cublasOperation_t operation(bool transposed) {
    return transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

static tw_status gemm(void *pointer, int number, tw_error *error) {
    const struct state *state = pointer;
    const struct task *t = state->data->task;
    const struct set *set = &state->data->sets[number];
    cublasOperation_t op_b = operation(t->transposed_b), op_a = operation(t->transposed_a);
    int m = (int)t->m, n = (int)t->n, k = (int)t->k;
    int lda = (int)t->lda, ldb = (int)t->ldb, ldc = (int)t->ldc;
    const struct vendor_types *types = state->types;
    if (t->batch > 1)
        return check(cublas.gemm_strided(state->handle, op_b, op_a, n, m, k, types->one, set->in[1],
                                         types->b_type, ldb, t->k * t->n, set->in[0], types->a_type,
                                         lda, t->m * t->k, types->zero, set->out, types->c_type,
                                         ldc, t->m * t->n, (int)t->batch, types->compute,
                                         CUBLAS_GEMM_DEFAULT),
                     "cublasGemmStridedBatchedEx", error);
    if (types->compute == CUBLAS_COMPUTE_64F)
        return check(cublas.dgemm(state->handle, op_b, op_a, n, m, k, types->one, set->in[1], ldb,
                                  set->in[0], lda, types->zero, set->out, ldc),
                     "cublasDgemm", error);
    if (types->compute == CUBLAS_COMPUTE_32F_PEDANTIC)
        return check(cublas.sgemm(state->handle, op_b, op_a, n, m, k, types->one, set->in[1], ldb,
                                  set->in[0], lda, types->zero, set->out, ldc),
                     "cublasSgemm", error);
    return check(cublas.gemm_ex(state->handle, op_b, op_a, n, m, k, types->one, set->in[1],
                                types->b_type, ldb, set->in[0], types->a_type, lda, types->zero,
                                set->out, types->c_type, ldc, types->compute, CUBLAS_GEMM_DEFAULT),
                 "cublasGemmEx", error);
}

/* Its upper triangle is the lower one of the rows. */
static tw_status syrk(void *pointer, int number, tw_error *error) {
    const struct state *state = pointer;
    const struct task *t = state->data->task;
    const struct set *set = &state->data->sets[number];
    const float one = 1, zero = 0;
    return check(cublas.ssyrk(state->handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, (int)t->m,
                              (int)t->k, &one, set->in[0], (int)t->lda, &zero, set->out,
                              (int)t->ldc),
                 "cublasSsyrk", error);
}

static tw_status syrk_mirror(void *pointer, int number, tw_error *error) {
    const struct state *state = pointer;
    const struct task *t = state->data->task;
    tw_status status = syrk(pointer, number, error);
    return status == TW_OK ? mirror_queue(state->mirror, state->data->stage,
                                          state->data->sets[number].out, t->m, t->ldc, error)
                           : status;
}

static tw_status geam(void *pointer, int number, tw_error *error) {
    const struct state *state = pointer;
    const struct task *t = state->data->task;
    const struct set *set = &state->data->sets[number];
    int m = (int)t->m, n = (int)t->n, lda = (int)t->lda, ldc = (int)t->ldc;
    /* The second operand is not read; being the output itself it is a valid one. */
    if (t->type == TW_TYPE_f64) {
        const double one = 1, zero = 0;
        return check(cublas.dgeam(state->handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, set->in[0],
                                  lda, &zero, set->out, ldc, set->out, ldc),
                     "cublasDgeam", error);
    }
    const float one = 1, zero = 0;
    return check(cublas.sgeam(state->handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, set->in[0], lda,
                              &zero, set->out, ldc, set->out, ldc),
                 "cublasSgeam", error);
}

static void describe(const void *pointer, struct tw_text *text) {
    const struct state *state = pointer;
    int version = 0;
    if (cublas.version(state->handle, &version) == CUBLAS_STATUS_SUCCESS)
        tw_text_print(text, "cuBLAS %d", version);
}

const struct contender contender_cublas_gemm = {.name = "cuBLAS gemm",
                                                .create = create_product,
                                                .free = release,
                                                .call = gemm,
                                                .describe = describe};
const struct contender contender_cublas_syrk = {
    .name = "cuBLAS syrk", .create = create, .free = release, .call = syrk, .describe = describe};
const struct contender contender_cublas_syrk_mirror = {.name = "cuBLAS syrk+mirror",
                                                       .create = create_with_mirror,
                                                       .free = release,
                                                       .call = syrk_mirror,
                                                       .describe = describe};
const struct contender contender_cublas_geam = {
    .name = "cuBLAS geam", .create = create, .free = release, .call = geam, .describe = describe};
