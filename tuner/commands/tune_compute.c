#include "tuner/commands/tune_compute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "tuner/commands/database.h"
#include "tuner/commands/resolve.h"
#include "tuner/json/json.h"
#include "tuner/report/front.h"

static const char any[] = "compute=any";

/* Whether the arguments have it; they then have it no more. */
static bool take_any(struct arguments *a) {
    for (int i = 0; i < a->attribute_count; i++) {
        if (strcmp(a->attributes[i], any) != 0)
            continue;
        free(a->attributes[i]);
        a->attributes[i] = a->attributes[--a->attribute_count];
        return true;
    }
    return false;
}

static const struct tw_attribute *compute_of(const struct tw_description *d) {
    for (int i = 0; i < d->attribute_count; i++)
        if (strcmp(d->attributes[i].name, "compute") == 0 && !d->attributes[i].is_number)
            return &d->attributes[i];
    return NULL;
}

static char *attribute_text(const char *word) {
    char text[TW_NAME_SIZE + 16];
    snprintf(text, sizeof text, "compute=%.*s", TW_NAME_SIZE, word);
    return strdup(text);
}

/* A copy of a shape, with the word; false when out of memory, or when it has no room for it. */
static bool copy_shape(struct shape_argument *to, const struct shape_argument *from,
                       const char *word) {
    if (from->attribute_count == ARGUMENTS_MAX_ATTRIBUTES)
        return false;
    *to = (struct shape_argument){.shape = strdup(from->shape),
                                  .origin = from->origin != NULL ? strdup(from->origin) : NULL,
                                  .attribute_count = from->attribute_count + 1};
    bool whole = to->shape != NULL && (from->origin == NULL || to->origin != NULL);
    for (int i = 0; i < from->attribute_count; i++)
        whole &= (to->attributes[i] = strdup(from->attributes[i])) != NULL;
    to->attributes[from->attribute_count] = attribute_text(word);
    return whole && to->attributes[from->attribute_count] != NULL;
}

static void free_shapes(struct shape_argument *shapes, int count) {
    for (int i = 0; i < count; i++) {
        free(shapes[i].shape);
        free(shapes[i].origin);
        for (int k = 0; k < shapes[i].attribute_count; k++)
            free(shapes[i].attributes[k]);
    }
    free(shapes);
}

/* Words that do not go with the problem's others would only fail, one after the other. */
static tw_status check_words(const struct task *task, struct tw_error *error) {
    tw_status status = TW_OK;
    for (int i = 0; i < task->arguments.shape_count && status == TW_OK; i++) {
        struct tw_problem problem;
        status = resolve_problem(&task->arguments, i, task->description, &problem, error);
        const char *refusal = status == TW_OK ? tw_problem_refusal(&problem) : NULL;
        if (refusal != NULL)
            status = tw_fail(error, TW_INVALID, "--compute any: %s", refusal);
    }
    return status;
}

tw_status compute_expand(struct task *task, struct tw_error *error) {
    struct arguments *a = &task->arguments;
    const struct tw_description *d = task->description;
    const struct tw_attribute *compute = compute_of(d);
    if (!take_any(a))
        return TW_OK;
    if (compute == NULL)
        return tw_fail(error, TW_INVALID, "--compute any: %s has no attribute compute", d->kernel);
    task->front_size = compute->word_count;
    struct shape_argument *shapes =
        calloc((size_t)a->shape_count * (size_t)compute->word_count, sizeof *shapes);
    int count = 0;
    tw_status status =
        shapes != NULL ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory for shapes");
    for (int i = 0; i < a->shape_count && status == TW_OK; i++)
        for (int w = 0; w < compute->word_count && status == TW_OK; w++)
            if (!copy_shape(&shapes[count++], &a->shapes[i], d->symbols.words[compute->words[w]]))
                status = tw_fail(error, TW_NO_MEMORY, "out of memory for shapes");
    if (status != TW_OK) {
        free_shapes(shapes, count);
        return status;
    }
    free_shapes(a->shapes, a->shape_count);
    a->shapes = shapes;
    a->shape_count = count;
    return check_words(task, error);
}

/* The first is the fastest. */
static bool visit(void *context, const struct tw_db_best_row *row) {
    struct front_entry *entry = context;
    const struct tw_db_best *best = &row->best;
    entry->time_us = best->time_us;
    entry->has_error = best->has_error;
    entry->max = best->max_rel_error;
    entry->rms = best->rms_rel_error;
    entry->has_hard = best->has_hard;
    entry->hard_max = best->hard_max_error;
    entry->hard_rms = best->hard_rms_error;
    return false;
}

/* The results of `front_size` shapes from the one numbered `first` on. */
static tw_status read_front(const struct task *task, const struct tw_device_info *device, tw_db *db,
                            int first, struct front *front, struct tw_error *error) {
    const struct arguments *a = &task->arguments;
    char fingerprint[256];
    tw_device_fingerprint(device, fingerprint);
    *front = (struct front){0};
    for (int i = first; i < first + task->front_size; i++) {
        struct tw_problem problem;
        char key[TW_PROBLEM_KEY_SIZE];
        tw_status status = resolve_problem(a, i, task->description, &problem, error);
        if (status != TW_OK)
            return status;
        tw_problem_key(&problem, key);
        const struct tw_db_best_filter filter = {.kernel = task->description->kernel,
                                                 .problem_key = key,
                                                 .device_fingerprint = fingerprint,
                                                 .cache_policy = a->cache};
        const char *word = strchr(a->shapes[i].attributes[a->shapes[i].attribute_count - 1], '=');
        struct front_entry *entry = front_add(front, word + 1);
        if (entry == NULL)
            break;
        if (tw_db_best_each(db, &filter, visit, entry) != TW_DB_OK)
            return tw_fail(error, TW_IO, "%s", tw_db_message(db));
        front->count -= entry->time_us <= 0;
    }
    front_find(front);
    return TW_OK;
}

static tw_status tell_one(const struct task *task, const struct tw_device_info *device, tw_db *db,
                          int first, cJSON *reports, struct tw_error *error) {
    struct front front;
    char title[400];
    tw_status status = read_front(task, device, db, first, &front, error);
    if (status != TW_OK || front.count == 0)
        return status;
    if (!task->arguments.json) {
        snprintf(title, sizeof title, "%.60s %.100s on %.60s (%.24s), time against error",
                 task->description->kernel, task->arguments.shapes[first].shape, device->name,
                 device->id);
        front_table(&front, title);
        return TW_OK;
    }
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kernel", task->description->kernel);
    cJSON_AddStringToObject(json, "shape", task->arguments.shapes[first].shape);
    cJSON_AddStringToObject(json, "device", device->id);
    json_add(json, "front", front_json(&front));
    json_append(reports, json);
    return TW_OK;
}

tw_status compute_tell(const struct task *task, const struct device_list *devices, tw_db *db,
                       cJSON *reports, struct tw_error *error) {
    tw_status status = TW_OK;
    for (int first = 0; task->front_size > 0 && first < task->arguments.shape_count;
         first += task->front_size)
        for (int i = 0; i < devices->count && status == TW_OK; i += device_list_alike(devices, i))
            status = tell_one(task, &devices->devices[i], db, first, reports, error);
    return status;
}
