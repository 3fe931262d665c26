/* Launches that start from one of a part's, and lists of names that parts give. */
#include <string.h>

#include "runtime/description/expand_parts.h"

struct sources {
    struct tw_expansion *expansion;
    struct tw_json launches, lists;
};

/* The order in which the flat form has them. */
static const char *const keys[] = {"templates", "function", "block",      "grid",
                                   "cluster",   "shared",   "min_blocks", "tensor_maps",
                                   "pass",      "from",     NULL};

static cJSON *start_from(const struct sources *s, const struct tw_json *json, int depth) {
    cJSON *launch = cJSON_CreateObject();
    struct tw_json from = tw_json_optional(json, "from");
    if (launch == NULL)
        tw_json_no_memory(json);
    if (launch != NULL && from.item != NULL) {
        struct tw_json base = tw_json_optional(&s->launches, tw_json_string(&from));
        if (depth > TW_MAX_NESTED)
            tw_json_fail(&from, "launches start from each other in a circle");
        else if (base.item == NULL)
            tw_json_fail(&from, "no part has the launch \"%.40s\"", tw_json_string(&from));
        cJSON_Delete(launch);
        launch = json->context->status == TW_OK ? start_from(s, &base, depth + 1) : NULL;
    }
    if (launch == NULL)
        return NULL;
    tw_json_only_keys(json, keys);
    for (int i = 0; i < tw_json_count(json); i++) {
        struct tw_json member = tw_json_at(json, i);
        if (strcmp(member.item->string, "from") != 0)
            tw_expand_copy(s->expansion, launch, member.item->string, &member);
    }
    return launch;
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
    cJSON *launch = start_from(s, json, 0);
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
    for (int i = 0; keys[i] != NULL; i++) {
        struct tw_json member = tw_json_optional(&whole, keys[i]);
        bool names = strcmp(keys[i], "templates") == 0 || strcmp(keys[i], "pass") == 0;
        if (member.item == NULL)
            continue;
        if (!names || !cJSON_IsArray(member.item)) {
            tw_expand_copy(s->expansion, flat, keys[i], &member);
            continue;
        }
        cJSON *array = cJSON_AddArrayToObject(flat, keys[i]);
        if (array == NULL) {
            tw_json_no_memory(&member);
            return;
        }
        tw_origins_add(&s->expansion->origins, array, member.origin, member.path);
        add_names(s, array, &member, 0);
    }
}

void tw_expand_launches(struct tw_expansion *e, cJSON *into, const struct tw_json *json,
                        const cJSON *launches, const cJSON *lists) {
    struct sources s = {.expansion = e,
                        .launches = tw_json_root(json->context, launches),
                        .lists = tw_json_root(json->context, lists)};
    tw_json_expect_array(json);
    for (int i = 0; i < tw_json_count(json) && json->context->status == TW_OK; i++) {
        struct tw_json launch = tw_json_at(json, i);
        tw_json_expect_object(&launch);
        if (json->context->status == TW_OK)
            expand_launch(&s, into, &launch);
    }
}
