/* JSON in one form only, so that equal values are equal bytes: members in order of name, and the
 * shortest decimal that reads back as the same number. */
#ifndef TUNER_EXCHANGE_CANONICAL_JSON_H
#define TUNER_EXCHANGE_CANONICAL_JSON_H

#include <cjson/cJSON.h>

#include "runtime/base/text.h"

void canonical_string(struct tw_text *text, const char *string);
/* `number` is finite. */
void canonical_number(struct tw_text *text, double number);
/* On one line, with a space behind colons and commas. */
void canonical_value(struct tw_text *text, const cJSON *value);

/* The member of an object that comes behind `last` in order of name; NULL: the first one, and at
 * the end none. */
const cJSON *canonical_next(const cJSON *object, const cJSON *last);

/* Whether every string and name in it is plain. */
bool canonical_is_text(const cJSON *value);

/* Whether every string and name in it is plain, every number finite, no name given twice, and all
 * of it small enough to be about one row. */
bool canonical_is_plain(const cJSON *value);

#endif
