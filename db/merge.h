/* Results of another database, taken in. Status, strings and threads are as in store.h. */
#ifndef TW_DB_MERGE_H
#define TW_DB_MERGE_H

#include "db/store.h"

struct tw_db_merged {
    int64_t added;    /* rows about something that had none */
    int64_t replaced; /* rows that were better measured than the one there was */
    int64_t kept;     /* rows that were not: the one there stays */
};

/* Takes in a best row from elsewhere, with the device, problem, implementation and run it speaks
 * of; its ids mean nothing here. Of two rows with the same problem, device, cache policy,
 * implementation and template hash the better measured one stays: the one from a playoff; else the
 * one with more repeats; else the narrower
 * interval relative to its time; else the lower time; else the later measured_at; else, so that the
 * outcome never depends on the order of merging, the one with smaller errors, then the first by
 * configuration and the other columns. Of two descriptions of one device one is chosen likewise.
 * `description` is the implementation's JSON, NULL when it is not known.
 *
 * A row that breaks the rules of the schema, or whose problem has other dimensions or attributes
 * here, is TW_DB_CONSTRAINT. Counts are added to `merged`. */
enum tw_db_status tw_db_best_merge(tw_db *db, const struct tw_db_best_row *row,
                                   const char *description, struct tw_db_merged *merged);

/* Takes in all best rows and devices of another database, in one transaction unless one is open.
 * Merging is commutative, associative and idempotent, as far as best rows and what they refer to
 * go. Trials stay where they are, and so do binaries, which are code. When reading `from` fails,
 * its message is copied to `db`. */
enum tw_db_status tw_db_merge(tw_db *db, tw_db *from, struct tw_db_merged *merged);

#endif
