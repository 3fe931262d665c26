/* Looking for what is wrong with a file.
 *
 * The schema comes first: it is compared, text for text, with that of a database made in memory.
 * Only when it is the same are its rows looked at, for whoever changed a schema may have put
 * expressions into it that never end. */
#include "db/internal.h"
#include "db/upkeep.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct check {
    tw_db *db;
    tw_db *reference; /* a new database in memory */
    tw_db_finding_visitor visit;
    void *context;
    bool go_on;
    bool found;
};

static void find(struct check *check, const char *format, ...) TW_DB_PRINTF(2, 3);

static void find(struct check *check, const char *format, ...) {
    char finding[TW_DB_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding, sizeof finding, format, arguments);
    va_end(arguments);
    check->found = true;
    check->go_on = check->go_on && check->visit(check->context, finding);
}

/* SQLite's own tables (statistics, sequences, automatic indices) may come and go. */
#define OBJECTS "SELECT type, name, sql FROM sqlite_master WHERE substr(name, 1, 7) <> 'sqlite_'"

/* Tells of everything in one schema that is missing from, or another in, the other. */
static enum tw_db_status compare_schemas(struct check *check, tw_db *one, tw_db *other,
                                         bool one_is_ours) {
    struct tw_db_query query;
    tw_db_query_start(&query, one, OBJECTS " ORDER BY type, name", "read its schema");
    while (check->go_on && tw_db_query_row(&query)) {
        const char *type = tw_db_next_text(&query);
        const char *name = tw_db_next_text(&query);
        const char *sql = tw_db_next_optional_text(&query);
        if (query.status != TW_DB_OK) {
            break;
        }
        struct tw_db_query match;
        tw_db_query_start(&match, other, OBJECTS " AND type = ? AND name = ?", "read its schema");
        tw_db_bind_text(&match, type);
        tw_db_bind_text(&match, name);
        bool there = tw_db_query_row(&match);
        if (!there && match.status == TW_DB_OK && one_is_ours) {
            find(check, "%.20s %.60s is missing", type, name);
        } else if (!there && match.status == TW_DB_OK) {
            find(check, "%.20s %.60s is none that Tilewise makes", type, name);
        } else if (there && !one_is_ours) {
            tw_db_next_text(&match);
            tw_db_next_text(&match);
            bool same = tw_db_text_order(sql, tw_db_next_optional_text(&match)) == 0;
            if (!same && match.status == TW_DB_OK) {
                find(check, "%.20s %.60s is not as Tilewise makes it", type, name);
            }
        }
        enum tw_db_status status = tw_db_query_finish(&match);
        if (query.status == TW_DB_OK) {
            query.status = status;
        }
    }
    return tw_db_query_finish(&query);
}

static enum tw_db_status check_pages_once(struct check *check, tw_db *db, bool *again) {
    struct tw_db_query query;
    tw_db_query_start(&query, db, "PRAGMA integrity_check(20)", "check");
    while (check->go_on && tw_db_query_row(&query)) {
        const char *finding = tw_db_next_text(&query);
        if (*again && tw_db_could_not_read(finding)) {
            return tw_db_query_finish(&query);
        }
        *again = false;
        if (query.status == TW_DB_OK && strcmp(finding, "ok") != 0) {
            find(check, "damaged: %.900s", finding);
        }
    }
    *again = false;
    return tw_db_query_finish(&query);
}

static enum tw_db_status check_pages(struct check *check, tw_db *db) {
    bool again = true;
    enum tw_db_status status = check_pages_once(check, db, &again);
    return status == TW_DB_OK && again ? check_pages_once(check, db, &(bool){false}) : status;
}

/* SQLite does not read the CHECK rules of a file that it may not write, so they are tried on a copy
 * in a temporary file. */
static enum tw_db_status check_rules(struct check *check) {
    if (sqlite3_db_readonly(check->db->sqlite, "main") == 0) {
        return TW_DB_OK; /* then check_pages has seen them */
    }
    tw_db copy = {.schema = check->db->schema, .path = check->db->path, .mode = TW_DB_READ};
    enum tw_db_status status = tw_db_connect(&copy, "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (status == TW_DB_OK) {
        sqlite3_backup *backup =
            sqlite3_backup_init(copy.sqlite, "main", check->db->sqlite, "main");
        if (backup != NULL) {
            sqlite3_backup_step(backup, -1);
            sqlite3_backup_finish(backup);
        }
        if (sqlite3_errcode(copy.sqlite) != SQLITE_OK) {
            status = tw_db_fail_sqlite(&copy, "copy it to check its rules");
        }
    }
    if (status == TW_DB_OK) {
        status = check_pages(check, &copy);
    }
    if (status != TW_DB_OK) {
        snprintf(check->db->message, sizeof check->db->message, "%s", copy.message);
    }
    sqlite3_close(copy.sqlite);
    return status;
}

static enum tw_db_status check_references(struct check *check) {
    struct tw_db_query query;
    tw_db_query_start(&query, check->db,
                      "SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check"
                      " GROUP BY \"table\", parent ORDER BY 1, 2",
                      "check references");
    while (check->go_on && tw_db_query_row(&query)) {
        const char *table = tw_db_next_text(&query);
        const char *parent = tw_db_next_text(&query);
        long long count = tw_db_next_integer(&query);
        find(check, "table %s: %lld row%s to a %s that is not there", table, count,
             count == 1 ? " refers" : "s refer", parent);
    }
    return tw_db_query_finish(&query);
}

/* `table`, `column` and `type` come from our own schema. */
static enum tw_db_status check_column(struct check *check, const char *table, const char *column,
                                      const char *type) {
    struct tw_db_query query;
    char sql[256];
    sqlite3_snprintf(
        sizeof sql, sql,
        "SELECT count(*) FROM \"%w\" WHERE typeof(\"%w\") NOT IN (lower('%q'), 'null')", table,
        column, type);
    tw_db_query_start(&query, check->db, sql, "check values");
    if (tw_db_query_row(&query)) {
        long long count = tw_db_next_integer(&query);
        if (count > 0) {
            find(check, "table %s: %lld row%s another type than %s in column %s", table, count,
                 count == 1 ? " has" : "s have", type, column);
        }
    }
    return tw_db_query_finish(&query);
}

static enum tw_db_status check_types(struct check *check) {
    struct tw_db_query query;
    tw_db_query_start(&query, check->reference,
                      "SELECT m.name, c.name, c.type FROM sqlite_master AS m"
                      " JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table'"
                      " ORDER BY m.name, c.cid",
                      "read the schema");
    while (check->go_on && tw_db_query_row(&query)) {
        const char *table = tw_db_next_text(&query);
        const char *column = tw_db_next_text(&query);
        const char *type = tw_db_next_text(&query);
        if (query.status == TW_DB_OK) {
            query.status = check_column(check, table, column, type);
        }
    }
    return tw_db_query_finish(&query);
}

static enum tw_db_status check_all(struct check *check) {
    enum tw_db_status status = compare_schemas(check, check->db, check->reference, false);
    if (status == TW_DB_OK) {
        status = compare_schemas(check, check->reference, check->db, true);
    }
    if (status != TW_DB_OK || check->found) {
        return status;
    }
    status = check_pages(check, check->db);
    if (status == TW_DB_OK && !check->found) {
        status = check_rules(check);
    }
    if (status == TW_DB_OK) {
        status = check_references(check);
    }
    return status == TW_DB_OK ? check_types(check) : status;
}

enum tw_db_status tw_db_check(tw_db *db, tw_db_finding_visitor visit, void *context) {
    char name[] = ":memory:";
    tw_db reference = {.schema = db->schema, .path = name, .mode = TW_DB_WRITE};
    struct check check = {
        .db = db, .reference = &reference, .visit = visit, .context = context, .go_on = true};
    enum tw_db_status status = tw_db_connect(&reference, name, SQLITE_OPEN_READWRITE);
    if (status == TW_DB_OK) {
        status = tw_db_migrate(&reference);
    }
    if (status == TW_DB_OK) {
        db->visiting++;
        status = check_all(&check);
        db->visiting--;
    }
    if (reference.message[0] != '\0') {
        snprintf(db->message, sizeof db->message, "%s", reference.message);
    }
    sqlite3_close(reference.sqlite);
    return status;
}
