/* What libtilewise costs an application, measured in one run:
 *
 *     bench-library [DEVICE]
 *
 * - looking up a plan among 10,000, by one thread and by 16, with what it allocated and locked;
 * - opening a database with 100,000 best rows, against opening an empty one;
 * - the first plan of a shape, compiled and from the directory of binaries;
 * - a launch, against the bare driver call (CUDA).
 *
 * Leaves nothing behind: it works in a directory of its own under /tmp. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "db/store.h"
#include "runtime/backend/devices.h"
#include "runtime/base/clock.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"
#include "runtime/variant/cache.h"
#include "runtime/variant/identity.h"
#include "tools/bench_library/counters.h"
#include "tools/bench_library/launches.h"
#include "tuner/statistics/statistics.h"

enum { PLANS = 10000, LOOKUPS = 200000, THREADS = 16, ROWS = 100000, OPENINGS = 9, FIRSTS = 8 };

static char directory[] = "/tmp/bench-library-XXXXXX";
static const char *const no_databases[] = {NULL};

static void must(tw_status status, const tw_error *error) {
    if (status == TW_OK)
        return;
    fprintf(stderr, "bench-library: %s\n", error->message);
    exit(1);
}

static void must_db(enum tw_db_status status, const tw_db *db) {
    if (status == TW_DB_OK)
        return;
    fprintf(stderr, "bench-library: %s\n", tw_db_message(db));
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

static void fill_database(const char *path, const struct tw_device_info *device) {
    struct tw_description *description;
    struct tw_problem problem;
    struct tw_text configuration = {0};
    char hash[TW_HASH_SIZE], fingerprint[256], message[TW_DB_MESSAGE_SIZE];
    tw_error error;
    must(tw_description_builtin(&description, "gemm", &error), &error);
    int index;
    const struct tw_preset *preset;
    tw_description_preset(description, "default", &index, &preset);
    struct tw_configuration values = {.implementation = index};
    memcpy(values.values, preset->values, sizeof values.values);
    tw_configuration_text(description, &values, &configuration);
    must(tw_identity_code(description, index, device->backend, hash, &error), &error);
    tw_device_fingerprint(device, fingerprint);
    tw_db *db;
    if (tw_db_open(&db, path, TW_DB_WRITE, message, sizeof message) != TW_DB_OK) {
        fprintf(stderr, "bench-library: %s\n", message);
        exit(1);
    }
    must_db(tw_db_begin(db), db);
    const struct tw_db_device device_row = {.fingerprint = fingerprint,
                                            .backend = device->backend,
                                            .name = device->name,
                                            .architecture = device->architecture,
                                            .compute_units = device->compute_units,
                                            .memory_bytes = device->memory_bytes};
    const struct tw_db_implementation implementation = {
        .kernel = "gemm",
        .name = description->implementations[index].name,
        .template_hash = hash,
        .description = "{}"};
    struct tw_db_best best = {.cache_policy = "cold",
                              .configuration = configuration.data,
                              .time_us = 10,
                              .ci_low_us = 9,
                              .ci_high_us = 11,
                              .repeats = 9};
    must_db(tw_db_device_put(db, &device_row, &best.device), db);
    must_db(tw_db_implementation_put(db, &implementation, &best.implementation), db);
    for (int i = 0; i < ROWS; i++) {
        char key[TW_PROBLEM_KEY_SIZE], text[TW_PROBLEM_KEY_SIZE];
        tw_problem_parse(&problem, description, "1x1x1", NULL);
        int64_t sizes[3] = {16 + i % 100, 16 + i / 100 % 100, 16 + i / 10000};
        memcpy(problem.dimensions, sizes, sizeof sizes);
        tw_problem_key(&problem, key);
        tw_problem_text(&problem, text);
        const struct tw_db_dimension dimensions[] = {
            {"M", sizes[0]}, {"N", sizes[1]}, {"K", sizes[2]}};
        const struct tw_db_problem row = {.kernel = "gemm",
                                          .key = key,
                                          .text = text,
                                          .dimensions = dimensions,
                                          .dimension_count = 3};
        must_db(tw_db_problem_put(db, &row, &best.problem), db);
        must_db(tw_db_best_put(db, &best), db);
    }
    must_db(tw_db_commit(db), db);
    tw_db_close(db);
    tw_text_free(&configuration);
    tw_description_free(description);
}

/* Opening costs what opening the device costs, and reading: the difference is the reading. */
static void bench_opening(const tw_options *options, const struct tw_device_info *device) {
    char path[64];
    double full[OPENINGS], empty[OPENINGS], nearest[OPENINGS];
    snprintf(path, sizeof path, "%s/rows.db", directory);
    fill_database(path, device);
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
    bench_launches(&options);
    return 0;
}
