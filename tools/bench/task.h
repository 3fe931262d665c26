/* What the contenders are to do: a problem of a built-in kernel, with its numbers at hand. */
#ifndef TOOLS_BENCH_TASK_H
#define TOOLS_BENCH_TASK_H

#include "runtime/backend/backend.h"
#include "runtime/description/problem.h"

struct task {
    struct tw_description *description;
    struct tw_problem problem;
    int64_t values[TW_MAX_SYMBOLS];
    char key[TW_PROBLEM_KEY_SIZE];
    enum tw_type type;
    struct tw_work work;
    /* A product has op(A) m x k and op(B) k x n. A*A^T is one with B = A, transposed, so that a
     * library's matrix product can do both. A transposition or copy has A m x n, and k is 0. A
     * convolution has none of these numbers: its problem says it all. */
    bool is_product;
    int64_t m, n, k;
    bool transposed_a, transposed_b;
    int64_t lda, ldb, ldc; /* rows lie one after the other; ldc is that of the output */
    int64_t batch;         /* products of these sizes, their matrices one after the other */
    int64_t groups;        /* not 0: the rows of A are in so many, each with a B of its own */
    /* What else a product does: nothing but for gemm. */
    bool apart; /* adds E; nothing is added otherwise */
    enum task_bias { TASK_BIAS_NONE, TASK_BIAS_ROW, TASK_BIAS_COLUMN } bias;
    enum task_activation {
        TASK_ACTIVATION_NONE,
        TASK_ACTIVATION_RELU,
        TASK_ACTIVATION_GELU,
        TASK_ACTIVATION_GELU_TANH,
        TASK_ACTIVATION_SILU
    } activation;
    enum task_scales {
        TASK_SCALES_NONE,
        TASK_SCALES_TENSOR,
        TASK_SCALES_ROWS,
        TASK_SCALES_BLOCKS
    } scales;
};

/* `attributes` are NAME=WORD. Free with task_free also after a failure. */
tw_status task_create(struct task *task, const struct tw_device_info *device, const char *kernel,
                      const char *shape, char *const *attributes, int attribute_count,
                      tw_error *error);
void task_free(struct task *task);

/* The word that the problem has for an attribute; "" where its kernel has no such attribute. */
const char *task_word(const struct task *task, const char *attribute);
/* What an attribute that is a number is; `otherwise` where the kernel has none. */
int64_t task_number(const struct task *task, const char *attribute, int64_t otherwise);
/* Whether it is a product alone, with no epilogue and of one pair of matrices. */
bool task_is_plain(const struct task *task);
/* "dtype=f32,trans=nn", as tw_request takes it. */
const char *task_attributes(const struct task *task);

#endif
