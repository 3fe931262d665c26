/* Copying into the flat form, with where things were written. */
#include <string.h>

#include "runtime/description/expand_parts.h"

void tw_expand_replace(struct tw_expansion *e, cJSON *old, cJSON *item) {
    /* What they hold is swapped, so that both keep their places and addresses. */
    cJSON held = *old;
    old->type = item->type;
    old->child = item->child;
    old->valuestring = item->valuestring;
    old->valueint = item->valueint;
    old->valuedouble = item->valuedouble;
    item->type = held.type;
    item->child = held.child;
    item->valuestring = held.valuestring;
    item->valueint = held.valueint;
    item->valuedouble = held.valuedouble;
    cJSON_AddItemToArray(e->replaced, item);
}

cJSON *tw_expand_copy(struct tw_expansion *e, cJSON *into, const char *key,
                      const struct tw_json *from) {
    cJSON *copy = from->item != NULL ? cJSON_Duplicate(from->item, true) : NULL;
    if (copy == NULL || into == NULL) {
        if (from->item != NULL)
            tw_json_no_memory(from);
        cJSON_Delete(copy);
        return NULL;
    }
    cJSON *old = key != NULL ? cJSON_GetObjectItemCaseSensitive(into, key) : NULL;
    if (old != NULL) {
        tw_expand_replace(e, old, copy);
        copy = old;
    } else if (key != NULL) {
        if (!cJSON_AddItemToObject(into, key, copy)) {
            tw_json_no_memory(from);
            cJSON_Delete(copy);
            return NULL;
        }
    } else {
        cJSON_AddItemToArray(into, copy);
    }
    tw_origins_add(&e->origins, copy, from->origin, from->path);
    return copy;
}

/* The element of an array that has the name of another; NULL when there is none. */
static cJSON *named(const cJSON *array, const cJSON *element) {
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(element, "name");
    for (cJSON *at = array->child; at != NULL && cJSON_IsString(name); at = at->next) {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(at, "name");
        if (cJSON_IsString(other) && strcmp(other->valuestring, name->valuestring) == 0)
            return at;
    }
    return NULL;
}

/* Elements that have names are joined with those of the same name, and others added. */
static void merge_named(struct tw_expansion *e, cJSON *into, const struct tw_json *from) {
    for (int i = 0; i < tw_json_count(from) && from->context->status == TW_OK; i++) {
        struct tw_json element = tw_json_at(from, i);
        cJSON *old = named(into, element.item);
        if (old != NULL)
            tw_expand_merge(e, old, &element, true);
        else
            tw_expand_copy(e, into, NULL, &element);
    }
}

void tw_expand_merge(struct tw_expansion *e, cJSON *into, const struct tw_json *from, bool deep) {
    tw_json_expect_object(from);
    for (int i = 0; i < tw_json_count(from) && from->context->status == TW_OK; i++) {
        struct tw_json member = tw_json_at(from, i);
        cJSON *old = cJSON_GetObjectItemCaseSensitive(into, member.item->string);
        if (deep && cJSON_IsObject(old) && cJSON_IsObject(member.item))
            tw_expand_merge(e, old, &member, true);
        else if (deep && cJSON_IsArray(old) && cJSON_IsArray(member.item) &&
                 strcmp(member.item->string, "arguments") == 0)
            merge_named(e, old, &member);
        else
            tw_expand_copy(e, into, member.item->string, &member);
    }
}
