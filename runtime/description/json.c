#include "runtime/description/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/text.h"

tw_status tw_json_parse(cJSON **out, const char *text, const char *origin, struct tw_error *error) {
    const char *end = NULL;
    errno = 0;
    *out = cJSON_ParseWithOpts(text, &end, 1);
    if (*out != NULL)
        return TW_OK;
    /* cJSON tells of both in the same way. */
    if (errno == ENOMEM)
        return tw_fail(error, TW_NO_MEMORY, "%s: out of memory", origin);
    int line = 1, column = 1;
    for (const char *at = text; at < end && *at != '\0'; at++) {
        column = *at == '\n' ? 1 : column + 1;
        line += *at == '\n';
    }
    return tw_fail(error, TW_BAD_DESCRIPTION, "%s:%d:%d: not valid JSON here", origin, line,
                   column);
}

void tw_json_fail(const struct tw_json *json, const char *format, ...) {
    if (json->context->status != TW_OK)
        return;
    char what[TW_ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const char *origin = json->origin != NULL ? json->origin : json->context->origin;
    json->context->status =
        json->path[0] != '\0'
            ? tw_fail(json->context->error, TW_BAD_DESCRIPTION, "%s: key %s: %s", origin,
                      json->path, what)
            : tw_fail(json->context->error, TW_BAD_DESCRIPTION, "%s: %s", origin, what);
}

void tw_json_no_memory(const struct tw_json *json) {
    if (json->context->status == TW_OK)
        json->context->status =
            tw_fail(json->context->error, TW_NO_MEMORY, "%s: out of memory", json->context->origin);
}

struct tw_json tw_json_root(struct tw_json_context *context, const cJSON *item) {
    return (struct tw_json){.context = context, .item = item};
}

/* Three texts behind each other, cut to what fits. Printing paths took most of the time that
 * reading takes. */
static void join(char out[128], const char *first, const char *second, const char *third) {
    const char *const parts[] = {first, second, third};
    size_t used = 0;
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(parts[i]), room = 127 - used;
        length = length < room ? length : room;
        memcpy(out + used, parts[i], length);
        used += length;
    }
    out[used] = '\0';
}

/* "path[index]". */
static void join_index(char out[128], const char *path, int index) {
    char text[16], *at = text + sizeof text;
    *--at = '\0';
    *--at = ']';
    do
        *--at = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    *--at = '[';
    join(out, path, at, "");
}

/* What has moved is named as it was written. */
static void find_origin(struct tw_json *json) {
    if (json->context->origins == NULL)
        return;
    const struct tw_origin *origin = tw_origins_find(json->context->origins, json->item);
    if (origin == NULL)
        return;
    json->origin = origin->file;
    join(json->path, origin->path, "", "");
}

struct tw_json tw_json_optional(const struct tw_json *object, const char *key) {
    struct tw_json member;
    member.context = object->context;
    member.item = NULL;
    member.origin = object->origin;
    join(member.path, object->path, object->path[0] != '\0' ? "." : "", key);
    if (cJSON_IsObject(object->item))
        member.item = cJSON_GetObjectItemCaseSensitive(object->item, key);
    find_origin(&member);
    return member;
}

struct tw_json tw_json_member(const struct tw_json *object, const char *key) {
    struct tw_json member = tw_json_optional(object, key);
    if (member.item == NULL && object->item != NULL)
        tw_json_fail(&member, "missing");
    return member;
}

struct tw_json tw_json_at(const struct tw_json *array, int index) {
    struct tw_json element = {.context = array->context, .origin = array->origin};
    if (array->item != NULL)
        element.item = cJSON_GetArrayItem(array->item, index);
    if (cJSON_IsObject(array->item) && element.item != NULL)
        join(element.path, array->path, array->path[0] != '\0' ? "." : "", element.item->string);
    else
        join_index(element.path, array->path, index);
    find_origin(&element);
    return element;
}

int tw_json_count(const struct tw_json *container) {
    if (!cJSON_IsArray(container->item) && !cJSON_IsObject(container->item))
        return 0;
    return cJSON_GetArraySize(container->item);
}

const char *tw_json_key(const struct tw_json *member) {
    if (member->item != NULL && member->item->string != NULL)
        return member->item->string;
    if (member->item != NULL)
        tw_json_fail(member, "expected a member of an object, which has a name");
    return "";
}

/* Keys are compared each with each, and most differ in the first two letters. */
static bool is_same(const char *a, const char *b) {
    return a[0] == b[0] && (a[0] == '\0' || (a[1] == b[1] && strcmp(a, b) == 0));
}

static void check_keys(const struct tw_json *json, const char *const *keys, bool comments) {
    tw_json_expect_object(json);
    if (!cJSON_IsObject(json->item))
        return;
    size_t count = 0;
    while (keys[count] != NULL)
        count++;
    for (const cJSON *member = json->item->child; member != NULL; member = member->next) {
        size_t i = 0;
        while (i < count && !is_same(keys[i], member->string))
            i++;
        if (i == count && !(comments && strcmp(member->string, "comment") == 0)) {
            const char *nearest = tw_nearest(member->string, keys, count);
            tw_json_fail(json, "unknown key \"%s\"%s%s%s", member->string,
                         nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                         nearest != NULL ? "\"?" : "");
        }
    }
}

void tw_json_only_keys(const struct tw_json *json, const char *const *keys) {
    check_keys(json, keys, true);
}

void tw_json_exact_keys(const struct tw_json *json, const char *const *keys) {
    check_keys(json, keys, false);
}

void tw_json_expect_object(const struct tw_json *json) {
    if (json->item == NULL)
        return;
    if (!cJSON_IsObject(json->item)) {
        tw_json_fail(json, "expected an object");
        return;
    }
    for (const cJSON *member = json->item->child; member != NULL; member = member->next)
        for (const cJSON *other = member->next; other != NULL; other = other->next)
            if (is_same(other->string, member->string))
                tw_json_fail(json, "\"%s\" is given twice", member->string);
}

void tw_json_expect_array(const struct tw_json *json) {
    if (json->item != NULL && !cJSON_IsArray(json->item))
        tw_json_fail(json, "expected an array");
}

const char *tw_json_string(const struct tw_json *json) {
    if (cJSON_IsString(json->item))
        return json->item->valuestring;
    if (json->item != NULL)
        tw_json_fail(json, "expected a string");
    return "";
}

double tw_json_number(const struct tw_json *json) {
    if (cJSON_IsNumber(json->item) && isfinite(json->item->valuedouble))
        return json->item->valuedouble;
    if (json->item != NULL)
        tw_json_fail(json, "expected a number");
    return 0;
}

int64_t tw_json_integer(const struct tw_json *json) {
    double number = tw_json_number(json);
    if (number != floor(number) || fabs(number) > 9007199254740992.0) {
        tw_json_fail(json, "expected a whole number");
        return 0;
    }
    return (int64_t)number;
}

bool tw_json_boolean(const struct tw_json *json, bool fallback) {
    if (json->item == NULL)
        return fallback;
    if (!cJSON_IsBool(json->item))
        tw_json_fail(json, "expected true or false");
    return cJSON_IsTrue(json->item);
}
