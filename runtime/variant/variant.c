/* A loaded variant: an executable with its modules, its workspace and its counters. */
#include "runtime/variant/variant.h"

#include <stdlib.h>
#include <string.h>

struct tw_variant {
    const struct tw_backend *backend;
    struct tw_device *device;
    struct tw_executable *executable;
    struct tw_module *modules[TW_MAX_LAUNCHES];
    struct tw_memory workspace, counters;
};

void tw_variant_free(struct tw_variant *variant) {
    if (variant == NULL)
        return;
    for (int i = 0; i < TW_MAX_LAUNCHES; i++)
        variant->backend->unload(variant->device, variant->modules[i]);
    variant->backend->release(variant->device, &variant->workspace);
    variant->backend->release(variant->device, &variant->counters);
    tw_executable_free(variant->executable);
    free(variant);
}

static tw_status load(struct tw_variant *variant, const struct tw_binaries *binaries,
                      struct tw_error *error) {
    const struct tw_executable *x = variant->executable;
    if (binaries->count != x->launch_count)
        return tw_fail(error, TW_INVALID, "there are %d launches but %d binaries", x->launch_count,
                       binaries->count);
    for (int i = 0; i < x->launch_count; i++) {
        const struct tw_executable_launch *launch = &x->launches[i];
        tw_status status = variant->backend->load(
            variant->device, binaries->launches[i].bytes, binaries->launches[i].size,
            launch->function, launch->geometry.shared, &variant->modules[i], error);
        if (status != TW_OK)
            return status;
    }
    tw_status status = x->workspace > 0 ? variant->backend->allocate(variant->device, x->workspace,
                                                                     &variant->workspace, error)
                                        : TW_OK;
    if (status == TW_OK && x->counters > 0)
        status =
            variant->backend->allocate(variant->device, x->counters, &variant->counters, error);
    /* Once: launches leave them as they find them. */
    if (status == TW_OK && x->counters > 0)
        status = variant->backend->fill(variant->device, &variant->counters, 0, error);
    /* The variant asks for more than there is. */
    return status == TW_NO_MEMORY ? tw_fail_within(error, TW_RESOURCE, "its workspace") : status;
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
    tw_status status =
        tw_executable_create(&variant->executable, problem, configuration, values, info, error);
    if (status == TW_OK)
        status = load(variant, binaries, error);
    if (status != TW_OK) {
        tw_variant_free(variant);
        return status;
    }
    *out = variant;
    return TW_OK;
}

int tw_variant_launch_count(const struct tw_variant *variant) {
    return variant->executable->launch_count;
}

void tw_variant_launches(const struct tw_variant *variant, const struct tw_arguments *arguments,
                         struct tw_launch *launches, struct tw_value *values) {
    for (int i = 0; i < variant->executable->launch_count; i++)
        tw_executable_launch(variant->executable, i, variant->modules[i], arguments,
                             &variant->workspace, &variant->counters, values + i * TW_MAX_PASSED,
                             &launches[i]);
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
