/* A connection: SQLite's handle, set up so that a database from anywhere is safe to look at. */
#include "db/internal.h"

#include <stdlib.h>

enum { LONGEST_VALUE = 64 << 20 };

/* How to go on when the file has been refused: leave its log as it is. */
void tw_db_set_checkpoint_on_close(tw_db *db, bool on) {
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on ? 0 : 1, NULL);
}

enum tw_db_status tw_db_connect(tw_db *db, const char *name, int flags) {
    sqlite3_close(db->sqlite);
    db->sqlite = NULL;
    int code = sqlite3_open_v2(name, &db->sqlite,
                               flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);
    if (db->sqlite == NULL) {
        return tw_db_fail(db, TW_DB_NO_MEMORY, "cannot open: out of memory");
    }
    sqlite3_extended_result_codes(db->sqlite, 1);
    if (code != SQLITE_OK) {
        return tw_db_fail_sqlite(db, "open");
    }
    sqlite3_busy_timeout(db->sqlite, db->busy_timeout_ms);
    /* A database may come from anyone: run no code that it brings along, and let no text in it take
     * all memory. */
    sqlite3_limit(db->sqlite, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    tw_db_set_checkpoint_on_close(db, false);
    return TW_DB_OK;
}

/* A name that promises SQLite that nobody writes the file, so that it needs no lock and no log. */
static char *immutable_uri(const char *path) {
    sqlite3_str *uri = sqlite3_str_new(NULL);
    sqlite3_str_appendall(uri, path[0] == '/' ? "file://" : "file:");
    for (const char *c = path; *c != '\0'; c++) {
        if (*c == '%' || *c == '?' || *c == '#') {
            sqlite3_str_appendf(uri, "%%%02X", *c);
        } else {
            sqlite3_str_appendchar(uri, 1, *c);
        }
    }
    sqlite3_str_appendall(uri, "?immutable=1");
    return sqlite3_str_finish(uri);
}

enum tw_db_status tw_db_connect_immutable(tw_db *db) {
    char *uri = immutable_uri(db->path);
    if (uri == NULL) {
        return tw_db_fail(db, TW_DB_NO_MEMORY, "cannot open: out of memory");
    }
    enum tw_db_status status = tw_db_connect(db, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    sqlite3_free(uri);
    return status;
}

void tw_db_close(tw_db *db) {
    if (db == NULL) {
        return;
    }
    sqlite3_close(db->sqlite);
    free(db->path);
    free(db);
}

void tw_db_set_busy_timeout(tw_db *db, int milliseconds) {
    db->busy_timeout_ms = milliseconds;
    sqlite3_busy_timeout(db->sqlite, milliseconds);
}

const char *tw_db_engine(void) {
    return sqlite3_libversion();
}
