#include "tuner/compare/sides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"

void compare_sides_free(struct compare_sides *sides) {
    free(sides->problems);
    sides->problems = NULL;
    sides->problem_count = sides->room = 0;
}

static struct compare_problem *find_problem(const struct compare_sides *sides, const char *kernel,
                                            const char *key) {
    for (int i = 0; i < sides->problem_count; i++)
        if (strcmp(sides->problems[i].key, key) == 0 &&
            strcmp(sides->problems[i].problem.description->kernel, kernel) == 0)
            return &sides->problems[i];
    return NULL;
}

tw_status compare_add_problem(struct compare_sides *sides, const struct tw_problem *problem,
                              struct tw_error *error) {
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_key(problem, key);
    if (find_problem(sides, problem->description->kernel, key) != NULL)
        return TW_OK;
    if (sides->problem_count == sides->room) {
        int room = sides->room > 0 ? 2 * sides->room : 16;
        struct compare_problem *problems =
            realloc(sides->problems, (size_t)room * sizeof *problems);
        if (problems == NULL)
            return tw_fail(error, TW_NO_MEMORY, "out of memory");
        sides->problems = problems;
        sides->room = room;
    }
    struct compare_problem *added = &sides->problems[sides->problem_count++];
    *added = (struct compare_problem){.problem = *problem};
    strcpy(added->key, key);
    return TW_OK;
}

int compare_entries(const struct compare_sides *sides, int problem, int *which) {
    int count = 0;
    *which = -1;
    for (int i = 0; i < sides->count; i++) {
        if (!sides->problems[problem].entries[i].has)
            continue;
        count++;
        *which = i;
    }
    return count;
}

static tw_status next_side(const struct compare_sides *sides, struct tw_error *error) {
    if (sides->count == COMPARE_MAX_SIDES)
        return tw_fail(error, TW_INVALID, "more than %d sides", COMPARE_MAX_SIDES);
    return TW_OK;
}

/* ---- From databases ---- */

struct reading {
    struct compare_sides *sides;
    int64_t run; /* 0: any */
    struct known_devices devices;
    bool found;
    double best_us; /* of a run's trials */
    tw_status status;
    struct tw_error *error;
};

/* Where the side's configuration for a row's problem goes; NULL: the row is not asked for, or
 * nothing is known of its kernel. */
static struct compare_problem *place_for(struct reading *reading, const char *kernel,
                                         const char *key) {
    struct compare_sides *sides = reading->sides;
    const struct known_kernel *known = known_kernels_find(sides->kernels, kernel);
    struct tw_problem problem;
    struct tw_error unreadable;
    char today[TW_PROBLEM_KEY_SIZE];
    if (known == NULL || (sides->kernel != NULL && strcmp(sides->kernel, kernel) != 0) ||
        tw_problem_read(&problem, known->description, key, &unreadable) != TW_OK)
        return NULL;
    tw_problem_key(&problem, today);
    struct compare_problem *place = find_problem(sides, kernel, today);
    if (place != NULL || sides->fixed)
        return place;
    reading->status = compare_add_problem(sides, &problem, reading->error);
    return reading->status == TW_OK ? &sides->problems[sides->problem_count - 1] : NULL;
}

static void take(struct reading *reading, struct compare_problem *place, const char *implementation,
                 const char *configuration, const struct tw_error *stale) {
    struct compare_entry *entry = &place->entries[reading->sides->count];
    const struct tw_description *d = place->problem.description;
    struct tw_error why;
    int index = tw_description_implementation(d, implementation);
    tw_status status = TW_INVALID;
    if (stale != NULL)
        why = *stale;
    else if (index < 0)
        tw_fail(&why, TW_INVALID, "its implementation %.100s is unknown", implementation);
    else
        status = tw_configuration_parse(&entry->configuration, d, index, configuration, &why);
    entry->has = status == TW_OK;
    snprintf(entry->why_not, sizeof entry->why_not, "%.255s", entry->has ? "" : why.message);
}

static bool visit_best(void *context, const struct tw_db_best_row *row) {
    struct reading *reading = context;
    struct tw_error why;
    if (reading->run != 0 && row->best.run != reading->run)
        return true;
    reading->found = true;
    struct compare_problem *place = place_for(reading, row->problem.kernel, row->problem.key);
    if (place == NULL)
        return reading->status == TW_OK;
    /* The fastest comes first. */
    if (place->entries[reading->sides->count].has)
        return true;
    tw_status status = known_kernel_check(
        known_kernels_find(reading->sides->kernels, row->problem.kernel), row, &why);
    if (status == TW_NO_MEMORY) {
        reading->status = tw_fail(reading->error, TW_NO_MEMORY, "out of memory");
        return false;
    }
    take(reading, place, row->implementation_name, row->best.configuration,
         status == TW_OK ? NULL : &why);
    return true;
}

static tw_status read_best(struct reading *reading, tw_db *db) {
    char fingerprint[256];
    tw_device_fingerprint(reading->sides->device, fingerprint);
    const struct tw_db_best_filter filter = {.kernel = reading->sides->kernel,
                                             .device_fingerprint = fingerprint,
                                             .cache_policy = reading->sides->cache};
    if (tw_db_best_each(db, &filter, visit_best, reading) != TW_DB_OK)
        return tw_fail(reading->error, TW_DATABASE, "%s", tw_db_message(db));
    return reading->status;
}

tw_status compare_add_database(struct compare_sides *sides, tw_db *db, struct tw_error *error) {
    struct reading reading = {.sides = sides, .error = error};
    tw_status status = next_side(sides, error);
    if (status == TW_OK)
        status = read_best(&reading, db);
    sides->count += status == TW_OK;
    return status;
}

static bool visit_trial(void *context, const struct tw_db_trial_row *row) {
    struct reading *reading = context;
    struct tw_error stale;
    if (row->trial.screened_out || (reading->best_us > 0 && row->trial.time_us > reading->best_us))
        return true;
    reading->found = true;
    struct compare_problem *place = place_for(reading, row->kernel, row->problem_key);
    if (place == NULL)
        return reading->status == TW_OK;
    tw_status status = known_kernel_check_trial(
        known_kernels_find(reading->sides->kernels, row->kernel), &reading->devices, row);
    if (status == TW_NO_MEMORY) {
        reading->status = tw_fail(reading->error, TW_NO_MEMORY, "out of memory");
        return false;
    }
    if (status != TW_OK && place->entries[reading->sides->count].has)
        return true;
    if (status != TW_OK)
        tw_fail(&stale, TW_NOT_FOUND, "its code has changed since");
    else
        reading->best_us = row->trial.time_us;
    take(reading, place, row->implementation_name, row->trial.configuration,
         status == TW_OK ? NULL : &stale);
    return true;
}

static tw_status read_trials(struct reading *reading, tw_db *db) {
    char fingerprint[256];
    tw_device_fingerprint(reading->sides->device, fingerprint);
    const struct tw_db_trial_filter filter = {.run = reading->run,
                                              .device_fingerprint = fingerprint,
                                              .cache_policy = reading->sides->cache,
                                              .statuses = TW_DB_TRIAL_BIT(TW_DB_TRIAL_OK)};
    if (tw_db_trial_each(db, &filter, visit_trial, reading) != TW_DB_OK)
        return tw_fail(reading->error, TW_DATABASE, "%s", tw_db_message(db));
    return reading->status;
}

tw_status compare_add_run(struct compare_sides *sides, tw_db *db, int64_t run,
                          struct tw_error *error) {
    struct reading reading = {.sides = sides, .run = run, .error = error};
    tw_status status = next_side(sides, error);
    if (status == TW_OK)
        status = read_best(&reading, db);
    if (status == TW_OK && !reading.found)
        status = known_devices_read(&reading.devices, db, error);
    if (status == TW_OK && !reading.found)
        status = read_trials(&reading, db);
    known_devices_free(&reading.devices);
    if (status == TW_OK && !reading.found)
        status = tw_fail(error, TW_INVALID,
                         "run %lld has found nothing on %s with a %s cache; tune db list says "
                         "what there is",
                         (long long)run, sides->device->name, sides->cache);
    sides->count += status == TW_OK;
    return status;
}

/* ---- Given ---- */

tw_status compare_add_given(struct compare_sides *sides,
                            const struct tw_configuration *configuration, struct tw_error *error) {
    tw_status status = next_side(sides, error);
    for (int i = 0; i < sides->problem_count && status == TW_OK; i++)
        sides->problems[i].entries[sides->count] =
            (struct compare_entry){.has = true, .configuration = *configuration};
    sides->count += status == TW_OK;
    return status;
}
