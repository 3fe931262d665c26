#include "runtime/variant/executable.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/description/accuracy.h"
#include "runtime/variant/agreement.h"
#include "runtime/variant/source.h"
#include "runtime/variant/tensor_map.h"

static const struct tw_launch_description *description_of(const struct tw_executable *x,
                                                          int launch) {
    const struct tw_description *d = x->problem->description;
    return x->configuration != NULL
               ? &d->implementations[x->configuration->implementation].launches[launch]
               : x->judge;
}

/* ---- Values ---- */

static struct tw_value integer_value(int64_t number) {
    struct tw_value value = {.kind = TW_VALUE_BYTES};
    value.size = tw_type_encode(TW_TYPE_i32, (double)number, value.bytes);
    return value;
}

static void add_hole(struct tw_executable_launch *out, struct tw_hole hole) {
    out->holes[out->hole_count++] = hole;
}

static void prepare_argument(const struct tw_executable *x, int index, int position,
                             struct tw_executable_launch *out) {
    const struct tw_argument *argument = &x->problem->description->arguments[index];
    struct tw_value *value = &out->values[position];
    struct tw_hole hole = {.position = position, .argument = index};
    if (argument->kind == TW_ARGUMENT_STRIDE) {
        *value = integer_value(x->bound[argument->slot]);
        return;
    }
    hole.type = tw_problem_type(x->problem, index);
    if (x->absent >> index & 1) {
        *value = (struct tw_value){.kind = TW_VALUE_MEMORY};
        return;
    }
    if (argument->kind == TW_ARGUMENT_BUFFER) {
        hole.kind = TW_HOLE_BUFFER;
        value->kind = TW_VALUE_MEMORY;
    } else {
        hole.kind = TW_HOLE_SCALAR;
        value->kind = TW_VALUE_BYTES;
        value->size = tw_type_encode(hole.type, argument->default_number, value->bytes);
    }
    add_hole(out, hole);
}

/* What is the same in every call is encoded now; the rest become holes. */
static void prepare_values(const struct tw_executable *x,
                           const struct tw_launch_description *launch,
                           struct tw_executable_launch *out) {
    out->value_count = out->hole_count = 0;
    for (int p = 0; p < launch->passed_count; p++) {
        if (!tw_problem_passes(x->problem, &launch->passed[p], x->bound))
            continue;
        const int i = out->value_count++, index = launch->passed[p].index;
        struct tw_hole hole = {.position = i, .argument = index};
        out->values[i] = (struct tw_value){.kind = TW_VALUE_MEMORY};
        switch (launch->passed[p].kind) {
        case TW_PASS_SLOT:
            out->values[i] = integer_value(x->bound[index]);
            break;
        case TW_PASS_ARGUMENT:
            prepare_argument(x, index, i, out);
            break;
        case TW_PASS_WORKSPACE:
            hole.kind = TW_HOLE_WORKSPACE;
            add_hole(out, hole);
            break;
        case TW_PASS_COUNTERS:
            hole.kind = TW_HOLE_COUNTERS;
            add_hole(out, hole);
            break;
        case TW_PASS_BEFORE:
            if (x->absent >> index & 1)
                break;
            hole.kind = TW_HOLE_BEFORE;
            add_hole(out, hole);
            break;
        case TW_PASS_TENSOR_MAP:
            out->values[i].kind = TW_VALUE_TENSOR_MAP;
            out->values[i].tensor = &out->tensors[index];
            hole.argument = launch->tensor_maps[index].buffer;
            hole.kind = hole.argument < 0 ? TW_HOLE_WORKSPACE : TW_HOLE_BUFFER;
            add_hole(out, hole);
        }
    }
}

static tw_status prepare_launch(struct tw_executable *x, int index,
                                const struct tw_device_info *device, struct tw_error *error) {
    const struct tw_launch_description *launch = description_of(x, index);
    struct tw_executable_launch *out = &x->launches[index];
    out->name = launch->templates[0];
    out->function = launch->function;
    tw_status status = tw_geometry_of(launch, x->bound, device, &out->geometry, error);
    if (status == TW_OK)
        status = tw_tensor_maps_of(x->problem, launch, x->bound, out->tensors, error);
    if (status == TW_OK)
        prepare_values(x, launch, out);
    return status;
}

static tw_status find_bytes(const struct tw_executable *x, const struct tw_implementation *in,
                            const char *what, const struct tw_expression *expression, uint64_t *out,
                            struct tw_error *error) {
    int64_t bytes = 0;
    enum tw_evaluation outcome =
        expression != NULL ? tw_expression_evaluate(expression, x->bound, &bytes) : TW_EVALUATED;
    *out = (uint64_t)bytes;
    if (outcome == TW_EVALUATED && bytes >= 0)
        return TW_OK;
    return tw_fail(error, TW_INVALID, "the %s of %s, \"%s\", %s", what, in->name,
                   tw_expression_text(expression),
                   outcome != TW_EVALUATED ? tw_evaluation_text(outcome) : "is negative");
}

static tw_status find_memory(struct tw_executable *x, const struct tw_implementation *in,
                             struct tw_error *error) {
    tw_status status = find_bytes(x, in, "workspace", in->workspace, &x->workspace, error);
    return status == TW_OK ? find_bytes(x, in, "counters", in->counters, &x->counters, error)
                           : status;
}

static tw_status create(struct tw_executable **out, const struct tw_problem *problem,
                        const struct tw_configuration *configuration,
                        const struct tw_launch_description *judge, const int64_t *values,
                        const struct tw_device_info *device, struct tw_error *error) {
    const struct tw_implementation *in =
        configuration != NULL
            ? &problem->description->implementations[configuration->implementation]
            : NULL;
    const int count = in != NULL ? in->launch_count : 1;
    *out = NULL;
    struct tw_executable *x = calloc(1, sizeof *x + (size_t)count * sizeof x->launches[0]);
    if (x == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    x->problem = problem;
    x->configuration = configuration;
    x->judge = judge;
    x->bound = values;
    for (int i = 0; i < problem->description->argument_count; i++)
        if (problem->description->arguments[i].kind == TW_ARGUMENT_BUFFER &&
            !tw_problem_has(problem, i, values))
            x->absent |= UINT32_C(1) << i;
    x->disqualified_by = in != NULL ? in->disqualified_by : NULL;
    x->launch_count = count;
    tw_status status = in != NULL ? find_memory(x, in, error) : TW_OK;
    for (int i = 0; i < count && status == TW_OK; i++)
        status = prepare_launch(x, i, device, error);
    if (status != TW_OK) {
        tw_executable_free(x);
        return status;
    }
    *out = x;
    return TW_OK;
}

tw_status tw_executable_create(struct tw_executable **out, const struct tw_problem *problem,
                               const struct tw_configuration *configuration, const int64_t *values,
                               const struct tw_device_info *device, struct tw_error *error) {
    return create(out, problem, configuration, &problem->description->reference, values, device,
                  error);
}

tw_status tw_executable_create_plain(struct tw_executable **out, const struct tw_problem *problem,
                                     const int64_t *values, const struct tw_device_info *device,
                                     struct tw_error *error) {
    return create(out, problem, NULL, &problem->description->accuracy->plain, values, device,
                  error);
}

void tw_executable_free(struct tw_executable *executable) {
    free(executable);
}

/* ---- Sources ---- */

tw_status tw_executable_source(const struct tw_executable *x, int launch, const char *backend,
                               struct tw_text *source, char *hash, struct tw_error *error) {
    struct tw_text left = {0};
    tw_status status =
        tw_source_render(x->problem, x->configuration, description_of(x, launch), backend, x->bound,
                         &x->launches[launch].geometry, source, hash != NULL ? &left : NULL, error);
    if (status == TW_OK && hash != NULL) {
        struct tw_hash *state = tw_hash_begin();
        tw_hash_add(state, tw_text_or(&left, ""), left.length);
        tw_hash_finish(state, hash);
        if (hash[0] == '\0')
            status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    tw_text_free(&left);
    return status;
}

struct tw_compile_request tw_executable_request(const struct tw_executable *x, int launch,
                                                const char *source, struct tw_expected *expected) {
    const struct tw_description *d = x->problem->description;
    tw_launch_expected(
        x->problem,
        x->configuration != NULL ? &d->implementations[x->configuration->implementation] : NULL,
        description_of(x, launch), x->bound, x->launches[launch].geometry.shared, expected);
    return (struct tw_compile_request){.source = source,
                                       .name = x->launches[launch].name,
                                       .function = x->launches[launch].function,
                                       .disqualified_by = x->disqualified_by,
                                       .expected = expected};
}

/* ---- Launching ---- */

static void fill(const struct tw_executable_launch *prepared, const struct tw_arguments *arguments,
                 const struct tw_memory *workspace, const struct tw_memory *counters,
                 struct tw_value *values) {
    memcpy(values, prepared->values, (size_t)prepared->value_count * sizeof *values);
    for (int i = 0; i < prepared->hole_count; i++) {
        const struct tw_hole *hole = &prepared->holes[i];
        struct tw_value *value = &values[hole->position];
        if (hole->kind == TW_HOLE_BUFFER)
            value->memory = arguments->memory[hole->argument];
        else if (hole->kind == TW_HOLE_WORKSPACE)
            value->memory = *workspace;
        else if (hole->kind == TW_HOLE_COUNTERS)
            value->memory = *counters;
        else if (hole->kind == TW_HOLE_BEFORE)
            value->memory = arguments->before[hole->argument];
        else if (arguments->scalars_given >> hole->argument & 1)
            value->size =
                tw_type_encode(hole->type, arguments->scalars[hole->argument], value->bytes);
    }
}

void tw_executable_launch(const struct tw_executable *x, int launch, const struct tw_module *module,
                          const struct tw_arguments *arguments, const struct tw_memory *workspace,
                          const struct tw_memory *counters, struct tw_value *values,
                          struct tw_launch *out) {
    const struct tw_executable_launch *prepared = &x->launches[launch];
    const struct tw_geometry *geometry = &prepared->geometry;
    fill(prepared, arguments, workspace, counters, values);
    *out = (struct tw_launch){.module = module,
                              .shared = geometry->shared,
                              .value_count = (size_t)prepared->value_count,
                              .values = values,
                              .early = geometry->early};
    memcpy(out->block, geometry->block, sizeof out->block);
    memcpy(out->grid, geometry->grid, sizeof out->grid);
    memcpy(out->cluster, geometry->cluster, sizeof out->cluster);
}
