/* What a file for another tool is made of, read from the database. */
#ifndef TUNER_FORMATS_EXPORTED_RUN_H
#define TUNER_FORMATS_EXPORTED_RUN_H

#include <cjson/cJSON.h>

#include "runtime/description/description.h"
#include "tuner/formats/trial_export.h"

/* Appends a trial; `configuration` is its object. */
typedef void (*exported_entry)(struct tw_text *text, const struct tw_db_trial *trial,
                               const cJSON *configuration);

struct exported_run {
    struct tw_text kernel, device; /* names, as JSON strings */
    int64_t dimensions[TW_MAX_DIMENSIONS];
    size_t dimension_count;
    struct tw_text own; /* what only Tilewise reads: members of an object, names in order */
    cJSON *parameters;  /* name -> values that occur, both in order */
    struct tw_text entries;
    int64_t left_out;
};

/* Reads a run; `entry` prints each trial into `entries`. Free with exported_run_free in every case.
 */
tw_status exported_run_read(struct exported_run *exported, tw_db *db,
                            const struct trial_export *what, exported_entry entry,
                            struct tw_error *error);
void exported_run_free(struct exported_run *exported);

/* A moment as these tools write it, in quotes. */
void exported_moment(struct tw_text *text, int64_t seconds);
/* A JSON string, with what must not be printed replaced. */
void exported_string(struct tw_text *text, const char *string);

#endif
