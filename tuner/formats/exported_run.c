#include "tuner/formats/exported_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/base/printable.h"
#include "tuner/exchange/canonical_json.h"
#include "tuner/formats/results_file.h"
#include "tuner/formats/trial_import.h"
#include "tuner/json/json.h"

enum { MOST_IMPLEMENTATIONS = 32 };

/* An implementation that the run tried. */
struct tried {
    char name[TW_NAME_SIZE];
    int64_t id; /* of its last trial */
    int64_t trials;
};

struct reading {
    struct exported_run *exported;
    exported_entry entry;
    struct tw_error *error;
    tw_status status;
    int64_t run;
    char *kernel, *problem_key; /* owned */
    char *measured_by, *driver, *compiler, *cache;
    int count;
    struct tried tried[MOST_IMPLEMENTATIONS];
    int chosen;
    char *hash;
};

void exported_string(struct tw_text *text, const char *string) {
    char line[1024];
    canonical_string(text, tw_printable_copy(string, line, sizeof line));
}

void exported_moment(struct tw_text *text, int64_t seconds) {
    time_t moment = (time_t)seconds;
    struct tm parts = {0};
    char line[40];
    gmtime_r(&moment, &parts);
    strftime(line, sizeof line, "%Y-%m-%d %H:%M:%S+00:00", &parts);
    tw_text_print(text, "\"%s\"", line);
}

/* ---- The run ---- */

static bool no_memory(struct reading *reading, bool failed) {
    if (json_lacked_memory() || failed)
        reading->status = tw_fail(reading->error, TW_NO_MEMORY, "out of memory");
    return reading->status == TW_NO_MEMORY;
}

/* Who measured: Tilewise, unless the run was imported and says otherwise. The caller frees. */
static char *measured_by(struct reading *reading, const struct tw_db_run *run) {
    cJSON *conditions = run->conditions != NULL ? cJSON_Parse(run->conditions) : NULL;
    const cJSON *imported = cJSON_GetObjectItemCaseSensitive(conditions, IMPORTED);
    const cJSON *who = cJSON_GetObjectItemCaseSensitive(imported, "measured_by");
    struct tw_text text = {0};
    if (cJSON_IsString(who))
        tw_text_print(&text, "%s", who->valuestring);
    else
        tw_text_print(&text, "Tilewise %s",
                      run->tilewise_version != NULL ? run->tilewise_version : "");
    cJSON_Delete(conditions);
    no_memory(reading, text.failed);
    return text.data;
}

static char *copy(struct reading *reading, const char *text) {
    char *result = text != NULL ? strdup(text) : NULL;
    if (text != NULL && result == NULL)
        reading->status = tw_fail(reading->error, TW_NO_MEMORY, "out of memory");
    return result;
}

static bool visit_run(void *context, const struct tw_db_run_row *row) {
    struct reading *reading = context;
    reading->run = row->id;
    reading->kernel = copy(reading, row->kernel);
    reading->problem_key = copy(reading, row->problem_key);
    reading->cache = copy(reading, row->run.cache_policy);
    reading->driver = copy(reading, row->run.driver);
    reading->compiler = copy(reading, row->run.compiler);
    reading->measured_by = measured_by(reading, &row->run);
    exported_string(&reading->exported->kernel, row->kernel);
    exported_string(&reading->exported->device, row->device_name);
    return false;
}

static tw_status find_run(struct reading *reading, tw_db *db, const struct trial_export *what) {
    const struct tw_db_run_filter filter = {
        .run = what->run, .kernel = what->kernel, .made_here = what->run == 0, .limit = 1};
    if (tw_db_run_each(db, &filter, visit_run, reading) != TW_DB_OK)
        return tw_fail(reading->error, TW_DATABASE, "%s", tw_db_message(db));
    if (reading->run == 0 && what->run != 0)
        return tw_fail(reading->error, TW_NOT_FOUND, "there is no run %lld%s%s",
                       (long long)what->run, what->kernel != NULL ? " of " : "",
                       what->kernel != NULL ? what->kernel : "");
    if (reading->run == 0)
        return tw_fail(reading->error, TW_NOT_FOUND, "there are no runs%s%s yet",
                       what->kernel != NULL ? " of " : "",
                       what->kernel != NULL ? what->kernel : "");
    return reading->status;
}

/* ---- The implementation ---- */

static bool visit_tried(void *context, const struct tw_db_trial_row *row) {
    struct reading *reading = context;
    int i = 0;
    while (i < reading->count && strcmp(reading->tried[i].name, row->implementation_name) != 0)
        i++;
    if (i == MOST_IMPLEMENTATIONS || strlen(row->implementation_name) >= TW_NAME_SIZE)
        return true;
    if (i == reading->count)
        strcpy(reading->tried[reading->count++].name, row->implementation_name);
    reading->tried[i].id = row->trial.implementation;
    reading->tried[i].trials++;
    return true;
}

static tw_status choose(struct reading *reading, const char *name) {
    struct tw_text names = {0};
    reading->chosen = name == NULL && reading->count == 1 ? 0 : -1;
    for (int i = 0; i < reading->count; i++) {
        tw_text_print(&names, "%s%s", i > 0 ? ", " : "", reading->tried[i].name);
        if (name != NULL && strcmp(reading->tried[i].name, name) == 0)
            reading->chosen = i;
    }
    tw_status status = TW_OK;
    if (reading->count == 0)
        status = tw_fail(reading->error, TW_NOT_FOUND, "run %lld has no trials here",
                         (long long)reading->run);
    else if (reading->chosen < 0 && name == NULL)
        status = tw_fail(reading->error, TW_INVALID,
                         "run %lld tried %s: a file has one; choose with --implementation NAME",
                         (long long)reading->run, names.failed ? "several" : names.data);
    else if (reading->chosen < 0)
        status = tw_fail(reading->error, TW_NOT_FOUND,
                         "run %lld has no trials of \"%.80s\"; it tried %s",
                         (long long)reading->run, name, names.failed ? "others" : names.data);
    tw_text_free(&names);
    return status;
}

/* ---- Trials ---- */

/* Whether `a` comes before `b`: numbers by value before words by letter. */
static bool before(const cJSON *a, const cJSON *b) {
    if (cJSON_IsNumber(a) != cJSON_IsNumber(b))
        return cJSON_IsNumber(a);
    return cJSON_IsNumber(a) ? a->valuedouble < b->valuedouble
                             : strcmp(a->valuestring, b->valuestring) < 0;
}

static bool add_value(cJSON *values, const cJSON *value) {
    for (const cJSON *at = values->child; at != NULL; at = at->next)
        if (!before(at, value) && !before(value, at))
            return true;
    return cJSON_AddItemToArray(values, cJSON_Duplicate(value, true));
}

static void sort_values(cJSON *values) {
    for (int sorted = 0, count = cJSON_GetArraySize(values); sorted < count; sorted++) {
        cJSON *least = values->child;
        for (int i = 1; i < count - sorted; i++) {
            cJSON *at = cJSON_GetArrayItem(values, i);
            least = before(at, least) ? at : least;
        }
        cJSON_AddItemToArray(values, cJSON_DetachItemViaPointer(values, least));
    }
}

/* Parameters of the first trial are the file's; their names are in order in a configuration. */
static bool add_parameters(cJSON *parameters, const cJSON *configuration, bool first) {
    bool good = cJSON_IsObject(configuration) &&
                (first || cJSON_GetArraySize(parameters) == cJSON_GetArraySize(configuration));
    const cJSON *value = good ? configuration->child : NULL;
    for (; value != NULL && good; value = value->next) {
        cJSON *values = first ? cJSON_AddArrayToObject(parameters, value->string)
                              : cJSON_GetObjectItemCaseSensitive(parameters, value->string);
        good = values != NULL && (cJSON_IsNumber(value) || cJSON_IsString(value)) &&
               add_value(values, value);
    }
    return good;
}

/* A database may hold numbers that JSON cannot. */
static bool is_finite(const struct tw_db_trial *t) {
    return (!t->has_time || isfinite(t->time_us)) &&
           (!t->has_compile_ms || isfinite(t->compile_ms)) &&
           (!t->has_interval || (isfinite(t->ci_low_us) && isfinite(t->ci_high_us)));
}

static bool visit_trial(void *context, const struct tw_db_trial_row *row) {
    struct reading *reading = context;
    struct exported_run *exported = reading->exported;
    cJSON *configuration = cJSON_Parse(row->trial.configuration);
    bool first = exported->entries.length == 0;
    if (first)
        reading->hash = copy(reading, row->template_hash);
    if (configuration == NULL || !canonical_is_plain(configuration) ||
        !add_parameters(exported->parameters, configuration, first) || !is_finite(&row->trial))
        reading->status = tw_fail(
            reading->error, TW_DATABASE,
            "trial %lld has a configuration or a time that cannot be exported", (long long)row->id);
    else
        reading->entry(&exported->entries, &row->trial, configuration);
    no_memory(reading, false);
    exported->left_out--;
    cJSON_Delete(configuration);
    return reading->status == TW_OK;
}

static tw_status read_trials(struct reading *reading, tw_db *db, const struct trial_export *what) {
    struct tw_db_trial_filter filter = {.run = reading->run};
    if (tw_db_trial_each(db, &filter, visit_tried, reading) != TW_DB_OK)
        return tw_fail(reading->error, TW_DATABASE, "%s", tw_db_message(db));
    tw_status status = choose(reading, what->implementation);
    if (status != TW_OK)
        return status;
    filter.implementations = &reading->tried[reading->chosen].id;
    filter.implementation_count = 1;
    reading->exported->left_out = reading->tried[reading->chosen].trials;
    if (tw_db_trial_each(db, &filter, visit_trial, reading) != TW_DB_OK)
        return tw_fail(reading->error, TW_DATABASE, "%s", tw_db_message(db));
    for (cJSON *values = reading->exported->parameters->child; values != NULL;
         values = values->next)
        sort_values(values);
    return reading->status;
}

/* ---- What only Tilewise reads ---- */

static void add_text(struct tw_text *text, const char *name, const char *value) {
    if (value == NULL)
        return;
    tw_text_print(text, "%s\"%s\": ", text->length > 0 ? ", " : "", name);
    exported_string(text, value);
}

static bool visit_problem(void *context, const struct tw_db_problem *problem) {
    struct reading *reading = context;
    struct exported_run *exported = reading->exported;
    if (strcmp(problem->key, reading->problem_key) != 0)
        return true;
    struct tw_text *own = &exported->own, shape = {0};
    tw_text_print(own, "\"attributes\": {");
    for (size_t i = 0; i < problem->attribute_count; i++) {
        tw_text_print(own, "%s", i > 0 ? ", " : "");
        exported_string(own, problem->attributes[i].name);
        tw_text_print(own, ": ");
        exported_string(own, problem->attributes[i].value);
    }
    tw_text_print(own, "}");
    for (size_t i = 0; i < problem->dimension_count && i < TW_MAX_DIMENSIONS; i++) {
        exported->dimensions[exported->dimension_count++] = problem->dimensions[i].value;
        tw_text_print(&shape, "%s%" PRId64, i > 0 ? "x" : "", problem->dimensions[i].value);
    }
    add_text(own, "cache", reading->cache);
    add_text(own, "compiler", reading->compiler);
    add_text(own, "driver", reading->driver);
    add_text(own, "implementation", reading->tried[reading->chosen].name);
    add_text(own, "measured_by", reading->measured_by);
    add_text(own, "shape", shape.data);
    add_text(own, "template_hash", reading->hash);
    own->failed = own->failed || shape.failed;
    tw_text_free(&shape);
    return false;
}

tw_status exported_run_read(struct exported_run *exported, tw_db *db,
                            const struct trial_export *what, exported_entry entry,
                            struct tw_error *error) {
    json_lacked_memory(); /* before */
    *exported = (struct exported_run){.parameters = cJSON_CreateObject()};
    struct reading reading = {.exported = exported, .entry = entry, .error = error};
    tw_status status = exported->parameters != NULL ? find_run(&reading, db, what)
                                                    : tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK)
        status = read_trials(&reading, db, what);
    if (status == TW_OK &&
        tw_db_problem_each(db, reading.kernel, visit_problem, &reading) != TW_DB_OK)
        status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (status == TW_OK && exported->dimension_count == 0)
        status = tw_fail(error, TW_DATABASE, "run %lld is of a problem without dimensions",
                         (long long)reading.run);
    if (status == TW_OK && (exported->own.failed || exported->entries.failed ||
                            exported->kernel.failed || exported->device.failed))
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    char *owned[] = {reading.kernel,   reading.problem_key, reading.measured_by, reading.driver,
                     reading.compiler, reading.cache,       reading.hash};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    return status;
}

void exported_run_free(struct exported_run *exported) {
    tw_text_free(&exported->kernel);
    tw_text_free(&exported->device);
    tw_text_free(&exported->own);
    tw_text_free(&exported->entries);
    cJSON_Delete(exported->parameters);
}
