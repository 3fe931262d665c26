#include "tuner/measure/timing.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "tuner/measure/graphs.h"
#include "tuner/statistics/race.h"
#include "tuner/statistics/statistics.h"

enum { LEAST_REPEATS = 7, LEAST_IN_TIME = 3, MAX_CALLS = 64 };

/* Long against the half microsecond that device events resolve. */
static const double BATCH_US = 200;
/* A call that is shorter is timed in graphs, where the backend has them. A launch costs the host a
 * few microseconds, and the device about one between two of them, so that at ten times as much it
 * hardly matters any more who queues them. */
static const double SHORT_US = 30;
/* The first call of a batch pays for what the others do not, so variants that are compared have as
 * many calls in one, and all in graphs or none. What decides is the fastest so far, and holds for
 * what is up to so many times as long. */
enum { GRAPH_CALLS = 40, BATCH_CALLS = 4 };
static const double ALIKE = 2;
/* What a variant may cost, all told, once it has its least repeats. */
static const double ENOUGH_SECONDS = 40e-3;

struct timer {
    struct workload *workload;
    const struct tw_variant *variant;
    double warm_us;        /* of one call, as the warm-up saw it */
    int calls;             /* in a batch; 0: not yet chosen */
    struct graphs *graphs; /* NULL: launches are queued one by one */
    struct tw_launch launches[MAX_CALLS * TW_MAX_LAUNCHES];
    struct tw_value values[MAX_CALLS * TW_MAX_LAUNCHES * TW_MAX_PASSED];
};

/* What backends tell in seconds is microseconds from here on. */
static const double US_PER_SECOND = 1e6;

static tw_status time_batch(struct timer *timer, int calls, double *time_us,
                            struct tw_error *error) {
    double seconds = 0;
    struct workload *w = timer->workload;
    const struct testbed *testbed = w->testbed;
    size_t count = (size_t)tw_variant_launch_count(timer->variant);
    for (int i = 0; i < calls; i++) {
        struct tw_arguments arguments;
        workload_arguments(w, workload_next(w, 1), 0, &arguments);
        tw_variant_launches(timer->variant, &arguments, &timer->launches[(size_t)i * count],
                            &timer->values[(size_t)i * count * TW_MAX_PASSED]);
    }
    tw_status status = TW_OK;
    if (w->flush.bytes > 0)
        status = testbed->backend->fill(testbed->device, &w->flush, 0, error);
    if (status == TW_OK)
        status = testbed->backend->time(testbed->device, timer->launches, (size_t)calls * count,
                                        &seconds, error);
    *time_us = seconds * US_PER_SECOND / calls;
    return status;
}

/* Where the driver does not take the launches as graphs, which shows when they are made, it goes on
 * without. */
static tw_status time_next(struct timer *timer, double *time_us, struct tw_error *error) {
    struct tw_error why;
    if (timer->graphs == NULL)
        return time_batch(timer, timer->calls, time_us, error);
    tw_status status = graphs_time(timer->graphs, time_us, &why);
    if (status == TW_UNAVAILABLE) {
        graphs_free(timer->graphs);
        timer->graphs = NULL;
        return time_batch(timer, timer->calls, time_us, error);
    }
    if (status != TW_OK && error != NULL)
        *error = why;
    return status;
}

tw_status timer_make(struct timer **out, struct workload *workload,
                     const struct tw_variant *variant, struct tw_error *error) {
    *out = NULL;
    struct timer *timer = calloc(1, sizeof *timer);
    if (timer == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    timer->workload = workload;
    timer->variant = variant;
    tw_status status = TW_OK;
    /* The first call pays for loading, the second tells how long a batch must be. */
    for (int i = 0; i < 2 && status == TW_OK; i++)
        status = time_batch(timer, 1, &timer->warm_us, error);
    if (status != TW_OK) {
        timer_free(timer);
        return status;
    }
    double *fastest_us = &workload->rotation.fastest_us;
    if (*fastest_us == 0 || timer->warm_us < *fastest_us)
        *fastest_us = timer->warm_us;
    *out = timer;
    return TW_OK;
}

static int batch_calls(const struct timer *timer) {
    const struct workload *w = timer->workload;
    double calls = timer->warm_us > 0 ? BATCH_US / timer->warm_us + 1 : MAX_CALLS;
    if (w->rotation.fastest_us >= SHORT_US)
        calls = w->rotation.fastest_us < BATCH_US && timer->warm_us < ALIKE * BATCH_US ? BATCH_CALLS
                                                                                       : 1;
    bool no_reuse = w->policy == CACHE_COLD && w->flush.bytes > 0;
    double most = no_reuse && w->set_count < MAX_CALLS ? w->set_count : MAX_CALLS;
    return (int)(calls < most ? calls : most);
}

/* At the first repeat, when all that is compared has been warmed up. */
static tw_status plan(struct timer *timer, struct tw_error *error) {
    double unused;
    double fastest_us = timer->workload->rotation.fastest_us;
    bool is_short =
        fastest_us < SHORT_US && (timer->warm_us < SHORT_US || timer->warm_us < ALIKE * fastest_us);
    timer->calls = batch_calls(timer);
    tw_status status = TW_OK;
    if (is_short)
        status = graphs_create(&timer->graphs, timer->workload, timer->variant, GRAPH_CALLS, error);
    if (status == TW_OK && timer->graphs != NULL)
        status = time_next(timer, &unused, error);
    return status;
}

void timer_free(struct timer *timer) {
    if (timer != NULL)
        graphs_free(timer->graphs);
    free(timer);
}

tw_status timer_repeat(struct timer *timer, double *time_us, struct tw_error *error) {
    tw_status status = timer->calls == 0 ? plan(timer, error) : TW_OK;
    if (status == TW_OK)
        status = time_next(timer, time_us, error);
    if (status == TW_OK && !(*time_us > 0))
        return tw_fail(error, TW_DEVICE, "the device measured no time at all");
    return status;
}

double timing_median(const struct timing *timing) {
    double sorted[TIMING_MAX_REPEATS];
    memcpy(sorted, timing->times_us, (size_t)timing->count * sizeof *sorted);
    statistics_sort(sorted, (size_t)timing->count);
    return statistics_median(sorted, (size_t)timing->count);
}

tw_status timing_collect(const struct timing_source *source, double best_us, double enough,
                         struct timing *timing, struct tw_error *error) {
    int least = enough > 0 ? LEAST_IN_TIME : LEAST_REPEATS;
    double enough_seconds = enough > 0 ? enough : ENOUGH_SECONDS;
    *timing = (struct timing){0};
    double start = tw_clock_now();
    while (timing->count < TIMING_MAX_REPEATS) {
        double time_us = 0;
        tw_status status = source->repeat(source->context, &time_us, error);
        if (status != TW_OK)
            return status;
        timing->times_us[timing->count++] = time_us;
        timing->screened_out =
            race_is_lost(timing->times_us, (size_t)timing->count, source->warm_us, best_us);
        if (timing->screened_out)
            return TW_OK;
        if (timing->count >= least && tw_clock_now() - start > enough_seconds)
            break;
    }
    return TW_OK;
}

static tw_status repeat(void *timer, double *time_us, struct tw_error *error) {
    return timer_repeat(timer, time_us, error);
}

tw_status timer_measure(struct timer *timer, double best_us, double enough, struct timing *timing,
                        struct tw_error *error) {
    const struct timing_source source = {repeat, timer, timer->warm_us};
    return timing_collect(&source, best_us, enough, timing, error);
}

tw_status timing_copy(const struct workload *w, double bytes, double *time_us,
                      struct tw_error *error) {
    enum { REPEATS = 9 };
    const struct testbed *testbed = w->testbed;
    uint64_t half = (uint64_t)(bytes / 2);
    struct tw_memory from = {0}, to = {0};
    tw_status status = testbed->backend->allocate(testbed->device, half, &from, error);
    if (status == TW_OK)
        status = testbed->backend->allocate(testbed->device, half, &to, error);
    if (status == TW_OK)
        status = testbed->backend->fill(testbed->device, &from, 0x5A, error);
    double times[REPEATS];
    for (int i = -1; i < REPEATS && status == TW_OK; i++) {
        double one = 0;
        if (w->flush.bytes > 0)
            status = testbed->backend->fill(testbed->device, &w->flush, 0, error);
        if (status == TW_OK)
            status = testbed->backend->time_copy(testbed->device, &to, &from, &one, error);
        if (i >= 0)
            times[i] = one;
    }
    if (status == TW_OK) {
        statistics_sort(times, REPEATS);
        *time_us = statistics_median(times, REPEATS) * US_PER_SECOND;
    }
    testbed->backend->release(testbed->device, &from);
    testbed->backend->release(testbed->device, &to);
    return status;
}
