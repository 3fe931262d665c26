#include "runtime/description/expand.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/description/expand_parts.h"

/* Of a preset or a launch. */
static bool any_from(const cJSON *list) {
    for (const cJSON *member = list != NULL ? list->child : NULL; member != NULL;
         member = member->next)
        if (cJSON_IsString(cJSON_GetObjectItemCaseSensitive(member, "from")))
            return true;
    return false;
}

/* The name of the argument whose type this one has; NULL where it has its own. */
static const char *type_from(const cJSON *argument) {
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(argument, "type");
    return cJSON_IsString(type) && type->valuestring[0] == '@' ? type->valuestring + 1 : NULL;
}

/* Most descriptions of users are flat, and are read as they stand. */
static bool is_composed(const cJSON *json) {
    static const char *const keys[] = {"parts", "let", "lists"};
    if (cJSON_HasObjectItem(json, "include") || cJSON_HasObjectItem(json, "parts"))
        return true;
    const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(json, "arguments");
    for (const cJSON *a = arguments != NULL ? arguments->child : NULL; a != NULL; a = a->next)
        if (type_from(a) != NULL)
            return true;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "implementations");
    for (const cJSON *in = list != NULL ? list->child : NULL; in != NULL; in = in->next) {
        if (cJSON_IsString(in) || any_from(cJSON_GetObjectItemCaseSensitive(in, "presets")) ||
            any_from(cJSON_GetObjectItemCaseSensitive(in, "launches")))
            return true;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (cJSON_GetObjectItemCaseSensitive(in, keys[i]) != NULL)
                return true;
    }
    return false;
}

/* The members of included files, then those of the file itself. */
static void include(struct tw_expansion *e, const struct tw_json *file, int depth) {
    static const char *const keys[] = {"summary",  "include", "problem",   "arguments",
                                       "cases",    "work",    "tolerance", "reference",
                                       "accuracy", "parts",   NULL};
    struct tw_json list = tw_json_optional(file, "include");
    tw_json_expect_array(&list);
    for (int i = 0; i < tw_json_count(&list) && list.context->status == TW_OK; i++) {
        struct tw_json entry = tw_json_at(&list, i);
        struct tw_json included = tw_expand_file(e, &entry, tw_json_string(&entry));
        if (depth > TW_MAX_NESTED)
            tw_json_fail(&entry, "files include each other");
        if (included.item == NULL)
            return;
        tw_json_only_keys(&included, keys);
        if (included.context->status == TW_OK)
            include(e, &included, depth + 1);
    }
    if (list.context->status == TW_OK)
        tw_expand_merge(e, e->merged, file, true);
}

static void put_in_types(struct tw_expansion *e, const struct tw_json *arguments) {
    for (int i = 0; i < tw_json_count(arguments); i++) {
        struct tw_json argument = tw_json_at(arguments, i), type = {0};
        const char *name = type_from(argument.item);
        for (int j = 0; j < i && name != NULL && type.item == NULL; j++) {
            struct tw_json other = tw_json_at(arguments, j);
            struct tw_json other_name = tw_json_optional(&other, "name");
            if (cJSON_IsString(other_name.item) && strcmp(other_name.item->valuestring, name) == 0)
                type = tw_json_optional(&other, "type");
        }
        struct tw_json own = tw_json_optional(&argument, "type");
        if (type.item != NULL)
            tw_expand_copy(e, (cJSON *)argument.item, "type", &type);
        else if (name != NULL)
            tw_json_fail(&own, "there is no argument \"%.40s\" with a type before this one", name);
    }
}

static bool is_pattern(const char *name) {
    size_t length = strlen(name), tail = strlen("/*.json");
    return length > tail && strcmp(name + length - tail, "/*.json") == 0;
}

static void add_implementation(struct tw_expansion *e, const struct tw_json *root,
                               const struct tw_json *json) {
    cJSON *list = cJSON_GetObjectItemCaseSensitive(e->root, "implementations");
    if (json->context->status != TW_OK)
        return;
    if (cJSON_GetArraySize(list) == TW_MAX_IMPLEMENTATIONS) {
        tw_json_fail(json, "more than %d implementations", TW_MAX_IMPLEMENTATIONS);
        return;
    }
    cJSON *flat = tw_expand_implementation(e, root, json);
    if (flat == NULL)
        return;
    cJSON_AddItemToArray(list, flat);
    tw_origins_add(&e->origins, flat, json->origin, json->path);
}

static bool is_listed(const struct tw_json *list, const char *name) {
    for (int i = 0; i < tw_json_count(list); i++) {
        const cJSON *item = tw_json_at(list, i).item;
        if (cJSON_IsString(item) && strcmp(item->valuestring, name) == 0)
            return true;
    }
    return false;
}

/* A folder adds what was not named before it. */
static void add_folder(struct tw_expansion *e, const struct tw_json *root,
                       const struct tw_json *list, const struct tw_json *entry) {
    char *names[TW_MAX_FILES] = {NULL};
    int count = tw_expand_folder(e, entry, tw_json_string(entry), names, TW_MAX_FILES);
    for (int i = 0; i < count; i++) {
        if (names[i] != NULL && !is_listed(list, names[i])) {
            struct tw_json file = tw_expand_file(e, entry, names[i]);
            add_implementation(e, root, &file);
        }
        free(names[i]);
    }
}

static void add_implementations(struct tw_expansion *e, const struct tw_json *root) {
    struct tw_json list = tw_json_optional(root, "implementations");
    tw_json_expect_array(&list);
    if (list.item == NULL || list.context->status != TW_OK)
        return;
    cJSON *flat = cJSON_AddArrayToObject(e->root, "implementations");
    if (flat == NULL)
        tw_json_no_memory(&list);
    else
        tw_origins_add(&e->origins, flat, list.origin, list.path);
    for (int i = 0; i < tw_json_count(&list) && list.context->status == TW_OK; i++) {
        struct tw_json entry = tw_json_at(&list, i);
        if (cJSON_IsString(entry.item) && is_pattern(entry.item->valuestring)) {
            add_folder(e, root, &list, &entry);
        } else if (cJSON_IsString(entry.item)) {
            struct tw_json file = tw_expand_file(e, &entry, entry.item->valuestring);
            add_implementation(e, root, &file);
        } else {
            add_implementation(e, root, &entry);
        }
    }
    if (list.context->status == TW_OK) {
        list.item = flat;
        tw_expand_presets(e, &list);
    }
}

static void flatten(struct tw_expansion *e, const struct tw_json *root) {
    static const char *const keys[] = {"kernel",   "summary",  "problem",   "arguments",
                                       "cases",    "work",     "tolerance", "reference",
                                       "accuracy", "fallback", "ladder",    "implementations",
                                       "include",  "parts",    NULL};
    static const char *const order[] = {"kernel",   "summary", "problem",   "arguments",
                                        "cases",    "work",    "tolerance", "reference",
                                        "accuracy", NULL,      "fallback",  "ladder"};
    tw_json_only_keys(root, keys);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (order[i] == NULL) {
            add_implementations(e, root);
            continue;
        }
        struct tw_json member = tw_json_optional(root, order[i]);
        cJSON *copy = tw_expand_copy(e, e->root, order[i], &member);
        if (copy != NULL && strcmp(order[i], "arguments") == 0) {
            member.item = copy;
            put_in_types(e, &member);
        }
    }
}

struct tw_expansion *tw_expand(cJSON *json, struct tw_json_context *context,
                               const char *directory) {
    struct tw_expansion *e = calloc(1, sizeof *e);
    if (e == NULL)
        return NULL;
    e->context = context;
    e->directory = directory;
    e->root = json;
    if (!is_composed(json)) {
        e->written = NULL;
        return e;
    }
    e->written = json;
    e->root = cJSON_CreateObject();
    e->merged = cJSON_CreateObject();
    e->replaced = cJSON_CreateArray();
    context->origins = &e->origins;
    struct tw_json root = tw_json_root(context, json);
    if (e->root == NULL || e->merged == NULL || e->replaced == NULL) {
        tw_json_no_memory(&root);
        return e;
    }
    if (cJSON_HasObjectItem(json, "include")) {
        include(e, &root, 0);
        root.item = e->merged;
    }
    if (context->status == TW_OK)
        flatten(e, &root);
    if (e->origins.failed)
        tw_json_no_memory(&root);
    return e;
}

const cJSON *tw_expansion_root(const struct tw_expansion *e) {
    return e->root;
}

bool tw_expansion_changed(const struct tw_expansion *e) {
    return e->written != NULL;
}

void tw_expansion_free(struct tw_expansion *e) {
    if (e == NULL)
        return;
    if (e->context->origins == &e->origins)
        e->context->origins = NULL;
    for (int i = 0; i < e->lets_count; i++)
        tw_lets_free(e->lets[i]);
    for (int i = 0; i < e->file_count; i++) {
        free(e->files[i].name);
        free(e->files[i].path);
        cJSON_Delete(e->files[i].json);
    }
    tw_origins_free(&e->origins);
    cJSON_Delete(e->written);
    cJSON_Delete(e->root);
    cJSON_Delete(e->merged);
    cJSON_Delete(e->replaced);
    free(e);
}
