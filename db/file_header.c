/* What a file is, told from its first bytes.
 *
 * Opening a file the usual way may roll back its journal or checkpoint its WAL, which would change
 * a file that is not ours to touch. So the first look goes past SQLite's locks and logs. It goes
 * through SQLite's own file handle, because opening and closing the file a second time would drop
 * this process's POSIX locks on it. That a database of ours always has its mark in the main file,
 * and not in a WAL only, is seen to by schema.c and open.c: the schema is made before WAL is turned
 * on. */
#include "db/internal.h"

#include <string.h>

/* Offsets of the SQLite file format, and of the root page of the schema behind the header. */
enum {
    READ_VERSION = 19,
    USER_VERSION = 60,
    APPLICATION_ID = 68,
    ROOT_PAGE_TYPE = 100,
    ROOT_CELL_COUNT = 103,
    BYTES = 108
};

static const unsigned char magic[16] = "SQLite format 3";
static const unsigned char wal_version = 2;
static const unsigned char leaf_page = 13;

static uint32_t big_endian(const unsigned char *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool has_no_tables(const unsigned char *header) {
    return header[ROOT_PAGE_TYPE] == leaf_page && header[ROOT_CELL_COUNT] == 0 &&
           header[ROOT_CELL_COUNT + 1] == 0;
}

static enum tw_db_file_kind kind_of(const unsigned char *header, int our_version) {
    if (memcmp(header, magic, sizeof magic) != 0) {
        return TW_DB_FILE_NOT_SQLITE;
    }
    uint32_t application = big_endian(header + APPLICATION_ID);
    uint32_t version = big_endian(header + USER_VERSION);
    if (application == TW_DB_APPLICATION_ID) {
        if (version > (uint32_t)our_version) {
            return TW_DB_FILE_NEWER;
        }
        return header[READ_VERSION] == wal_version ? TW_DB_FILE_OURS_WAL : TW_DB_FILE_OURS;
    }
    bool blank = application == 0 && version == 0 && has_no_tables(header);
    return blank ? TW_DB_FILE_EMPTY : TW_DB_FILE_OTHER_SQLITE;
}

enum tw_db_status tw_db_file_kind(tw_db *db, enum tw_db_file_kind *kind) {
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;
    unsigned char header[BYTES] = {0};
    int code = sqlite3_file_control(db->sqlite, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code == SQLITE_OK) {
        code = file->pMethods->xFileSize(file, &size);
    }
    if (code == SQLITE_OK && size > 0) {
        code = file->pMethods->xRead(file, header, sizeof header, 0);
        if (code == SQLITE_IOERR_SHORT_READ) {
            code = SQLITE_OK; /* what is missing has been set to zero */
        }
    }
    if (code != SQLITE_OK) {
        return tw_db_fail(db, TW_DB_IO, "cannot read its header: %s", sqlite3_errstr(code));
    }
    *kind = size == 0 ? TW_DB_FILE_EMPTY : kind_of(header, db->schema->version);
    return TW_DB_OK;
}
