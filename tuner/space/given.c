#include "tuner/space/given.h"

#include <limits.h>
#include <string.h>

#include "runtime/description/json.h"

tw_status given_preset(const struct tw_description *d, const char *name,
                       struct tw_configuration *configuration, struct tw_error *error) {
    const struct tw_preset *preset;
    if (tw_description_preset(d, name, &configuration->implementation, &preset)) {
        memcpy(configuration->values, preset->values, sizeof configuration->values);
        return TW_OK;
    }
    struct tw_text known = {0};
    for (int i = 0; i < d->implementation_count; i++)
        for (int p = 0; p < d->implementations[i].preset_count; p++)
            tw_text_print(&known, "%s%s", known.length > 0 ? ", " : "",
                          d->implementations[i].presets[p].name);
    tw_fail(error, TW_INVALID, "the kernel %s has no preset \"%s\"; it has %s", d->kernel, name,
            tw_text_or(&known, "none"));
    tw_text_free(&known);
    return TW_INVALID;
}

static tw_status find_implementation(const struct tw_description *d, const char *name, int *index,
                                     struct tw_error *error) {
    *index = tw_description_implementation(d, name);
    if (*index >= 0)
        return TW_OK;
    struct tw_text known = {0};
    for (int i = 0; i < d->implementation_count; i++)
        tw_text_print(&known, "%s%s", i > 0 ? ", " : "", d->implementations[i].name);
    tw_fail(error, TW_INVALID, "the kernel %s has no implementation \"%s\"; it has %s", d->kernel,
            name, tw_text_or(&known, "none"));
    tw_text_free(&known);
    return TW_INVALID;
}

/* Says what keeps it from being one of the implementation that the keys fit best. */
static tw_status fits_none(const struct tw_description *d, const char *json,
                           struct tw_error *error) {
    int best = 0, best_score = INT_MIN;
    cJSON *object;
    if (tw_json_parse(&object, json, "--configuration", error) == TW_NO_MEMORY)
        return TW_NO_MEMORY;
    bool is_object = cJSON_IsObject(object);
    for (int i = 0; i < d->implementation_count; i++) {
        const struct tw_implementation *in = &d->implementations[i];
        int score = 0;
        for (int p = 0; p < in->parameter_count; p++)
            score += cJSON_HasObjectItem(object, in->parameters[p].name) ? 1 : -1;
        if (score > best_score) {
            best = i;
            best_score = score;
        }
    }
    cJSON_Delete(object);
    if (!is_object)
        return tw_fail(error, TW_INVALID,
                       "--configuration: expected a JSON object, as tune show prints it: "
                       "{\"NAME\":VALUE,...}");
    struct tw_configuration configuration;
    tw_status status = tw_configuration_parse(&configuration, d, best, json, error);
    return tw_fail(error, status == TW_NO_MEMORY ? status : TW_INVALID,
                   "--configuration, as one of %s: %s", d->implementations[best].name,
                   error->message);
}

tw_status given_configuration(const struct tw_description *d, const char *implementation,
                              const char *json, struct tw_configuration *configuration,
                              struct tw_error *error) {
    int index = -1, found = 0;
    if (implementation != NULL) {
        tw_status status = find_implementation(d, implementation, &index, error);
        if (status == TW_OK)
            status = tw_configuration_parse(configuration, d, index, json, error);
        return status == TW_OK ? TW_OK
                               : tw_fail(error, status == TW_NO_MEMORY ? status : TW_INVALID,
                                         "--configuration: %s", error->message);
    }
    struct tw_text names = {0};
    for (int i = 0; i < d->implementation_count; i++) {
        struct tw_configuration one;
        tw_status status = tw_configuration_parse(&one, d, i, json, error);
        if (status == TW_NO_MEMORY) {
            tw_text_free(&names);
            return status;
        }
        if (status != TW_OK)
            continue;
        *configuration = one;
        tw_text_print(&names, "%s%s", found++ > 0 ? ", " : "", d->implementations[i].name);
    }
    if (found > 1)
        tw_fail(error, TW_INVALID,
                "--configuration: may be one of %s; name one with --implementation",
                tw_text_or(&names, "several"));
    tw_text_free(&names);
    if (found == 1)
        return TW_OK;
    return found == 0 ? fits_none(d, json, error) : TW_INVALID;
}
