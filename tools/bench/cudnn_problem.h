/* A convolution or a gradient of one as cuDNN has it, and what both ways to ask cuDNN for it share:
 * its calls by algorithm (cudnn.c) and its graphs (cudnn_engines.c). */
#ifndef TOOLS_BENCH_CUDNN_PROBLEM_H
#define TOOLS_BENCH_CUDNN_PROBLEM_H

#include <cudnn.h>

#include "runtime/backend/shared_object.h"
#include "tools/bench/batch.h"

enum dnn_pass { DNN_FORWARD, DNN_BACKWARD_DATA, DNN_BACKWARD_FILTER, DNN_PASSES };

struct dnn_problem {
    enum dnn_pass pass;
    enum tw_type type;
    bool tf32; /* f32 may be rounded */
    bool nhwc;
    cudnnDataType_t data, compute;
    /* As cuDNN orders dimensions: images, channels, rows, columns. Of a filter the channels are
     * those of its group. */
    int64_t input[4], filters[4], output[4];
    int64_t strides[2], padding[2], dilation[2];
    int64_t groups;
};

/* TW_UNAVAILABLE: the task has what is not compared, or a type that cuDNN does not convolve. */
tw_status dnn_problem(struct dnn_problem *out, const struct task *task, tw_error *error);

/* Opens cuDNN, and finds functions in it. */
tw_status dnn_open(const struct tw_symbol *symbols, size_t count, tw_error *error);

/* What a call of cuDNN returned, as ours. */
tw_status dnn_check(cudnnStatus_t result, const char *what, tw_error *error);

#define DNN_CHECK(call, what)                                                                      \
    do {                                                                                           \
        tw_status checked = dnn_check(call, what, error);                                          \
        if (checked != TW_OK)                                                                      \
            return checked;                                                                        \
    } while (0)

/* What any of its ways to do it may use. */
static const size_t DNN_WORKSPACE_BYTES = (size_t)1 << 30;

/* All ways of cuDNN to do one thing, of which the fastest is looked for. */
struct dnn_race {
    struct data *data;
    batch_call call;
    void *state;
    void (*enter)(void *state, int number); /* what calls do from then on */
};

enum { DNN_MOST_WAYS = 1024 };

/* The number of the fastest of `count` ways, or -1 if none runs, and how many do. A short batch of
 * each leaves those near the fastest, a whole one the few that are timed in several. */
int dnn_fastest(const struct dnn_race *race, int count, int *running);

#endif
