/* A device with one problem after the other on it. What checks answers, and references, are
 * compiled once for all of them. */
#ifndef TESTS_SUPPORT_BENCH_H
#define TESTS_SUPPORT_BENCH_H

#include "tests/support/support.h"
#include "tuner/measure/workload_create.h"

/* Zeroed: not opened yet. */
struct bench {
    bool open;
    struct testbed testbed;
    struct workload workload;
};

SUPPORT void bench_close(struct bench *bench) {
    workload_free(&bench->workload);
    testbed_close(&bench->testbed);
    *bench = (struct bench){0};
}

/* The first problem opens the device; later ones are of the same description. The device may be
 * told as something else than it is, but must be the same. After a failure the bench is closed. */
SUPPORT tw_status bench_take(struct bench *bench, const struct tw_device_info *device,
                             const struct tw_problem *problem, const int64_t *strides,
                             uint32_t seed, struct tw_error *error) {
    tw_status status;
    if (bench->open) {
        bench->testbed.info = *device;
        bench->workload.seed = seed;
        status = testbed_bind(&bench->testbed, problem, strides, error);
        if (status == TW_OK)
            status = workload_change(&bench->workload, CACHE_WARM, error);
    } else {
        bench->open = true;
        status = testbed_open(&bench->testbed, device, problem, strides, error);
        if (status == TW_OK)
            status = workload_create(&bench->workload, &bench->testbed, CACHE_WARM, seed, error);
    }
    if (status != TW_OK)
        bench_close(bench);
    return status;
}

#endif
