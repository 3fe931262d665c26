#include "tuner/measure/testbed.h"

#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/variant/geometry.h"

tw_status testbed_open(struct testbed *testbed, const struct tw_device_info *info,
                       const struct tw_problem *problem, const int64_t *strides,
                       struct tw_error *error) {
    *testbed = (struct testbed){.info = *info, .backend = tw_backend_find(info->backend)};
    if (testbed->backend == NULL)
        return tw_fail(error, TW_UNAVAILABLE, "the backend %s is not compiled in", info->backend);
    tw_status status = testbed_bind(testbed, problem, strides, error);
    if (status == TW_OK)
        status = testbed->backend->open(&testbed->device, info->index, error);
    return status;
}

tw_status testbed_bind(struct testbed *testbed, const struct tw_problem *problem,
                       const int64_t *strides, struct tw_error *error) {
    int64_t device[TW_DEVICE_SLOTS];
    testbed->problem = *problem;
    tw_device_values(&testbed->info, device);
    return tw_problem_bind(problem, device, strides, testbed->values, error);
}

void testbed_close(struct testbed *testbed) {
    if (testbed->backend != NULL)
        testbed->backend->close(testbed->device);
    testbed->device = NULL;
}

tw_status testbed_compile(const struct testbed *testbed,
                          const struct tw_configuration *configuration, int64_t *values,
                          struct tw_binaries *binaries, struct tw_error *error) {
    const struct tw_description *description = testbed->problem.description;
    *binaries = (struct tw_binaries){0};
    memcpy(values, testbed->values, sizeof testbed->values);
    tw_status status = tw_configuration_bind(description, configuration, values, error);
    if (status == TW_OK)
        status = tw_configuration_check(description, configuration, values, error);
    if (status == TW_OK)
        status =
            tw_implementation_fits(&description->implementations[configuration->implementation],
                                   values, &testbed->info, error);
    if (status == TW_OK)
        status = tw_variant_compile(testbed->backend, &testbed->info, &testbed->problem,
                                    configuration, values, binaries, error);
    return status;
}

tw_status testbed_load(const struct testbed *testbed, const struct tw_configuration *configuration,
                       const int64_t *values, const struct tw_binaries *binaries,
                       struct tw_variant **variant, struct tw_error *error) {
    return tw_variant_load(variant, testbed->backend, testbed->device, &testbed->info,
                           &testbed->problem, configuration, values, binaries, error);
}
