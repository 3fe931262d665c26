/* What the files of db/ share. Nothing here is for other rooms. */
#ifndef TW_DB_INTERNAL_H
#define TW_DB_INTERNAL_H

#include "db/store.h"

#include <sqlite3.h>

/* One step of the schema: the SQL that takes a database from the version before it to its own,
 * which is its place in the table counted from 1. A released step is never edited. */
struct tw_db_schema {
    const char *const *steps;
    int version; /* the number of steps */
};

extern const struct tw_db_schema tw_db_schema;

struct tw_db {
    sqlite3 *sqlite;
    const struct tw_db_schema *schema;
    char *path;
    enum tw_db_mode mode;
    int busy_timeout_ms;
    int file_version;  /* of the schema in the file, which is older than this program's when an old
                          file is read through an upgraded copy */
    bool in_batch;     /* between tw_db_begin and its commit or rollback */
    bool half_written; /* a failed write could not be undone, and is to be */
    int visiting;      /* visitors under way */
    char message[TW_DB_MESSAGE_SIZE];
};

/* error.c: set the message and return the status, so that a failure is one `return`. */
#if defined(__GNUC__)
#define TW_DB_PRINTF(format_at, first) __attribute__((format(printf, format_at, first)))
#else
#define TW_DB_PRINTF(format_at, first)
#endif
enum tw_db_status tw_db_fail(tw_db *db, enum tw_db_status status, const char *format, ...)
    TW_DB_PRINTF(3, 4);
/* About the SQLite call that has just failed; `doing` completes "cannot ...". */
enum tw_db_status tw_db_fail_sqlite(tw_db *db, const char *doing);
/* Whether a finding of SQLite's own checks is of a page that it could not read. For want of memory
 * it tells of that as of damage, so the check is to be made once more. */
bool tw_db_could_not_read(const char *finding);
/* About a failed system call; `error` is its errno. */
enum tw_db_status tw_db_fail_system(tw_db *db, int error, const char *doing);

/* path.c */
/* A copy that SQLite takes for a file name only; free it. NULL: out of memory. */
char *tw_db_path_plain(const char *path);
enum tw_db_status tw_db_path_check(tw_db *db, bool *exists);
enum tw_db_status tw_db_path_make_parents(tw_db *db);
/* Whether a file can be made there; SQLite itself would not tell why not. */
enum tw_db_status tw_db_path_check_parent(tw_db *db);
/* Whether other machines may have the file open, as far as can be told. */
bool tw_db_path_is_shared(const char *path);

/* connect.c: open db->path, or another name for it, in place of the connection there is. */
enum tw_db_status tw_db_connect(tw_db *db, const char *name, int flags);
/* To a file that nobody can write: without locks or logs. */
enum tw_db_status tw_db_connect_immutable(tw_db *db);
/* Off from connect on, so that the log of a file that gets refused is left as it is. */
void tw_db_set_checkpoint_on_close(tw_db *db, bool on);

/* open.c: tw_db_open for a given schema, so that tests can have older and newer ones. */
enum tw_db_status tw_db_open_schema(tw_db **out, const char *path, enum tw_db_mode mode,
                                    const struct tw_db_schema *schema, char *message,
                                    size_t message_size);

/* file_header.c: what the first bytes of the file say. */
enum tw_db_file_kind {
    TW_DB_FILE_EMPTY,
    TW_DB_FILE_OURS,
    TW_DB_FILE_OURS_WAL,
    TW_DB_FILE_NEWER,
    TW_DB_FILE_OTHER_SQLITE,
    TW_DB_FILE_NOT_SQLITE
};
enum tw_db_status tw_db_file_kind(tw_db *db, enum tw_db_file_kind *kind);

/* journal.c */
enum tw_db_status tw_db_choose_journal(tw_db *db);
/* Connects anew. */
enum tw_db_status tw_db_leave_wal(tw_db *db);

/* schema.c */
enum tw_db_status tw_db_read_version(tw_db *db, int *version);
enum tw_db_status tw_db_migrate(tw_db *db);

/* transaction.c: around every write. write_end commits when `status` is OK, else undoes what was
 * done since write_begin, and returns what the caller is to return. */
enum tw_db_status tw_db_write_begin(tw_db *db);
enum tw_db_status tw_db_write_end(tw_db *db, enum tw_db_status status);
/* Runs SQL that takes locks, trying again until the busy timeout has passed. */
enum tw_db_status tw_db_execute(tw_db *db, const char *sql, const char *doing);

/* query.c: one SQL statement. The first failure sticks: later calls do nothing, and finish (which
 * must always be called) returns it. Values are bound, and columns read, from left to right. */
struct tw_db_query {
    tw_db *db;
    const char *doing;
    sqlite3_stmt *statement;
    sqlite3_str *text; /* while a SELECT is being put together */
    struct {
        const char *text; /* NULL: the integer */
        int64_t integer;
    } conditions[8];
    int condition_count;
    int bound;
    int column;
    bool visits;
    enum tw_db_status status;
};

void tw_db_query_start(struct tw_db_query *query, tw_db *db, const char *sql, const char *doing);
/* A statement with conditions, for a visitor or to remove rows: `head` up to its WHERE, then
 * conditions (0 and NULL add none), then ready. */
void tw_db_select_start(struct tw_db_query *query, tw_db *db, const char *head, const char *doing);
void tw_db_select_where_id(struct tw_db_query *query, const char *column, int64_t id);
void tw_db_select_where_text(struct tw_db_query *query, const char *column, const char *text);
void tw_db_select_where_ids(struct tw_db_query *query, const char *column, const int64_t *ids,
                            size_t count);
/* `set` has a bit for each of the `words` that the column may hold; 0: any. They hold no quotes. */
void tw_db_select_where_words(struct tw_db_query *query, const char *column,
                              const char *const *words, int count, unsigned set);
/* A greater one than this. */
void tw_db_select_where_after(struct tw_db_query *query, const char *column, int64_t id);
/* A condition without a value of its own. */
void tw_db_select_where(struct tw_db_query *query, const char *condition);
void tw_db_select_ready(struct tw_db_query *query, const char *tail);

void tw_db_bind_text(struct tw_db_query *query, const char *text);
void tw_db_bind_integer(struct tw_db_query *query, int64_t value);
void tw_db_bind_real(struct tw_db_query *query, double value);
void tw_db_bind_blob(struct tw_db_query *query, const void *bytes, size_t size);
void tw_db_bind_null(struct tw_db_query *query);
void tw_db_bind_optional_integer(struct tw_db_query *query, bool has, int64_t value);
void tw_db_bind_optional_real(struct tw_db_query *query, bool has, double value);
/* An id, a foreign key that may be absent: 0 binds NULL. */
void tw_db_bind_reference(struct tw_db_query *query, int64_t id);

/* True when there is a row to read. */
bool tw_db_query_row(struct tw_db_query *query);
enum tw_db_status tw_db_query_finish(struct tw_db_query *query);
/* For statements without rows: row and finish in one. */
enum tw_db_status tw_db_query_run(struct tw_db_query *query);

/* For a look-up of an id: TW_DB_NOT_FOUND and *id = 0 when there is no row. */
enum tw_db_status tw_db_query_find_id(struct tw_db_query *query, int64_t *id);

int64_t tw_db_next_integer(struct tw_db_query *query);
double tw_db_next_real(struct tw_db_query *query);
bool tw_db_next_optional_integer(struct tw_db_query *query, int64_t *value);
bool tw_db_next_optional_real(struct tw_db_query *query, double *value);
const char *tw_db_next_optional_text(struct tw_db_query *query);
/* Borrowed until the next row; never NULL. */
const void *tw_db_next_blob(struct tw_db_query *query, size_t *size);
/* Never NULL: a missing text is "" and fails the query as corrupt. */
const char *tw_db_next_text(struct tw_db_query *query);
/* The place of the text in `words`; a word that is not there fails the query as corrupt. */
int tw_db_next_word(struct tw_db_query *query, const char *const *words, int count);

/* device.c: read the columns of TW_DB_DEVICE_COLUMNS. */
#define TW_DB_DEVICE_COLUMNS                                                                       \
    "device.id, device.fingerprint, device.backend, device.name, device.vendor, "                  \
    "device.architecture, device.compute_units, device.memory_bytes, device.properties"
void tw_db_next_device(struct tw_db_query *query, struct tw_db_device *device);

/* problem.c: copies of a problem's dimensions and attributes, which outlive the statements that
 * read them. Zeroed is valid. */
struct tw_db_problem_copy {
    int64_t id;
    struct tw_db_dimension *dimensions;
    size_t dimension_count;
    struct tw_db_attribute *attributes;
    size_t attribute_count;
};
/* Lends `problem`, whose id is set, the rest of it; asking again for the same one costs nothing. */
enum tw_db_status tw_db_problem_parts(tw_db *db, struct tw_db_problem *problem,
                                      struct tw_db_problem_copy *copy);
void tw_db_problem_copy_free(struct tw_db_problem_copy *copy);

/* row_order.c: more than 0 when `a` is the better measured of two rows about the same, 0 when they
 * are the same in all that is merged. A total order, and one on what the rows say alone: the same
 * wherever they are. */
int tw_db_best_order(const struct tw_db_best_row *a, const struct tw_db_best_row *b);
/* Likewise for two descriptions of one device, where any order will do. */
int tw_db_device_order(const struct tw_db_device *a, const struct tw_db_device *b);
/* As strcmp, with NULL before all. */
int tw_db_text_order(const char *a, const char *b);

/* owner.c: which process owns a run, told so that a dead one is known for dead after a reboot or
 * when its pid has been given to another. */
struct tw_db_owner {
    char host[256];
    int64_t pid;
    char token[192]; /* the boot, the pid namespace and the start of the process */
};
void tw_db_owner_self(struct tw_db_owner *owner);
bool tw_db_owner_alive(const char *host, int64_t pid, const char *token, int64_t last_seen);

/* NaN compares with nothing and SQLite stores it as NULL: an error that is no number is infinite.
 */
double tw_db_error_value(double error);

#endif
