#include "tools/bench_library/launches.h"

#include "runtime/base/clock.h"
#include "runtime/library/library.h"
#include "runtime/library/plan.h"
#include "tuner/statistics/statistics.h"

#ifdef TW_WITH_CUDA
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/cuda/device.h"

enum { BATCH = 500, SIDE = 64 };

struct bench {
    tw_library *library;
    const tw_plan *plan;
    void *from, *to;
};

static tw_status through_library(const struct bench *bench, tw_error *error) {
    const tw_binding bindings[] = {{.name = "A", .buffer = bench->from},
                                   {.name = "B", .buffer = bench->to}};
    tw_status status = TW_OK;
    for (int i = 0; i < BATCH && status == TW_OK; i++)
        status = tw_launch(bench->plan, NULL, bindings, 2, error);
    return status;
}

/* What an application that knows all in advance would write. */
static tw_status through_driver(const struct bench *bench, tw_error *error) {
    const struct tw_executable_launch *prepared = &bench->plan->executable->launches[0];
    const struct tw_geometry *geometry = &prepared->geometry;
    struct tw_value values[TW_MAX_PASSED];
    void *pointers[TW_MAX_PASSED];
    memcpy(values, prepared->values, sizeof values);
    for (int i = 0; i < prepared->value_count; i++)
        pointers[i] = values[i].kind == TW_VALUE_MEMORY ? (void *)&values[i].memory.address
                                                        : (void *)values[i].bytes;
    for (int i = 0; i < prepared->hole_count; i++)
        values[prepared->holes[i].position].memory.address =
            (uintptr_t)(i == 0 ? bench->from : bench->to);
    const struct tw_cuda_driver *cu = bench->library->device->cu;
    for (int i = 0; i < BATCH; i++)
        TW_CUDA_CHECK(cu->launch(bench->plan->modules[0]->function, geometry->grid[0],
                                 geometry->grid[1], geometry->grid[2], geometry->block[0],
                                 geometry->block[1], geometry->block[2], geometry->shared, NULL,
                                 pointers, NULL),
                      "cuLaunchKernel");
    return TW_OK;
}

static tw_status measure(const struct bench *bench, bool library, double *us, tw_error *error) {
    double start = tw_clock_now();
    tw_status status = library ? through_library(bench, error) : through_driver(bench, error);
    *us = (tw_clock_now() - start) * 1e6 / BATCH;
    return status == TW_OK ? tw_wait(bench->library, NULL, error) : status;
}

static tw_status compare(const struct bench *bench, int rounds, double *library_us, double *bare_us,
                         tw_error *error) {
    double *times = calloc((size_t)rounds * 2, sizeof *times);
    if (times == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = TW_OK;
    double ignored;
    for (int i = 0; i < 4 && status == TW_OK; i++)
        status = measure(bench, i % 2 == 0, &ignored, error);
    for (int i = 0; i < rounds && status == TW_OK; i++) {
        status = measure(bench, i % 2 == 0, &times[i % 2 == 0 ? i : rounds + i], error);
        if (status == TW_OK)
            status = measure(bench, i % 2 != 0, &times[i % 2 != 0 ? i : rounds + i], error);
    }
    if (status == TW_OK) {
        statistics_sort(times, (size_t)rounds);
        statistics_sort(times + rounds, (size_t)rounds);
        *library_us = statistics_median(times, (size_t)rounds);
        *bare_us = statistics_median(times + rounds, (size_t)rounds);
    }
    free(times);
    return status;
}

tw_status launches_compare(tw_library *library, int rounds, double *library_us, double *bare_us,
                           tw_error *error) {
    if (strcmp(library->backend->name, "cuda") != 0)
        return tw_fail(error, TW_UNAVAILABLE, "only CUDA has a bare call to compare with");
    struct bench bench = {.library = library};
    const tw_request request = {.kernel = "copy", .dimensions = {SIDE, SIDE}};
    tw_status status = tw_plan_create(&bench.plan, library, &request, error);
    if (status == TW_OK)
        status = tw_allocate(&bench.from, library, SIDE * SIDE * sizeof(float), error);
    if (status == TW_OK)
        status = tw_allocate(&bench.to, library, SIDE * SIDE * sizeof(float), error);
    bool entered = false;
    if (status == TW_OK)
        status = library->backend->enter(library->device, &entered, error);
    if (status == TW_OK) {
        status = compare(&bench, rounds, library_us, bare_us, error);
        library->backend->leave(library->device, entered);
    }
    tw_release(library, bench.from);
    tw_release(library, bench.to);
    return status;
}
#else
tw_status launches_compare(tw_library *library, int rounds, double *library_us, double *bare_us,
                           tw_error *error) {
    (void)library, (void)rounds, (void)library_us, (void)bare_us;
    return tw_fail(error, TW_UNAVAILABLE, "built without CUDA");
}
#endif
