/* Launches and tensor maps that start from one of a part's, and lists of names that parts give. */
#include <string.h>

#include "runtime/description/expand_parts.h"

struct sources {
    struct tw_expansion *expansion;
    struct tw_json launches, tensor_maps, lists;
};

/* The order in which the flat form has a launch's members, and those of a map that starts from
 * another. */
static const char *const launch_keys[] = {"templates",   "function", "block",      "grid",
                                          "cluster",     "shared",   "min_blocks", "early",
                                          "tensor_maps", "pass",     "from",       NULL};
static const char *const map_keys[] = {"buffer", "type",         "dims", "strides",
                                       "layers", "layer_stride", "box",  "swizzle",
                                       "offset", "im2col",       "from", NULL};

/* What `json` starts from, one of `known`, with the members that it has itself; NULL on failure. */
static cJSON *start_from(const struct sources *s, const struct tw_json *known, const char *what,
                         const char *const *keys, const struct tw_json *json, int depth) {
    cJSON *whole = cJSON_CreateObject();
    struct tw_json from = tw_json_optional(json, "from");
    if (whole == NULL)
        tw_json_no_memory(json);
    if (whole != NULL && from.item != NULL) {
        struct tw_json base = tw_json_optional(known, tw_json_string(&from));
        if (depth > TW_MAX_NESTED)
            tw_json_fail(&from, "%ss start from each other in a circle", what);
        else if (base.item == NULL)
            tw_json_fail(&from, "no part has the %s \"%.40s\"", what, tw_json_string(&from));
        cJSON_Delete(whole);
        whole = json->context->status == TW_OK ? start_from(s, known, what, keys, &base, depth + 1)
                                               : NULL;
    }
    if (whole == NULL)
        return NULL;
    tw_json_only_keys(json, keys);
    for (int i = 0; i < tw_json_count(json); i++) {
        struct tw_json member = tw_json_at(json, i);
        if (strcmp(member.item->string, "from") != 0)
            tw_expand_copy(s->expansion, whole, member.item->string, &member);
    }
    return whole;
}

/* A map that starts from no other stays as it is written. */
static void expand_map(const struct sources *s, cJSON *into, const struct tw_json *json) {
    if (cJSON_GetObjectItemCaseSensitive(json->item, "from") == NULL) {
        tw_expand_copy(s->expansion, into, json->item->string, json);
        return;
    }
    cJSON *map = start_from(s, &s->tensor_maps, "tensor map", map_keys, json, 0);
    cJSON *flat = map != NULL ? cJSON_AddObjectToObject(into, json->item->string) : NULL;
    if (flat == NULL) {
        tw_json_no_memory(json);
        cJSON_Delete(map);
        return;
    }
    cJSON_AddItemToArray(s->expansion->replaced, map);
    tw_origins_add(&s->expansion->origins, flat, json->origin, json->path);
    struct tw_json whole = *json;
    whole.item = map;
    for (int i = 0; map_keys[i] != NULL; i++) {
        struct tw_json member = tw_json_optional(&whole, map_keys[i]);
        tw_expand_copy(s->expansion, flat, map_keys[i], &member);
    }
}

static void expand_maps(const struct sources *s, cJSON *flat, const struct tw_json *json) {
    cJSON *maps = cJSON_AddObjectToObject(flat, "tensor_maps");
    if (maps == NULL) {
        tw_json_no_memory(json);
        return;
    }
    tw_origins_add(&s->expansion->origins, maps, json->origin, json->path);
    for (int i = 0; i < tw_json_count(json) && json->context->status == TW_OK; i++) {
        struct tw_json map = tw_json_at(json, i);
        expand_map(s, maps, &map);
    }
}

static void add_names(const struct sources *s, cJSON *into, const struct tw_json *names,
                      int depth) {
    tw_json_expect_array(names);
    for (int i = 0; i < tw_json_count(names) && names->context->status == TW_OK; i++) {
        struct tw_json name = tw_json_at(names, i);
        const char *text = tw_json_string(&name);
        if (text[0] != '@') {
            tw_expand_copy(s->expansion, into, NULL, &name);
            continue;
        }
        struct tw_json list = tw_json_optional(&s->lists, text + 1);
        if (list.item == NULL)
            tw_json_fail(&name, "no part has the list \"%.40s\"", text + 1);
        else if (depth > TW_MAX_NESTED)
            tw_json_fail(&name, "lists contain each other");
        else
            add_names(s, into, &list, depth + 1);
    }
}

static void expand_launch(const struct sources *s, cJSON *into, const struct tw_json *json) {
    cJSON *launch = start_from(s, &s->launches, "launch", launch_keys, json, 0);
    cJSON *flat = cJSON_CreateObject();
    if (launch == NULL || flat == NULL) {
        tw_json_no_memory(json);
        cJSON_Delete(launch);
        cJSON_Delete(flat);
        return;
    }
    cJSON_AddItemToArray(into, flat);
    cJSON_AddItemToArray(s->expansion->replaced, launch);
    tw_origins_add(&s->expansion->origins, flat, json->origin, json->path);
    struct tw_json whole = *json;
    whole.item = launch;
    for (int i = 0; launch_keys[i] != NULL; i++) {
        struct tw_json member = tw_json_optional(&whole, launch_keys[i]);
        bool names =
            strcmp(launch_keys[i], "templates") == 0 || strcmp(launch_keys[i], "pass") == 0;
        if (member.item == NULL)
            continue;
        if (strcmp(launch_keys[i], "tensor_maps") == 0 && cJSON_IsObject(member.item)) {
            expand_maps(s, flat, &member);
            continue;
        }
        if (!names || !cJSON_IsArray(member.item)) {
            tw_expand_copy(s->expansion, flat, launch_keys[i], &member);
            continue;
        }
        cJSON *array = cJSON_AddArrayToObject(flat, launch_keys[i]);
        if (array == NULL) {
            tw_json_no_memory(&member);
            return;
        }
        tw_origins_add(&s->expansion->origins, array, member.origin, member.path);
        add_names(s, array, &member, 0);
    }
}

void tw_expand_launches(struct tw_expansion *e, cJSON *into, const struct tw_json *json,
                        const cJSON *launches, const cJSON *tensor_maps, const cJSON *lists) {
    struct sources s = {.expansion = e,
                        .launches = tw_json_root(json->context, launches),
                        .tensor_maps = tw_json_root(json->context, tensor_maps),
                        .lists = tw_json_root(json->context, lists)};
    tw_json_expect_array(json);
    for (int i = 0; i < tw_json_count(json) && json->context->status == TW_OK; i++) {
        struct tw_json launch = tw_json_at(json, i);
        tw_json_expect_object(&launch);
        if (json->context->status == TW_OK)
            expand_launch(&s, into, &launch);
    }
}
