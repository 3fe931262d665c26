#include "tuner/exchange/import_models.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "tuner/exchange/canonical_json.h"
#include "tuner/exchange/sound_model.h"

/* More than any database has: one a kernel, device and cache policy. */
enum { MOST_MODELS = 4096 };

/* What is known of its device, among those of the file. */
static const int64_t *slots_of(const struct import_tables *tables, const struct tw_model *model,
                               int64_t slots[TW_DEVICE_SLOTS], bool *no_memory) {
    const struct imported_device *device = import_find_device(tables, model->device);
    bool known =
        device != NULL && tw_device_properties_read(device->row.properties, slots, no_memory);
    return known ? slots : NULL;
}

static tw_status take(struct imported_model *out, const struct tw_model *model, const cJSON *item,
                      int64_t fitted_at, struct tw_error *error) {
    tw_text_print(&out->kernel, "%s", model->kernel);
    tw_text_print(&out->device, "%s", model->device);
    strcpy(out->cache, model->cache); /* it is cold or warm */
    canonical_value(&out->text, item);
    out->row = (struct tw_db_model){.kernel = out->kernel.data,
                                    .device = out->device.data,
                                    .cache_policy = out->cache,
                                    .text = out->text.data,
                                    .fitted_at = fitted_at};
    return out->kernel.failed || out->device.failed || out->text.failed
               ? tw_fail(error, TW_NO_MEMORY, "out of memory")
               : TW_OK;
}

static tw_status read_model(struct imported_model *out, const cJSON *item, int64_t fitted_at,
                            const char *where, const struct import_tables *tables,
                            const struct known_kernels *known, struct tw_error *error) {
    int64_t slots[TW_DEVICE_SLOTS];
    bool no_memory = false;
    int current = 0;
    struct tw_model *model = NULL;
    char *text = cJSON_PrintUnformatted(item);
    tw_status status = text != NULL ? tw_model_read(&model, text, where, error)
                                    : tw_fail(error, TW_NO_MEMORY, "%s: out of memory", where);
    cJSON_free(text);
    if (status != TW_OK)
        return status;
    status = sound_model(model, known, slots_of(tables, model, slots, &no_memory), &current, error);
    if (status == TW_NOT_FOUND)
        status = error->status = TW_INVALID;
    if (status == TW_OK && no_memory)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK)
        status = take(out, model, item, fitted_at, error);
    out->other = current == 0;
    tw_model_free(model);
    return status == TW_OK ? TW_OK : tw_fail_within(error, status, "%s", where);
}

static tw_status refuse_twice(const struct import_models *models, const char *where,
                              struct tw_error *error) {
    const struct tw_db_model *last = &models->all[models->count - 1].row;
    for (int i = 0; i + 1 < models->count; i++) {
        const struct tw_db_model *row = &models->all[i].row;
        if (strcmp(row->kernel, last->kernel) == 0 && strcmp(row->device, last->device) == 0 &&
            strcmp(row->cache_policy, last->cache_policy) == 0)
            return tw_fail(error, TW_INVALID, "%s: the file has a model of the same already",
                           where);
    }
    return TW_OK;
}

static tw_status read_item(struct import_models *models, const cJSON *item,
                           const struct import_tables *tables, const struct known_kernels *known,
                           struct tw_error *error) {
    static const char *const keys[] = {"fitted_at", "model", NULL};
    char where[IMPORT_WHERE_SIZE];
    const cJSON *inside = cJSON_GetObjectItemCaseSensitive(item, "model");
    import_where(tables->origin, "models", models->count, inside, "device", where);
    struct tw_json_context context = {.origin = where, .error = error};
    struct tw_json json = tw_json_root(&context, item);
    import_only_keys(&json, keys);
    struct tw_json fitted_at = tw_json_member(&json, "fitted_at");
    struct tw_json model = tw_json_member(&json, "model");
    int64_t when = tw_json_integer(&fitted_at);
    if (when < 1)
        tw_json_fail(&fitted_at, "must be above 0");
    if (context.status != TW_OK)
        return context.status;
    tw_status status =
        read_model(&models->all[models->count++], model.item, when, where, tables, known, error);
    return status == TW_OK ? refuse_twice(models, where, error) : status;
}

tw_status import_models_read(struct import_models *models, const struct tw_json *list,
                             const struct import_tables *tables, const struct known_kernels *known,
                             struct tw_error *error) {
    *models = (struct import_models){0};
    if (list->item == NULL)
        return TW_OK;
    tw_json_expect_array(list);
    if (tw_json_count(list) > MOST_MODELS)
        tw_json_fail(list, "more than %d models", MOST_MODELS);
    if (list->context->status != TW_OK)
        return list->context->status;
    models->all = calloc((size_t)tw_json_count(list) + 1, sizeof *models->all);
    tw_status status = models->all != NULL
                           ? TW_OK
                           : tw_fail(error, TW_NO_MEMORY, "%s: out of memory", tables->origin);
    for (const cJSON *item = list->item->child; item != NULL && status == TW_OK; item = item->next)
        status = read_item(models, item, tables, known, error);
    return status;
}

void import_models_free(struct import_models *models) {
    for (int i = 0; i < models->count; i++) {
        tw_text_free(&models->all[i].kernel);
        tw_text_free(&models->all[i].device);
        tw_text_free(&models->all[i].text);
    }
    free(models->all);
    *models = (struct import_models){0};
}
