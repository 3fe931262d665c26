/* Reading JSON so that every complaint names the file and the key.
 *
 * A `tw_json` is a cJSON item with the path that led to it. Accessors record the first failure in
 * the shared context and return a harmless value after it, so that readers check once, at the end.
 */
#ifndef TW_DESCRIPTION_JSON_H
#define TW_DESCRIPTION_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "runtime/base/error.h"
#include "runtime/description/origins.h"

struct tw_json_context {
    const char *origin;
    struct tw_error *error;
    tw_status status;                 /* of the first failure */
    const struct tw_origins *origins; /* of items written elsewhere; may be NULL */
};

struct tw_json {
    struct tw_json_context *context;
    const cJSON *item;  /* NULL: absent */
    const char *origin; /* the file it was written in; NULL: the context's */
    char path[128];     /* and its key there */
};

/* Parses text; a syntax error is reported with line and column. The caller frees with cJSON_Delete.
 * TW_BAD_DESCRIPTION, or TW_NO_MEMORY. */
tw_status tw_json_parse(cJSON **out, const char *text, const char *origin, struct tw_error *error);

struct tw_json tw_json_root(struct tw_json_context *context, const cJSON *item);
/* A member that may be absent (`item` NULL), or must be there. */
struct tw_json tw_json_optional(const struct tw_json *object, const char *key);
struct tw_json tw_json_member(const struct tw_json *object, const char *key);
/* Element i of an array, or member i of an object. */
struct tw_json tw_json_at(const struct tw_json *array, int index);
int tw_json_count(const struct tw_json *container);
/* The name of a member of an object; "" on failure, which an element of an array is. */
const char *tw_json_key(const struct tw_json *member);

/* Fails unless `json` is an object whose keys are all in the NULL-terminated list, or "comment",
 * and appear once. */
void tw_json_only_keys(const struct tw_json *json, const char *const *keys);
/* The same without "comment": for objects whose keys are names that a user chose. */
void tw_json_exact_keys(const struct tw_json *json, const char *const *keys);
/* Fails unless `json` is an object, or absent, with no key given twice. */
void tw_json_expect_object(const struct tw_json *json);
void tw_json_expect_array(const struct tw_json *json);
const char *tw_json_string(const struct tw_json *json);          /* "" on failure */
double tw_json_number(const struct tw_json *json);               /* 0 on failure */
int64_t tw_json_integer(const struct tw_json *json);             /* 0 on failure */
bool tw_json_boolean(const struct tw_json *json, bool fallback); /* fallback when absent */

/* The same for want of memory, which is nothing wrong with the file: TW_NO_MEMORY. */
void tw_json_no_memory(const struct tw_json *json);
void tw_json_fail(const struct tw_json *json, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
