/* One SQL statement, from text to rows, with a failure that sticks until it is finished. */
#include "db/internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void fail(struct tw_db_query *query) {
    if (query->status == TW_DB_OK) {
        query->status = tw_db_fail_sqlite(query->db, query->doing);
    }
}

static void prepare(struct tw_db_query *query, const char *sql) {
    if (sqlite3_prepare_v2(query->db->sqlite, sql, -1, &query->statement, NULL) != SQLITE_OK) {
        fail(query);
    }
}

void tw_db_query_start(struct tw_db_query *query, tw_db *db, const char *sql, const char *doing) {
    memset(query, 0, sizeof *query);
    query->db = db;
    query->doing = doing;
    prepare(query, sql);
}

void tw_db_select_start(struct tw_db_query *query, tw_db *db, const char *head, const char *doing) {
    memset(query, 0, sizeof *query);
    query->db = db;
    query->doing = doing;
    query->visits = true;
    db->visiting++;
    query->text = sqlite3_str_new(db->sqlite);
    sqlite3_str_appendf(query->text, "%s WHERE 1", head);
}

static void add_condition(struct tw_db_query *query, const char *column, const char *text,
                          int64_t integer) {
    assert((size_t)query->condition_count < sizeof query->conditions / sizeof *query->conditions);
    query->conditions[query->condition_count].text = text;
    query->conditions[query->condition_count].integer = integer;
    query->condition_count++;
    sqlite3_str_appendf(query->text, " AND %s = ?", column);
}

void tw_db_select_where_id(struct tw_db_query *query, const char *column, int64_t id) {
    if (id != 0) {
        add_condition(query, column, NULL, id);
    }
}

void tw_db_select_where_text(struct tw_db_query *query, const char *column, const char *text) {
    if (text != NULL) {
        add_condition(query, column, text, 0);
    }
}

void tw_db_select_where_ids(struct tw_db_query *query, const char *column, const int64_t *ids,
                            size_t count) {
    if (ids == NULL) {
        return;
    }
    sqlite3_str_appendf(query->text, " AND %s IN (", column);
    for (size_t i = 0; i < count; i++) {
        sqlite3_str_appendf(query->text, "%s%lld", i == 0 ? "" : ", ", (long long)ids[i]);
    }
    sqlite3_str_appendall(query->text, ")");
}

void tw_db_select_where_words(struct tw_db_query *query, const char *column,
                              const char *const *words, int count, unsigned set) {
    if (set == 0) {
        return;
    }
    sqlite3_str_appendf(query->text, " AND %s IN (''", column);
    for (int i = 0; i < count; i++) {
        if ((set >> i & 1) != 0) {
            sqlite3_str_appendf(query->text, ", '%s'", words[i]);
        }
    }
    sqlite3_str_appendall(query->text, ")");
}

void tw_db_select_where_after(struct tw_db_query *query, const char *column, int64_t id) {
    if (id != 0) {
        sqlite3_str_appendf(query->text, " AND %s > %lld", column, (long long)id);
    }
}

void tw_db_select_where(struct tw_db_query *query, const char *condition) {
    sqlite3_str_appendf(query->text, " AND %s", condition);
}

void tw_db_select_ready(struct tw_db_query *query, const char *tail) {
    sqlite3_str_appendf(query->text, " %s", tail);
    char *sql = sqlite3_str_finish(query->text);
    query->text = NULL;
    if (sql == NULL) {
        query->status =
            tw_db_fail(query->db, TW_DB_NO_MEMORY, "cannot %s: out of memory", query->doing);
    } else if (query->status == TW_DB_OK) {
        prepare(query, sql);
    }
    sqlite3_free(sql);
    for (int i = 0; i < query->condition_count; i++) {
        if (query->conditions[i].text != NULL) {
            tw_db_bind_text(query, query->conditions[i].text);
        } else {
            tw_db_bind_integer(query, query->conditions[i].integer);
        }
    }
}

void tw_db_bind_text(struct tw_db_query *query, const char *text) {
    /* The caller's text outlives the statement: no copy. */
    if (query->status == TW_DB_OK &&
        sqlite3_bind_text(query->statement, ++query->bound, text, -1, SQLITE_STATIC) != SQLITE_OK) {
        fail(query);
    }
}

void tw_db_bind_integer(struct tw_db_query *query, int64_t value) {
    if (query->status == TW_DB_OK &&
        sqlite3_bind_int64(query->statement, ++query->bound, value) != SQLITE_OK) {
        fail(query);
    }
}

void tw_db_bind_real(struct tw_db_query *query, double value) {
    if (query->status == TW_DB_OK &&
        sqlite3_bind_double(query->statement, ++query->bound, value) != SQLITE_OK) {
        fail(query);
    }
}

void tw_db_bind_blob(struct tw_db_query *query, const void *bytes, size_t size) {
    if (query->status == TW_DB_OK && sqlite3_bind_blob64(query->statement, ++query->bound, bytes,
                                                         size, SQLITE_STATIC) != SQLITE_OK) {
        fail(query);
    }
}

void tw_db_bind_null(struct tw_db_query *query) {
    if (query->status == TW_DB_OK &&
        sqlite3_bind_null(query->statement, ++query->bound) != SQLITE_OK) {
        fail(query);
    }
}

void tw_db_bind_optional_integer(struct tw_db_query *query, bool has, int64_t value) {
    if (has) {
        tw_db_bind_integer(query, value);
    } else {
        tw_db_bind_null(query);
    }
}

void tw_db_bind_optional_real(struct tw_db_query *query, bool has, double value) {
    if (has) {
        tw_db_bind_real(query, value);
    } else {
        tw_db_bind_null(query);
    }
}

void tw_db_bind_reference(struct tw_db_query *query, int64_t id) {
    tw_db_bind_optional_integer(query, id != 0, id);
}

bool tw_db_query_row(struct tw_db_query *query) {
    if (query->status != TW_DB_OK) {
        return false;
    }
    query->column = 0;
    int code = sqlite3_step(query->statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        fail(query);
    }
    return code == SQLITE_ROW;
}

enum tw_db_status tw_db_query_finish(struct tw_db_query *query) {
    /* Its result repeats a failure of step, which is already known. */
    sqlite3_finalize(query->statement);
    query->statement = NULL;
    if (query->visits) {
        query->db->visiting--;
        query->visits = false;
    }
    return query->status;
}

enum tw_db_status tw_db_query_run(struct tw_db_query *query) {
    tw_db_query_row(query);
    return tw_db_query_finish(query);
}

enum tw_db_status tw_db_query_find_id(struct tw_db_query *query, int64_t *id) {
    bool found = tw_db_query_row(query);
    *id = found ? tw_db_next_integer(query) : 0;
    enum tw_db_status status = tw_db_query_finish(query);
    if (status == TW_DB_OK && !found) {
        status = tw_db_fail(query->db, TW_DB_NOT_FOUND, "cannot %s: not there", query->doing);
    }
    return status;
}

int64_t tw_db_next_integer(struct tw_db_query *query) {
    return sqlite3_column_int64(query->statement, query->column++);
}

double tw_db_next_real(struct tw_db_query *query) {
    return sqlite3_column_double(query->statement, query->column++);
}

static bool next_is_null(struct tw_db_query *query) {
    return sqlite3_column_type(query->statement, query->column) == SQLITE_NULL;
}

bool tw_db_next_optional_integer(struct tw_db_query *query, int64_t *value) {
    bool has = !next_is_null(query);
    *value = tw_db_next_integer(query);
    return has;
}

bool tw_db_next_optional_real(struct tw_db_query *query, double *value) {
    bool has = !next_is_null(query);
    *value = tw_db_next_real(query);
    return has;
}

const char *tw_db_next_optional_text(struct tw_db_query *query) {
    const char *text = (const char *)sqlite3_column_text(query->statement, query->column++);
    /* What there is no memory for is NULL too, and SQLite says so until it is called again. */
    if (text == NULL && sqlite3_errcode(query->db->sqlite) == SQLITE_NOMEM &&
        query->status == TW_DB_OK) {
        query->status =
            tw_db_fail(query->db, TW_DB_NO_MEMORY, "cannot %s: out of memory", query->doing);
    }
    return text;
}

const char *tw_db_next_text(struct tw_db_query *query) {
    const char *text = tw_db_next_optional_text(query);
    if (text != NULL) {
        return text;
    }
    if (query->status == TW_DB_OK) {
        query->status =
            tw_db_fail(query->db, TW_DB_CORRUPT, "cannot %s: column %s is empty", query->doing,
                       sqlite3_column_name(query->statement, query->column - 1));
    }
    return "";
}

const void *tw_db_next_blob(struct tw_db_query *query, size_t *size) {
    const void *bytes = sqlite3_column_blob(query->statement, query->column);
    *size = (size_t)sqlite3_column_bytes(query->statement, query->column++);
    return bytes != NULL ? bytes : "";
}

int tw_db_next_word(struct tw_db_query *query, const char *const *words, int count) {
    const char *text = tw_db_next_text(query);
    for (int i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            return i;
        }
    }
    if (query->status == TW_DB_OK) {
        query->status = tw_db_fail(query->db, TW_DB_CORRUPT, "cannot %s: unknown word \"%.40s\"",
                                   query->doing, text);
    }
    return 0;
}

double tw_db_error_value(double error) {
    return isnan(error) ? INFINITY : error;
}
