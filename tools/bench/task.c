#include "tools/bench/task.h"

#include <stdio.h>
#include <string.h>

#include "runtime/backend/devices.h"

const char *task_word(const struct task *task, const char *attribute) {
    const struct tw_description *d = task->problem.description;
    for (int i = 0; i < d->attribute_count; i++)
        if (strcmp(d->attributes[i].name, attribute) == 0)
            return d->symbols.words[task->problem.words[i]];
    return "";
}

int64_t task_number(const struct task *task, const char *attribute, int64_t otherwise) {
    const struct tw_description *d = task->problem.description;
    for (int i = 0; i < d->attribute_count; i++)
        if (strcmp(d->attributes[i].name, attribute) == 0)
            return task->problem.words[i];
    return otherwise;
}

/* The attribute's number among the words that the enums of task.h list in this order. */
static int choice(const struct task *task, const char *attribute, const char *const *words) {
    const char *word = task_word(task, attribute);
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return 0;
}

static void take_epilogue(struct task *task) {
    static const char *const biases[] = {"none", "row", "column", NULL};
    static const char *const activations[] = {"none", "relu", "gelu", "gelu_tanh", "silu", NULL};
    static const char *const scales[] = {"none", "tensor", "rows", "blocks", NULL};
    task->scales = (enum task_scales)choice(task, "scales", scales);
    task->apart = strcmp(task_word(task, "addend"), "apart") == 0;
    task->bias = (enum task_bias)choice(task, "bias", biases);
    task->activation = (enum task_activation)choice(task, "activation", activations);
}

static bool has_device_scalars(const struct task *task) {
    const char *scalars = task_word(task, "scalars");
    return (scalars[0] != '\0' && strcmp(scalars, "host") != 0) ||
           strcmp(task_word(task, "addend_scale"), "tensor") == 0;
}

bool task_is_plain(const struct task *task) {
    return task->batch == 1 && task->groups == 0 && !task->apart && task->bias == TASK_BIAS_NONE &&
           task->activation == TASK_ACTIVATION_NONE && task->scales == TASK_SCALES_NONE;
}

static tw_status take_numbers(struct task *task, const char *kernel, tw_error *error) {
    const int64_t *sizes = task->problem.dimensions;
    bool aat = strcmp(kernel, "aat") == 0;
    if (has_device_scalars(task))
        return tw_fail(error, TW_INVALID,
                       "%s: contenders are given alpha and beta in host memory only; leave "
                       "scalars and addend_scale out",
                       task->key);
    task->type = tw_problem_type(&task->problem, 0);
    task->is_product = aat || strcmp(kernel, "gemm") == 0 || strcmp(kernel, "gemm_grouped") == 0;
    task->m = sizes[0];
    task->batch = 1;
    if (task->is_product) {
        const char *trans = aat ? "nt" : task_word(task, "trans");
        task->n = aat ? sizes[0] : sizes[1];
        task->k = aat ? sizes[1] : sizes[2];
        task->transposed_a = trans[0] == 't';
        task->transposed_b = trans[1] == 't';
        task->lda = task->transposed_a ? task->m : task->k;
        task->ldb = task->transposed_b ? task->k : task->n;
        task->ldc = task->n;
        task->batch = task_number(task, "batch", 1);
        task->groups = task_number(task, "groups", 0);
        take_epilogue(task);
        return TW_OK;
    }
    if (strcmp(kernel, "conv2d") == 0 || strcmp(kernel, "conv2d_backward_data") == 0 ||
        strcmp(kernel, "conv2d_backward_weights") == 0)
        return TW_OK; /* who computes it asks the problem */
    bool transpose = strcmp(kernel, "transpose") == 0;
    if (!transpose && strcmp(kernel, "copy") != 0)
        return tw_fail(error, TW_INVALID,
                       "nothing to compare %s with; there are gemm, gemm_grouped, aat, "
                       "conv2d, conv2d_backward_data, conv2d_backward_weights, transpose, copy",
                       kernel);
    task->n = sizes[1];
    task->lda = task->n;
    task->ldc = transpose ? task->m : task->n;
    return TW_OK;
}

static tw_status choose(struct task *task, const char *attribute, tw_error *error) {
    char name[64];
    const char *equals = strchr(attribute, '=');
    snprintf(name, sizeof name, "%.*s", (int)(equals - attribute), attribute);
    return tw_problem_set(&task->problem, name, equals + 1, error);
}

tw_status task_create(struct task *task, const struct tw_device_info *device, const char *kernel,
                      const char *shape, char *const *attributes, int attribute_count,
                      tw_error *error) {
    *task = (struct task){0};
    tw_status status = tw_description_builtin(&task->description, kernel, error);
    if (status == TW_OK)
        status = tw_problem_parse(&task->problem, task->description, shape, error);
    for (int i = 0; i < attribute_count && status == TW_OK; i++)
        status = choose(task, attributes[i], error);
    if (status == TW_OK)
        tw_problem_settle_types(&task->problem);
    int64_t device_values[TW_DEVICE_SLOTS];
    tw_device_values(device, device_values);
    if (status == TW_OK)
        status = tw_problem_bind(&task->problem, device_values, NULL, task->values, error);
    if (status == TW_OK)
        status = tw_problem_work(&task->problem, task->values, &task->work, error);
    if (status != TW_OK)
        return status;
    tw_problem_text(&task->problem, task->key);
    return take_numbers(task, kernel, error);
}

void task_free(struct task *task) {
    tw_description_free(task->description);
    *task = (struct task){0};
}

const char *task_attributes(const struct task *task) {
    const char *semicolon = strchr(task->key, ';');
    return semicolon != NULL ? semicolon + 1 : NULL;
}
