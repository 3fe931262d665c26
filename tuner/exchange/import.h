/* Reading what export.h writes, from anyone. A file is checked as a whole before any of it is
 * handed out: either all of its rows are good, or it is refused with one line that names the file,
 * the row (its place, kernel and problem) and the key. */
#ifndef TUNER_EXCHANGE_IMPORT_H
#define TUNER_EXCHANGE_IMPORT_H

#include "db/store.h"
#include "runtime/base/error.h"
#include "tuner/exchange/known_kernels.h"

struct import;

/* Reads and checks a file. Refused are malformed JSON (with line and column), a newer version, rows
 * of unknown kernels, and rows whose problem or configuration the description does not allow.
 * `known` is borrowed until import_close. On failure *out is NULL. */
tw_status import_open(struct import **out, const char *path, const struct known_kernels *known,
                      struct tw_error *error);
/* The same of text in memory; `origin` stands for the file in messages. */
tw_status import_read(struct import **out, const char *text, size_t length, const char *origin,
                      const struct known_kernels *known, struct tw_error *error);
/* NULL is fine. */
void import_close(struct import *import);

/* Hands out the best rows; everything in a row is borrowed until the visitor returns. Fails only
 * for want of memory. */
tw_status import_each(const struct import *import, tw_db_best_visitor visit, void *context,
                      struct tw_error *error);

int64_t import_count(const struct import *import);
/* How many of the rows were measured with templates other than today's: hints, not results. */
int64_t import_stale(const struct import *import);

#endif
