#include "tuner/exchange/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tuner/exchange/canonical_json.h"
#include "tuner/exchange/export_models.h"
#include "tuner/exchange/well_formed.h"

/* A row as it will be printed, and the text it is sorted by. */
struct piece {
    struct tw_text order;
    struct tw_text text;
};

struct pieces {
    size_t count, capacity;
    struct piece *pieces;
    bool failed;
};

struct export {
    struct pieces best, devices, problems;
    struct tw_error *error;
    tw_status status;
};

static struct piece *add_piece(struct pieces *list) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity * 2 + 16;
        struct piece *pieces = realloc(list->pieces, capacity * sizeof *pieces);
        if (pieces == NULL) {
            list->failed = true;
            return NULL;
        }
        list->pieces = pieces;
        list->capacity = capacity;
    }
    struct piece *piece = &list->pieces[list->count++];
    *piece = (struct piece){0};
    return piece;
}

static int by_order(const void *a, const void *b) {
    return strcmp(((const struct piece *)a)->order.data, ((const struct piece *)b)->order.data);
}

static void free_pieces(struct pieces *list) {
    for (size_t i = 0; i < list->count; i++) {
        tw_text_free(&list->pieces[i].order);
        tw_text_free(&list->pieces[i].text);
    }
    free(list->pieces);
}

/* Sorts; devices and problems come once a best row, and only the first of each is printed. */
static void print_pieces(struct pieces *list, const char *name, struct tw_text *text) {
    for (size_t i = 0; i < list->count; i++)
        list->failed = list->failed || list->pieces[i].order.failed || list->pieces[i].text.failed;
    if (list->failed) {
        text->failed = true;
        return;
    }
    if (list->count > 0)
        qsort(list->pieces, list->count, sizeof *list->pieces, by_order);
    tw_text_print(text, "  \"%s\": [", name);
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0 && by_order(&list->pieces[i - 1], &list->pieces[i]) == 0)
            continue;
        tw_text_print(text, "%s\n    %s", i > 0 ? "," : "", list->pieces[i].text.data);
    }
    tw_text_print(text, "%s],\n", list->count > 0 ? "\n  " : "");
}

/* ---- Members: `lead` is what comes before, at first "{" ---- */

static void member(struct tw_text *text, const char *lead, const char *name) {
    tw_text_print(text, "%s\"%s\": ", lead, name);
}

static void add_text(struct tw_text *text, const char *lead, const char *name, const char *value) {
    if (value == NULL)
        return;
    member(text, lead, name);
    canonical_string(text, value);
}

static void add_number(struct tw_text *text, const char *lead, const char *name, double value) {
    member(text, lead, name);
    canonical_number(text, value);
}

static void add_integer(struct tw_text *text, const char *lead, const char *name, int64_t value) {
    member(text, lead, name);
    tw_text_print(text, "%" PRId64, value);
}

/* JSON text that well_formed_row has found good. */
static void add_json(struct tw_text *text, const char *lead, const char *name, const char *value) {
    if (value == NULL)
        return;
    cJSON *json = cJSON_Parse(value);
    member(text, lead, name);
    canonical_value(text, json);
    text->failed = text->failed || json == NULL;
    cJSON_Delete(json);
}

static void print_device(struct tw_text *text, const struct tw_db_device *device) {
    tw_text_print(text, "{");
    add_text(text, "", "architecture", device->architecture);
    add_text(text, device->architecture != NULL ? ", " : "", "backend", device->backend);
    add_integer(text, ", ", "compute_units", device->compute_units);
    add_text(text, ", ", "fingerprint", device->fingerprint);
    add_integer(text, ", ", "memory_bytes", device->memory_bytes);
    add_text(text, ", ", "name", device->name);
    add_json(text, ", ", "properties", device->properties);
    add_text(text, ", ", "vendor", device->vendor);
    tw_text_print(text, "}");
}

static int by_dimension(const void *a, const void *b) {
    return strcmp(((const struct tw_db_dimension *)a)->name,
                  ((const struct tw_db_dimension *)b)->name);
}

static void print_problem(struct tw_text *text, const struct tw_db_problem *problem) {
    struct tw_db_dimension *sorted = calloc(problem->dimension_count + 1, sizeof *sorted);
    if (sorted == NULL) {
        text->failed = true;
        return;
    }
    for (size_t i = 0; i < problem->dimension_count; i++)
        sorted[i] = problem->dimensions[i];
    qsort(sorted, problem->dimension_count, sizeof *sorted, by_dimension);
    tw_text_print(text, "{\"attributes\": {");
    /* They are read back in order of name. */
    for (size_t i = 0; i < problem->attribute_count; i++) {
        tw_text_print(text, "%s", i > 0 ? ", " : "");
        canonical_string(text, problem->attributes[i].name);
        tw_text_print(text, ": ");
        canonical_string(text, problem->attributes[i].value);
    }
    tw_text_print(text, "}, \"dimensions\": {");
    for (size_t i = 0; i < problem->dimension_count; i++) {
        tw_text_print(text, "%s", i > 0 ? ", " : "");
        canonical_string(text, sorted[i].name);
        tw_text_print(text, ": %" PRId64, sorted[i].value);
    }
    tw_text_print(text, "}");
    add_text(text, ", ", "kernel", problem->kernel);
    add_text(text, ", ", "key", problem->key);
    add_text(text, ", ", "text", problem->text);
    tw_text_print(text, "}");
    free(sorted);
}

static void print_run(struct tw_text *text, const struct tw_db_provenance *run) {
    tw_text_print(text, "{");
    add_text(text, "", "budget_kind", run->budget_kind);
    add_number(text, ", ", "budget_value", run->budget_value);
    add_text(text, ", ", "compiler", run->compiler);
    add_json(text, ", ", "conditions", run->conditions);
    add_text(text, ", ", "driver", run->driver);
    add_text(text, ", ", "protocol", run->protocol);
    /* All 64 bits of it, which a JSON number may lose. */
    tw_text_print(text, ", \"seed\": \"%" PRIu64 "\"", run->seed);
    add_integer(text, ", ", "started_at", run->started_at);
    add_text(text, ", ", "strategy", run->strategy);
    add_text(text, ", ", "tilewise", run->tilewise_version);
    add_text(text, ", ", "uid", run->uid);
    tw_text_print(text, "}");
}

static void print_ties(struct tw_text *text, const char *lead, const char *value) {
    cJSON *json = cJSON_Parse(value);
    member(text, lead, "ties");
    tw_text_print(text, "[");
    for (const cJSON *tie = json != NULL ? json->child : NULL; tie != NULL; tie = tie->next) {
        tw_text_print(text, "%s\n        ", tie != json->child ? "," : "");
        canonical_value(text, tie);
    }
    tw_text_print(text, "%s]", json != NULL && json->child != NULL ? "\n      " : "");
    text->failed = text->failed || json == NULL;
    cJSON_Delete(json);
}

static void print_best(struct tw_text *text, const struct tw_db_best_row *row) {
    static const char lead[] = ",\n      ";
    const struct tw_db_best *best = &row->best;
    tw_text_print(text, "{\n      ");
    add_text(text, "", "cache", best->cache_policy);
    add_number(text, lead, "ci_high_us", best->ci_high_us);
    add_number(text, lead, "ci_low_us", best->ci_low_us);
    add_json(text, lead, "configuration", best->configuration);
    add_text(text, lead, "device", row->device.fingerprint);
    if (best->has_hard) {
        add_number(text, lead, "hard_max_error", best->hard_max_error);
        add_number(text, lead, "hard_rms_error", best->hard_rms_error);
    }
    add_text(text, lead, "implementation", row->implementation_name);
    add_text(text, lead, "judge", best->judge);
    add_text(text, lead, "kernel", row->problem.kernel);
    if (best->has_error)
        add_number(text, lead, "max_rel_error", best->max_rel_error);
    add_integer(text, lead, "measured_at", best->measured_at);
    add_json(text, lead, "presets_us", best->baselines);
    add_text(text, lead, "problem", row->problem.key);
    if (best->rate_unit != NULL)
        add_number(text, lead, "rate", best->rate);
    add_text(text, lead, "rate_unit", best->rate_unit);
    add_integer(text, lead, "repeats", best->repeats);
    if (best->has_error)
        add_number(text, lead, "rms_rel_error", best->rms_rel_error);
    if (row->provenance.uid != NULL) {
        member(text, lead, "run");
        print_run(text, &row->provenance);
    }
    add_text(text, lead, "source", best->source);
    add_text(text, lead, "template_hash", row->template_hash);
    if (best->tie_set != NULL)
        print_ties(text, lead, best->tie_set);
    add_number(text, lead, "time_us", best->time_us);
    tw_text_print(text, "\n    }");
}

static bool visit(void *context, const struct tw_db_best_row *row) {
    struct export *export = context;
    export->status = well_formed_row(row, export->error);
    if (export->status != TW_OK) {
        char name[ROW_NAME_SIZE];
        row_name(row, name);
        tw_fail_within(export->error, export->status, "cannot export %s", name);
        return false;
    }
    struct piece *best = add_piece(&export->best);
    struct piece *device = add_piece(&export->devices);
    struct piece *problem = add_piece(&export->problems);
    if (best == NULL || device == NULL || problem == NULL)
        return false;
    /* No part holds a line break. */
    tw_text_print(&best->order, "%s\n%s\n%s\n%s\n%s\n%s", row->problem.kernel, row->problem.key,
                  row->device.fingerprint, row->best.cache_policy, row->implementation_name,
                  row->template_hash);
    print_best(&best->text, row);
    tw_text_print(&device->order, "%s", row->device.fingerprint);
    print_device(&device->text, &row->device);
    tw_text_print(&problem->order, "%s\n%s", row->problem.kernel, row->problem.key);
    print_problem(&problem->text, &row->problem);
    return true;
}

tw_status export_best(tw_db *db, const char *kernel, struct tw_text *text, int64_t *count,
                      struct tw_error *error) {
    struct export export = {.error = error};
    const struct tw_db_best_filter filter = {.kernel = kernel};
    if (tw_db_best_each(db, &filter, visit, &export) != TW_DB_OK)
        export.status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    struct tw_text models = {0};
    int64_t model_count = 0;
    if (export.status == TW_OK)
        export.status = export_models(db, kernel, &models, &model_count, error);
    *count = (int64_t) export.best.count + model_count;
    tw_text_print(text, "{\n");
    print_pieces(&export.best, "best", text);
    print_pieces(&export.devices, "devices", text);
    tw_text_print(text, "  \"format\": \"%s\",\n", EXPORT_FORMAT);
    if (models.length > 0)
        tw_text_add(text, models.data, models.length);
    print_pieces(&export.problems, "problems", text);
    tw_text_print(text, "  \"version\": %d\n}\n",
                  model_count > 0 ? EXPORT_VERSION : EXPORT_WITHOUT_MODELS);
    text->failed |= models.failed;
    tw_text_free(&models);
    if (export.status == TW_OK && text->failed)
        export.status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    free_pieces(&export.best);
    free_pieces(&export.devices);
    free_pieces(&export.problems);
    return export.status;
}
