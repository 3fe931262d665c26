/* Whether a best row makes sense in itself, whatever kernel it is of. */
#ifndef TUNER_EXCHANGE_WELL_FORMED_H
#define TUNER_EXCHANGE_WELL_FORMED_H

#include "db/store.h"
#include "runtime/base/error.h"

/* TW_OK, or TW_INVALID with what is wrong: a time outside its interval, numbers that are none or
 * that JSON cannot hold, names with control characters, JSON that is none or is of another form
 * than the tuner writes. Rows that pass can be exported, and come back the same. */
tw_status well_formed_row(const struct tw_db_best_row *row, struct tw_error *error);

/* The same of a device. */
tw_status well_formed_device(const struct tw_db_device *device, struct tw_error *error);

/* A row by name, for messages: "gemm M=64,...;dtype=f32 on NAME, cold cache, tiled". */
enum { ROW_NAME_SIZE = 384 };
void row_name(const struct tw_db_best_row *row, char name[ROW_NAME_SIZE]);

#endif
