#include "tools/bench_library/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/store.h"
#include "runtime/backend/devices.h"
#include "runtime/description/builtin.h"
#include "runtime/description/configuration.h"
#include "runtime/description/problem.h"
#include "runtime/variant/geometry.h"
#include "runtime/variant/identity.h"
#include "tools/bench_library/must.h"

/* ROWS = COUNTS[0] * COUNTS[1] * COUNTS[2] */
static const int COUNTS[3] = {50, 50, 40};

enum { MOST = 256 };

/* What results name: presets, and what each belongs to in the database. */
struct choices {
    struct tw_description *description;
    const struct tw_device_info *device;
    int64_t device_values[TW_DEVICE_SLOTS];
    int count;
    struct tw_configuration configurations[MOST];
    int64_t implementations[MOST];
};

static void must_db(enum tw_db_status status, const tw_db *db) {
    if (status == TW_DB_OK)
        return;
    fprintf(stderr, "bench-library: %s\n", tw_db_message(db));
    exit(1);
}

static void read_presets(struct choices *choices, tw_db *db) {
    const struct tw_description *d = choices->description;
    tw_error error;
    for (int i = 0; i < d->implementation_count; i++) {
        const struct tw_implementation *of = &d->implementations[i];
        char hash[TW_HASH_SIZE];
        int64_t id;
        if (tw_implementation_runs(of, choices->device, NULL) != TW_OK)
            continue;
        must(tw_identity_code(d, i, choices->device->backend, hash, &error), &error);
        const struct tw_db_implementation row = {
            .kernel = "gemm", .name = of->name, .template_hash = hash, .description = "{}"};
        must_db(tw_db_implementation_put(db, &row, &id), db);
        for (int j = 0; j < of->preset_count && choices->count < MOST; j++) {
            must(tw_configuration_preset(&choices->configurations[choices->count], d, i,
                                         &of->presets[j], &error),
                 &error);
            choices->implementations[choices->count++] = id;
        }
    }
}

/* The first that fits a problem from the nth on; `default` does. */
static int find_fitting(const struct choices *choices, const struct tw_problem *problem, int nth) {
    int64_t values[TW_MAX_SYMBOLS];
    tw_error error;
    must(tw_problem_bind(problem, choices->device_values, NULL, values, &error), &error);
    for (int i = 0; i < choices->count; i++) {
        int choice = (nth + i) % choices->count;
        const struct tw_configuration *c = &choices->configurations[choice];
        const struct tw_implementation *of =
            &choices->description->implementations[c->implementation];
        if (tw_configuration_allow(choices->description, c, 0, values, NULL) == TW_OK &&
            tw_implementation_fits(of, values, choices->device, NULL) == TW_OK)
            return choice;
    }
    fprintf(stderr, "bench-library: no preset of gemm fits\n");
    exit(1);
}

static void write_row(const struct choices *choices, tw_db *db, struct tw_db_best *best, int nth) {
    char key[TW_PROBLEM_KEY_SIZE], text[TW_PROBLEM_KEY_SIZE];
    struct tw_db_dimension dimensions[3];
    struct tw_problem problem;
    struct tw_text configuration = {0};
    tw_error error;
    must(tw_problem_parse(&problem, choices->description, "1x1x1", &error), &error);
    double flops = 2;
    for (int i = 0, rest = nth; i < 3; rest /= COUNTS[i++]) {
        problem.dimensions[i] = lround(16 * exp2(9.0 * (rest % COUNTS[i]) / (COUNTS[i] - 1)));
        flops *= (double)problem.dimensions[i];
        dimensions[i] = (struct tw_db_dimension){choices->description->dimensions[i].name,
                                                 problem.dimensions[i]};
    }
    tw_problem_key(&problem, key);
    tw_problem_text(&problem, text);
    const struct tw_db_problem row = {
        .kernel = "gemm", .key = key, .text = text, .dimensions = dimensions, .dimension_count = 3};
    must_db(tw_db_problem_put(db, &row, &best->problem), db);
    int choice = find_fitting(choices, &problem, nth);
    tw_configuration_text(choices->description, &choices->configurations[choice], &configuration);
    best->implementation = choices->implementations[choice];
    best->configuration = configuration.data;
    best->time_us = 3 + flops / 40e6;
    best->ci_low_us = best->time_us * 0.99;
    best->ci_high_us = best->time_us * 1.01;
    must_db(tw_db_best_put(db, best), db);
    tw_text_free(&configuration);
}

void rows_write(const char *path, const struct tw_device_info *device) {
    char fingerprint[256], message[TW_DB_MESSAGE_SIZE];
    struct choices *choices = calloc(1, sizeof *choices);
    tw_error error;
    tw_db *db;
    if (choices == NULL)
        exit(1);
    must(tw_description_builtin(&choices->description, "gemm", &error), &error);
    choices->device = device;
    tw_device_values(device, choices->device_values);
    tw_device_fingerprint(device, fingerprint);
    if (tw_db_open(&db, path, TW_DB_WRITE, message, sizeof message) != TW_DB_OK) {
        fprintf(stderr, "bench-library: %s\n", message);
        exit(1);
    }
    must_db(tw_db_begin(db), db);
    const struct tw_db_device row = {.fingerprint = fingerprint,
                                     .backend = device->backend,
                                     .name = device->name,
                                     .architecture = device->architecture,
                                     .compute_units = device->compute_units,
                                     .memory_bytes = device->memory_bytes};
    struct tw_db_best best = {.cache_policy = "cold", .repeats = 9};
    must_db(tw_db_device_put(db, &row, &best.device), db);
    read_presets(choices, db);
    for (int i = 0; i < ROWS; i++)
        write_row(choices, db, &best, i);
    must_db(tw_db_commit(db), db);
    tw_db_close(db);
    tw_description_free(choices->description);
    free(choices);
}
