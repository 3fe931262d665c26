/* What names stand for in a problem: its sizes, words, lets and strides. */
#include <inttypes.h>
#include <string.h>

#include "runtime/description/problem_parts.h"

const char *tw_problem_refusal(const struct tw_problem *problem) {
    const struct tw_description *d = problem->description;
    int64_t values[TW_MAX_SYMBOLS] = {0};
    for (int i = 0; i < d->dimension_count; i++)
        values[d->dimensions[i].slot] = problem->dimensions[i];
    for (int i = 0; i < d->attribute_count; i++)
        values[d->attributes[i].slot] = problem->words[i];
    for (int i = 0; i < d->refusal_count; i++) {
        int64_t refused = 1;
        tw_expression_evaluate(d->refusals[i].when, values, &refused);
        if (refused != 0)
            return d->refusals[i].because;
    }
    return NULL;
}

static tw_status check_presence(const struct tw_problem *problem, int argument,
                                const int64_t *values, bool *there, struct tw_error *error) {
    const struct tw_argument *a = &problem->description->arguments[argument];
    int64_t number = 1;
    tw_status status = a->when == NULL ? TW_OK
                                       : tw_problem_evaluate(problem, "when of", a->name, a->when,
                                                             values, &number, error);
    *there = number != 0;
    return status;
}

static bool is_there(const struct tw_argument *a, const int64_t *values) {
    int64_t there = 1;
    return a->when == NULL ||
           (tw_expression_evaluate(a->when, values, &there) == TW_EVALUATED && there != 0);
}

bool tw_problem_has(const struct tw_problem *problem, int argument, const int64_t *values) {
    const struct tw_argument *a = &problem->description->arguments[argument];
    return a->kind == TW_ARGUMENT_BUFFER && is_there(a, values);
}

bool tw_problem_passes(const struct tw_problem *problem, const struct tw_passed *passed,
                       const int64_t *values) {
    return !passed->optional || is_there(&problem->description->arguments[passed->index], values);
}

int64_t tw_problem_stride(const struct tw_problem *problem, int argument, const int64_t *values) {
    const struct tw_argument *a = &problem->description->arguments[argument];
    int64_t stride = 0;
    if (a->kind != TW_ARGUMENT_STRIDE || !is_there(a, values) ||
        tw_expression_evaluate(a->default_stride, values, &stride) != TW_EVALUATED)
        return 0;
    return stride;
}

static tw_status check_stride(const struct tw_problem *problem, int buffer, const int64_t *values,
                              struct tw_error *error) {
    const struct tw_argument *a = &problem->description->arguments[buffer];
    if (a->kind != TW_ARGUMENT_BUFFER || a->stride < 0)
        return TW_OK;
    const struct tw_argument *stride = &problem->description->arguments[a->stride];
    int64_t columns;
    tw_status status = tw_problem_evaluate(problem, "the columns of", a->name, a->columns, values,
                                           &columns, error);
    if (status == TW_OK && values[stride->slot] < columns)
        status = tw_fail(error, TW_INVALID,
                         "%s is %" PRId64 " but the rows of %s have %" PRId64 " elements",
                         stride->name, values[stride->slot], a->name, columns);
    if (status == TW_OK && values[stride->slot] > INT32_MAX)
        status = tw_fail(error, TW_INVALID, "%s must be below 2^31", stride->name);
    return status;
}

/* Layers must not overlap, and their stride is passed as an int. */
static tw_status check_layers(const struct tw_problem *problem, int buffer, const int64_t *values,
                              struct tw_error *error) {
    const struct tw_argument *a = &problem->description->arguments[buffer];
    struct tw_extent extent;
    if (a->layers == NULL)
        return TW_OK;
    tw_status status = tw_problem_extent(problem, buffer, values, &extent, error);
    if (status != TW_OK || extent.layers == 1)
        return status;
    const char *name = problem->description->arguments[a->layer_stride].name;
    const int64_t least = (extent.rows - 1) * extent.stride + extent.columns;
    if (extent.layer_stride < least)
        return tw_fail(error, TW_INVALID,
                       "%s is %" PRId64 " but each of the %" PRId64 " matrices of %s takes %" PRId64
                       " elements",
                       name, extent.layer_stride, extent.layers, a->name, least);
    if (extent.layer_stride > INT32_MAX)
        return tw_fail(error, TW_INVALID, "%s must be below 2^31", name);
    return TW_OK;
}

static tw_status bind_stride(const struct tw_problem *problem, int argument, int64_t given,
                             int64_t *values, struct tw_error *error) {
    const struct tw_argument *a = &problem->description->arguments[argument];
    if (given == 0)
        return tw_problem_evaluate(problem, "the default of", a->name, a->default_stride, values,
                                   &values[a->slot], error);
    if (!is_there(a, values))
        return tw_fail(error, TW_INVALID, "this problem of %s has no stride %s",
                       problem->description->kernel, a->name);
    values[a->slot] = given;
    return TW_OK;
}

tw_status tw_problem_bind(const struct tw_problem *problem, const int64_t *device,
                          const int64_t *strides, int64_t values[TW_MAX_SYMBOLS],
                          struct tw_error *error) {
    const struct tw_description *d = problem->description;
    const char *refusal = tw_problem_refusal(problem);
    if (refusal != NULL) {
        char text[TW_PROBLEM_KEY_SIZE];
        tw_problem_text(problem, text);
        return tw_fail(error, TW_INVALID, "%s %s: %s", d->kernel, text, refusal);
    }
    memset(values, 0, TW_MAX_SYMBOLS * sizeof *values);
    memcpy(values, device, TW_DEVICE_SLOTS * sizeof *values);
    values[TW_SLOT_ALIGNMENT] = problem->alignment > 0 ? problem->alignment : TW_FULL_ALIGNMENT;
    for (int i = 0; i < d->dimension_count; i++)
        values[d->dimensions[i].slot] = problem->dimensions[i];
    for (int i = 0; i < d->attribute_count; i++)
        values[d->attributes[i].slot] = problem->words[i];
    for (int i = 0; i < d->let_count; i++) {
        tw_status status =
            tw_problem_evaluate(problem, "let", d->lets[i].name, d->lets[i].expression, values,
                                &values[d->lets[i].slot], error);
        if (status != TW_OK)
            return status;
    }
    for (int i = 0; i < d->argument_count; i++) {
        const struct tw_argument *a = &d->arguments[i];
        if (a->kind != TW_ARGUMENT_STRIDE)
            continue;
        bool there;
        tw_status status = check_presence(problem, i, values, &there, error);
        if (status == TW_OK)
            status = bind_stride(problem, i, strides != NULL ? strides[i] : 0, values, error);
        if (status != TW_OK)
            return status;
    }
    for (int i = 0; i < d->argument_count; i++) {
        bool there;
        tw_status status = check_presence(problem, i, values, &there, error);
        if (status != TW_OK)
            return status;
        if (!there || d->arguments[i].kind != TW_ARGUMENT_BUFFER)
            continue;
        status = check_stride(problem, i, values, error);
        if (status == TW_OK)
            status = check_layers(problem, i, values, error);
        if (status != TW_OK)
            return status;
    }
    return TW_OK;
}
