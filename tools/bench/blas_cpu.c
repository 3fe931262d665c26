/* OpenBLAS, on copies of the sets in the host's memory. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/shared_object.h"
#include "tools/bench/kinds.h"

/* Of the C interface to the BLAS, whose integers are int in the usual build. */
enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112 };
enum { ALIGNMENT = 64 };

static struct {
    void (*sgemm)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                  const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
    void (*dgemm)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                  const double *a, int lda, const double *b, int ldb, double beta, double *c,
                  int ldc);
    char *(*config)(void);
} blas;
static tw_status blas_status;
static tw_error blas_error;
static pthread_once_t blas_once = PTHREAD_ONCE_INIT;

static void open_blas(void) {
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so", NULL};
    const struct tw_symbol symbols[] = {{"cblas_sgemm", &blas.sgemm},
                                        {"cblas_dgemm", &blas.dgemm},
                                        {"openblas_get_config", &blas.config}};
    blas_status = tw_shared_object_open(names, symbols, 3, &blas_error);
}

struct state {
    struct data *data;
    struct set *sets; /* in the host's memory */
};

static tw_status copy_in(const struct state *state, struct set *to, int s, tw_error *error) {
    const struct data *data = state->data;
    tw_status status = TW_OK;
    uint64_t room = (data->out.bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    to->out = aligned_alloc(ALIGNMENT, room);
    if (to->out == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    memset(to->out, 0xFF, data->out.bytes);
    for (int i = 0; i < data->in_count && status == TW_OK; i++) {
        room = (data->in[i].bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        to->in[i] = aligned_alloc(ALIGNMENT, room);
        if (to->in[i] == NULL)
            return tw_fail(error, TW_NO_MEMORY, "out of memory");
        status = tw_read(data->stage->library, data->stage->stream, to->in[i], data->sets[s].in[i],
                         data->in[i].bytes, error);
    }
    if (data->in_count == 1)
        to->in[1] = to->in[0];
    return status;
}

static tw_status create(void **out, struct data *data, tw_error *error) {
    *out = NULL;
    if (!data->stage->info.is_cpu)
        return tw_fail(error, TW_UNAVAILABLE, "runs on CPUs only");
    if (data->task->type != TW_TYPE_f32 && data->task->type != TW_TYPE_f64)
        return tw_fail(error, TW_UNAVAILABLE, "has no %s", tw_type_info(data->task->type)->word);
    if (!task_is_plain(data->task))
        return tw_fail(error, TW_UNAVAILABLE, "is compared for plain products only");
    pthread_once(&blas_once, open_blas);
    if (blas_status != TW_OK)
        return tw_fail(error, blas_status, "%s", blas_error.message);
    struct state *state = *out = calloc(1, sizeof *state);
    if (state == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    state->data = data;
    state->sets = calloc((size_t)data->set_count, sizeof *state->sets);
    if (state->sets == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = TW_OK;
    for (int s = 0; s < data->set_count && status == TW_OK; s++)
        status = copy_in(state, &state->sets[s], s, error);
    return status;
}

static void release(void *pointer) {
    struct state *state = pointer;
    if (state == NULL)
        return;
    for (int s = 0; state->sets != NULL && s < state->data->set_count; s++) {
        free(state->sets[s].out);
        for (int i = 0; i < state->data->in_count; i++)
            free(state->sets[s].in[i]);
    }
    free(state->sets);
    free(state);
}

static tw_status call(void *pointer, int number, tw_error *error) {
    (void)error;
    const struct state *state = pointer;
    const struct task *task = state->data->task;
    const struct set *set = &state->sets[number];
    int trans_a = task->transposed_a ? TRANSPOSE : NO_TRANSPOSE;
    int trans_b = task->transposed_b ? TRANSPOSE : NO_TRANSPOSE;
    if (task->type == TW_TYPE_f32)
        blas.sgemm(ROW_MAJOR, trans_a, trans_b, (int)task->m, (int)task->n, (int)task->k, 1,
                   set->in[0], (int)task->lda, set->in[1], (int)task->ldb, 0, set->out,
                   (int)task->ldc);
    else
        blas.dgemm(ROW_MAJOR, trans_a, trans_b, (int)task->m, (int)task->n, (int)task->k, 1,
                   set->in[0], (int)task->lda, set->in[1], (int)task->ldb, 0, set->out,
                   (int)task->ldc);
    return TW_OK;
}

static tw_status publish(void *pointer, tw_error *error) {
    const struct state *state = pointer;
    return tw_write(state->data->stage->library, state->data->sets[0].out, state->sets[0].out,
                    state->data->out.bytes, error);
}

static void describe(const void *state, struct tw_text *text) {
    (void)state;
    tw_text_print(text, "%s", blas.config());
}

const struct contender contender_openblas = {.name = "OpenBLAS",
                                             .create = create,
                                             .free = release,
                                             .call = call,
                                             .publish = publish,
                                             .describe = describe};
