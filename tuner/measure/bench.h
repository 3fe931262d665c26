/* The bench that variants are put on: an open device and the problem at hand. */
#ifndef TUNER_MEASURE_BENCH_H
#define TUNER_MEASURE_BENCH_H

#include "runtime/backend/backend.h"
#include "runtime/description/problem.h"
#include "runtime/variant/variant.h"

struct bench {
    const struct tw_backend *backend;
    struct tw_device *device;
    struct tw_device_info info;
    struct tw_problem problem;
    int64_t values[TW_MAX_SYMBOLS]; /* bound for problem and strides */
};

/* Opens the device and binds the problem. `strides` (by argument index, 0 for the default) may be
 * NULL. Close with bench_close also after a failure. */
tw_status bench_open(struct bench *bench, const struct tw_device_info *info,
                     const struct tw_problem *problem, const int64_t *strides,
                     struct tw_error *error);
void bench_close(struct bench *bench);

/* Binds a configuration to `values`, checks its constraints and compiles it. */
tw_status bench_compile(const struct bench *bench, const struct tw_configuration *configuration,
                        int64_t *values, struct tw_binaries *binaries, struct tw_error *error);
/* Loads what bench_compile made. The variant must be freed before the bench is closed. */
tw_status bench_load(const struct bench *bench, const struct tw_configuration *configuration,
                     const int64_t *values, const struct tw_binaries *binaries,
                     struct tw_variant **variant, struct tw_error *error);

#endif
