#include "runtime/variant/identity.h"

#include <math.h>
#include <string.h>

#include "runtime/description/accuracy.h"
#include "runtime/variant/executable.h"
#include "runtime/variant/preprocess.h"
#include "runtime/variant/source.h"

/* Raised when verifying itself changes so that older verdicts are worth nothing. */
#define JUDGE_VERSION "1"

static tw_status finish(struct tw_hash *state, tw_status status, char hash[TW_HASH_SIZE],
                        struct tw_error *error) {
    tw_hash_finish(state, hash);
    if (status == TW_OK && hash[0] == '\0')
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    return status;
}

static void add_number(struct tw_hash *hash, int64_t number) {
    tw_hash_add(hash, &number, sizeof number);
}

static void add_real(struct tw_hash *hash, double number) {
    tw_hash_add(hash, &number, sizeof number);
}

/* ---- Code ---- */

static void add_expressions(struct tw_hash *hash, struct tw_expression *const *expressions,
                            int count, const struct tw_symbols *symbols) {
    for (int i = 0; i < count; i++)
        tw_expression_hash(expressions[i], symbols, hash);
}

static void add_named(struct tw_hash *hash, const struct tw_named_expression *named, int count,
                      const struct tw_symbols *symbols) {
    add_number(hash, count);
    for (int i = 0; i < count; i++) {
        tw_hash_add_text(hash, named[i].name);
        tw_expression_hash(named[i].expression, symbols, hash);
    }
}

/* What a launch passes, by name: slots move when a description gets another. */
static void add_passed(struct tw_hash *hash, const struct tw_description *d,
                       const struct tw_symbols *symbols,
                       const struct tw_launch_description *launch) {
    add_number(hash, launch->passed_count);
    for (int i = 0; i < launch->passed_count; i++) {
        const struct tw_passed *passed = &launch->passed[i];
        add_number(hash, passed->kind + (passed->optional ? 16 : 0));
        if (passed->kind == TW_PASS_SLOT)
            tw_hash_add_text(hash, symbols->names[passed->index]);
        else if (passed->kind == TW_PASS_TENSOR_MAP)
            tw_hash_add_text(hash, launch->tensor_maps[passed->index].name);
        else if (passed->kind != TW_PASS_WORKSPACE)
            tw_hash_add_text(hash, d->arguments[passed->index].name);
    }
}

static void add_tensor_maps(struct tw_hash *hash, const struct tw_description *d,
                            const struct tw_symbols *symbols,
                            const struct tw_launch_description *launch) {
    for (int i = 0; i < launch->tensor_map_count; i++) {
        const struct tw_tensor_map_description *map = &launch->tensor_maps[i];
        tw_hash_add_text(hash, map->name);
        tw_hash_add_text(hash, map->buffer >= 0 ? d->arguments[map->buffer].name : "");
        add_number(hash, map->type);
        add_number(hash, map->rank);
        add_expressions(hash, map->dims, map->rank, symbols);
        add_expressions(hash, map->strides, map->rank - 1, symbols);
        add_expressions(hash, map->box, map->rank, symbols);
        add_expressions(hash, &map->swizzle, 1, symbols);
        add_expressions(hash, &map->offset, 1, symbols);
        /* Only where they are, as of arguments. */
        if (map->layers != NULL) {
            tw_expression_hash(map->layers, symbols, hash);
            tw_expression_hash(map->layer_stride, symbols, hash);
        }
        if (map->im2col) {
            add_expressions(hash, map->lower, map->rank - 2, symbols);
            add_expressions(hash, map->upper, map->rank - 2, symbols);
            add_expressions(hash, map->steps, map->rank - 2, symbols);
        }
    }
}

static tw_status add_launch(struct tw_hash *hash, const struct tw_description *d,
                            const struct tw_symbols *symbols,
                            const struct tw_launch_description *launch, const char *backend,
                            struct tw_error *error) {
    struct tw_text fixed = {0}, bare = {0};
    tw_status status = tw_source_fixed(d, launch, backend, &fixed, error);
    if (status == TW_OK)
        status = tw_strip_comments(fixed.data, &bare, error);
    if (status == TW_OK)
        tw_hash_add(hash, bare.data != NULL ? bare.data : "", bare.length);
    tw_text_free(&fixed);
    tw_text_free(&bare);
    tw_hash_add_text(hash, launch->function);
    add_expressions(hash, launch->block, 3, symbols);
    add_expressions(hash, launch->grid, 3, symbols);
    add_expressions(hash, &launch->shared, 1, symbols);
    add_expressions(hash, &launch->min_blocks, 1, symbols);
    add_expressions(hash, launch->cluster, 3, symbols);
    if (launch->early != NULL) /* only where it is, as layers of tensor maps */
        tw_expression_hash(launch->early, symbols, hash);
    add_passed(hash, d, symbols, launch);
    add_tensor_maps(hash, d, symbols, launch);
    return status;
}

static void add_messages(struct tw_hash *hash, const struct tw_implementation *in) {
    for (int i = 0; i < in->message_count; i++)
        tw_hash_add_text(hash, in->disqualified_by[i]);
}

/* What words of an attribute mean, where they are not types themselves. */
static void add_types(struct tw_hash *hash, const struct tw_description *d,
                      const struct tw_argument *a) {
    if (a->kind == TW_ARGUMENT_STRIDE || a->type_attribute < 0)
        return;
    const struct tw_attribute *attribute = &d->attributes[a->type_attribute];
    for (int i = 0; i < attribute->word_count; i++) {
        const char *word = d->symbols.words[attribute->words[i]];
        const char *type = a->left[i] ? "" : tw_type_info(a->types[i])->word;
        if (strcmp(word, type) == 0)
            continue;
        tw_hash_add_text(hash, word);
        tw_hash_add_text(hash, type);
    }
    if (a->second_attribute < 0)
        return;
    attribute = &d->attributes[a->second_attribute];
    tw_hash_add_text(hash, attribute->name);
    for (int i = 0; i < attribute->word_count; i++) {
        tw_hash_add_text(hash, d->symbols.words[attribute->words[i]]);
        tw_hash_add_text(hash, tw_type_info(a->second_types[i])->word);
    }
}

/* Defaults of attributes count, because keys leave them out. */
static void add_problem(struct tw_hash *hash, const struct tw_description *d) {
    for (int i = 0; i < d->attribute_count; i++) {
        tw_hash_add_text(hash, d->attributes[i].name);
        if (d->attributes[i].is_number)
            add_number(hash, d->attributes[i].default_word);
        else
            tw_hash_add_text(hash, d->symbols.words[d->attributes[i].default_word]);
    }
    add_named(hash, d->lets, d->let_count, &d->symbols);
    for (int i = 0; i < d->argument_count; i++) {
        const struct tw_argument *a = &d->arguments[i];
        tw_hash_add_text(hash, a->name);
        add_number(hash, a->kind);
        tw_hash_add_text(hash, a->type_attribute >= 0 ? d->attributes[a->type_attribute].name
                                                      : tw_type_info(a->type)->word);
        add_types(hash, d, a);
        add_number(hash, a->access);
        add_expressions(hash, &a->rows, 1, &d->symbols);
        add_expressions(hash, &a->columns, 1, &d->symbols);
        tw_hash_add_text(hash, a->stride >= 0 ? d->arguments[a->stride].name : "");
        tw_hash_add_text(hash, a->read_when >= 0 ? d->arguments[a->read_when].name : "");
        add_expressions(hash, &a->default_stride, 1, &d->symbols);
        add_real(hash, a->default_number);
        add_real(hash, a->fill_low);
        add_real(hash, a->fill_high);
        add_number(hash, a->fill_seed);
        /* Only where they are: what has none keeps the hash that it had before there were any. */
        struct tw_expression *const later[] = {a->when, a->fill_low_of, a->fill_high_of, a->layers,
                                               a->fill_parts_of};
        for (int k = 0; k < 5; k++)
            if (later[k] != NULL) {
                add_number(hash, k);
                tw_expression_hash(later[k], &d->symbols, hash);
            }
    }
}

static void add_cases(struct tw_hash *hash, const struct tw_description *d) {
    add_number(hash, d->case_count);
    for (int c = 0; c < d->case_count; c++)
        for (int i = 0; i < d->argument_count; i++)
            if (d->arguments[i].kind == TW_ARGUMENT_SCALAR) {
                tw_hash_add_text(hash, d->arguments[i].name);
                add_real(hash, d->cases[c].scalars[i]);
            }
}

static void add_families(struct tw_hash *hash, const struct tw_description *d) {
    for (int i = 0; i < TW_MAX_ARGUMENTS; i++)
        if (d->accuracy->terms[i] != NULL) {
            tw_hash_add_text(hash, d->arguments[i].name);
            tw_expression_hash(d->accuracy->terms[i], &d->symbols, hash);
        }
    add_number(hash, d->accuracy->family_count);
    for (int i = 0; i < d->accuracy->family_count; i++) {
        const struct tw_input_family *family = &d->accuracy->families[i];
        tw_hash_add_text(hash, family->name);
        tw_expression_hash(family->when, &d->symbols, hash);
        add_number(hash, family->fill_count);
        for (int f = 0; f < family->fill_count; f++) {
            const struct tw_hard_fill *fill = &family->fills[f];
            tw_hash_add_text(hash, d->arguments[fill->argument].name);
            add_real(hash, fill->low);
            add_real(hash, fill->high);
            add_number(hash, fill->least_exponent);
            add_number(hash, fill->most_exponent);
            add_number(hash, fill->exponents_of);
            add_number(hash, fill->second_half);
            for (int s = 0; s < fill->spot_count; s++) {
                tw_expression_hash(fill->spots[s].line, &d->symbols, hash);
                tw_expression_hash(fill->spots[s].term, &d->symbols, hash);
                tw_hash_add_text(hash, isnan(fill->spots[s].value) ? "nan"
                                       : fill->spots[s].value > 0  ? "inf"
                                                                   : "-inf");
            }
        }
    }
}

static void add_bound(struct tw_hash *hash, const struct tw_error_bound *bound) {
    add_real(hash, bound->times_plain);
    add_real(hash, bound->max);
    add_real(hash, bound->rms);
}

static tw_status add_accuracy(struct tw_hash *hash, const struct tw_description *d,
                              const char *backend, struct tw_error *error) {
    if (d->accuracy == NULL)
        return TW_OK;
    add_families(hash, d);
    for (int i = 0; i < d->accuracy->bound_count; i++) {
        tw_expression_hash(d->accuracy->bounds[i].when, &d->symbols, hash);
        add_bound(hash, &d->accuracy->bounds[i]);
    }
    return add_launch(hash, d, &d->symbols, &d->accuracy->plain, backend, error);
}

tw_status tw_identity_code(const struct tw_description *d, int implementation, const char *backend,
                           char out[TW_HASH_SIZE], struct tw_error *error) {
    const struct tw_implementation *in = &d->implementations[implementation];
    struct tw_hash *hash = tw_hash_begin();
    tw_status status = TW_OK;
    tw_hash_add_text(hash, backend);
    tw_hash_add_text(hash, JUDGE_VERSION);
    tw_hash_add_text(hash, in->name);
    add_problem(hash, d);
    for (int i = 0; i < in->parameter_count; i++) {
        tw_hash_add_text(hash, in->parameters[i].name);
        add_number(hash, in->parameters[i].is_word + 2 * in->parameters[i].launch);
    }
    add_named(hash, in->defines, in->define_count, in->symbols);
    tw_expression_hash(in->workspace, in->symbols, hash);
    add_messages(hash, in);
    for (int i = 0; i < in->launch_count && status == TW_OK; i++)
        status = add_launch(hash, d, in->symbols, &in->launches[i], backend, error);
    if (status == TW_OK)
        status = add_launch(hash, d, &d->symbols, &d->reference, backend, error);
    if (status == TW_OK)
        status = add_accuracy(hash, d, backend, error);
    add_cases(hash, d);
    for (int type = 0; type < TW_TYPE_COUNT; type++)
        if (d->tolerance[type] > 0) {
            tw_hash_add_text(hash, tw_type_info((enum tw_type)type)->word);
            add_real(hash, d->tolerance[type]);
        }
    tw_expression_hash(d->growth, &d->symbols, hash);
    return finish(hash, status, out, error);
}

/* ---- One problem ---- */

/* Whether it fits a device is another question. */
static const struct tw_device_info any_device = {
    .max_block = {INT32_MAX, INT32_MAX, INT32_MAX},
    .max_grid = {INT32_MAX, INT32_MAX, INT32_MAX},
    .max_threads = INT32_MAX,
    .max_shared = INT32_MAX,
    .max_cluster = INT32_MAX,
};

static void add_tensor(struct tw_hash *hash, const struct tw_description *d,
                       const struct tw_tensor_map_description *map,
                       const struct tw_tensor *tensor) {
    tw_hash_add_text(hash, map->buffer >= 0 ? d->arguments[map->buffer].name : "");
    add_number(hash, tensor->type);
    add_number(hash, tensor->rank);
    for (int i = 0; i < tensor->rank; i++) {
        add_number(hash, (int64_t)tensor->dims[i]);
        add_number(hash, i > 0 ? (int64_t)tensor->strides[i - 1] : 0);
        add_number(hash, tensor->box[i]);
    }
    add_number(hash, tensor->swizzle);
    add_number(hash, (int64_t)tensor->offset);
    for (int i = 0; tensor->im2col && i < tensor->rank - 2; i++) {
        add_number(hash, tensor->lower[i]);
        add_number(hash, tensor->upper[i]);
        add_number(hash, tensor->steps[i]);
    }
}

/* What a launch passes: names of memory and scalars, values of the rest. */
static void add_values(struct tw_hash *hash, const struct tw_executable *x,
                       const struct tw_launch_description *launch,
                       const struct tw_tensor *tensors) {
    const struct tw_description *d = x->problem->description;
    int count = 0;
    for (int i = 0; i < launch->passed_count; i++)
        count += tw_problem_passes(x->problem, &launch->passed[i], x->bound);
    add_number(hash, count);
    for (int i = 0; i < launch->passed_count; i++) {
        const struct tw_passed *passed = &launch->passed[i];
        if (!tw_problem_passes(x->problem, passed, x->bound))
            continue;
        add_number(hash, passed->kind);
        if (passed->kind == TW_PASS_SLOT) {
            add_number(hash, x->bound[passed->index]);
        } else if (passed->kind == TW_PASS_TENSOR_MAP) {
            add_tensor(hash, d, &launch->tensor_maps[passed->index], &tensors[passed->index]);
        } else if (passed->kind != TW_PASS_WORKSPACE) {
            const struct tw_argument *a = &d->arguments[passed->index];
            tw_hash_add_text(hash, a->name);
            if (a->kind == TW_ARGUMENT_STRIDE)
                add_number(hash, x->bound[a->slot]);
            else
                tw_hash_add_text(hash,
                                 tw_type_info(tw_problem_type(x->problem, passed->index))->word);
        }
    }
}

/* `source` is the hash of what the preprocessor leaves of the launch's. */
static void add_prepared(struct tw_hash *hash, const struct tw_executable *x, int index,
                         const struct tw_launch_description *launch, const char *source) {
    const struct tw_executable_launch *prepared = &x->launches[index];
    const struct tw_geometry *geometry = &prepared->geometry;
    tw_hash_add_text(hash, source);
    tw_hash_add_text(hash, launch->function);
    for (int i = 0; i < 3; i++) {
        add_number(hash, geometry->block[i]);
        add_number(hash, geometry->grid[i]);
        add_number(hash, geometry->cluster[i]);
    }
    add_number(hash, geometry->shared);
    add_number(hash, geometry->min_blocks);
    if (geometry->early)
        tw_hash_add_text(hash, "early");
    add_values(hash, x, launch, prepared->tensors);
}

static tw_status hash_source(const struct tw_executable *x, int index, const char *backend,
                             char hash[TW_HASH_SIZE], struct tw_error *error) {
    struct tw_text source = {0};
    tw_status status = tw_executable_source(x, index, backend, &source, error);
    if (status == TW_OK)
        status = tw_executable_hash(x, source.data, hash, error);
    tw_text_free(&source);
    return status;
}

static tw_status bind(const struct tw_problem *problem, const int64_t *device,
                      int64_t values[TW_MAX_SYMBOLS], struct tw_error *error) {
    struct tw_problem aligned = *problem;
    aligned.alignment = TW_FULL_ALIGNMENT;
    return tw_problem_bind(&aligned, device, NULL, values, error);
}

/* `hashes` NULL: the sources are rendered for `backend`. */
static tw_status identify(const struct tw_problem *problem,
                          const struct tw_configuration *configuration, const char *backend,
                          const int64_t *device, const char hashes[][TW_HASH_SIZE],
                          char out[TW_HASH_SIZE], struct tw_error *error) {
    const struct tw_description *d = problem->description;
    const struct tw_implementation *in = &d->implementations[configuration->implementation];
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_executable *x;
    tw_status status = bind(problem, device, values, error);
    if (status == TW_OK)
        status = tw_configuration_bind(d, configuration, values, error);
    if (status == TW_OK)
        status = tw_executable_create(&x, problem, configuration, values, &any_device, error);
    if (status != TW_OK)
        return status;
    struct tw_hash *hash = tw_hash_begin();
    for (int i = 0; i < in->launch_count && status == TW_OK; i++) {
        char source[TW_HASH_SIZE];
        if (hashes == NULL)
            status = hash_source(x, i, backend, source, error);
        if (status == TW_OK)
            add_prepared(hash, x, i, &in->launches[i], hashes != NULL ? hashes[i] : source);
    }
    add_number(hash, (int64_t)x->workspace);
    add_messages(hash, in);
    tw_executable_free(x);
    return finish(hash, status, out, error);
}

tw_status tw_identity_source(const struct tw_problem *problem,
                             const struct tw_configuration *configuration, const char *backend,
                             const int64_t *device, char out[TW_HASH_SIZE],
                             struct tw_error *error) {
    return identify(problem, configuration, backend, device, NULL, out, error);
}

tw_status tw_identity_rendered(const struct tw_problem *problem,
                               const struct tw_configuration *configuration, const int64_t *device,
                               const char hashes[][TW_HASH_SIZE], char out[TW_HASH_SIZE],
                               struct tw_error *error) {
    return identify(problem, configuration, NULL, device, hashes, out, error);
}

/* ---- The judge ---- */

static void add_input(struct tw_hash *hash, const struct tw_problem *problem, int argument,
                      const struct tw_extent *extent, const double range[2]) {
    const struct tw_description *d = problem->description;
    const struct tw_argument *a = &d->arguments[argument];
    tw_hash_add_text(hash, a->name);
    add_number(hash, a->access);
    add_number(hash, extent->rows);
    add_number(hash, extent->columns);
    /* Only where there are more: what has one keeps the hash that it had before there were any. */
    if (extent->layers > 1)
        add_number(hash, extent->layers);
    tw_hash_add_text(hash, tw_type_info(extent->type)->word);
    if (a->access == TW_ACCESS_OUT && a->read_when < 0)
        return;
    tw_hash_add_text(hash, a->read_when >= 0 ? d->arguments[a->read_when].name : "");
    add_real(hash, range[0]);
    add_real(hash, range[1]);
    add_number(hash, a->fill_seed);
    if (a->fill_parts_of != NULL)
        tw_hash_add_text(hash, "parts");
}

static tw_status add_inputs(struct tw_hash *hash, const struct tw_problem *problem,
                            const int64_t *values, struct tw_error *error) {
    const struct tw_description *d = problem->description;
    int64_t growth = 1;
    /* Where it cannot be had, nothing is verified either. */
    if (d->growth != NULL && tw_expression_evaluate(d->growth, values, &growth) != TW_EVALUATED)
        growth = 0;
    add_number(hash, growth);
    for (int i = 0; i < d->argument_count; i++) {
        struct tw_extent extent;
        double range[2];
        if (!tw_problem_has(problem, i, values))
            continue;
        tw_status status = tw_problem_extent(problem, i, values, &extent, error);
        if (status == TW_OK)
            status = tw_problem_fill(problem, i, values, &range[0], &range[1], error);
        if (status != TW_OK)
            return status;
        add_input(hash, problem, i, &extent, range);
        if (d->arguments[i].access != TW_ACCESS_IN)
            add_real(hash, d->tolerance[extent.type]);
    }
    return TW_OK;
}

/* Only where something is promised: what promises nothing keeps the hash that it had before there
 * were promises. */
static tw_status add_promise(struct tw_hash *hash, const struct tw_problem *problem,
                             const char *backend, const int64_t *values, struct tw_error *error) {
    const struct tw_description *d = problem->description;
    const struct tw_error_bound *bound = tw_accuracy_bound(d, values);
    struct tw_executable *plain;
    char source[TW_HASH_SIZE];
    if (bound == NULL)
        return TW_OK;
    tw_status status = tw_executable_create_plain(&plain, problem, values, &any_device, error);
    if (status != TW_OK)
        return status;
    status = hash_source(plain, 0, backend, source, error);
    if (status == TW_OK)
        add_prepared(hash, plain, 0, &d->accuracy->plain, source);
    tw_executable_free(plain);
    add_bound(hash, bound);
    add_families(hash, d);
    return status;
}

tw_status tw_identity_judge(const struct tw_problem *problem, const char *backend,
                            const int64_t *device, char out[TW_HASH_SIZE], struct tw_error *error) {
    const struct tw_description *d = problem->description;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_executable *x;
    tw_status status = bind(problem, device, values, error);
    if (status == TW_OK)
        status = tw_executable_create(&x, problem, NULL, values, &any_device, error);
    if (status == TW_RESOURCE)
        return tw_fail_within(error, status,
                              "no reference can be launched; choose a smaller shape");
    if (status != TW_OK)
        return status;
    struct tw_hash *hash = tw_hash_begin();
    tw_hash_add_text(hash, JUDGE_VERSION);
    char source[TW_HASH_SIZE];
    status = hash_source(x, 0, backend, source, error);
    if (status == TW_OK) {
        add_prepared(hash, x, 0, &d->reference, source);
        status = add_inputs(hash, problem, values, error);
    }
    if (status == TW_OK)
        status = add_promise(hash, problem, backend, values, error);
    add_cases(hash, d);
    tw_executable_free(x);
    return finish(hash, status, out, error);
}
