/* A loaded variant: modules, geometry and workspace, ready to launch. */
#include "runtime/variant/variant.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/variant/tensor_map.h"

struct tw_variant {
    const struct tw_backend *backend;
    struct tw_device *device;
    const struct tw_problem *problem;
    const struct tw_implementation *implementation;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_geometry geometry[TW_MAX_LAUNCHES];
    struct tw_tensor tensors[TW_MAX_LAUNCHES][TW_MAX_TENSOR_MAPS];
    struct tw_module *modules[TW_MAX_LAUNCHES];
    struct tw_memory workspace;
};

void tw_variant_free(struct tw_variant *variant) {
    if (variant == NULL)
        return;
    for (int i = 0; i < TW_MAX_LAUNCHES; i++)
        variant->backend->unload(variant->device, variant->modules[i]);
    variant->backend->release(variant->device, &variant->workspace);
    free(variant);
}

static tw_status load_parts(struct tw_variant *variant, const struct tw_device_info *info,
                            const struct tw_binaries *binaries, struct tw_error *error) {
    const struct tw_implementation *in = variant->implementation;
    if (binaries->count != in->launch_count)
        return tw_fail(error, TW_INVALID, "%s has %d launches but %d binaries", in->name,
                       in->launch_count, binaries->count);
    for (int i = 0; i < in->launch_count; i++) {
        tw_status status =
            tw_geometry_of(&in->launches[i], variant->values, info, &variant->geometry[i], error);
        if (status == TW_OK)
            status = tw_tensor_maps_of(variant->problem, &in->launches[i], variant->values,
                                       variant->tensors[i], error);
        if (status == TW_OK)
            status = variant->backend->load(
                variant->device, binaries->launches[i].bytes, binaries->launches[i].size,
                in->launches[i].function, variant->geometry[i].shared, &variant->modules[i], error);
        if (status != TW_OK)
            return status;
    }
    if (in->workspace == NULL)
        return TW_OK;
    int64_t bytes = 0;
    enum tw_evaluation outcome = tw_expression_evaluate(in->workspace, variant->values, &bytes);
    if (outcome != TW_EVALUATED || bytes < 0)
        return tw_fail(error, TW_INVALID, "the workspace of %s, \"%s\", %s", in->name,
                       tw_expression_text(in->workspace),
                       outcome != TW_EVALUATED ? tw_evaluation_text(outcome) : "is negative");
    if (bytes == 0)
        return TW_OK;
    return variant->backend->allocate(variant->device, (uint64_t)bytes, &variant->workspace, error);
}

tw_status tw_variant_load(struct tw_variant **out, const struct tw_backend *backend,
                          struct tw_device *device, const struct tw_device_info *info,
                          const struct tw_problem *problem,
                          const struct tw_configuration *configuration, const int64_t *values,
                          const struct tw_binaries *binaries, struct tw_error *error) {
    *out = NULL;
    struct tw_variant *variant = calloc(1, sizeof *variant);
    if (variant == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    variant->backend = backend;
    variant->device = device;
    variant->problem = problem;
    variant->implementation = &problem->description->implementations[configuration->implementation];
    memcpy(variant->values, values, sizeof variant->values);
    tw_status status = load_parts(variant, info, binaries, error);
    if (status != TW_OK) {
        tw_variant_free(variant);
        return status;
    }
    *out = variant;
    return TW_OK;
}

/* The buffer or workspace that a tensor map shows. */
static struct tw_value tensor_value(const struct tw_tensor_map_description *map,
                                    const struct tw_tensor *tensor,
                                    const struct tw_arguments *arguments,
                                    const struct tw_memory *workspace) {
    return (struct tw_value){.kind = TW_VALUE_TENSOR_MAP,
                             .memory =
                                 map->buffer >= 0 ? arguments->memory[map->buffer] : *workspace,
                             .tensor = tensor};
}

static struct tw_value integer_value(int64_t number) {
    struct tw_value value = {.kind = TW_VALUE_BYTES};
    value.size = tw_type_encode(TW_TYPE_i32, (double)number, value.bytes);
    return value;
}

void tw_launch_values(const struct tw_problem *problem, const struct tw_launch_description *launch,
                      const int64_t *values, const struct tw_arguments *arguments,
                      const struct tw_memory *workspace, const struct tw_tensor *tensors,
                      struct tw_value *out) {
    for (int i = 0; i < launch->passed_count; i++) {
        int index = launch->passed[i].index;
        switch (launch->passed[i].kind) {
        case TW_PASS_SLOT:
            out[i] = integer_value(values[index]);
            break;
        case TW_PASS_WORKSPACE:
            out[i] = (struct tw_value){.kind = TW_VALUE_MEMORY, .memory = *workspace};
            break;
        case TW_PASS_TENSOR_MAP:
            out[i] =
                tensor_value(&launch->tensor_maps[index], &tensors[index], arguments, workspace);
            break;
        case TW_PASS_BEFORE:
            out[i] = (struct tw_value){.kind = TW_VALUE_MEMORY, .memory = arguments->before[index]};
            break;
        case TW_PASS_ARGUMENT: {
            const struct tw_argument *argument = &problem->description->arguments[index];
            if (argument->kind == TW_ARGUMENT_BUFFER) {
                out[i] =
                    (struct tw_value){.kind = TW_VALUE_MEMORY, .memory = arguments->memory[index]};
            } else if (argument->kind == TW_ARGUMENT_STRIDE) {
                out[i] = integer_value(values[argument->slot]);
            } else {
                out[i] = (struct tw_value){.kind = TW_VALUE_BYTES};
                out[i].size = tw_type_encode(tw_problem_type(problem, index),
                                             arguments->scalars[index], out[i].bytes);
            }
        }
        }
    }
}

int tw_variant_launch_count(const struct tw_variant *variant) {
    return variant->implementation->launch_count;
}

void tw_variant_launches(const struct tw_variant *variant, const struct tw_arguments *arguments,
                         struct tw_launch *launches, struct tw_value *values) {
    for (int i = 0; i < variant->implementation->launch_count; i++) {
        const struct tw_launch_description *launch = &variant->implementation->launches[i];
        const struct tw_geometry *geometry = &variant->geometry[i];
        tw_launch_values(variant->problem, launch, variant->values, arguments, &variant->workspace,
                         variant->tensors[i], values);
        launches[i] = (struct tw_launch){.module = variant->modules[i],
                                         .shared = geometry->shared,
                                         .value_count = (size_t)launch->passed_count,
                                         .values = values};
        memcpy(launches[i].block, geometry->block, sizeof geometry->block);
        memcpy(launches[i].grid, geometry->grid, sizeof geometry->grid);
        memcpy(launches[i].cluster, geometry->cluster, sizeof geometry->cluster);
        values += TW_MAX_PASSED;
    }
}

tw_status tw_variant_launch(const struct tw_variant *variant, const struct tw_arguments *arguments,
                            struct tw_error *error) {
    struct tw_launch launches[TW_MAX_LAUNCHES];
    struct tw_value values[TW_MAX_LAUNCHES * TW_MAX_PASSED];
    tw_variant_launches(variant, arguments, launches, values);
    tw_status status = TW_OK;
    for (int i = 0; i < tw_variant_launch_count(variant) && status == TW_OK; i++)
        status = variant->backend->launch(variant->device, &launches[i], error);
    return status;
}
