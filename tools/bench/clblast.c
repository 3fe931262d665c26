/* CLBlast, on the stage's own queue. */
#define CL_TARGET_OPENCL_VERSION 120
#include <clblast_c.h>
#include <pthread.h>

#include "runtime/backend/shared_object.h"
#include "tools/bench/kinds.h"

#define FUNCTIONS(X)                                                                               \
    X(sgemm, CLBlastSgemm)                                                                         \
    X(dgemm, CLBlastDgemm)                                                                         \
    X(somatcopy, CLBlastSomatcopy)                                                                 \
    X(domatcopy, CLBlastDomatcopy)

static struct {
#define FIELD(field, function) __typeof__(function) *field;
    FUNCTIONS(FIELD)
#undef FIELD
} clblast;
static tw_status clblast_status;
static tw_error clblast_error;
static pthread_once_t clblast_once = PTHREAD_ONCE_INIT;

static void open_clblast(void) {
    static const char *const names[] = {"libclblast.so.1", "libclblast.so", NULL};
    const struct tw_symbol symbols[] = {
#define SYMBOL(field, function) {TW_SYMBOL_NAME(function), &clblast.field},
        FUNCTIONS(SYMBOL)
#undef SYMBOL
    };
    clblast_status =
        tw_shared_object_open(names, symbols, sizeof symbols / sizeof *symbols, &clblast_error);
}

static tw_status check(CLBlastStatusCode result, const char *what, tw_error *error) {
    return result == CLBlastSuccess ? TW_OK
                                    : tw_fail(error, TW_DEVICE, "%s: error %d", what, (int)result);
}

static tw_status create(void **state, struct data *data, tw_error *error) {
    *state = data;
    pthread_once(&clblast_once, open_clblast);
    if (clblast_status != TW_OK)
        return tw_fail(error, clblast_status, "%s", clblast_error.message);
    if (data->task->type != TW_TYPE_f32 && data->task->type != TW_TYPE_f64)
        return tw_fail(error, TW_UNAVAILABLE, "has no %s", tw_type_info(data->task->type)->word);
    if (!task_is_plain(data->task))
        return tw_fail(error, TW_UNAVAILABLE, "is compared for plain products only");
    return TW_OK;
}

static void keep(void *state) {
    (void)state;
}

static CLBlastTranspose operation(bool transposed) {
    return transposed ? CLBlastTransposeYes : CLBlastTransposeNo;
}

static tw_status gemm(void *pointer, int number, tw_error *error) {
    const struct data *data = pointer;
    const struct task *t = data->task;
    const struct set *set = &data->sets[number];
    cl_command_queue queue = data->stage->stream;
    CLBlastTranspose op_a = operation(t->transposed_a), op_b = operation(t->transposed_b);
    size_t m = (size_t)t->m, n = (size_t)t->n, k = (size_t)t->k;
    size_t lda = (size_t)t->lda, ldb = (size_t)t->ldb, ldc = (size_t)t->ldc;
    if (t->type == TW_TYPE_f64)
        return check(clblast.dgemm(CLBlastLayoutRowMajor, op_a, op_b, m, n, k, 1, set->in[0], 0,
                                   lda, set->in[1], 0, ldb, 0, set->out, 0, ldc, &queue, NULL),
                     "CLBlastDgemm", error);
    return check(clblast.sgemm(CLBlastLayoutRowMajor, op_a, op_b, m, n, k, 1, set->in[0], 0, lda,
                               set->in[1], 0, ldb, 0, set->out, 0, ldc, &queue, NULL),
                 "CLBlastSgemm", error);
}

static tw_status omatcopy(void *pointer, int number, tw_error *error) {
    const struct data *data = pointer;
    const struct task *t = data->task;
    const struct set *set = &data->sets[number];
    cl_command_queue queue = data->stage->stream;
    size_t m = (size_t)t->m, n = (size_t)t->n, lda = (size_t)t->lda, ldc = (size_t)t->ldc;
    if (t->type == TW_TYPE_f64)
        return check(clblast.domatcopy(CLBlastLayoutRowMajor, CLBlastTransposeYes, m, n, 1,
                                       set->in[0], 0, lda, set->out, 0, ldc, &queue, NULL),
                     "CLBlastDomatcopy", error);
    return check(clblast.somatcopy(CLBlastLayoutRowMajor, CLBlastTransposeYes, m, n, 1, set->in[0],
                                   0, lda, set->out, 0, ldc, &queue, NULL),
                 "CLBlastSomatcopy", error);
}

const struct contender contender_clblast_gemm = {
    .name = "CLBlast gemm", .create = create, .free = keep, .call = gemm};
const struct contender contender_clblast_omatcopy = {
    .name = "CLBlast omatcopy", .create = create, .free = keep, .call = omatcopy};
