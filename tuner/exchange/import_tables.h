/* The devices and problems of an export, for its best rows to refer to. */
#ifndef TUNER_EXCHANGE_IMPORT_TABLES_H
#define TUNER_EXCHANGE_IMPORT_TABLES_H

#include "tuner/exchange/import_parts.h"

struct imported_device {
    struct tw_db_device row;
    struct tw_text properties;
};

struct imported_problem {
    struct tw_db_problem row; /* as written */
    struct written_problem parts;
    const cJSON *json;
    int place; /* in the file's list */
};

struct import_tables {
    const char *origin; /* the file, for messages */
    size_t device_count, problem_count;
    struct imported_device *devices;   /* in order of fingerprint */
    struct imported_problem *problems; /* in order of kernel and key */
};

/* Read the lists, whose texts stay in the JSON. What one of them has twice is TW_INVALID. Free with
 * import_tables_free in every case. */
tw_status import_devices(struct import_tables *tables, const cJSON *list, struct tw_error *error);
tw_status import_problems(struct import_tables *tables, const cJSON *list, struct tw_error *error);
void import_tables_free(struct import_tables *tables);

/* NULL when there is none. */
const struct imported_device *import_find_device(const struct import_tables *tables,
                                                 const char *fingerprint);
const struct imported_problem *import_find_problem(const struct import_tables *tables,
                                                   const char *kernel, const char *key);

/* "FILE: best[3], gemm M=64,...": what messages about a row begin with. `key` is the member that
 * tells what the row is about, beside its kernel. */
enum { IMPORT_WHERE_SIZE = 512 };
void import_where(const char *origin, const char *list, int place, const cJSON *row,
                  const char *key, char where[IMPORT_WHERE_SIZE]);

#endif
