/* An implementation and the parts that it lists, as one. */
#include <stdlib.h>
#include <string.h>

#include "runtime/description/description.h"
#include "runtime/description/expand_parts.h"
#include "runtime/description/read.h"

enum { MAX_LAYERS = 32 };

/* What an implementation is made of, from the first part to the implementation itself. */
struct layers {
    int count;
    struct tw_json list[MAX_LAYERS];
};

static void add_layer(struct layers *layers, const struct tw_json *json) {
    if (layers->count == MAX_LAYERS)
        tw_json_fail(json, "more than %d parts", MAX_LAYERS - 1);
    else
        layers->list[layers->count++] = *json;
}

static bool has_layer(const struct layers *layers, const cJSON *item) {
    for (int i = 0; i < layers->count; i++)
        if (layers->list[i].item == item)
            return true;
    return false;
}

static struct tw_json find_part(const struct tw_json *root, const struct tw_json *name) {
    struct tw_json parts = tw_json_optional(root, "parts");
    struct tw_json part = tw_json_optional(&parts, tw_json_string(name));
    const char *known[64];
    size_t count = 0;
    if (part.item != NULL)
        return part;
    for (int i = 0; i < tw_json_count(&parts) && count < 64; i++)
        known[count++] = tw_json_at(&parts, i).item->string;
    const char *nearest = tw_nearest(tw_json_string(name), known, count);
    tw_json_fail(name, "there is no part \"%.40s\"%s%s%s", tw_json_string(name),
                 nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                 nearest != NULL ? "\"?" : "");
    return part;
}

static void collect(const struct tw_json *root, const struct tw_json *holder, struct layers *layers,
                    int depth) {
    static const char *const keys[] = {"summary",    "requires",    "parts",     "let",
                                       "parameters", "constraints", "redundant", "defines",
                                       "launches",   "tensor_maps", "lists",     "disqualified_by",
                                       NULL};
    struct tw_json parts = tw_json_optional(holder, "parts");
    tw_json_expect_array(&parts);
    for (int i = 0; i < tw_json_count(&parts) && parts.context->status == TW_OK; i++) {
        struct tw_json entry = tw_json_at(&parts, i);
        struct tw_json part = cJSON_IsObject(entry.item) ? entry : find_part(root, &entry);
        if (depth > TW_MAX_NESTED)
            tw_json_fail(&entry, "parts contain each other");
        if (part.context->status != TW_OK || has_layer(layers, part.item))
            continue;
        tw_json_only_keys(&part, keys);
        collect(root, &part, layers, depth + 1);
        add_layer(layers, &part);
    }
}

/* Of all layers: members replace those of their name, and rules follow each other. */
static cJSON *join(struct tw_expansion *e, const struct layers *layers, const char *key,
                   bool is_array, int count) {
    cJSON *joined = NULL;
    for (int i = 0; i < count; i++) {
        struct tw_json section = tw_json_optional(&layers->list[i], key);
        if (section.item == NULL)
            continue;
        if (joined == NULL)
            joined = is_array ? cJSON_CreateArray() : cJSON_CreateObject();
        if (joined == NULL) {
            tw_json_no_memory(&section);
            return NULL;
        }
        if (!is_array) {
            tw_expand_merge(e, joined, &section, false);
            continue;
        }
        tw_json_expect_array(&section);
        for (int j = 0; j < tw_json_count(&section); j++) {
            struct tw_json rule = tw_json_at(&section, j);
            tw_expand_copy(e, joined, NULL, &rule);
        }
    }
    return joined;
}

/* What only parts and lets need, kept for the messages. */
static cJSON *join_aside(struct tw_expansion *e, const struct layers *layers, const char *key,
                         int count) {
    cJSON *joined = join(e, layers, key, false, count);
    if (joined != NULL)
        cJSON_AddItemToArray(e->replaced, joined);
    return joined;
}

static bool is_name_of(const struct tw_json *holder, const char *key, const char *name) {
    const cJSON *section = cJSON_GetObjectItemCaseSensitive(holder->item, key);
    for (const cJSON *member = section != NULL ? section->child : NULL; member != NULL;
         member = member->next) {
        const cJSON *named = cJSON_GetObjectItemCaseSensitive(member, "name");
        const char *known = member->string != NULL   ? member->string
                            : cJSON_IsString(named)  ? named->valuestring
                            : cJSON_IsString(member) ? member->valuestring
                                                     : "";
        if (strcmp(known, name) == 0)
            return true;
    }
    return false;
}

static bool is_reserved(const char *name) {
    static const char *const names[] = {
#define NAME_TEXT(name) #name,
        TW_DEVICE_NAMES(NAME_TEXT)
#undef NAME_TEXT
            TW_ALIGNMENT_NAME,
        "min", "max", "ceil_div"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static void check_names(const struct tw_lets *lets, const struct tw_json *root,
                        const struct tw_json *implementation) {
    struct tw_json problem = tw_json_optional(root, "problem"), where;
    const char *name;
    for (int i = 0; (name = tw_lets_name(lets, i, &where)) != NULL; i++)
        if (is_reserved(name) || is_name_of(&problem, "dimensions", name) ||
            is_name_of(&problem, "attributes", name) || is_name_of(&problem, "let", name) ||
            is_name_of(root, "arguments", name) || is_name_of(implementation, "parameters", name) ||
            is_name_of(implementation, "defines", name))
            tw_json_fail(&where, "the name %s is taken", name);
}

static void put_in_lets(struct tw_expansion *e, const struct tw_lets *lets,
                        const struct tw_json *json) {
    for (int i = 0; i < tw_json_count(json); i++) {
        struct tw_json member = tw_json_at(json, i);
        put_in_lets(e, lets, &member);
    }
    if (!cJSON_IsString(json->item) || json->context->status != TW_OK)
        return;
    struct tw_text text = {0};
    tw_lets_put_in(lets, json, &text);
    if (json->context->status == TW_OK && text.data != NULL &&
        strcmp(text.data, json->item->valuestring) != 0) {
        struct tw_origin *origin =
            tw_origins_add(&e->origins, json->item, json->origin, json->path);
        char *written = strdup(json->item->valuestring);
        if (origin == NULL || written == NULL ||
            cJSON_SetValuestring((cJSON *)json->item, text.data) == NULL)
            tw_json_no_memory(json);
        if (origin != NULL) {
            origin->written = written;
            origin->lets = lets;
        } else {
            free(written);
        }
    }
    tw_text_free(&text);
}

static void put_in_members(struct tw_expansion *e, const struct tw_lets *lets,
                           const struct tw_json *json, const char *const *keys, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct tw_json member = tw_json_optional(json, keys[i]);
        put_in_lets(e, lets, &member);
    }
}

static void put_in_all_lets(struct tw_expansion *e, const struct tw_lets *lets,
                            const struct tw_json *implementation) {
    static const char *const keys[] = {"constraints", "redundant", "defines",
                                       "flops",       "workspace", "counters"};
    static const char *const launch_keys[] = {"block",  "grid",       "cluster",
                                              "shared", "min_blocks", "early"};
    static const char *const map_keys[] = {"dims",         "strides", "box",    "layers",
                                           "layer_stride", "swizzle", "offset", "im2col"};
    static const char *const parameter_keys[] = {"untuned"};
    put_in_members(e, lets, implementation, keys, sizeof keys / sizeof *keys);
    struct tw_json parameters = tw_json_optional(implementation, "parameters");
    for (int i = 0; i < tw_json_count(&parameters); i++) {
        struct tw_json parameter = tw_json_at(&parameters, i);
        put_in_members(e, lets, &parameter, parameter_keys, 1);
    }
    struct tw_json launches = tw_json_optional(implementation, "launches");
    for (int i = 0; i < tw_json_count(&launches); i++) {
        struct tw_json launch = tw_json_at(&launches, i);
        put_in_members(e, lets, &launch, launch_keys, sizeof launch_keys / sizeof *launch_keys);
        struct tw_json maps = tw_json_optional(&launch, "tensor_maps");
        for (int j = 0; j < tw_json_count(&maps); j++) {
            struct tw_json map = tw_json_at(&maps, j);
            put_in_members(e, lets, &map, map_keys, sizeof map_keys / sizeof *map_keys);
        }
    }
}

static void expand_lets(struct tw_expansion *e, const struct layers *layers,
                        const struct tw_json *root, const struct tw_json *implementation) {
    cJSON *joined = join_aside(e, layers, "let", layers->count);
    if (joined == NULL || implementation->context->status != TW_OK)
        return;
    struct tw_json json = tw_json_root(implementation->context, joined);
    struct tw_lets *lets = tw_lets_read(&json);
    if (lets == NULL)
        return;
    e->lets[e->lets_count++] = lets;
    check_names(lets, root, implementation);
    put_in_all_lets(e, lets, implementation);
}

static void add(const struct tw_json *json, cJSON *into, const char *key, cJSON *section) {
    if (section == NULL || cJSON_AddItemToObject(into, key, section))
        return;
    tw_json_no_memory(json);
    cJSON_Delete(section);
}

/* What the last layer says that says something. */
static struct tw_json last(const struct layers *layers, const char *key) {
    struct tw_json member = {0};
    for (int i = layers->count - 1; i >= 0 && member.item == NULL; i--)
        member = tw_json_optional(&layers->list[i], key);
    return member;
}

/* In the order in which the flat form has its keys. */
static void fill_in(struct tw_expansion *e, const struct layers *layers, const struct tw_json *json,
                    cJSON *flat) {
    static const char *const head[] = {"name", "summary"};
    int parts = layers->count - 1;
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) {
        struct tw_json member = tw_json_optional(json, head[i]);
        tw_expand_copy(e, flat, head[i], &member);
    }
    struct tw_json requirements = last(layers, "requires");
    tw_expand_copy(e, flat, "requires", &requirements);
    add(json, flat, "parameters", join(e, layers, "parameters", false, layers->count));
    add(json, flat, "constraints", join(e, layers, "constraints", true, layers->count));
    add(json, flat, "redundant", join(e, layers, "redundant", true, layers->count));
    add(json, flat, "defines", join(e, layers, "defines", false, layers->count));
    struct tw_json flops = tw_json_optional(json, "flops");
    struct tw_json workspace = tw_json_optional(json, "workspace");
    struct tw_json counters = tw_json_optional(json, "counters");
    struct tw_json launches = tw_json_optional(json, "launches");
    struct tw_json presets = tw_json_optional(json, "presets");
    tw_expand_copy(e, flat, "flops", &flops);
    tw_expand_copy(e, flat, "workspace", &workspace);
    tw_expand_copy(e, flat, "counters", &counters);
    if (launches.item != NULL) {
        cJSON *array = cJSON_AddArrayToObject(flat, "launches");
        if (array == NULL)
            tw_json_no_memory(&launches);
        else
            tw_expand_launches(e, array, &launches, join_aside(e, layers, "launches", parts),
                               join_aside(e, layers, "tensor_maps", parts),
                               join_aside(e, layers, "lists", layers->count));
    }
    tw_expand_copy(e, flat, "presets", &presets);
    add(json, flat, "disqualified_by", join(e, layers, "disqualified_by", true, layers->count));
}

cJSON *tw_expand_implementation(struct tw_expansion *e, const struct tw_json *root,
                                const struct tw_json *json) {
    static const char *const keys[] = {
        "name",       "summary",     "requires",  "parts",           "let",   "lists",
        "parameters", "constraints", "redundant", "defines",         "flops", "workspace",
        "counters",   "launches",    "presets",   "disqualified_by", NULL};
    struct layers *layers = calloc(1, sizeof *layers);
    cJSON *flat = cJSON_CreateObject();
    if (layers == NULL || flat == NULL)
        tw_json_no_memory(json);
    tw_json_only_keys(json, keys);
    if (json->context->status == TW_OK) {
        collect(root, json, layers, 0);
        add_layer(layers, json);
    }
    if (json->context->status == TW_OK) {
        fill_in(e, layers, json, flat);
        struct tw_json implementation = *json;
        implementation.item = flat;
        expand_lets(e, layers, root, &implementation);
    }
    free(layers);
    return flat;
}
