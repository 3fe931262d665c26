/* Opening and closing: find out what the file is before anything may change it. */
#include "db/internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>

enum { DEFAULT_BUSY_TIMEOUT_MS = 10000 };

static enum tw_db_status check_kind(tw_db *db, enum tw_db_file_kind *kind) {
    enum tw_db_status status = tw_db_file_kind(db, kind);
    if (status != TW_DB_OK) {
        return status;
    }
    switch (*kind) {
    case TW_DB_FILE_NOT_SQLITE:
        return tw_db_fail(db, TW_DB_FOREIGN, "is not an SQLite database; name another file");
    case TW_DB_FILE_OTHER_SQLITE:
        return tw_db_fail(db, TW_DB_FOREIGN,
                          "is another application's SQLite database; name another file");
    case TW_DB_FILE_NEWER:
        return tw_db_fail(db, TW_DB_NEWER,
                          "its schema is newer than this program's version %d; use a newer "
                          "Tilewise, or another file",
                          db->schema->version);
    default:
        return TW_DB_OK;
    }
}

/* The first use of the file through locks and logs, where most of what can be wrong shows. */
static enum tw_db_status first_use(tw_db *db, int *version) {
    enum tw_db_status status = tw_db_execute(db, "SELECT count(*) FROM sqlite_master", "read");
    return status == TW_DB_OK ? tw_db_read_version(db, version) : status;
}

/* The size of the log beside the file; -1: there is none. */
static int64_t log_size(const tw_db *db) {
    char name[PATH_MAX];
    struct stat info;
    snprintf(name, sizeof name, "%s-wal", db->path);
    return stat(name, &info) == 0 ? (int64_t)info.st_size : -1;
}

static bool has_log(const tw_db *db) {
    return log_size(db) > 0;
}

/* Readers of a WAL file make a log and its index beside it, and only a connection that may write
 * takes them away again. Whoever may not would leave files that are in the owner's way. */
static enum tw_db_status connect_to_wal(tw_db *db) {
    /* A log that was left, by a process that lives or was killed, is only read. */
    if (has_log(db)) {
        return TW_DB_OK;
    }
    enum tw_db_status status = tw_db_connect(db, db->path, SQLITE_OPEN_READWRITE);
    if (status != TW_DB_OK) {
        return status;
    }
    if (sqlite3_db_readonly(db->sqlite, "main") == 1) {
        /* Where there is no log nobody has the file open to write. */
        return log_size(db) < 0 ? tw_db_connect_immutable(db)
                                : tw_db_connect(db, db->path, SQLITE_OPEN_READONLY);
    }
    tw_db_set_checkpoint_on_close(db, true);
    return tw_db_execute(db, "PRAGMA query_only = 1", "read");
}

/* Reading needs to write in two cases: to undo what a killed process left half done, and to make
 * the WAL's index. Where the latter is not possible nobody else can be writing either. */
static enum tw_db_status first_read(tw_db *db, enum tw_db_file_kind kind, int *version) {
    enum tw_db_status status = first_use(db, version);
    if (status == TW_DB_OK || status == TW_DB_NO_MEMORY) {
        return status;
    }
    int code = sqlite3_extended_errcode(db->sqlite);
    if (code == SQLITE_READONLY_ROLLBACK) {
        status = tw_db_connect(db, db->path, SQLITE_OPEN_READWRITE);
        if (status == TW_DB_OK) {
            status = first_use(db, version);
        }
        if (status == TW_DB_OK) {
            status = tw_db_connect(db, db->path, SQLITE_OPEN_READONLY);
        }
        return status;
    }
    int primary = code & 0xff;
    bool no_wal =
        primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY || primary == SQLITE_IOERR;
    if (kind != TW_DB_FILE_OURS_WAL || !no_wal) {
        return status;
    }
    if (has_log(db)) {
        return tw_db_fail(db, TW_DB_CANNOT_OPEN,
                          "its newest rows are in its -wal file, which cannot be used here; open "
                          "it once where its directory is writable");
    }
    status = tw_db_connect_immutable(db);
    return status == TW_DB_OK ? first_use(db, version) : status;
}

/* An older file is read through an upgraded copy, for the file itself may not be ours to change. */
static enum tw_db_status upgrade_in_memory(tw_db *db) {
    sqlite3 *file = db->sqlite;
    db->sqlite = NULL;
    enum tw_db_status status = tw_db_connect(db, ":memory:", SQLITE_OPEN_READWRITE);
    if (status == TW_DB_OK) {
        sqlite3_backup *backup = sqlite3_backup_init(db->sqlite, "main", file, "main");
        if (backup != NULL) {
            sqlite3_backup_step(backup, -1);
            sqlite3_backup_finish(backup);
        }
        if (sqlite3_errcode(db->sqlite) != SQLITE_OK) {
            status = tw_db_fail_sqlite(db, "copy its older schema into memory");
        }
    }
    sqlite3_close(file);
    return status == TW_DB_OK ? tw_db_migrate(db) : status;
}

static enum tw_db_status open_to_read(tw_db *db) {
    bool exists = false;
    enum tw_db_file_kind kind = TW_DB_FILE_EMPTY;
    int version = 0;
    enum tw_db_status status = tw_db_path_check(db, &exists);
    if (status == TW_DB_OK && !exists) {
        return tw_db_fail(db, TW_DB_NOT_FOUND,
                          "does not exist; tune something first, or name "
                          "another file");
    }
    if (status == TW_DB_OK) {
        status = tw_db_connect(db, db->path, SQLITE_OPEN_READONLY);
    }
    if (status == TW_DB_OK) {
        status = check_kind(db, &kind);
    }
    if (status == TW_DB_OK && kind == TW_DB_FILE_EMPTY) {
        return tw_db_fail(db, TW_DB_NOT_FOUND,
                          "is empty; tune something first, or name another "
                          "file");
    }
    if (status == TW_DB_OK && kind == TW_DB_FILE_OURS_WAL) {
        status = connect_to_wal(db);
    }
    if (status == TW_DB_OK) {
        status = first_read(db, kind, &version);
    }
    db->file_version = version;
    if (status == TW_DB_OK && version < db->schema->version) {
        status = upgrade_in_memory(db);
    }
    return status;
}

static enum tw_db_status check_pages(tw_db *db) {
    enum tw_db_status status = TW_DB_OK;
    bool again = true;
    for (int i = 0; i < 2 && again; i++) {
        struct tw_db_query query;
        again = false;
        tw_db_query_start(&query, db, "PRAGMA quick_check(1)", "check");
        if (tw_db_query_row(&query)) {
            const char *finding = tw_db_next_text(&query);
            again = tw_db_could_not_read(finding);
            if (query.status == TW_DB_OK && strcmp(finding, "ok") != 0) {
                query.status = tw_db_fail(db, TW_DB_CORRUPT, "is damaged: %s", finding);
            }
        }
        status = tw_db_query_finish(&query);
    }
    return status;
}

/* A file that was made elsewhere may have a WAL that cannot be had, or must not be used, here. */
static enum tw_db_status first_write_use(tw_db *db, enum tw_db_file_kind kind, int *version) {
    bool wal = kind == TW_DB_FILE_OURS_WAL;
    if (wal && tw_db_path_is_shared(db->path)) {
        enum tw_db_status status = tw_db_leave_wal(db);
        return status == TW_DB_OK ? first_use(db, version) : status;
    }
    enum tw_db_status status = first_use(db, version);
    if (wal && status == TW_DB_IO) {
        status = tw_db_leave_wal(db);
        if (status == TW_DB_OK) {
            status = first_use(db, version);
        }
    }
    return status;
}

static enum tw_db_status open_to_write(tw_db *db) {
    bool exists = false;
    enum tw_db_file_kind kind = TW_DB_FILE_EMPTY;
    int version = 0;
    enum tw_db_status status = tw_db_path_check(db, &exists);
    if (status == TW_DB_OK && !exists) {
        status = tw_db_path_make_parents(db);
        if (status == TW_DB_OK) {
            status = tw_db_path_check_parent(db);
        }
    }
    if (status == TW_DB_OK) {
        status = tw_db_connect(db, db->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    }
    if (status == TW_DB_OK) {
        status = check_kind(db, &kind);
    }
    if (status == TW_DB_OK && sqlite3_db_readonly(db->sqlite, "main") == 1) {
        status = tw_db_fail(db, TW_DB_READONLY, "is read-only");
    }
    if (status == TW_DB_OK && kind != TW_DB_FILE_EMPTY) {
        status = first_write_use(db, kind, &version);
        if (status == TW_DB_OK) {
            status = check_pages(db);
        }
    }
    if (status == TW_DB_OK) {
        status = tw_db_migrate(db);
        db->file_version = db->schema->version;
    }
    if (status == TW_DB_OK) {
        status = tw_db_choose_journal(db);
    }
    if (status == TW_DB_OK) {
        tw_db_set_checkpoint_on_close(db, true);
        status = tw_db_execute(db, "PRAGMA foreign_keys = ON", "set it up");
    }
    return status;
}

enum tw_db_status tw_db_open_schema(tw_db **out, const char *path, enum tw_db_mode mode,
                                    const struct tw_db_schema *schema, char *message,
                                    size_t message_size) {
    if (message_size > 0) {
        message[0] = '\0';
    }
    if (out != NULL) {
        *out = NULL;
    }
    if (out == NULL || path == NULL || path[0] == '\0') {
        snprintf(message, message_size, "no database file is named");
        return TW_DB_MISUSE;
    }
    tw_db *db = calloc(1, sizeof *db);
    char *plain = tw_db_path_plain(path);
    if (db == NULL || plain == NULL) {
        free(db);
        free(plain);
        snprintf(message, message_size, "%s: cannot open: out of memory", path);
        return TW_DB_NO_MEMORY;
    }
    db->path = plain;
    db->mode = mode;
    db->schema = schema;
    db->busy_timeout_ms = DEFAULT_BUSY_TIMEOUT_MS;
    enum tw_db_status status = mode == TW_DB_WRITE ? open_to_write(db) : open_to_read(db);
    if (status != TW_DB_OK) {
        snprintf(message, message_size, "%s", db->message);
        if (db->sqlite != NULL && !has_log(db)) {
            /* There is nothing to lose, and SQLite tidies up what it made beside the file. */
            tw_db_set_checkpoint_on_close(db, true);
        }
        tw_db_close(db);
        return status;
    }
    db->message[0] = '\0'; /* of a way tried first that did not work out */
    *out = db;
    return TW_DB_OK;
}

enum tw_db_status tw_db_open(tw_db **out, const char *path, enum tw_db_mode mode, char *message,
                             size_t message_size) {
    return tw_db_open_schema(out, path, mode, &tw_db_schema, message, message_size);
}

int tw_db_file_version(const tw_db *db) {
    return db->file_version;
}
