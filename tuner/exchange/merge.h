/* Bringing the best rows of other databases, or of exports, into one. */
#ifndef TUNER_EXCHANGE_MERGE_H
#define TUNER_EXCHANGE_MERGE_H

#include "db/merge.h"
#include "runtime/base/error.h"
#include "tuner/exchange/import.h"

/* Takes in the best rows and models of all `others`, or none when there is one among them that
 * makes no sense. Kernels need not be known, for they may be somebody's own. */
tw_status merge_databases(tw_db *db, tw_db *const *others, int count, struct tw_db_merged *merged,
                          struct tw_error *error);
/* Takes in the rows and models of all `imports`, or none. */
tw_status merge_imports(tw_db *db, struct import *const *imports, int count,
                        struct tw_db_merged *merged, struct tw_error *error);
/* The same of one, but for its provisional rows: what a search that is under way elsewhere has
 * found so far, and takes back there once its playoff has decided. */
tw_status merge_decided(tw_db *db, const struct import *import, struct tw_db_merged *merged,
                        struct tw_error *error);

#endif
