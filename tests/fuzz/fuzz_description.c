/* Kernel descriptions: refused with file and key, or all that can be worked out of one without a
 * device is, for every preset on tiny and on huge problems. */
#include "runtime/backend/devices.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"
#include "runtime/variant/geometry.h"
#include "tests/fuzz/fuzz.h"

static const struct tw_device_info device = {.backend = "cuda",
                                             .architecture = "sm_90",
                                             .arch = 90,
                                             .compute_units = 132,
                                             .warp = 32,
                                             .max_threads = 1024,
                                             .max_block = {1024, 1024, 64},
                                             .max_grid = {INT32_MAX, 65535, 65535},
                                             .max_shared = 232448};

static void use_preset(const struct tw_problem *problem, int implementation,
                       const struct tw_preset *preset, const int64_t *bound) {
    const struct tw_description *d = problem->description;
    struct tw_configuration configuration = {.implementation = implementation};
    struct tw_error error = {0};
    int64_t values[TW_MAX_SYMBOLS];
    memcpy(configuration.values, preset->values, sizeof configuration.values);
    memcpy(values, bound, sizeof values);
    tw_status status = tw_configuration_bind(d, &configuration, values, &error);
    if (status == TW_OK)
        status = tw_configuration_check(d, &configuration, values, &error);
    if (status == TW_OK)
        status =
            tw_implementation_fits(&d->implementations[implementation], values, &device, &error);
    FUZZ_MUST(status == TW_OK || fuzz_is_told(status, &error));
}

static void use(const struct tw_description *d, int64_t size) {
    struct tw_problem problem = {.description = d};
    struct tw_error error = {0};
    int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    struct tw_work work;
    for (int i = 0; i < d->dimension_count; i++)
        problem.dimensions[i] = size;
    for (int i = 0; i < d->attribute_count; i++)
        problem.words[i] = d->attributes[i].default_word;
    tw_device_values(&device, slots);
    tw_status status = tw_problem_bind(&problem, slots, NULL, values, &error);
    for (int i = 0; i < d->argument_count && status == TW_OK; i++) {
        struct tw_extent extent;
        if (d->arguments[i].kind == TW_ARGUMENT_BUFFER)
            status = tw_problem_extent(&problem, i, values, &extent, &error);
    }
    if (status == TW_OK)
        status = tw_problem_work(&problem, values, &work, &error);
    FUZZ_MUST(status == TW_OK || fuzz_is_told(status, &error));
    for (int i = 0; i < d->implementation_count && status == TW_OK; i++)
        for (int p = 0; p < d->implementations[i].preset_count; p++)
            use_preset(&problem, i, &d->implementations[i].presets[p], values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    struct tw_description *d;
    struct tw_error error = {0};
    tw_status status = tw_description_read(&d, text, "fuzz.json", NULL, &error);
    if (status == TW_OK) {
        use(d, 1);
        use(d, 1000);
        use(d, INT32_MAX);
    } else {
        FUZZ_MUST(d == NULL && fuzz_is_told(status, &error));
        FUZZ_MUST(strncmp(error.message, "fuzz.json:", 10) == 0);
    }
    tw_description_free(d);
    free(text);
    return 0;
}
