#include "tuner/exchange/sound_model.h"

#include <stdio.h>
#include <string.h>

#include "runtime/base/printable.h"
#include "runtime/description/json.h"
#include "tuner/exchange/canonical_json.h"

tw_status sound_model_words(const struct tw_model *model, struct tw_error *error) {
    const char *const words[][2] = {{"kernel", model->kernel},
                                    {"device", model->device},
                                    {"device_name", model->device_name},
                                    {"backend", model->backend},
                                    {"architecture", model->architecture}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i][1][0] == '\0' || !tw_is_printable(words[i][1]))
            return tw_fail(error, TW_INVALID, "key %s: empty, too long or not plain text",
                           words[i][0]);
    if (!canonical_is_text(model->json))
        return tw_fail(error, TW_INVALID, "a text in it is too long, or not plain text");
    if (strcmp(model->cache, "cold") != 0 && strcmp(model->cache, "warm") != 0)
        return tw_fail(error, TW_INVALID, "key cache: expected cold or warm");
    return TW_OK;
}

void model_name(const struct tw_db_model *row, char out[ROW_NAME_SIZE]) {
    char kernel[64], device[200], cache[16];
    snprintf(out, ROW_NAME_SIZE, "model of %s on %s, %s",
             tw_printable_copy(row->kernel, kernel, sizeof kernel),
             tw_printable_copy(row->device, device, sizeof device),
             tw_printable_copy(row->cache_policy, cache, sizeof cache));
}

static tw_status check_configuration(const struct tw_model *model, int index,
                                     const struct known_kernel *kernel, const int64_t *slots) {
    const struct tw_model_configuration *one = &model->configurations[index];
    const struct tw_stored stored = {.backend = model->backend,
                                     .device = slots,
                                     .implementation = one->implementation,
                                     .template_hash = one->template_hash,
                                     .source = one->source,
                                     .judge = one->judge,
                                     .configuration = one->configuration};
    return known_kernel_check_stored(kernel, one->problem, &stored, NULL);
}

tw_status sound_model(const struct tw_model *model, const struct known_kernels *known,
                      const int64_t *slots, int *current, struct tw_error *error) {
    *current = 0;
    tw_status status = sound_model_words(model, error);
    if (status != TW_OK)
        return status;
    const struct known_kernel *kernel = known_kernels_find(known, model->kernel);
    if (kernel == NULL)
        return tw_fail(error, TW_NOT_FOUND,
                       "key kernel: no kernel of that name is known; its description can be given "
                       "with --config FILE");
    if (slots == NULL)
        *current = model->configuration_count;
    for (int i = 0; i < model->configuration_count && slots != NULL; i++) {
        status = check_configuration(model, i, kernel, slots);
        if (status == TW_NO_MEMORY)
            return tw_fail(error, TW_NO_MEMORY, "out of memory");
        *current += status == TW_OK;
    }
    return TW_OK;
}

/* Today's name of a configuration's code; NULL where it is of other code, or goes by it. */
static tw_status new_code(const struct tw_model *model, int index,
                          const struct known_kernel *kernel, const int64_t *slots,
                          const char **code, struct tw_error *error) {
    const struct tw_model_configuration *one = &model->configurations[index];
    *code = NULL;
    tw_status status = check_configuration(model, index, kernel, slots);
    if (status != TW_OK)
        return status == TW_NO_MEMORY ? tw_fail(error, status, "out of memory") : TW_OK;
    int implementation = tw_description_implementation(kernel->description, one->implementation);
    status = tw_today_code(kernel->today, implementation, model->backend, code, error);
    if (status == TW_OK && strcmp(*code, one->template_hash) == 0)
        *code = NULL;
    return status;
}

tw_status sound_model_renew(const struct tw_model *model, const char *text,
                            const struct known_kernels *known, const int64_t *slots,
                            struct tw_text *out, struct tw_error *error) {
    const struct known_kernel *kernel = known_kernels_find(known, model->kernel);
    cJSON *json = NULL;
    tw_status status = TW_OK;
    for (int i = 0; i < model->configuration_count && slots != NULL && kernel != NULL; i++) {
        const char *code;
        status = new_code(model, i, kernel, slots, &code, error);
        if (status == TW_OK && code != NULL && json == NULL)
            status = tw_json_parse(&json, text, "the model", error);
        if (status != TW_OK)
            break;
        if (code == NULL)
            continue;
        cJSON *all = cJSON_GetObjectItemCaseSensitive(json, "configurations");
        cJSON *of = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(all, i), "code");
        if (cJSON_SetValuestring(of, code) == NULL)
            status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    char *printed = status == TW_OK && json != NULL ? cJSON_PrintUnformatted(json) : NULL;
    if (printed != NULL)
        tw_text_add(out, printed, strlen(printed));
    if (status == TW_OK && json != NULL && (printed == NULL || out->failed))
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    cJSON_free(printed);
    cJSON_Delete(json);
    return status;
}
