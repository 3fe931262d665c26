/* Transactions: one around each write, or one around many. */
#define _POSIX_C_SOURCE 200809L

#include "db/internal.h"

#include <time.h>

static int64_t now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

enum tw_db_status tw_db_execute(tw_db *db, const char *sql, const char *doing) {
    /* SQLite waits for most locks by itself but answers BUSY at once where waiting could deadlock
     * or while another process recovers a log. */
    const struct timespec pause = {0, 5 * 1000 * 1000};
    const int64_t deadline = now_ms() + db->busy_timeout_ms;
    while (sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) != SQLITE_OK) {
        if (sqlite3_errcode(db->sqlite) != SQLITE_BUSY || now_ms() >= deadline) {
            return tw_db_fail_sqlite(db, doing);
        }
        nanosleep(&pause, NULL);
    }
    return TW_DB_OK;
}

static bool in_transaction(const tw_db *db) {
    return sqlite3_get_autocommit(db->sqlite) == 0;
}

/* The failure that led here is the one to tell about. What there is no memory to undo is undone
 * before the next write, so that it is not committed with that. */
static void undo(tw_db *db, const char *sql) {
    if (sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) != SQLITE_OK && in_transaction(db)) {
        db->half_written = true;
    }
}

static enum tw_db_status commit(tw_db *db) {
    enum tw_db_status status = tw_db_execute(db, "COMMIT", "commit");
    if (status != TW_DB_OK && in_transaction(db)) {
        undo(db, "ROLLBACK");
    }
    return status;
}

static enum tw_db_status check_may_write(tw_db *db) {
    if (db->mode != TW_DB_WRITE) {
        return tw_db_fail(db, TW_DB_MISUSE, "opened for reading only");
    }
    if (db->visiting > 0) {
        return tw_db_fail(db, TW_DB_MISUSE, "a visitor must not write");
    }
    if (db->half_written) {
        enum tw_db_status status = tw_db_execute(db, "ROLLBACK", "undo a write");
        if (status != TW_DB_OK) {
            return status;
        }
        db->half_written = false;
    }
    if (db->in_batch && !in_transaction(db)) {
        return tw_db_fail(db, TW_DB_MISUSE,
                          "the transaction was undone by a failed write; roll it back");
    }
    return TW_DB_OK;
}

enum tw_db_status tw_db_begin(tw_db *db) {
    enum tw_db_status status = check_may_write(db);
    if (status == TW_DB_OK && db->in_batch) {
        status = tw_db_fail(db, TW_DB_MISUSE, "a transaction is open already");
    }
    if (status == TW_DB_OK) {
        status = tw_db_execute(db, "BEGIN IMMEDIATE", "begin to write");
        db->in_batch = status == TW_DB_OK;
    }
    return status;
}

enum tw_db_status tw_db_commit(tw_db *db) {
    enum tw_db_status status = check_may_write(db);
    if (status == TW_DB_OK && !db->in_batch) {
        status = tw_db_fail(db, TW_DB_MISUSE, "no transaction is open");
    }
    if (status == TW_DB_OK) {
        status = commit(db);
        db->in_batch = false;
    }
    return status;
}

void tw_db_rollback(tw_db *db) {
    if (db->in_batch && db->visiting == 0) {
        undo(db, "ROLLBACK");
        db->in_batch = false;
    }
}

enum tw_db_status tw_db_write_begin(tw_db *db) {
    enum tw_db_status status = check_may_write(db);
    if (status != TW_DB_OK) {
        return status;
    }
    return tw_db_execute(db, db->in_batch ? "SAVEPOINT write" : "BEGIN IMMEDIATE",
                         "begin to write");
}

enum tw_db_status tw_db_write_end(tw_db *db, enum tw_db_status status) {
    if (status == TW_DB_OK) {
        return db->in_batch ? tw_db_execute(db, "RELEASE write", "keep a write") : commit(db);
    }
    if (in_transaction(db)) {
        undo(db, db->in_batch ? "ROLLBACK TO write; RELEASE write" : "ROLLBACK");
    }
    return status;
}
