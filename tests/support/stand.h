/* A problem made ready for its variants to be judged, each of which commits the sin that its
 * parameter SIN names. */
#ifndef TESTS_SUPPORT_STAND_H
#define TESTS_SUPPORT_STAND_H

#include "tests/support/device.h"
#include "tuner/measure/verify.h"
#include "tuner/measure/workload_create.h"

struct stand {
    struct tw_description *description;
    struct testbed testbed;
    struct workload workload;
};

static void close_stand(struct stand *stand) {
    workload_free(&stand->workload);
    testbed_close(&stand->testbed);
    tw_description_free(stand->description);
    free(stand);
}

static tw_status verify_sin(const struct stand *stand, const char *sin, struct accuracy *accuracy,
                            struct tw_error *error) {
    struct tw_configuration configuration;
    struct tw_binaries binaries;
    struct tw_variant *variant;
    int64_t values[TW_MAX_SYMBOLS];
    char text[100];
    snprintf(text, sizeof text, "{\"SIN\":\"%s\"}", sin);
    must(tw_configuration_parse(&configuration, stand->description, 0, text, error), *error);
    must(testbed_compile(&stand->testbed, &configuration, values, &binaries, error), *error);
    must(testbed_load(&stand->testbed, &configuration, values, &binaries, &variant, error), *error);
    tw_status status = verify_variant(&stand->workload, variant, accuracy, error);
    tw_variant_free(variant);
    tw_binaries_free(&binaries);
    return status;
}

#endif
