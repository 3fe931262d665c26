/* Which journal the file gets: a WAL, where readers never wait, if the file system can do one. */
#include "db/internal.h"

#include <string.h>

static enum tw_db_status is_wal(tw_db *db, bool *wal) {
    struct tw_db_query query;
    tw_db_query_start(&query, db, "PRAGMA journal_mode", "read its journal mode");
    if (tw_db_query_row(&query)) {
        *wal = strcmp(tw_db_next_text(&query), "wal") == 0;
    }
    return tw_db_query_finish(&query);
}

enum tw_db_status tw_db_leave_wal(tw_db *db) {
    /* A connection that is exclusive before it first uses the WAL keeps the WAL's index in its own
     * memory, so that this works where shared memory does not. The SELECT gives the lock back. */
    enum tw_db_status status = tw_db_connect(db, db->path, SQLITE_OPEN_READWRITE);
    if (status == TW_DB_OK) {
        status = tw_db_execute(db,
                               "PRAGMA locking_mode = EXCLUSIVE;"
                               "PRAGMA journal_mode = DELETE;"
                               "PRAGMA locking_mode = NORMAL;"
                               "SELECT count(*) FROM sqlite_master",
                               "turn off its write-ahead log");
    }
    return status;
}

static enum tw_db_status enter_wal(tw_db *db) {
    enum tw_db_status status =
        tw_db_execute(db, "PRAGMA journal_mode = WAL", "turn on its write-ahead log");
    if (status == TW_DB_BUSY) {
        return TW_DB_OK; /* in use with a rollback journal, which serves as well */
    }
    if (status == TW_DB_OK) {
        /* Where there is no shared memory it is the first use that says so. */
        status = tw_db_execute(db, "SELECT count(*) FROM sqlite_master", "use its write-ahead log");
    }
    if (status == TW_DB_IO || status == TW_DB_CANNOT_OPEN || status == TW_DB_BUSY) {
        status = tw_db_leave_wal(db);
    }
    return status;
}

enum tw_db_status tw_db_choose_journal(tw_db *db) {
    bool wal = false;
    enum tw_db_status status = is_wal(db, &wal);
    if (status == TW_DB_OK && !wal && !tw_db_path_is_shared(db->path)) {
        status = enter_wal(db);
        if (status == TW_DB_OK) {
            status = is_wal(db, &wal);
        }
    }
    if (status == TW_DB_OK && wal) {
        /* With a WAL, NORMAL can lose the last commits to a power cut but never damages the file.
         * With a rollback journal it could, so there SQLite's default of FULL stays. */
        status = tw_db_execute(db, "PRAGMA synchronous = NORMAL", "set it up");
    }
    return status;
}
