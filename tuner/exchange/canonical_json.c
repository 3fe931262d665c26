#include "tuner/exchange/canonical_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/printable.h"

void canonical_string(struct tw_text *text, const char *string) {
    tw_text_add(text, "\"", 1);
    for (const char *at = string; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte == '"' || byte == '\\')
            tw_text_print(text, "\\%c", byte);
        else if (byte < ' ' || byte == 0x7f)
            tw_text_print(text, "\\u%04x", byte);
        else
            tw_text_add(text, at, 1);
    }
    tw_text_add(text, "\"", 1);
}

void canonical_number(struct tw_text *text, double number) {
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    tw_text_add(text, digits, strlen(digits));
}

/* Objects here are small. */
const cJSON *canonical_next(const cJSON *object, const cJSON *last) {
    const cJSON *next = NULL;
    for (const cJSON *member = object->child; member != NULL; member = member->next)
        if ((last == NULL || strcmp(member->string, last->string) > 0) &&
            (next == NULL || strcmp(member->string, next->string) < 0))
            next = member;
    return next;
}

void canonical_value(struct tw_text *text, const cJSON *value) {
    if (cJSON_IsString(value)) {
        canonical_string(text, value->valuestring);
    } else if (cJSON_IsNumber(value)) {
        canonical_number(text, value->valuedouble);
    } else if (cJSON_IsArray(value)) {
        tw_text_add(text, "[", 1);
        for (const cJSON *item = value->child; item != NULL; item = item->next) {
            tw_text_print(text, "%s", item != value->child ? ", " : "");
            canonical_value(text, item);
        }
        tw_text_add(text, "]", 1);
    } else if (cJSON_IsObject(value)) {
        const char *separator = "";
        tw_text_add(text, "{", 1);
        for (const cJSON *member = canonical_next(value, NULL); member != NULL;
             member = canonical_next(value, member)) {
            tw_text_print(text, "%s", separator);
            canonical_string(text, member->string);
            tw_text_print(text, ": ");
            canonical_value(text, member);
            separator = ", ";
        }
        tw_text_add(text, "}", 1);
    } else {
        tw_text_print(text, "%s",
                      cJSON_IsTrue(value)    ? "true"
                      : cJSON_IsFalse(value) ? "false"
                                             : "null");
    }
}

bool canonical_is_text(const cJSON *value) {
    if (cJSON_IsString(value) && !tw_is_printable(value->valuestring))
        return false;
    for (const cJSON *child = value->child; child != NULL; child = child->next)
        if ((child->string != NULL && !tw_is_printable(child->string)) || !canonical_is_text(child))
            return false;
    return true;
}

static bool is_plain(const cJSON *value, int depth, int *room) {
    if (depth == 0 || --*room < 0)
        return false;
    if (cJSON_IsString(value))
        return tw_is_printable(value->valuestring);
    if (cJSON_IsNumber(value))
        return isfinite(value->valuedouble);
    for (const cJSON *child = value->child; child != NULL; child = child->next) {
        if (!is_plain(child, depth - 1, room))
            return false;
        if (!cJSON_IsObject(value))
            continue;
        if (!tw_is_printable(child->string))
            return false;
        for (const cJSON *other = value->child; other != child; other = other->next)
            if (strcmp(other->string, child->string) == 0)
                return false;
    }
    return true;
}

bool canonical_is_plain(const cJSON *value) {
    int room = 2000;
    return is_plain(value, 8, &room);
}
