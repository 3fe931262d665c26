/* Presets that start from another. */
#include <string.h>

#include "runtime/description/expand_parts.h"

/* What a preset starts from; absent when it says all itself. "from" may be a parameter too. */
static struct tw_json base_name(const struct tw_json *implementation,
                                const struct tw_json *preset) {
    struct tw_json parameters = tw_json_optional(implementation, "parameters");
    struct tw_json from = tw_json_optional(preset, "from");
    if (!cJSON_IsString(from.item) || tw_json_optional(&parameters, "from").item != NULL)
        from.item = NULL;
    return from;
}

/* Its own implementation's preset of that name, or another's. */
static struct tw_json find(const struct tw_json *implementations, const struct tw_json *own,
                           const char *name, struct tw_json *holder) {
    struct tw_json presets = tw_json_optional(own, "presets");
    struct tw_json preset = tw_json_optional(&presets, name);
    *holder = *own;
    for (int i = 0; i < tw_json_count(implementations) && preset.item == NULL; i++) {
        *holder = tw_json_at(implementations, i);
        presets = tw_json_optional(holder, "presets");
        preset = tw_json_optional(&presets, name);
    }
    return preset;
}

static void add_values(struct tw_expansion *e, const struct tw_json *implementations,
                       const struct tw_json *holder, const struct tw_json *preset,
                       const struct tw_json *parameters, cJSON *into, int depth) {
    struct tw_json from = base_name(holder, preset);
    if (from.item != NULL) {
        struct tw_json base_holder;
        struct tw_json base = find(implementations, holder, from.item->valuestring, &base_holder);
        if (base.item == NULL)
            tw_json_fail(&from, "there is no preset \"%.40s\"", from.item->valuestring);
        else if (depth > 2 * TW_MAX_NESTED)
            tw_json_fail(&from, "presets start from each other in a circle");
        else
            add_values(e, implementations, &base_holder, &base, parameters, into, depth + 1);
    }
    for (int i = 0; i < tw_json_count(preset) && preset->context->status == TW_OK; i++) {
        struct tw_json value = tw_json_at(preset, i);
        /* Another implementation may have other parameters; what is its own is checked later. */
        bool known = tw_json_optional(parameters, value.item->string).item != NULL;
        if (value.item != from.item && (known || depth == 0))
            tw_expand_copy(e, into, value.item->string, &value);
    }
}

static void expand_preset(struct tw_expansion *e, const struct tw_json *implementations,
                          const struct tw_json *implementation, const struct tw_json *preset) {
    if (base_name(implementation, preset).item == NULL)
        return;
    struct tw_json parameters = tw_json_optional(implementation, "parameters");
    cJSON *flat = cJSON_CreateObject();
    tw_json_expect_object(preset);
    if (flat == NULL) {
        tw_json_no_memory(preset);
        return;
    }
    add_values(e, implementations, implementation, preset, &parameters, flat, 0);
    tw_expand_replace(e, (cJSON *)preset->item, flat);
}

void tw_expand_presets(struct tw_expansion *e, const struct tw_json *implementations) {
    for (int i = 0; i < tw_json_count(implementations); i++) {
        struct tw_json implementation = tw_json_at(implementations, i);
        struct tw_json presets = tw_json_optional(&implementation, "presets");
        for (int j = 0; cJSON_IsObject(presets.item) && j < tw_json_count(&presets); j++) {
            struct tw_json preset = tw_json_at(&presets, j);
            if (implementations->context->status == TW_OK)
                expand_preset(e, implementations, &implementation, &preset);
        }
    }
}
