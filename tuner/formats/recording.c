#include "tuner/formats/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/printable.h"
#include "tuner/formats/packed_file.h"
#include "tuner/formats/results_file.h"

/* A parameter: the values that occur, numbers in ascending order before words as they come. */
struct axis {
    const char *name;
    int count;
    const cJSON *values[TW_MAX_CHOICES];
};

struct entry {
    unsigned char ranks[TW_MAX_PARAMETERS];
    struct recorded recorded;
};

struct reading {
    struct results_file *file;
    struct tw_error *error;
    int axis_count;
    struct axis axes[TW_MAX_PARAMETERS];
    size_t count;
    struct entry *entries;
};

/* ---- Parameters ---- */

/* Switches are numbers, as Kernel Tuner writes them either way. */
static bool number_of(const cJSON *value, double *number) {
    if (!cJSON_IsNumber(value) && !cJSON_IsBool(value))
        return false;
    *number = cJSON_IsNumber(value) ? value->valuedouble : cJSON_IsTrue(value);
    return true;
}

/* Negative, 0 or positive as for qsort; words compare equal or not. */
static int order_of(const cJSON *a, const cJSON *b) {
    double x, y;
    bool is_x = number_of(a, &x), is_y = number_of(b, &y);
    if (is_x && is_y)
        return (x > y) - (x < y);
    if (is_x != is_y)
        return is_x ? -1 : 1;
    return strcmp(a->valuestring, b->valuestring) == 0 ? 0 : 1;
}

static bool rank_of(const struct axis *axis, const cJSON *value, unsigned char *rank) {
    for (int i = 0; i < axis->count; i++)
        if (order_of(value, axis->values[i]) == 0) {
            *rank = (unsigned char)i;
            return true;
        }
    return false;
}

static tw_status add_value(struct reading *r, struct axis *axis, const cJSON *value) {
    unsigned char rank;
    double number;
    if (!number_of(value, &number) && !cJSON_IsString(value))
        return tw_fail(r->error, TW_INVALID, "%s: %s is neither a number nor a word somewhere",
                       r->file->origin, axis->name);
    if (rank_of(axis, value, &rank))
        return TW_OK;
    if (axis->count == TW_MAX_CHOICES)
        return tw_fail(r->error, TW_INVALID, "%s: %s has more than %d values", r->file->origin,
                       axis->name, TW_MAX_CHOICES);
    int at = axis->count++;
    for (; at > 0 && order_of(axis->values[at - 1], value) > 0 && number_of(value, &number); at--)
        axis->values[at] = axis->values[at - 1];
    axis->values[at] = value;
    return TW_OK;
}

/* Values as they occur, and not as the header lists them: it may list what no configuration has. */
static tw_status read_axes(struct reading *r) {
    const cJSON *keys = cJSON_GetObjectItemCaseSensitive(r->file->json, "tune_params_keys");
    tw_status status = TW_OK;
    for (const cJSON *key = keys->child; key != NULL && status == TW_OK; key = key->next) {
        if (!cJSON_IsString(key) || !tw_is_printable(key->valuestring))
            return tw_fail(r->error, TW_INVALID, "%s: tune_params_keys: expected names",
                           r->file->origin);
        if (r->axis_count == TW_MAX_PARAMETERS)
            return tw_fail(r->error, TW_INVALID, "%s: has more than %d parameters", r->file->origin,
                           TW_MAX_PARAMETERS);
        struct axis *axis = &r->axes[r->axis_count];
        *axis = (struct axis){.name = key->valuestring};
        for (const cJSON *entry = r->file->results->child; entry != NULL && status == TW_OK;
             entry = entry->next) {
            const cJSON *value = cJSON_GetObjectItemCaseSensitive(entry, axis->name);
            status = value != NULL ? add_value(r, axis, value)
                                   : tw_fail(r->error, TW_INVALID,
                                             "%s: a configuration of the cache lacks %s",
                                             r->file->origin, axis->name);
        }
        /* What never changes is no axis. */
        r->axis_count += axis->count > 1;
    }
    return status;
}

/* ---- Results ---- */

/* Seconds of a member in milliseconds; 0: there is none. */
static double seconds_of(const cJSON *entry, const char *name) {
    const cJSON *part = cJSON_GetObjectItemCaseSensitive(entry, name);
    bool is = cJSON_IsNumber(part) && part->valuedouble > 0 && isfinite(part->valuedouble);
    return is ? part->valuedouble * 1e-3 : 0;
}

static tw_status read_entry(struct reading *r, const cJSON *item, struct entry *entry) {
    struct tw_text origin = {0};
    char name[200];
    tw_text_print(&origin, "%s: cache \"%s\"", r->file->origin,
                  tw_printable_copy(item->string, name, sizeof name));
    struct tw_json_context context = {.origin = tw_text_or(&origin, r->file->origin),
                                      .error = r->error};
    struct tw_json root = tw_json_root(&context, item), configuration;
    struct tw_db_trial trial;
    kernel_tuner_read(&root, &trial, &configuration);
    tw_text_free(&origin);
    if (context.status != TW_OK)
        return context.status;
    for (int i = 0; i < r->axis_count; i++) {
        const struct axis *axis = &r->axes[i];
        rank_of(axis, cJSON_GetObjectItemCaseSensitive(item, axis->name), &entry->ranks[i]);
    }
    entry->recorded = (struct recorded){.ok = trial.has_time,
                                        .seconds = trial.time_us * 1e-6,
                                        .compiling = seconds_of(item, "compile_time"),
                                        .running = seconds_of(item, "verification_time") +
                                                   seconds_of(item, "benchmark_time")};
    return TW_OK;
}

static int by_ranks(const void *a, const void *b) {
    return memcmp(((const struct entry *)a)->ranks, ((const struct entry *)b)->ranks,
                  TW_MAX_PARAMETERS);
}

static tw_status read_entries(struct reading *r) {
    tw_status status = TW_OK;
    r->entries = calloc((size_t)cJSON_GetArraySize(r->file->results) + 1, sizeof *r->entries);
    if (r->entries == NULL)
        return tw_fail(r->error, TW_NO_MEMORY, "%s: out of memory", r->file->origin);
    for (const cJSON *item = r->file->results->child; item != NULL && status == TW_OK;
         item = item->next) {
        struct entry *entry = &r->entries[r->count];
        status = read_entry(r, item, entry);
        entry->recorded.entry = r->count++;
    }
    if (status != TW_OK)
        return status;
    qsort(r->entries, r->count, sizeof *r->entries, by_ranks);
    for (size_t i = 1; i < r->count; i++)
        if (by_ranks(&r->entries[i - 1], &r->entries[i]) == 0)
            return tw_fail(r->error, TW_INVALID, "%s: cache: a configuration is there twice",
                           r->file->origin);
    return TW_OK;
}

/* ---- The recording ---- */

static struct space_axis axis_of(const struct axis *axis) {
    struct space_axis of = {.numeric = true, .count = axis->count};
    for (int i = 0; i < axis->count && of.numeric; i++) {
        double number = NAN;
        of.numeric =
            number_of(axis->values[i], &number) && number == floor(number) && fabs(number) < 0x1p53;
        of.values[i] = of.numeric ? (int64_t)number : 0;
    }
    return of;
}

static tw_status build_space(struct reading *r, struct recording *out) {
    struct space_axis axes[TW_MAX_PARAMETERS];
    size_t count = (size_t)r->axis_count;
    unsigned char *rows = malloc(r->count * count + 1);
    if (rows == NULL)
        return tw_fail(r->error, TW_NO_MEMORY, "%s: out of memory", r->file->origin);
    for (size_t i = 0; i < count; i++)
        axes[i] = axis_of(&r->axes[i]);
    for (size_t i = 0; i < r->count; i++)
        memcpy(rows + i * count, r->entries[i].ranks, count);
    return space_create_listed(&out->space, axes, r->axis_count, rows, r->count, r->error);
}

static tw_status build(struct reading *r, struct recording *out) {
    const struct results_file_header *header = &r->file->header;
    out->origin = strdup(r->file->origin);
    out->kernel = strdup(header->kernel != NULL ? header->kernel : "");
    out->device = strdup(header->device != NULL ? header->device : "");
    out->points = calloc(r->count + 1, sizeof *out->points);
    if (out->origin == NULL || out->kernel == NULL || out->device == NULL || out->points == NULL)
        return tw_fail(r->error, TW_NO_MEMORY, "%s: out of memory", r->file->origin);
    out->best = INFINITY;
    for (size_t i = 0; i < r->count; i++) {
        out->points[i] = r->entries[i].recorded;
        out->ok += out->points[i].ok;
        if (out->points[i].ok)
            out->best = fmin(out->best, out->points[i].seconds);
    }
    if (out->ok == 0)
        return tw_fail(r->error, TW_INVALID, "%s: no configuration in it worked", r->file->origin);
    return build_space(r, out);
}

static tw_status read(struct reading *r, struct recording *out) {
    if (r->file->format != RESULTS_FILE_IS_KERNEL_TUNER)
        return tw_fail(r->error, TW_INVALID,
                       "%s: is no Kernel Tuner cache, which is what can be replayed",
                       r->file->origin);
    tw_status status = read_axes(r);
    if (status == TW_OK)
        status = read_entries(r);
    return status == TW_OK ? build(r, out) : status;
}

tw_status recording_parse(struct recording **out, const char *text, size_t length,
                          const char *origin, struct tw_error *error) {
    struct reading reading = {.error = error};
    *out = NULL;
    struct recording *recording = calloc(1, sizeof *recording);
    tw_status status = recording != NULL
                           ? results_file_parse(&reading.file, text, length, origin, error)
                           : tw_fail(error, TW_NO_MEMORY, "%s: out of memory", origin);
    if (status == TW_OK)
        status = read(&reading, recording);
    free(reading.entries);
    results_file_close(reading.file);
    if (status != TW_OK)
        recording_free(recording);
    else
        *out = recording;
    return status;
}

tw_status recording_read(struct recording **out, const char *path, struct tw_error *error) {
    struct tw_text text = {0};
    *out = NULL;
    tw_status status = packed_file_read(&text, path, error);
    if (status == TW_OK)
        status = recording_parse(out, tw_text_or(&text, ""), text.length, path, error);
    tw_text_free(&text);
    return status;
}

void recording_free(struct recording *recording) {
    if (recording == NULL)
        return;
    space_free(recording->space);
    free(recording->points);
    free(recording->origin);
    free(recording->kernel);
    free(recording->device);
    free(recording);
}
