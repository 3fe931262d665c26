/* tw_gemm_grouped. */
#include <inttypes.h>
#include <stdio.h>

#include "runtime/library/calls.h"
#include "runtime/library/product.h"
#include "runtime/library/request.h"
#include "runtime/library/sized.h"

static tw_status check_rows(const tw_gemm_grouped_descriptor *d, tw_error *error) {
    int64_t rows = 0;
    for (int64_t g = 0; g < d->groups; g++) {
        if (d->group_rows[g] < 0 || d->group_rows[g] > d->m)
            return tw_fail(error, TW_INVALID,
                           "gemm_grouped: group %" PRId64 " has %" PRId64
                           " rows; it must have from 0 to m, which is %" PRId64,
                           g, d->group_rows[g], d->m);
        rows += d->group_rows[g];
    }
    return rows == d->m
               ? TW_OK
               : tw_fail(error, TW_INVALID,
                         "gemm_grouped: the groups have %" PRId64 " rows in all, but m is %" PRId64,
                         rows, d->m);
}

static tw_status check(const tw_gemm_grouped_descriptor *d, tw_error *error) {
    if ((unsigned)d->transposes > TW_TT)
        return tw_fail(error, TW_INVALID,
                       "gemm_grouped: transposes is %d, which is none of tw_transposes",
                       (int)d->transposes);
    if ((unsigned)d->activation > TW_ACTIVATION_SILU)
        return tw_fail(error, TW_INVALID,
                       "gemm_grouped: activation is %d, which is none of tw_activation",
                       (int)d->activation);
    if (d->groups < 1)
        return tw_fail(error, TW_INVALID,
                       "gemm_grouped: groups is %" PRId64 "; it must be at least 1", d->groups);
    tw_status status = tw_call_size("gemm_grouped", "m", d->m, error);
    if (status == TW_OK)
        status = tw_call_size("gemm_grouped", "n", d->n, error);
    if (status == TW_OK)
        status = tw_call_size("gemm_grouped", "k", d->k, error);
    return status == TW_OK && d->group_rows != NULL ? check_rows(d, error) : status;
}

static tw_status describe(tw_library *library, const tw_gemm_grouped_descriptor *d,
                          struct tw_problem *problem, tw_error *error) {
    const struct tw_description *description;
    const char *file;
    char count[24];
    tw_status status =
        tw_descriptions_find(library->descriptions, "gemm_grouped", &description, &file, error);
    if (status != TW_OK)
        return status;
    *problem = (struct tw_problem){.description = description, .dimensions = {d->m, d->n, d->k}};
    for (int i = 0; i < description->attribute_count; i++)
        problem->words[i] = description->attributes[i].default_word;
    snprintf(count, sizeof count, "%" PRId64, d->groups);
    status = tw_problem_set(problem, "groups", count, error);
    if (status == TW_OK)
        status = tw_problem_set(problem, "trans", tw_product_transposes[d->transposes], error);
    if (status == TW_OK)
        status = tw_product_set_types(problem, d->a_type, d->b_type, d->c_type, error);
    if (status == TW_OK && d->bias != NULL)
        status = tw_problem_set(problem, "bias", "column", error);
    return status == TW_OK
               ? tw_problem_set(problem, "activation", tw_product_activations[d->activation], error)
               : status;
}

static tw_status run(tw_library *library, void *stream, const tw_gemm_grouped_descriptor *d,
                     const void *a, const void *b, const void *ends, void *c, tw_error *error) {
    char attributes[TW_PROBLEM_KEY_SIZE];
    struct tw_problem problem;
    tw_status status = tw_library_given(library, error);
    if (status == TW_OK)
        status = check(d, error);
    if (status != TW_OK || d->m == 0 || d->n == 0)
        return status;
    if (d->k == 0)
        return tw_fail(error, TW_UNAVAILABLE,
                       "gemm_grouped: k is 0, and no kernel has groups of products over nothing");
    status = describe(library, d, &problem, error);
    if (status != TW_OK)
        return status;
    tw_request_attributes(&problem, attributes);
    tw_request request = {.kernel = "gemm_grouped",
                          .attributes = attributes,
                          .dimensions = {d->m, d->n, d->k},
                          .strides = {d->lda, d->ldb, d->ldc, d->stride_b}};
    const tw_binding bindings[] = {{.name = "A", .buffer = (void *)a},
                                   {.name = "B", .buffer = (void *)b},
                                   {.name = "C", .buffer = c},
                                   {.name = "ends", .buffer = (void *)ends},
                                   {.name = "alpha", .number = d->alpha},
                                   {.name = "beta", .number = d->beta},
                                   {.name = "biases", .buffer = (void *)d->bias}};
    return tw_call_run(library, stream, &request, bindings, d->bias != NULL ? 7 : 6, error);
}

tw_status tw_gemm_grouped(tw_library *library, void *stream,
                          const tw_gemm_grouped_descriptor *descriptor, const void *a,
                          const void *b, const void *ends, void *c, tw_error *error) {
    tw_gemm_grouped_descriptor read;
    tw_status status = tw_sized_read(&tw_sized_gemm_grouped, &read, descriptor, error);
    return status == TW_OK ? run(library, stream, &read, a, b, ends, c, error) : status;
}
