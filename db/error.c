/* Statuses and messages: what a failure means to the person who reads about it. */
#include "db/internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *tw_db_status_text(enum tw_db_status status) {
    static const char *const texts[] = {
#define X(name, text) [TW_DB_##name] = text,
        TW_DB_STATUSES(X)
#undef X
    };
    size_t index = (size_t)status;
    return index < sizeof texts / sizeof *texts ? texts[index] : "unknown status";
}

const char *tw_db_message(const tw_db *db) {
    return db->message;
}

static const char *advice(enum tw_db_status status) {
    switch (status) {
    case TW_DB_BUSY:
        return "try again when the other process is done";
    case TW_DB_CORRUPT:
        return "restore it from a copy, or move it away and tune again";
    case TW_DB_READONLY:
        return "make the file and its directory writable, or name another file";
    case TW_DB_FULL:
        return "free some space, then run the same command again";
    case TW_DB_IO:
        return "check the disk or mount it is on";
    case TW_DB_CANNOT_OPEN:
        return "check the path and its permissions";
    case TW_DB_NO_MEMORY:
        return "free some memory";
    default:
        return NULL;
    }
}

enum tw_db_status tw_db_fail(tw_db *db, enum tw_db_status status, const char *format, ...) {
    char what[TW_DB_MESSAGE_SIZE / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);

    /* The end of a path tells more than its start, and the reason must fit behind it. */
    const size_t path_room = TW_DB_MESSAGE_SIZE / 3;
    const char *path = db->path != NULL ? db->path : "database";
    size_t length = strlen(path);
    const char *dots = "";
    if (length > path_room) {
        path += length - path_room;
        dots = "...";
    }
    const char *todo = advice(status);
    snprintf(db->message, sizeof db->message, "%s%s: %s%s%s", dots, path, what,
             todo != NULL ? "; " : "", todo != NULL ? todo : "");
    for (char *c = db->message; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ') {
            *c = ' ';
        }
    }
    return status;
}

static bool is_full(int error) {
    return error == ENOSPC || error == EDQUOT;
}

static bool is_denied(int error) {
    return error == EACCES || error == EPERM || error == EROFS;
}

static enum tw_db_status status_of(const tw_db *db, int code, int system_error) {
    if (code == SQLITE_IOERR_NOMEM) {
        return TW_DB_NO_MEMORY;
    }
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return TW_DB_BUSY;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_ERROR: /* our SQL is right, so the tables are not what they should be */
        return TW_DB_CORRUPT;
    case SQLITE_READONLY:
        return TW_DB_READONLY;
    case SQLITE_FULL:
        return TW_DB_FULL;
    case SQLITE_IOERR:
        return is_full(system_error) ? TW_DB_FULL : TW_DB_IO;
    case SQLITE_CANTOPEN:
        if (is_full(system_error)) {
            return TW_DB_FULL;
        }
        return db->mode == TW_DB_WRITE && is_denied(system_error) ? TW_DB_READONLY
                                                                  : TW_DB_CANNOT_OPEN;
    case SQLITE_CONSTRAINT:
        return TW_DB_CONSTRAINT;
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
    case SQLITE_RANGE:
    case SQLITE_MISUSE:
        return TW_DB_MISUSE;
    case SQLITE_NOMEM:
        return TW_DB_NO_MEMORY;
    default:
        return TW_DB_IO;
    }
}

enum tw_db_status tw_db_fail_sqlite(tw_db *db, const char *doing) {
    int code = sqlite3_extended_errcode(db->sqlite);
    int primary = code & 0xff;
    /* SQLite sets it for these two only, and leaves an old one standing for the others. */
    int error = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN
                    ? sqlite3_system_errno(db->sqlite)
                    : 0;
    enum tw_db_status status = status_of(db, code, error);
    if (error != 0) {
        return tw_db_fail(db, status, "cannot %s: %s (%s)", doing, sqlite3_errmsg(db->sqlite),
                          strerror(error));
    }
    return tw_db_fail(db, status, "cannot %s: %s", doing, sqlite3_errmsg(db->sqlite));
}

bool tw_db_could_not_read(const char *finding) {
    return strstr(finding, "get page") != NULL || strstr(finding, "get the page") != NULL;
}

enum tw_db_status tw_db_fail_system(tw_db *db, int error, const char *doing) {
    enum tw_db_status status = TW_DB_CANNOT_OPEN;
    if (is_full(error)) {
        status = TW_DB_FULL;
    } else if (db->mode == TW_DB_WRITE && is_denied(error)) {
        status = TW_DB_READONLY;
    } else if (error == ENOMEM) {
        status = TW_DB_NO_MEMORY;
    }
    return tw_db_fail(db, status, "cannot %s: %s", doing, strerror(error));
}
