/* Looking after a database: what is damaged, what there is, what can go. Status, strings and
 * threads are as in store.h. */
#ifndef TW_DB_UPKEEP_H
#define TW_DB_UPKEEP_H

#include "db/store.h"

/* Told what is wrong with the file, a line each. Names in it come from the file and may hold
 * anything but a NUL. */
typedef bool (*tw_db_finding_visitor)(void *context, const char *finding);

/* Looks for damage: tables, triggers and views other than Tilewise makes them; and when there are
 * none, pages, indices and rules that are broken, references to rows that are not there, and values
 * of the wrong type. TW_DB_OK when it could look, whatever it found. */
enum tw_db_status tw_db_check(tw_db *db, tw_db_finding_visitor visit, void *context);

struct tw_db_kernel_row {
    const char *kernel;
    int64_t problems;
    int64_t best;
    int64_t trials;
    int64_t runs;
};

typedef bool (*tw_db_kernel_visitor)(void *context, const struct tw_db_kernel_row *row);

/* What there is of each kernel, in order of name. */
enum tw_db_status tw_db_kernel_each(tw_db *db, tw_db_kernel_visitor visit, void *context);

/* Removes the row with this problem, device, implementation, cache policy and, unless that is NULL,
 * configuration, if it is there. */
enum tw_db_status tw_db_best_remove(tw_db *db, const struct tw_db_best *best);
/* Removes the trials that the filter lets through, and nothing else; tells how many there were. */
enum tw_db_status tw_db_trials_remove(tw_db *db, const struct tw_db_trial_filter *filter,
                                      int64_t *count);
/* Removes the model of this kernel, device and cache policy, if it is there. */
enum tw_db_status tw_db_model_remove(tw_db *db, const struct tw_db_model *model);
/* Removes a trial, if it is there. */
enum tw_db_status tw_db_trial_remove(tw_db *db, int64_t id);

struct tw_db_swept {
    int64_t runs;
    int64_t implementations;
    int64_t problems;
    int64_t devices;
};

/* Removes what nothing refers to any more: runs that ended and have neither trials nor best rows,
 * then implementations, problems and devices. Not for while a run is under way: it may be about to
 * refer to one of them. */
enum tw_db_status tw_db_sweep(tw_db *db, struct tw_db_swept *swept);
/* Gives the space of removed rows back to the file system. Not inside a transaction. */
enum tw_db_status tw_db_compact(tw_db *db);

#endif
