/* Best rows as JSON that is the same bytes for the same rows, and reads well in a diff.
 *
 * {"best": [...], "devices": [...], "format": "tilewise", "problems": [...], "version": 2}: rows in
 * order of what they are about, members in order of name, a member of a best row or a tie a line.
 * Trials and ids stay behind; each best row carries the provenance of its run. */
#ifndef TUNER_EXCHANGE_EXPORT_H
#define TUNER_EXCHANGE_EXPORT_H

#include "db/store.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

#define EXPORT_FORMAT "tilewise"
enum { EXPORT_VERSION = 2 };

/* Appends the best rows of a kernel (NULL: all) and what they refer to. `count` is the number of
 * best rows. A row that JSON cannot say is TW_INVALID, named. */
tw_status export_best(tw_db *db, const char *kernel, struct tw_text *text, int64_t *count,
                      struct tw_error *error);

#endif
