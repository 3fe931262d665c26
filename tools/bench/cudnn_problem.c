#include "tools/bench/cudnn_problem.h"

#include <math.h>
#include <string.h>

#include "tuner/statistics/statistics.h"

enum { REPEATS = 5, SHORTER = 8, FINALISTS = 4 };

/* What takes longer than the fastest by so much in a short batch is not timed in a whole one, and
 * what does in a single call not even in a short one. */
static const double NEAR = 1.15, OUT_OF_SIGHT = 4;

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

/* ---- The fastest of several ways ---- */

static double time_batch(const struct dnn_race *race, int calls) {
    struct batch batch;
    return batch_time(race->data, race->call, race->state, calls, &batch, NULL) == TW_OK
               ? batch.seconds
               : INFINITY;
}

/* What a call takes at a first look, after one that pays for loading; infinite if it does not run.
 */
static double look_at(const struct dnn_race *race, int number, double fastest, int *calls) {
    race->enter(race->state, number);
    if (race->call(race->state, 0, NULL) != TW_OK || stage_settle(race->data->stage, NULL) != TW_OK)
        return INFINITY;
    const double once = time_batch(race, 1);
    if (isinf(once))
        return INFINITY;
    *calls = batch_calls(race->data, once);
    return once > OUT_OF_SIGHT * fastest ? once : time_batch(race, *calls / SHORTER + 1);
}

/* Of the last few: their times are taken in turn. */
static int time_finalists(const struct dnn_race *race, const int *numbers, int count,
                          const int *calls) {
    double times[FINALISTS][REPEATS], least = INFINITY;
    int best = -1;
    for (int r = 0; r < REPEATS; r++)
        for (int i = 0; i < count; i++) {
            race->enter(race->state, numbers[i]);
            times[i][r] = time_batch(race, calls[numbers[i]]);
        }
    for (int i = 0; i < count; i++) {
        statistics_sort(times[i], REPEATS);
        const double median = statistics_median(times[i], REPEATS);
        if (median < least) {
            least = median;
            best = numbers[i];
        }
    }
    return best;
}

int dnn_fastest(const struct dnn_race *race, int count, int *running) {
    double seconds[DNN_MOST_WAYS], fastest = INFINITY;
    int calls[DNN_MOST_WAYS] = {0}, finalists[FINALISTS + 1], finalist_count = 0;
    *running = 0;
    for (int i = 0; i < count; i++) {
        seconds[i] = look_at(race, i, fastest, &calls[i]);
        *running += !isinf(seconds[i]);
        fastest = fmin(fastest, seconds[i]);
    }
    for (int i = 0; i < count; i++) {
        if (isinf(seconds[i]) || seconds[i] > NEAR * fastest)
            continue;
        race->enter(race->state, i);
        seconds[i] = time_batch(race, calls[i]);
        int place = finalist_count;
        while (place > 0 && seconds[finalists[place - 1]] > seconds[i]) {
            finalists[place] = finalists[place - 1];
            place--;
        }
        finalists[place] = i;
        if (finalist_count < FINALISTS)
            finalist_count++;
    }
    return time_finalists(race, finalists, finalist_count, calls);
}
