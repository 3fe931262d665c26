/* Removing what is no longer of use. */
#include "db/internal.h"
#include "db/upkeep.h"

static enum tw_db_status remove_rows(tw_db *db, const char *sql, int64_t *count) {
    struct tw_db_query query;
    tw_db_query_start(&query, db, sql, "remove what nothing refers to");
    enum tw_db_status status = tw_db_query_run(&query);
    *count = status == TW_DB_OK ? sqlite3_changes(db->sqlite) : 0;
    return status;
}

static enum tw_db_status sweep(tw_db *db, struct tw_db_swept *swept) {
    enum tw_db_status status =
        remove_rows(db,
                    "DELETE FROM run WHERE state <> 'running'"
                    " AND NOT EXISTS (SELECT 1 FROM trial WHERE trial.run = run.id)"
                    " AND id NOT IN (SELECT run FROM best WHERE run IS NOT NULL)",
                    &swept->runs);
    if (status == TW_DB_OK) {
        status = remove_rows(db,
                             "DELETE FROM implementation"
                             " WHERE id NOT IN (SELECT implementation FROM trial)"
                             " AND id NOT IN (SELECT implementation FROM best)",
                             &swept->implementations);
    }
    static const char unused_problems[] = "SELECT id FROM problem"
                                          " WHERE id NOT IN (SELECT problem FROM trial)"
                                          " AND id NOT IN (SELECT problem FROM best)"
                                          " AND id NOT IN (SELECT problem FROM run)";
    static const char *const parts[] = {"problem_dimension", "problem_attribute"};
    for (size_t i = 0; status == TW_DB_OK && i < sizeof parts / sizeof *parts; i++) {
        char sql[512];
        int64_t count = 0;
        sqlite3_snprintf(sizeof sql, sql, "DELETE FROM %s WHERE problem IN (%s)", parts[i],
                         unused_problems);
        status = remove_rows(db, sql, &count);
    }
    if (status == TW_DB_OK) {
        char sql[512];
        sqlite3_snprintf(sizeof sql, sql, "DELETE FROM problem WHERE id IN (%s)", unused_problems);
        status = remove_rows(db, sql, &swept->problems);
    }
    if (status == TW_DB_OK) {
        status = remove_rows(db,
                             "DELETE FROM device WHERE id NOT IN (SELECT device FROM trial)"
                             " AND id NOT IN (SELECT device FROM best)"
                             " AND id NOT IN (SELECT device FROM run)",
                             &swept->devices);
    }
    return status;
}

enum tw_db_status tw_db_sweep(tw_db *db, struct tw_db_swept *swept) {
    *swept = (struct tw_db_swept){0};
    enum tw_db_status status = tw_db_write_begin(db);
    return status == TW_DB_OK ? tw_db_write_end(db, sweep(db, swept)) : status;
}

enum tw_db_status tw_db_trial_remove(tw_db *db, int64_t id) {
    enum tw_db_status status = tw_db_write_begin(db);
    if (status != TW_DB_OK) {
        return status;
    }
    struct tw_db_query query;
    tw_db_query_start(&query, db, "DELETE FROM trial WHERE id = ?", "remove a trial");
    tw_db_bind_integer(&query, id);
    return tw_db_write_end(db, tw_db_query_run(&query));
}

enum tw_db_status tw_db_compact(tw_db *db) {
    if (db->mode != TW_DB_WRITE || db->in_batch || db->visiting > 0) {
        return tw_db_fail(db, TW_DB_MISUSE, "cannot be compacted while it is in use here");
    }
    enum tw_db_status status = tw_db_execute(db, "VACUUM", "compact");
    /* Readers may keep the log from being emptied; then the next writer to finish does it. */
    sqlite3_exec(db->sqlite, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
    return status;
}
