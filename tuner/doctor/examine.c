/* Measuring what there is of noise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/description/builtin.h"
#include "tuner/doctor/doctor.h"
#include "tuner/measure/interleaved.h"
#include "tuner/measure/workload_create.h"
#include "tuner/space/given.h"

enum { LAUNCHES = 64, TIMES = 31, STEPS = 200 };

/* ---- A binary against itself ---- */

static tw_status play(struct diagnosis *d, struct interleaved *interleaved,
                      struct tw_error *error) {
    size_t rounds = (size_t)d->rounds;
    double *times = calloc(4 * rounds, sizeof *times);
    if (times == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    double *one = times, *other = times + rounds, *room = times + 2 * rounds;
    tw_status status = TW_OK;
    for (size_t i = 0; i < rounds && status == TW_OK; i++) {
        double row[2];
        status = interleaved_round(interleaved, row, error);
        one[i] = row[0];
        other[i] = row[1];
    }
    if (status == TW_OK) {
        d->same = ratio_of(other, one, rounds, room);
        d->spread = statistics_spread(room, rounds);
        statistics_sort(one, rounds);
        d->time_us = statistics_median(one, rounds);
    }
    free(times);
    return status;
}

static tw_status compare_with_itself(struct diagnosis *d, struct testbed *testbed,
                                     struct tw_error *error) {
    struct workload workload = {0};
    struct interleaved *interleaved = NULL;
    int entry, again;
    enum cache_policy policy = strcmp(d->cache, "warm") == 0 ? CACHE_WARM : CACHE_COLD;
    tw_status status = workload_create(&workload, testbed, policy, d->seed, error);
    if (status == TW_OK)
        status = interleaved_create(&interleaved, testbed, &workload, error);
    if (status == TW_OK)
        status = interleaved_enter(interleaved, &d->configuration, &entry, NULL, error);
    if (status == TW_OK)
        status = interleaved_enter_again(interleaved, entry, &again, error);
    if (status == TW_OK)
        status = play(d, interleaved, error);
    /* While it is still warm from the work. */
    if (status == TW_OK && testbed->backend->health != NULL)
        testbed->backend->health(testbed->device, &d->health);
    d->has_health = testbed->backend->health != NULL;
    interleaved_free(interleaved);
    workload_free(&workload);
    return status;
}

/* ---- Launches ---- */

/* The least work that a built-in kernel can be given. */
struct tiny {
    struct tw_description *description;
    struct testbed testbed;
    struct workload workload;
    struct tw_binaries binaries;
    struct tw_variant *variant;
    int each; /* launches of a call */
    struct tw_launch launches[LAUNCHES];
    struct tw_value values[LAUNCHES * TW_MAX_PASSED];
};

static void tiny_close(struct tiny *tiny) {
    tw_variant_free(tiny->variant);
    tw_binaries_free(&tiny->binaries);
    workload_free(&tiny->workload);
    testbed_close(&tiny->testbed);
    tw_description_free(tiny->description);
    free(tiny);
}

static tw_status tiny_open(struct tiny *tiny, const struct tw_device_info *device,
                           struct tw_error *error) {
    struct tw_problem problem;
    struct tw_configuration configuration;
    int64_t values[TW_MAX_SYMBOLS];
    tw_status status = tw_description_builtin(&tiny->description, "copy", error);
    if (status == TW_OK)
        status = tw_problem_parse(&problem, tiny->description, "1x1", error);
    if (status == TW_OK)
        status = given_preset(tiny->description, "default", &configuration, error);
    if (status == TW_OK)
        status = testbed_open(&tiny->testbed, device, &problem, NULL, error);
    if (status == TW_OK)
        status = workload_create(&tiny->workload, &tiny->testbed, CACHE_WARM, 1, error);
    if (status == TW_OK)
        status = testbed_compile(&tiny->testbed, &configuration, values, &tiny->binaries, error);
    if (status == TW_OK)
        status = testbed_load(&tiny->testbed, &configuration, values, &tiny->binaries,
                              &tiny->variant, error);
    if (status != TW_OK)
        return status;
    struct tw_arguments arguments;
    workload_arguments(&tiny->workload, 0, 0, &arguments);
    tiny->each = tw_variant_launch_count(tiny->variant);
    for (int i = 0; i + tiny->each <= LAUNCHES; i += tiny->each)
        tw_variant_launches(tiny->variant, &arguments, &tiny->launches[i],
                            &tiny->values[(size_t)i * TW_MAX_PASSED]);
    return TW_OK;
}

/* A way to run some launches, and the seconds that it took. */
typedef tw_status (*runner)(const struct tiny *tiny, const struct tw_graph *graph, size_t count,
                            double *seconds, struct tw_error *error);

static tw_status run_queued(const struct tiny *tiny, const struct tw_graph *graph, size_t count,
                            double *seconds, struct tw_error *error) {
    (void)graph;
    return tiny->testbed.backend->time(tiny->testbed.device, tiny->launches, count, seconds, error);
}

/* What is queued before keeps the device busy until all of the graph is there. */
static tw_status run_graph(const struct tiny *tiny, const struct tw_graph *graph, size_t count,
                           double *seconds, struct tw_error *error) {
    const struct testbed *testbed = &tiny->testbed;
    (void)count;
    tw_status status = testbed->backend->graph_queue(testbed->device, graph, error);
    return status == TW_OK ? testbed->backend->graph_time(testbed->device, graph, seconds, error)
                           : status;
}

static tw_status run_round_trip(const struct tiny *tiny, const struct tw_graph *graph, size_t count,
                                double *seconds, struct tw_error *error) {
    const struct testbed *testbed = &tiny->testbed;
    (void)graph, (void)count;
    double began = tw_clock_now();
    tw_status status = testbed->backend->launch(testbed->device, &tiny->launches[0], error);
    if (status == TW_OK)
        status = testbed->backend->synchronize(testbed->device, error);
    *seconds = tw_clock_now() - began;
    return status;
}

static tw_status median_us(const struct tiny *tiny, runner run, const struct tw_graph *graph,
                           size_t count, double *us, struct tw_error *error) {
    double times[TIMES];
    tw_status status = TW_OK;
    /* The first pays for what comes with it. */
    for (int i = -1; i < TIMES && status == TW_OK; i++) {
        double seconds = 0;
        status = run(tiny, graph, count, &seconds, error);
        if (i >= 0)
            times[i] = seconds * 1e6 / (double)count;
    }
    if (status != TW_OK)
        return status;
    statistics_sort(times, TIMES);
    *us = statistics_median(times, TIMES);
    return TW_OK;
}

static tw_status measure_graph(const struct tiny *tiny, size_t count, double *us,
                               struct tw_error *error) {
    const struct testbed *testbed = &tiny->testbed;
    struct tw_graph *graph = NULL;
    struct tw_error refused;
    *us = 0;
    if (testbed->backend->graph_create == NULL ||
        testbed->backend->graph_create(testbed->device, tiny->launches, count, &graph, &refused) !=
            TW_OK)
        return TW_OK;
    tw_status status = median_us(tiny, run_graph, graph, count, us, error);
    testbed->backend->graph_destroy(testbed->device, graph);
    return status;
}

/* The least difference of two times of the same launch. */
static tw_status measure_resolution(const struct tiny *tiny, double *us, struct tw_error *error) {
    double times[STEPS];
    tw_status status = TW_OK;
    for (int i = 0; i < STEPS && status == TW_OK; i++)
        status = run_queued(tiny, NULL, 1, &times[i], error);
    if (status != TW_OK)
        return status;
    statistics_sort(times, STEPS);
    *us = INFINITY;
    for (int i = 1; i < STEPS; i++)
        if (times[i] - times[i - 1] > 1e-12)
            *us = fmin(*us, (times[i] - times[i - 1]) * 1e6);
    return TW_OK;
}

static tw_status measure_launches(struct diagnosis *d, struct tw_error *error) {
    struct tiny *tiny = calloc(1, sizeof *tiny);
    if (tiny == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = tiny_open(tiny, &d->device, error);
    size_t count = (size_t)(tiny->each > 0 ? LAUNCHES / tiny->each * tiny->each : 0);
    if (status == TW_OK)
        status = median_us(tiny, run_queued, NULL, count, &d->launch.one_by_one_us, error);
    if (status == TW_OK)
        status = measure_graph(tiny, count, &d->launch.in_graph_us, error);
    if (status == TW_OK)
        status = median_us(tiny, run_round_trip, NULL, 1, &d->launch.round_trip_us, error);
    if (status == TW_OK)
        status = measure_resolution(tiny, &d->resolution_us, error);
    tiny_close(tiny);
    return status;
}

tw_status doctor_examine(struct diagnosis *d, struct tw_error *error) {
    struct testbed testbed = {0};
    struct host_mark mark;
    host_begin(&mark);
    tw_status status = testbed_open(&testbed, &d->device, &d->problem, NULL, error);
    if (status == TW_OK)
        status = compare_with_itself(d, &testbed, error);
    testbed_close(&testbed);
    if (status == TW_OK)
        status = measure_launches(d, error);
    host_end(&mark, &d->host);
    if (status == TW_OK)
        doctor_judge(d);
    return status;
}
