/* What libtilewise costs an application, measured in one run:
 *
 *     bench-library [DEVICE]
 *
 * - looking up a plan among 10,000, by one thread and by 16, with what it allocated and locked;
 * - opening a database with 100,000 best rows, against opening an empty one;
 * - the first plan of a shape, compiled and from the directory of binaries;
 * - later plans of shapes that were not tuned, by what was installed alone and with those rows;
 * - a launch, against the bare driver call (CUDA).
 *
 * Leaves nothing behind: it works in a directory of its own under /tmp. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/backend/devices.h"
#include "runtime/base/clock.h"
#include "runtime/library/paths.h"
#include "runtime/variant/cache.h"
#include "tools/bench_library/counters.h"
#include "tools/bench_library/launches.h"
#include "tools/bench_library/must.h"
#include "tools/bench_library/rows.h"
#include "tuner/statistics/statistics.h"

enum { PLANS = 10000, LOOKUPS = 200000, THREADS = 16, OPENINGS = 9, FIRSTS = 8, LATER = 24 };

static char directory[] = "/tmp/bench-library-XXXXXX";
static const char *const no_databases[] = {NULL};

void must(tw_status status, const tw_error *error) {
    if (status == TW_OK)
        return;
    fprintf(stderr, "bench-library: %s\n", error->message);
    exit(1);
}

static double sorted_median(double *values, size_t count) {
    statistics_sort(values, count);
    return statistics_median(values, count);
}

/* ---- Look-ups ---- */

static tw_request plan_request(int i) {
    return (tw_request){.kernel = "copy",
                        .attributes = "dtype=f32",
                        .dimensions = {64 + 4 * (i % 100), 64 + 4 * (i / 100)}};
}

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

struct searcher {
    tw_library *library;
    unsigned seed;
    double *times; /* nanoseconds of each look-up, less what reading the clock takes */
    struct counters counted;
    tw_status status;
    tw_error error;
};

static void *search(void *context) {
    struct searcher *s = context;
    double *clock = malloc(LOOKUPS * sizeof *clock);
    for (int i = 0; i < LOOKUPS; i++) {
        double start = nanoseconds();
        clock[i] = nanoseconds() - start;
    }
    double reading = sorted_median(clock, LOOKUPS);
    free(clock);
    struct counters before = counters_now();
    for (int i = 0; i < LOOKUPS && s->status == TW_OK; i++) {
        const tw_plan *plan;
        const tw_request request = plan_request((int)(rand_r(&s->seed) % PLANS));
        double start = nanoseconds();
        s->status = tw_plan_create(&plan, s->library, &request, &s->error);
        s->times[i] = nanoseconds() - start - reading;
    }
    struct counters after = counters_now();
    s->counted = (struct counters){.allocations = after.allocations - before.allocations,
                                   .locks = after.locks - before.locks,
                                   .statements = after.statements - before.statements};
    statistics_sort(s->times, LOOKUPS);
    return NULL;
}

static void bench_lookups(tw_library *library, int threads) {
    static struct searcher searchers[THREADS];
    pthread_t ids[THREADS];
    double medians[THREADS], tails[THREADS];
    int64_t calls = 0;
    for (int i = 0; i < threads; i++) {
        searchers[i] = (struct searcher){.library = library, .seed = 7u + (unsigned)i};
        searchers[i].times = malloc(LOOKUPS * sizeof(double));
    }
    for (int i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, search, &searchers[i]) != 0)
            exit(1);
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        must(searchers[i].status, &searchers[i].error);
        medians[i] = searchers[i].times[LOOKUPS / 2];
        tails[i] = searchers[i].times[LOOKUPS / 100 * 99];
        calls += searchers[i].counted.allocations + searchers[i].counted.locks +
                 searchers[i].counted.statements;
        free(searchers[i].times);
    }
    printf("look-up of a plan, %d plans, %2d threads   median %6.1f ns, p99 %6.1f ns; "
           "allocations + locks + SQL steps in %d look-ups: %" PRId64 "\n",
           PLANS, threads, sorted_median(medians, (size_t)threads),
           sorted_median(tails, (size_t)threads), threads * LOOKUPS, calls);
}

static void bench_plans(const tw_options *options) {
    tw_library *library;
    tw_error error;
    must(tw_open(&library, options, &error), &error);
    double start = tw_clock_now();
    for (int i = 0; i < PLANS; i++) {
        const tw_plan *plan;
        const tw_request request = plan_request(i);
        must(tw_plan_create(&plan, library, &request, &error), &error);
    }
    printf("making %d plans                          %.1f us each\n", PLANS,
           (tw_clock_now() - start) * 1e6 / PLANS);
    bench_lookups(library, 1);
    bench_lookups(library, THREADS);
    tw_close(library);
}

/* ---- Opening ---- */

/* Opening costs what opening the device costs, and reading: the difference is the reading. */
static void bench_opening(const tw_options *options, const struct tw_device_info *device) {
    char path[64];
    double full[OPENINGS], empty[OPENINGS], nearest[OPENINGS];
    snprintf(path, sizeof path, "%s/rows.db", directory);
    rows_write(path, device);
    const char *const databases[] = {path, NULL};
    for (int i = 0; i < 2 * OPENINGS; i++) {
        tw_options with = *options;
        tw_library *library;
        tw_error error;
        with.databases = i % 2 == 0 ? databases : no_databases;
        double start = tw_clock_now();
        must(tw_open(&library, &with, &error), &error);
        (i % 2 == 0 ? full : empty)[i / 2] = (tw_clock_now() - start) * 1e3;
        if (i % 2 == 0) {
            const tw_plan *plan;
            const tw_request request = {.kernel = "gemm", .dimensions = {500, 500, 500}};
            start = tw_clock_now();
            must(tw_plan_create(&plan, library, &request, &error), &error);
            nearest[i / 2] = (tw_clock_now() - start) * 1e3 - tw_plan_explain(plan)->loading_ms;
        }
        tw_close(library);
    }
    double all = sorted_median(full, OPENINGS), none = sorted_median(empty, OPENINGS);
    printf("opening %d best rows                    %.1f ms (tw_open %.1f ms, %.1f ms with no "
           "rows)\n",
           ROWS, all - none, all, none);
    printf("a first plan for an untuned shape there     %.2f ms of our own\n",
           sorted_median(nearest, OPENINGS));
}

/* ---- First plans ---- */

static void bench_first_plans(const tw_options *options) {
    static const char *const attributes[FIRSTS] = {
        "dtype=f32,trans=nn", "dtype=f32,trans=nt", "dtype=f32,trans=tn", "dtype=f32,trans=tt",
        "dtype=f64,trans=nn", "dtype=f64,trans=nt", "dtype=f64,trans=tn", "dtype=f64,trans=tt"};
    double compiled[FIRSTS], compiled_own[FIRSTS], kept[FIRSTS], kept_own[FIRSTS];
    for (int i = 0; i < 2 * FIRSTS; i++) {
        char binaries[80];
        tw_options with = *options;
        tw_library *library;
        const tw_plan *plan;
        tw_error error;
        /* A new directory each time it is to compile, and another that is filled. */
        snprintf(binaries, sizeof binaries, "%s/binaries-%d", directory, i / 2);
        with.binary_directory = binaries;
        must(tw_open(&library, &with, &error), &error);
        /* Another source each time: a compiler may keep what it compiled in the process. */
        const tw_request request = {
            .kernel = "gemm", .attributes = attributes[i / 2], .dimensions = {1001, 1003, 1005}};
        double start = tw_clock_now();
        must(tw_plan_create(&plan, library, &request, &error), &error);
        double took = (tw_clock_now() - start) * 1e3;
        const tw_explanation *e = tw_plan_explain(plan);
        (i % 2 == 0 ? compiled : kept)[i / 2] = took;
        (i % 2 == 0 ? compiled_own : kept_own)[i / 2] = took - e->loading_ms;
        if (strcmp(e->binary, i % 2 == 0 ? "compiled" : "disk") != 0) {
            fprintf(stderr, "bench-library: a binary was to be %s, but came from: %s\n",
                    i % 2 == 0 ? "compiled" : "on disk", e->binary);
            exit(1);
        }
        tw_close(library);
    }
    printf("first plan, gemm, compiled                  %.2f ms, of which our own %.2f\n",
           sorted_median(compiled, FIRSTS), sorted_median(compiled_own, FIRSTS));
    printf("first plan, gemm, from the disk             %.2f ms, of which our own %.2f\n",
           sorted_median(kept, FIRSTS), sorted_median(kept_own, FIRSTS));
}

/* ---- Later plans ---- */

/* Sides from 40 to 4,000, evenly spread in their logarithms. */
static tw_request untuned_request(unsigned *seed) {
    tw_request request = {.kernel = "gemm"};
    for (int i = 0; i < 3; i++)
        request.dimensions[i] = lround(40 * pow(100, rand_r(seed) / (double)RAND_MAX));
    return request;
}

/* What plans after a library's first take of our own: their binaries are on the disk. */
static double later_plans(const tw_options *options, double *first) {
    double own[LATER];
    for (int pass = 0; pass < 2; pass++) { /* The first one is to have them compiled. */
        unsigned seed = 1;
        tw_library *library;
        tw_error error;
        must(tw_open(&library, options, &error), &error);
        for (int i = 0; i <= LATER; i++) {
            const tw_plan *plan;
            const tw_request request = untuned_request(&seed);
            double start = tw_clock_now();
            must(tw_plan_create(&plan, library, &request, &error), &error);
            double took = (tw_clock_now() - start) * 1e3 - tw_plan_explain(plan)->loading_ms;
            *(i == 0 ? first : &own[i - 1]) = took;
        }
        tw_close(library);
    }
    return sorted_median(own, LATER);
}

/* With the rows that bench_opening wrote. */
static void bench_later_plans(const tw_options *options) {
    char path[64], binaries[64];
    struct tw_text installed = {0};
    tw_path_system_database(&installed);
    if (installed.length == 0) {
        printf("later plans                                 not measured: no database is "
               "installed beside this program\n");
        tw_text_free(&installed);
        return;
    }
    snprintf(path, sizeof path, "%s/rows.db", directory);
    snprintf(binaries, sizeof binaries, "%s/binaries-later", directory);
    for (int i = 0; i < 2; i++) {
        const char *const databases[] = {installed.data, i == 0 ? NULL : path, NULL};
        tw_options with = *options;
        double first, later;
        with.databases = databases;
        with.binary_directory = binaries;
        later = later_plans(&with, &first);
        printf("plans of untuned shapes, %-18s %.2f ms of our own, the first %.2f\n",
               i == 0 ? "what is installed" : "and 100000 rows", later, first);
    }
    tw_text_free(&installed);
}

static void bench_launches(const tw_options *options) {
    tw_library *library;
    tw_error error;
    double ours = 0, bare = 0;
    must(tw_open(&library, options, &error), &error);
    tw_status status = launches_compare(library, 41, &ours, &bare, &error);
    if (status == TW_UNAVAILABLE)
        printf("launch                                      not measured: %s\n", error.message);
    else
        must(status, &error);
    if (status == TW_OK)
        printf("launch                                      %.3f us; bare %.3f us; ratio %.3f\n",
               ours, bare, ours / bare);
    tw_close(library);
}

static void remove_directory(void) {
    char command[sizeof directory + 16];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    if (system(command) != 0)
        fprintf(stderr, "bench-library: %s stays behind\n", directory);
}

int main(int count, char **words) {
    struct tw_device_info device;
    tw_error error;
    if (count > 2 || (count == 2 && words[1][0] == '-')) {
        fprintf(stderr, "usage: bench-library [DEVICE]\n");
        return 2;
    }
    must(tw_device_pick(count > 1 ? words[1] : NULL, &device, &error), &error);
    if (mkdtemp(directory) == NULL) {
        perror(directory);
        return 1;
    }
    atexit(remove_directory);
    const tw_options options = {
        .device = device.id, .databases = no_databases, .binary_directory = ""};
    printf("%s: %s\n", device.id, device.name);
    bench_plans(&options);
    bench_opening(&options, &device);
    bench_first_plans(&options);
    bench_later_plans(&options);
    bench_launches(&options);
    return 0;
}
