/* Compiling a variant or a reference: render each launch, then hand it to the backend. */
#include "runtime/variant/variant.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/variant/source.h"

void tw_binaries_free(struct tw_binaries *binaries) {
    for (int i = 0; i < binaries->count; i++)
        tw_binary_free(&binaries->launches[i]);
    binaries->count = 0;
}

static tw_status compile_launch(const struct tw_backend *backend,
                                const struct tw_device_info *device,
                                const struct tw_problem *problem,
                                const struct tw_configuration *configuration,
                                const struct tw_launch_description *launch, const int64_t *values,
                                struct tw_binary *binary, struct tw_error *error) {
    *binary = (struct tw_binary){0};
    struct tw_geometry geometry;
    tw_status status = tw_geometry_of(launch, values, device, &geometry, error);
    if (status != TW_OK)
        return status;
    struct tw_text source = {0};
    status = tw_source_render(problem, configuration, launch, backend->name, values, &geometry,
                              &source, error);
    if (status == TW_OK) {
        const struct tw_compile_request request = {
            .source = source.data, .name = launch->templates[0], .function = launch->function};
        status = backend->compile(device, &request, binary, error);
        if (status == TW_COMPILE)
            tw_binary_explain(binary, error);
    }
    tw_text_free(&source);
    int64_t threads = (int64_t)geometry.block[0] * geometry.block[1] * geometry.block[2];
    if (status == TW_OK && binary->has_resources && device->max_registers > 0 &&
        binary->registers * threads > device->max_registers)
        status = tw_fail(error, TW_RESOURCE,
                         "a block of %" PRId64 " threads needs %" PRId64
                         " registers each; the device has %" PRId64 " for a block",
                         threads, binary->registers, device->max_registers);
    return status;
}

tw_status tw_variant_compile(const struct tw_backend *backend, const struct tw_device_info *device,
                             const struct tw_problem *problem,
                             const struct tw_configuration *configuration, const int64_t *values,
                             struct tw_binaries *binaries, struct tw_error *error) {
    const struct tw_implementation *implementation =
        &problem->description->implementations[configuration->implementation];
    *binaries = (struct tw_binaries){0};
    tw_status status = TW_OK;
    for (int i = 0; i < implementation->launch_count && status == TW_OK; i++) {
        binaries->count++;
        status =
            compile_launch(backend, device, problem, configuration, &implementation->launches[i],
                           values, &binaries->launches[i], error);
    }
    return status;
}

tw_status tw_reference_compile(const struct tw_backend *backend,
                               const struct tw_device_info *device,
                               const struct tw_problem *problem, const int64_t *values,
                               struct tw_binary *binary, struct tw_error *error) {
    return compile_launch(backend, device, problem, NULL, &problem->description->reference, values,
                          binary, error);
}
