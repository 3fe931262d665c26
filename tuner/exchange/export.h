/* Best rows and models as JSON that is the same bytes for the same rows, and reads well in a diff.
 *
 * {"best": [...], "devices": [...], "format": "tilewise", "models": [...], "problems": [...],
 * "version": 3}: rows in order of what they are about, members in order of name, a member of a best
 * row, a tie or a tree of a model a line. Without models it is version 2, which has none. Trials
 * and ids stay behind; each best row carries the provenance of its run. */
#ifndef TUNER_EXCHANGE_EXPORT_H
#define TUNER_EXCHANGE_EXPORT_H

#include "db/store.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

#define EXPORT_FORMAT "tilewise"
enum { EXPORT_VERSION = 3, EXPORT_WITHOUT_MODELS = 2 };

/* Appends the best rows of a kernel (NULL: all), what they refer to, and its models. `count` is the
 * number of best rows and models. What JSON cannot say is TW_INVALID, named. */
tw_status export_best(tw_db *db, const char *kernel, struct tw_text *text, int64_t *count,
                      struct tw_error *error);

#endif
