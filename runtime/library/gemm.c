/* tw_gemm and its descriptor. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/library/calls.h"
#include "runtime/library/plan_create.h"
#include "runtime/library/product.h"
#include "runtime/library/request.h"
#include "runtime/library/sized.h"

/* ---- What is wrong ---- */

static tw_status refuse(const tw_gemm_descriptor *d, tw_error *error) {
    if ((unsigned)d->transposes > TW_TT)
        return tw_fail(error, TW_INVALID, "gemm: transposes is %d, which is none of tw_transposes",
                       (int)d->transposes);
    if ((unsigned)d->activation > TW_ACTIVATION_SILU)
        return tw_fail(error, TW_INVALID, "gemm: activation is %d, which is none of tw_activation",
                       (int)d->activation);
    if ((unsigned)d->bias_along > TW_BIAS_ROWS)
        return tw_fail(error, TW_INVALID, "gemm: bias_along is %d, which is none of tw_bias_along",
                       (int)d->bias_along);
    if ((unsigned)d->scaling > TW_SCALING_BLOCKS)
        return tw_fail(error, TW_INVALID, "gemm: scaling is %d, which is none of tw_scaling",
                       (int)d->scaling);
    if ((d->a_scale == NULL) != (d->b_scale == NULL))
        return tw_fail(error, TW_INVALID,
                       "gemm: %s is missing; give a_scale and b_scale, or neither",
                       d->a_scale == NULL ? "a_scale" : "b_scale");
    if (d->scaling != TW_SCALING_TENSOR && d->a_scale == NULL)
        return tw_fail(error, TW_INVALID,
                       "gemm: scaling is set, but a_scale and b_scale are missing");
    tw_status status = tw_call_size("gemm", "m", d->m, error);
    if (status == TW_OK)
        status = tw_call_size("gemm", "n", d->n, error);
    if (status == TW_OK)
        status = tw_call_size("gemm", "k", d->k, error);
    return status == TW_OK ? tw_call_size("gemm", "batch_count", d->batch_count, error) : status;
}

/* All at once, for each call pays for it; which it is, is asked when there is something. */
static bool is_right(const tw_gemm_descriptor *d) {
    const int64_t sizes = d->m | d->n | d->k | d->batch_count;
    const bool scales = d->a_scale == NULL ? d->b_scale == NULL && d->scaling == TW_SCALING_TENSOR
                                           : d->b_scale != NULL;
    return sizes >= 0 && scales && (unsigned)d->scaling <= TW_SCALING_BLOCKS &&
           (unsigned)d->activation <= TW_ACTIVATION_SILU &&
           (unsigned)d->bias_along <= TW_BIAS_ROWS && (unsigned)d->transposes <= TW_TT;
}

static bool is_batch(const tw_gemm_descriptor *d) {
    return d->batch_count > 1;
}

/* ---- Key ---- */

/* The first eight characters of a word as a number, 0 for none; false when it has more, or is
 * empty, which is no word. */
static bool pack_word(const char *word, uint64_t *out) {
    uint64_t packed = 0;
    int i = 0;
    for (; word != NULL && i < 8 && word[i] != '\0'; i++)
        packed = packed << 8 | (unsigned char)word[i];
    *out = packed;
    return word == NULL || (packed != 0 && (i < 8 || word[i] == '\0'));
}

/* Of up to 16 characters, in two numbers. */
static bool pack_long_word(const char *word, uint64_t *first, uint64_t *second) {
    *second = 0;
    return pack_word(word, first) || pack_word(word + 8, second);
}

/* Numbers only, so that nothing is compared as text where a plan is found. False when no plan has
 * such a key. */
static bool make_key(const tw_gemm_descriptor *d, int64_t alignment, struct tw_plan_key *key) {
    const uint64_t options = (uint64_t)(d->bias != NULL) << 16 | (uint64_t)d->bias_along << 17 |
                             (uint64_t)d->activation << 20 | (uint64_t)(d->e != NULL) << 24 |
                             (uint64_t)(d->a_scale != NULL) << 25 | (uint64_t)d->scaling << 26 |
                             (uint64_t)(d->device_alpha != NULL) << 28 |
                             (uint64_t)(d->device_beta != NULL) << 29 |
                             (uint64_t)(d->c_scale != NULL) << 30;
    uint64_t beyond = 0;
    *key = (struct tw_plan_key){.words = {tw_plan_key_pack(d->m, d->n, &beyond),
                                          tw_plan_key_pack(d->k, d->lda, &beyond),
                                          tw_plan_key_pack(d->ldb, d->ldc, &beyond), 0,
                                          (uint64_t)alignment << 8 | d->transposes | options}};
    key->words[8] = tw_plan_key_pack(is_batch(d) ? d->batch_count : 0, d->batch_stride_a, &beyond);
    key->words[9] = tw_plan_key_pack(d->batch_stride_b, d->batch_stride_c, &beyond);
    key->words[10] = tw_plan_key_pack(d->lde, d->batch_stride_e, &beyond);
    bool words = pack_word(d->a_type, &key->words[3]) && pack_word(d->b_type, &key->words[5]) &&
                 pack_word(d->c_type, &key->words[6]) &&
                 pack_long_word(d->compute_type, &key->words[7], &key->words[11]);
    tw_plan_key_mark(key);
    return words && beyond == 0;
}

/* ---- Request ---- */

/* Whether the kernel may compute in this type when asked to: a word of its attribute "compute". */
static bool has_compute_word(const struct tw_description *d, const char *word) {
    for (int i = 0; i < d->attribute_count; i++)
        for (int j = 0; j < d->attributes[i].word_count; j++)
            if (strcmp(d->attributes[i].name, "compute") == 0 &&
                strcmp(d->symbols.words[d->attributes[i].words[j]], word) == 0)
                return true;
    return false;
}

/* Sums are whole numbers where the result is, and otherwise of the type of the scalars, unless
 * another is asked for. */
static tw_status set_compute_type(struct tw_problem *problem, const char *word, tw_error *error) {
    const struct tw_description *d = problem->description;
    const struct tw_argument *sums = tw_product_argument(d, "C");
    if (word == NULL)
        return TW_OK;
    if (sums == NULL ||
        tw_type_info(tw_problem_type(problem, (int)(sums - d->arguments)))->floating)
        sums = tw_product_argument(d, "alpha");
    const char *usual = sums != NULL ? tw_product_type(problem, sums) : "what they are";
    if (strcmp(usual, word) == 0)
        return TW_OK;
    if (has_compute_word(d, word))
        return tw_problem_set(problem, "compute", word, error);
    return tw_fail(error, TW_INVALID,
                   "compute_type is \"%.40s\", but %s of these types computes in %s", word,
                   d->kernel, usual);
}

/* Which factors are in device memory. */
static tw_status set_scalars(struct tw_problem *problem, const tw_gemm_descriptor *d,
                             tw_error *error) {
    const char *word = d->device_alpha == NULL  ? "beta"
                       : d->device_beta == NULL ? "alpha"
                                                : "device";
    tw_status status = TW_OK;
    if (d->device_alpha != NULL || d->device_beta != NULL)
        status = tw_problem_set(problem, "scalars", word, error);
    return status == TW_OK && d->c_scale != NULL
               ? tw_problem_set(problem, "addend_scale", "tensor", error)
               : status;
}

/* What the kernel is asked for beyond the product. */
static tw_status set_epilogue(struct tw_problem *problem, const tw_gemm_descriptor *d,
                              tw_error *error) {
    static const char *const along[] = {"column", "row"};
    static const char *const scales[] = {"tensor", "rows", "blocks"};
    char count[24];
    tw_status status = TW_OK;
    snprintf(count, sizeof count, "%" PRId64, d->batch_count);
    if (is_batch(d))
        status = tw_problem_set(problem, "batch", count, error);
    if (status == TW_OK && d->bias != NULL)
        status = tw_problem_set(problem, "bias", along[d->bias_along], error);
    if (status == TW_OK && d->activation != TW_ACTIVATION_NONE)
        status =
            tw_problem_set(problem, "activation", tw_product_activations[d->activation], error);
    if (status == TW_OK && d->a_scale != NULL)
        status = tw_problem_set(problem, "scales", scales[d->scaling], error);
    if (status == TW_OK && d->e != NULL)
        status = tw_problem_set(problem, "addend", "apart", error);
    return status == TW_OK ? set_scalars(problem, d, error) : status;
}

static tw_status describe_problem(tw_library *library, const tw_gemm_descriptor *d,
                                  struct tw_problem *problem, tw_error *error) {
    const struct tw_description *description;
    const char *file;
    tw_status status =
        tw_descriptions_find(library->descriptions, "gemm", &description, &file, error);
    if (status != TW_OK)
        return status;
    *problem = (struct tw_problem){.description = description, .dimensions = {d->m, d->n, d->k}};
    for (int i = 0; i < description->attribute_count; i++)
        problem->words[i] = description->attributes[i].default_word;
    status = tw_problem_set(problem, "trans", tw_product_transposes[d->transposes], error);
    if (status == TW_OK)
        status = tw_product_set_types(problem, d->a_type, d->b_type, d->c_type, error);
    if (status == TW_OK)
        status = set_compute_type(problem, d->compute_type, error);
    return status == TW_OK ? set_epilogue(problem, d, error) : status;
}

static tw_status write_request(tw_library *library, const tw_gemm_descriptor *d,
                               tw_request *request, char attributes[TW_PROBLEM_KEY_SIZE],
                               tw_error *error) {
    struct tw_problem problem;
    tw_status status = describe_problem(library, d, &problem, error);
    if (status != TW_OK)
        return status;
    tw_request_attributes(&problem, attributes);
    *request = (tw_request){.kernel = "gemm",
                            .attributes = attributes,
                            .dimensions = {d->m, d->n, d->k},
                            .strides = {d->lda, d->ldb, d->ldc}};
    if (is_batch(d)) {
        request->strides[3] = d->batch_stride_a;
        request->strides[4] = d->batch_stride_b;
        request->strides[5] = d->batch_stride_c;
    }
    request->strides[6] = d->lde; /* which a problem without E refuses */
    if (is_batch(d))
        request->strides[7] = d->batch_stride_e;
    return TW_OK;
}

/* ---- Calling ---- */

static tw_status find_plan(tw_library *library, const tw_gemm_descriptor *d, int64_t alignment,
                           const struct tw_plan_key *key, const tw_plan **plan, tw_error *error) {
    char attributes[TW_PROBLEM_KEY_SIZE];
    tw_request request;
    tw_status status = write_request(library, d, &request, attributes, error);
    if (status != TW_OK)
        return status;
    request.alignment = alignment;
    return tw_plan_create_missing(library, key, &request, !library->prepared_only, plan, error);
}

static tw_status multiply(tw_library *library, void *stream, const tw_gemm_descriptor *d,
                          const void *a, const void *b, void *c, tw_error *error) {
    tw_binding bindings[12] = {{.name = "A", .buffer = (void *)a},
                               {.name = "B", .buffer = (void *)b},
                               {.name = "C", .buffer = c},
                               {.name = "alpha", .number = d->device_alpha == NULL ? d->alpha : 1},
                               {.name = "beta", .number = d->device_beta == NULL ? d->beta : 1}};
    size_t count = 5;
    if (d->bias != NULL)
        bindings[count++] = (tw_binding){.name = "biases", .buffer = (void *)d->bias};
    if (d->e != NULL)
        bindings[count++] = (tw_binding){.name = "E", .buffer = (void *)d->e};
    if (d->a_scale != NULL) {
        bindings[count++] = (tw_binding){.name = "a_scales", .buffer = (void *)d->a_scale};
        bindings[count++] = (tw_binding){.name = "b_scales", .buffer = (void *)d->b_scale};
    }
    struct tw_plan_key key;
    int64_t alignment =
        d->alignment != 0 ? d->alignment : tw_call_alignment(library, bindings, count);
    /* Of single numbers nothing is asked but their own. */
    if (d->device_alpha != NULL)
        bindings[count++] = (tw_binding){.name = "device_alpha", .buffer = (void *)d->device_alpha};
    if (d->device_beta != NULL)
        bindings[count++] = (tw_binding){.name = "device_beta", .buffer = (void *)d->device_beta};
    if (d->c_scale != NULL)
        bindings[count++] = (tw_binding){.name = "c_scale", .buffer = (void *)d->c_scale};
    /* What is no alignment is no part of a key either: it is refused where the plan is made. */
    if (alignment == TW_FULL_ALIGNMENT)
        alignment = 0;
    bool has_key = alignment >= 0 && alignment < TW_FULL_ALIGNMENT && make_key(d, alignment, &key);
    const tw_plan *plan = has_key ? tw_plan_table_hold(library->plans, &key) : NULL;
    tw_status status = plan != NULL
                           ? TW_OK
                           : find_plan(library, d, alignment, has_key ? &key : NULL, &plan, error);
    return status == TW_OK ? tw_call_launch(plan, stream, bindings, count, error) : status;
}

/* What remains of a product over nothing. Of matrices without gaps between them it is one of all
 * their rows. */
static tw_status scale(tw_library *library, void *stream, const tw_gemm_descriptor *d, void *c,
                       tw_error *error) {
    const int64_t stride = d->ldc != 0 ? d->ldc : d->n, count = is_batch(d) ? d->batch_count : 1;
    struct tw_problem problem;
    if (d->bias != NULL || d->e != NULL || d->activation != TW_ACTIVATION_NONE)
        return tw_fail(error, TW_UNAVAILABLE,
                       "gemm: k is 0, and no kernel has a bias, an activation or E for that");
    if (d->device_beta != NULL || d->c_scale != NULL)
        return tw_fail(error, TW_UNAVAILABLE,
                       "gemm: k is 0, and no kernel scales C by numbers in device memory for that");
    if (count > 1 && d->batch_stride_c != 0 && d->batch_stride_c != d->m * stride)
        return tw_fail(error, TW_UNAVAILABLE,
                       "gemm: k is 0, and no kernel scales a batch with gaps between its matrices");
    tw_status status = describe_problem(library, d, &problem, error);
    if (status != TW_OK)
        return status;
    const char *refusal = tw_problem_refusal(&problem);
    if (refusal != NULL)
        return tw_fail(error, TW_INVALID, "gemm: %s", refusal);
    const struct tw_argument *result = tw_product_argument(problem.description, "C");
    return tw_call_scale(library, stream, tw_product_type(&problem, result), count * d->m, d->n,
                         d->beta, c, d->ldc, error);
}

static tw_status run(tw_library *library, void *stream, const tw_gemm_descriptor *d, const void *a,
                     const void *b, void *c, tw_error *error) {
    if (library == NULL)
        return tw_library_given(library, error);
    if (!is_right(d))
        return refuse(d, error);
    if (d->m == 0 || d->n == 0)
        return TW_OK;
    if (d->k == 0)
        return scale(library, stream, d, c, error);
    return multiply(library, stream, d, a, b, c, error);
}

tw_status tw_gemm_ex(tw_library *library, void *stream, const tw_gemm_descriptor *descriptor,
                     const void *a, const void *b, void *c, tw_error *error) {
    tw_gemm_descriptor read;
    if (descriptor == NULL || descriptor->size != sizeof read) {
        tw_status status = tw_sized_read(&tw_sized_gemm, &read, descriptor, error);
        if (status != TW_OK)
            return status;
        descriptor = &read;
    }
    return run(library, stream, descriptor, a, b, c, error);
}

tw_status tw_gemm(tw_library *library, void *stream, tw_real type, tw_transposes transposes,
                  int64_t m, int64_t n, int64_t k, double alpha, const void *a, int64_t lda,
                  const void *b, int64_t ldb, double beta, void *c, int64_t ldc, tw_error *error) {
    static const char *const words[] = {"f32", "f64"};
    if ((unsigned)type > TW_F64)
        return tw_fail(error, TW_INVALID, "gemm: type is %d, which is none of tw_real", (int)type);
    const tw_gemm_descriptor descriptor = {.a_type = words[type],
                                           .transposes = transposes,
                                           .m = m,
                                           .n = n,
                                           .k = k,
                                           .lda = lda,
                                           .ldb = ldb,
                                           .ldc = ldc,
                                           .alpha = alpha,
                                           .beta = beta};
    return run(library, stream, &descriptor, a, b, c, error);
}
