#include "tuner/measure/bench.h"

#include <string.h>

#include "runtime/backend/devices.h"

tw_status bench_open(struct bench *bench, const struct tw_device_info *info,
                     const struct tw_problem *problem, const int64_t *strides,
                     struct tw_error *error) {
    *bench = (struct bench){.info = *info, .problem = *problem};
    bench->backend = tw_backend_find(info->backend);
    if (bench->backend == NULL)
        return tw_fail(error, TW_UNAVAILABLE, "the backend %s is not compiled in", info->backend);
    int64_t device[TW_DEVICE_SLOTS];
    tw_device_values(info, device);
    tw_status status = tw_problem_bind(problem, device, strides, bench->values, error);
    if (status == TW_OK)
        status = bench->backend->open(&bench->device, info->index, error);
    return status;
}

void bench_close(struct bench *bench) {
    if (bench->backend != NULL)
        bench->backend->close(bench->device);
    bench->device = NULL;
}

tw_status bench_compile(const struct bench *bench, const struct tw_configuration *configuration,
                        int64_t *values, struct tw_binaries *binaries, struct tw_error *error) {
    const struct tw_description *description = bench->problem.description;
    *binaries = (struct tw_binaries){0};
    memcpy(values, bench->values, sizeof bench->values);
    tw_status status = tw_configuration_bind(description, configuration, values, error);
    if (status == TW_OK)
        status = tw_configuration_check(description, configuration, values, error);
    if (status == TW_OK)
        status = tw_variant_compile(bench->backend, &bench->info, &bench->problem, configuration,
                                    values, binaries, error);
    return status;
}

tw_status bench_load(const struct bench *bench, const struct tw_configuration *configuration,
                     const int64_t *values, const struct tw_binaries *binaries,
                     struct tw_variant **variant, struct tw_error *error) {
    return tw_variant_load(variant, bench->backend, bench->device, &bench->info, &bench->problem,
                           configuration, values, binaries, error);
}
