/* The hashes of one problem: of what reaches the compiler for a configuration, and of its judge. */
#include "runtime/variant/identity.h"

#include "runtime/description/accuracy.h"
#include "runtime/variant/executable.h"
#include "runtime/variant/identity_parts.h"

/* ---- A configuration ---- */

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
    tw_hash_add_number(hash, tensor->type);
    tw_hash_add_number(hash, tensor->rank);
    for (int i = 0; i < tensor->rank; i++) {
        tw_hash_add_number(hash, (int64_t)tensor->dims[i]);
        tw_hash_add_number(hash, i > 0 ? (int64_t)tensor->strides[i - 1] : 0);
        tw_hash_add_number(hash, tensor->box[i]);
    }
    tw_hash_add_number(hash, tensor->swizzle);
    tw_hash_add_number(hash, (int64_t)tensor->offset);
    for (int i = 0; tensor->im2col && i < tensor->rank - 2; i++) {
        tw_hash_add_number(hash, tensor->lower[i]);
        tw_hash_add_number(hash, tensor->upper[i]);
        tw_hash_add_number(hash, tensor->steps[i]);
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
    tw_hash_add_number(hash, count);
    for (int i = 0; i < launch->passed_count; i++) {
        const struct tw_passed *passed = &launch->passed[i];
        if (!tw_problem_passes(x->problem, passed, x->bound))
            continue;
        tw_hash_add_number(hash, passed->kind);
        if (passed->kind == TW_PASS_SLOT) {
            tw_hash_add_number(hash, x->bound[passed->index]);
        } else if (passed->kind == TW_PASS_TENSOR_MAP) {
            add_tensor(hash, d, &launch->tensor_maps[passed->index], &tensors[passed->index]);
        } else if (passed->kind != TW_PASS_WORKSPACE && passed->kind != TW_PASS_COUNTERS) {
            const struct tw_argument *a = &d->arguments[passed->index];
            tw_hash_add_text(hash, a->name);
            if (a->kind == TW_ARGUMENT_STRIDE)
                tw_hash_add_number(hash, x->bound[a->slot]);
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
        tw_hash_add_number(hash, geometry->block[i]);
        tw_hash_add_number(hash, geometry->grid[i]);
        tw_hash_add_number(hash, geometry->cluster[i]);
    }
    tw_hash_add_number(hash, geometry->shared);
    tw_hash_add_number(hash, geometry->min_blocks);
    if (geometry->early)
        tw_hash_add_text(hash, "early");
    add_values(hash, x, launch, prepared->tensors);
}

static tw_status hash_source(const struct tw_executable *x, int index, const char *backend,
                             char hash[TW_HASH_SIZE], struct tw_error *error) {
    struct tw_text source = {0};
    tw_status status = tw_executable_source(x, index, backend, &source, hash, error);
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
    tw_hash_add_number(hash, (int64_t)x->workspace);
    /* What has none is known as before there were any. */
    if (in->counters != NULL)
        tw_hash_add_number(hash, (int64_t)x->counters);
    tw_identity_add_messages(hash, in);
    tw_executable_free(x);
    return tw_identity_finish(hash, status, out, error);
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
    tw_hash_add_number(hash, a->access);
    tw_hash_add_number(hash, extent->rows);
    tw_hash_add_number(hash, extent->columns);
    /* Only where there are more: what has one keeps the hash that it had before there were any. */
    if (extent->layers > 1)
        tw_hash_add_number(hash, extent->layers);
    tw_hash_add_text(hash, tw_type_info(extent->type)->word);
    if (a->access == TW_ACCESS_OUT && a->read_when < 0)
        return;
    tw_hash_add_text(hash, a->read_when >= 0 ? d->arguments[a->read_when].name : "");
    tw_hash_add_real(hash, range[0]);
    tw_hash_add_real(hash, range[1]);
    tw_hash_add_number(hash, a->fill_seed);
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
    tw_hash_add_number(hash, growth);
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
            tw_hash_add_real(hash, d->tolerance[extent.type]);
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
    tw_identity_add_bound(hash, bound);
    tw_identity_add_families(hash, d);
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
    tw_hash_add_text(hash, TW_JUDGE_VERSION);
    char source[TW_HASH_SIZE];
    status = hash_source(x, 0, backend, source, error);
    if (status == TW_OK) {
        add_prepared(hash, x, 0, &d->reference, source);
        status = add_inputs(hash, problem, values, error);
    }
    if (status == TW_OK)
        status = add_promise(hash, problem, backend, values, error);
    tw_identity_add_cases(hash, d);
    tw_executable_free(x);
    return tw_identity_finish(hash, status, out, error);
}
