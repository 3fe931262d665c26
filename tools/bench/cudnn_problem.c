#include "tools/bench/cudnn_problem.h"

#include <string.h>

#include "tuner/statistics/statistics.h"

enum { REPEATS = 5, SHORTER = 8 };

/* What takes longer than the fastest so far by this much in a short batch is not timed in whole
 * ones. */
static const double FAR_BEHIND = 1.25;

static const char *const kernels[DNN_PASSES] = {"conv2d", "conv2d_backward_data",
                                                "conv2d_backward_weights"};

static const struct {
    enum tw_type type;
    cudnnDataType_t data, compute;
} types[] = {
    {TW_TYPE_f32, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT},
    {TW_TYPE_f64, CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE},
    {TW_TYPE_f16, CUDNN_DATA_HALF, CUDNN_DATA_FLOAT},
    {TW_TYPE_bf16, CUDNN_DATA_BFLOAT16, CUDNN_DATA_FLOAT},
};

static tw_status take_types(struct dnn_problem *p, const struct task *task, tw_error *error) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == task->type) {
            p->type = task->type;
            p->tf32 = strcmp(task_word(task, "compute"), "tf32") == 0;
            p->data = types[i].data;
            p->compute = types[i].compute;
            return TW_OK;
        }
    return tw_fail(error, TW_UNAVAILABLE, "has no such type of convolution");
}

tw_status dnn_problem(struct dnn_problem *p, const struct task *task, tw_error *error) {
    const int64_t *sizes = task->problem.dimensions;
    *p = (struct dnn_problem){.pass = DNN_FORWARD};
    while (strcmp(kernels[p->pass], task->description->kernel) != 0)
        p->pass++;
    if (p->pass == DNN_FORWARD && (strcmp(task_word(task, "bias"), "none") != 0 ||
                                   strcmp(task_word(task, "activation"), "none") != 0))
        return tw_fail(error, TW_UNAVAILABLE, "is compared without a bias and an activation only");
    tw_status status = take_types(p, task, error);
    if (status != TW_OK)
        return status;
    p->nhwc = strcmp(task_word(task, "layout"), "nhwc") == 0;
    p->groups = task_number(task, "groups", 1);
    p->strides[0] = task_number(task, "stride_h", 1),
    p->strides[1] = task_number(task, "stride_w", 1);
    p->padding[0] = task_number(task, "pad_h", 0), p->padding[1] = task_number(task, "pad_w", 0);
    p->dilation[0] = task_number(task, "dilation_h", 1);
    p->dilation[1] = task_number(task, "dilation_w", 1);
    memcpy(p->input, sizes, sizeof p->input);
    p->filters[0] = sizes[4], p->filters[1] = sizes[1] / p->groups;
    p->output[0] = sizes[0], p->output[1] = sizes[4];
    for (int i = 0; i < 2; i++) {
        p->filters[2 + i] = sizes[5 + i];
        p->output[2 + i] =
            (p->input[2 + i] + 2 * p->padding[i] - p->dilation[i] * (p->filters[2 + i] - 1) - 1) /
                p->strides[i] +
            1;
    }
    return TW_OK;
}

static __typeof__(cudnnGetErrorString) *name_of;

tw_status dnn_open(const struct tw_symbol *symbols, size_t count, tw_error *error) {
    static const char *const names[] = {"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so",
                                        "/usr/local/cuda/lib64/libcudnn.so", NULL};
    const struct tw_symbol own = {TW_SYMBOL_NAME(cudnnGetErrorString), &name_of};
    tw_status status = tw_shared_object_open(names, &own, 1, error);
    return status == TW_OK ? tw_shared_object_open(names, symbols, count, error) : status;
}

tw_status dnn_check(cudnnStatus_t result, const char *what, tw_error *error) {
    return result == CUDNN_STATUS_SUCCESS
               ? TW_OK
               : tw_fail(error, TW_DEVICE, "%s: %s", what, name_of(result));
}

/* Batches, after a call that pays for loading and one that tells how long a batch must be. */
bool dnn_time(struct data *data, batch_call call, void *state, double fastest, double *seconds) {
    struct batch once, batch;
    double times[REPEATS];
    if (call(state, 0, NULL) != TW_OK || stage_settle(data->stage, NULL) != TW_OK ||
        batch_time(data, call, state, 1, &once, NULL) != TW_OK)
        return false;
    const int calls = batch_calls(data, once.seconds);
    if (batch_time(data, call, state, calls / SHORTER + 1, &batch, NULL) != TW_OK)
        return false;
    *seconds = batch.seconds;
    if (batch.seconds > FAR_BEHIND * fastest)
        return true;
    for (int i = 0; i < REPEATS; i++) {
        if (batch_time(data, call, state, calls, &batch, NULL) != TW_OK)
            return false;
        times[i] = batch.seconds;
    }
    statistics_sort(times, REPEATS);
    *seconds = statistics_median(times, REPEATS);
    return true;
}
