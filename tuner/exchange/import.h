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
 * and models of unknown kernels, rows whose problem or configuration the description does not
 * allow, and models that are damaged.
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

/* The same for the models that are of today's templates; the others could choose nothing. */
bool import_each_model(const struct import *import, tw_db_model_visitor visit, void *context);
/* How many models there are, and how many of them are of other templates. */
int import_models(const struct import *import, int *others);

int64_t import_count(const struct import *import);
/* How many of the rows were measured with templates other than today's: hints, not results. */
int64_t import_stale(const struct import *import);

#endif
