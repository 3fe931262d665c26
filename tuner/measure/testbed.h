/* What variants are measured on: an open device, with the problem at hand bound. */
#ifndef TUNER_MEASURE_TESTBED_H
#define TUNER_MEASURE_TESTBED_H

#include "runtime/backend/backend.h"
#include "runtime/description/problem.h"
#include "runtime/variant/variant.h"

struct testbed {
    const struct tw_backend *backend;
    struct tw_device *device;
    struct tw_device_info info;
    struct tw_problem problem;
    int64_t values[TW_MAX_SYMBOLS]; /* bound for problem and strides */
    bool measures_errors;           /* on hard inputs, also where nothing is promised (promise.h) */
};

/* Opens the device and binds the problem. `strides` (by argument index, 0 for the default) may be
 * NULL. Close with testbed_close also after a failure. */
tw_status testbed_open(struct testbed *testbed, const struct tw_device_info *info,
                       const struct tw_problem *problem, const int64_t *strides,
                       struct tw_error *error);
/* Binds another problem in place of the one that there was, on the open device. */
tw_status testbed_bind(struct testbed *testbed, const struct tw_problem *problem,
                       const int64_t *strides, struct tw_error *error);
void testbed_close(struct testbed *testbed);

/* Binds a configuration to `values`, checks its constraints and compiles it. */
tw_status testbed_compile(const struct testbed *testbed,
                          const struct tw_configuration *configuration, int64_t *values,
                          struct tw_binaries *binaries, struct tw_error *error);
/* Loads what testbed_compile made. The variant must be freed before the testbed is closed. */
tw_status testbed_load(const struct testbed *testbed, const struct tw_configuration *configuration,
                       const int64_t *values, const struct tw_binaries *binaries,
                       struct tw_variant **variant, struct tw_error *error);

#endif
