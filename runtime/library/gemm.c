/* tw_gemm and its descriptor. */
#include <inttypes.h>
#include <string.h>

#include "runtime/library/calls.h"
#include "runtime/library/find.h"
#include "runtime/library/request.h"
#include "runtime/library/sized.h"

/* ---- What is wrong or not served ---- */

static tw_status refuse_unserved(const tw_gemm_descriptor *d, tw_error *error) {
    const struct {
        const char *name;
        bool set;
    } fields[] = {{"batch_count", d->batch_count > 1},
                  {"device_alpha", d->device_alpha != NULL},
                  {"device_beta", d->device_beta != NULL},
                  {"bias", d->bias != NULL},
                  {"activation", d->activation != TW_ACTIVATION_NONE},
                  {"a_scale", d->a_scale != NULL},
                  {"b_scale", d->b_scale != NULL},
                  {"c_scale", d->c_scale != NULL}};
    int i = 0;
    while (!fields[i].set)
        i++;
    return tw_fail(error, TW_UNAVAILABLE,
                   "tw_gemm_descriptor.%s is set, which no kernel can serve yet; leave it zero",
                   fields[i].name);
}

static tw_status refuse(const tw_gemm_descriptor *d, tw_error *error) {
    if ((unsigned)d->transposes > TW_TT)
        return tw_fail(error, TW_INVALID, "gemm: transposes is %d, which is none of tw_transposes",
                       (int)d->transposes);
    if ((unsigned)d->activation > TW_ACTIVATION_GELU)
        return tw_fail(error, TW_INVALID, "gemm: activation is %d, which is none of tw_activation",
                       (int)d->activation);
    tw_status status = tw_call_size("gemm", "m", d->m, error);
    if (status == TW_OK)
        status = tw_call_size("gemm", "n", d->n, error);
    if (status == TW_OK)
        status = tw_call_size("gemm", "k", d->k, error);
    if (status == TW_OK)
        status = tw_call_size("gemm", "batch_count", d->batch_count, error);
    return status == TW_OK ? refuse_unserved(d, error) : status;
}

/* All at once, for each call pays for it; which it is, is asked when there is something. */
static bool is_served(const tw_gemm_descriptor *d) {
    const int64_t sizes = d->m | d->n | d->k | d->batch_count;
    const uintptr_t unserved = (uintptr_t)d->device_alpha | (uintptr_t)d->device_beta |
                               (uintptr_t)d->bias | (uintptr_t)d->a_scale | (uintptr_t)d->b_scale |
                               (uintptr_t)d->c_scale;
    return sizes >= 0 && unserved == 0 && d->batch_count <= 1 &&
           d->activation == TW_ACTIVATION_NONE && (unsigned)d->transposes <= TW_TT;
}

/* ---- Key ---- */

/* A word as a number; false when it is too long to be one. */
static bool pack_word(const char *word, uint64_t *out) {
    uint64_t packed = 0;
    int i = 0;
    for (; word != NULL && i < 8 && word[i] != '\0'; i++)
        packed = packed << 8 | (unsigned char)word[i];
    *out = packed;
    return word == NULL || i < 8 || word[i] == '\0';
}

/* Numbers only, so that nothing is compared as text where a plan is found. False when no plan has
 * such a key. */
static bool make_key(const tw_gemm_descriptor *d, int64_t alignment, struct tw_plan_key *key) {
    uint64_t beyond = 0;
    *key = (struct tw_plan_key){.words = {tw_plan_key_pack(d->m, d->n, &beyond),
                                          tw_plan_key_pack(d->k, d->lda, &beyond),
                                          tw_plan_key_pack(d->ldb, d->ldc, &beyond), 0,
                                          (uint64_t)alignment << 8 | d->transposes}};
    bool words = pack_word(d->a_type, &key->words[3]) && pack_word(d->b_type, &key->words[5]) &&
                 pack_word(d->c_type, &key->words[6]) && pack_word(d->compute_type, &key->words[7]);
    tw_plan_key_mark(key);
    return words && beyond == 0;
}

/* ---- Request ---- */

static const struct tw_argument *find_argument(const struct tw_description *d, const char *name) {
    for (int i = 0; i < d->argument_count; i++)
        if (strcmp(d->arguments[i].name, name) == 0)
            return &d->arguments[i];
    return NULL;
}

/* The word for the type that an argument has so far. */
static const char *type_of(const struct tw_problem *problem, const struct tw_argument *argument) {
    int attribute = argument->type_attribute;
    return attribute < 0 ? tw_type_info(argument->type)->word
                         : problem->description->symbols.words[problem->words[attribute]];
}

/* Descriptions say which attribute is the type of which argument: a new word there, or an attribute
 * of its own for an argument, needs nothing here. */
struct typing {
    struct tw_problem problem;
    const char *chosen_by[TW_MAX_ATTRIBUTES]; /* the field that chose the attribute's word */
};

static tw_status set_type(struct typing *typing, const char *field, const char *name,
                          const char *word, tw_error *error) {
    const struct tw_description *d = typing->problem.description;
    const struct tw_argument *argument = find_argument(d, name);
    tw_error said;
    if (argument == NULL)
        return tw_fail(error, TW_INVALID, "%s has no argument %s, as tw_gemm needs it", d->kernel,
                       name);
    int attribute = argument->type_attribute;
    if (strcmp(type_of(&typing->problem, argument), word) != 0) {
        if (attribute < 0)
            return tw_fail(error, TW_INVALID, "%s is \"%.40s\", but %s has its %s in %s", field,
                           word, d->kernel, name, type_of(&typing->problem, argument));
        if (typing->chosen_by[attribute] != NULL)
            return tw_fail(error, TW_INVALID,
                           "%s is \"%.40s\", but %s has one %s for both, and %s is \"%s\"", field,
                           word, d->kernel, d->attributes[attribute].name,
                           typing->chosen_by[attribute], type_of(&typing->problem, argument));
        tw_status status =
            tw_problem_set(&typing->problem, d->attributes[attribute].name, word, &said);
        if (status != TW_OK)
            return tw_fail(error, status, "%s: %s", field, said.message);
    }
    if (attribute >= 0 && typing->chosen_by[attribute] == NULL)
        typing->chosen_by[attribute] = field;
    return TW_OK;
}

/* Sums have an attribute of their own, "compute", or are of the type of the scalars. */
static tw_status set_compute_type(struct typing *typing, const char *word, tw_error *error) {
    const struct tw_description *d = typing->problem.description;
    tw_error said;
    for (int i = 0; i < d->attribute_count; i++) {
        if (strcmp(d->attributes[i].name, "compute") != 0)
            continue;
        tw_status status = tw_problem_set(&typing->problem, "compute", word, &said);
        return status == TW_OK ? TW_OK : tw_fail(error, status, "compute_type: %s", said.message);
    }
    const struct tw_argument *alpha = find_argument(d, "alpha");
    if (alpha == NULL || strcmp(type_of(&typing->problem, alpha), word) != 0)
        return tw_fail(
            error, TW_INVALID, "compute_type is \"%.40s\", but %s of these types computes in %s",
            word, d->kernel, alpha != NULL ? type_of(&typing->problem, alpha) : "what they are");
    return TW_OK;
}

static tw_status write_request(tw_library *library, const tw_gemm_descriptor *d,
                               tw_request *request, char attributes[TW_PROBLEM_KEY_SIZE],
                               tw_error *error) {
    static const char *const transposes[] = {"nn", "nt", "tn", "tt"};
    const struct tw_description *description;
    const char *file;
    tw_status status = tw_kernels_find(library->kernels, "gemm", &description, &file, error);
    if (status != TW_OK)
        return status;
    struct typing typing = {.problem.description = description};
    for (int i = 0; i < description->attribute_count; i++)
        typing.problem.words[i] = description->attributes[i].default_word;
    status = tw_problem_set(&typing.problem, "trans", transposes[d->transposes], error);
    if (status == TW_OK && d->a_type != NULL)
        status = set_type(&typing, "a_type", "A", d->a_type, error);
    const char *b_type = d->b_type != NULL ? d->b_type : d->a_type;
    const char *c_type = d->c_type != NULL ? d->c_type : d->a_type;
    if (status == TW_OK && b_type != NULL)
        status = set_type(&typing, d->b_type != NULL ? "b_type" : "a_type", "B", b_type, error);
    if (status == TW_OK && c_type != NULL)
        status = set_type(&typing, d->c_type != NULL ? "c_type" : "a_type", "C", c_type, error);
    if (status == TW_OK && d->compute_type != NULL)
        status = set_compute_type(&typing, d->compute_type, error);
    if (status != TW_OK)
        return status;
    tw_request_attributes(&typing.problem, attributes);
    *request = (tw_request){.kernel = "gemm",
                            .attributes = attributes,
                            .dimensions = {d->m, d->n, d->k},
                            .strides = {d->lda, d->ldb, d->ldc}};
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
    return tw_find_missing(library, key, &request, !library->prepared_only, plan, error);
}

static tw_status multiply(tw_library *library, void *stream, const tw_gemm_descriptor *d,
                          const void *a, const void *b, void *c, tw_error *error) {
    const tw_binding bindings[] = {{.name = "A", .buffer = (void *)a},
                                   {.name = "B", .buffer = (void *)b},
                                   {.name = "C", .buffer = c},
                                   {.name = "alpha", .number = d->alpha},
                                   {.name = "beta", .number = d->beta}};
    struct tw_plan_key key;
    int64_t alignment = tw_call_alignment(library, bindings, 3);
    bool has_key = make_key(d, alignment, &key);
    const tw_plan *plan = has_key ? tw_plans_hold(library->plans, &key) : NULL;
    tw_status status = plan != NULL
                           ? TW_OK
                           : find_plan(library, d, alignment, has_key ? &key : NULL, &plan, error);
    return status == TW_OK ? tw_call_launch(plan, stream, bindings, 5, error) : status;
}

static tw_status run(tw_library *library, void *stream, const tw_gemm_descriptor *d, const void *a,
                     const void *b, void *c, tw_error *error) {
    if (!is_served(d))
        return refuse(d, error);
    if (d->m == 0 || d->n == 0)
        return TW_OK;
    if (d->k == 0)
        return tw_call_scale(library, stream, d->c_type != NULL ? d->c_type : d->a_type, d->m, d->n,
                             d->beta, c, d->ldc, error);
    return multiply(library, stream, d, a, b, c, error);
}

tw_status tw_gemm_ex(tw_library *library, void *stream, const tw_gemm_descriptor *descriptor,
                     const void *a, const void *b, void *c, tw_error *error) {
    tw_gemm_descriptor read;
    if (descriptor->size != 0 && descriptor->size != sizeof read) {
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
    if ((unsigned)type > TW_F64 || (unsigned)transposes > TW_TT)
        return tw_fail(error, TW_INVALID, "tw_gemm: no such type or transposition");
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
