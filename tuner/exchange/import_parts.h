/* From the JSON of an export to rows as db/store.h has them. Failures go to the JSON's context. */
#ifndef TUNER_EXCHANGE_IMPORT_PARTS_H
#define TUNER_EXCHANGE_IMPORT_PARTS_H

#include "db/store.h"
#include "runtime/base/text.h"
#include "runtime/description/json.h"
#include "tuner/exchange/allowed.h"

/* As tw_json_only_keys, for objects from anyone: too many members are refused before they are
 * compared with each other. */
void import_only_keys(const struct tw_json *json, const char *const *keys);

/* A device; `properties` keeps the text that the row's points to. */
void import_device(const struct tw_json *json, struct tw_db_device *row,
                   struct tw_text *properties);

/* A problem as it is written: names and numbers, not held against a description yet. Texts point
 * into the JSON. */
struct written_problem {
    struct tw_db_dimension dimensions[TW_MAX_DIMENSIONS];
    struct tw_db_attribute attributes[TW_MAX_ATTRIBUTES];
};
void import_problem(const struct tw_json *json, struct tw_db_problem *row,
                    struct written_problem *parts);

/* Texts that a best row's columns point to; zeroed is valid. */
struct best_texts {
    struct tw_text configuration, ties, presets, conditions;
};
void best_texts_free(struct best_texts *texts);

/* A best row but for its problem and device, which the caller looks up. Its configuration is as
 * written. */
void import_best(const struct tw_json *json, struct tw_db_best_row *row, struct best_texts *texts);

#endif
