/* Implementations: a template of a kernel as it was when it was tuned. */
#include "db/internal.h"

enum tw_db_status tw_db_implementation_find(tw_db *db, const char *kernel, const char *name,
                                            const char *template_hash, int64_t *id) {
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "SELECT id FROM implementation"
                      " WHERE kernel = ? AND name = ? AND template_hash = ?",
                      "find an implementation");
    tw_db_bind_text(&query, kernel);
    tw_db_bind_text(&query, name);
    tw_db_bind_text(&query, template_hash);
    return tw_db_query_find_id(&query, id);
}

static void bind_values(struct tw_db_query *query,
                        const struct tw_db_implementation *implementation) {
    tw_db_bind_text(query, implementation->description);
    tw_db_bind_text(query, implementation->kernel);
    tw_db_bind_text(query, implementation->name);
    tw_db_bind_text(query, implementation->template_hash);
}

/* As in device.c: no lock is taken when nothing changes. */
static enum tw_db_status find_same(tw_db *db, const struct tw_db_implementation *implementation,
                                   int64_t *id) {
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "SELECT id FROM implementation WHERE description IS ? AND kernel = ?"
                      " AND name = ? AND template_hash = ?",
                      "find an implementation");
    bind_values(&query, implementation);
    return tw_db_query_find_id(&query, id);
}

static enum tw_db_status store(tw_db *db, const struct tw_db_implementation *implementation,
                               int64_t *id) {
    struct tw_db_query query;
    enum tw_db_status status = tw_db_implementation_find(
        db, implementation->kernel, implementation->name, implementation->template_hash, id);
    if (status == TW_DB_OK) {
        tw_db_query_start(&query, db,
                          "UPDATE implementation SET description = ?"
                          " WHERE kernel = ? AND name = ? AND template_hash = ?",
                          "update an implementation");
        bind_values(&query, implementation);
        return tw_db_query_run(&query);
    }
    if (status != TW_DB_NOT_FOUND) {
        return status;
    }
    tw_db_query_start(&query, db,
                      "INSERT INTO implementation (description, kernel, name, template_hash)"
                      " VALUES (?, ?, ?, ?)",
                      "store an implementation");
    bind_values(&query, implementation);
    status = tw_db_query_run(&query);
    *id = sqlite3_last_insert_rowid(db->sqlite);
    return status;
}

enum tw_db_status tw_db_implementation_put(tw_db *db,
                                           const struct tw_db_implementation *implementation,
                                           int64_t *id) {
    enum tw_db_status status = find_same(db, implementation, id);
    if (status != TW_DB_NOT_FOUND) {
        return status;
    }
    status = tw_db_write_begin(db);
    return status == TW_DB_OK ? tw_db_write_end(db, store(db, implementation, id)) : status;
}

enum tw_db_status tw_db_implementation_each(tw_db *db, const char *kernel,
                                            tw_db_implementation_visitor visit, void *context) {
    struct tw_db_query query;
    tw_db_select_start(&query, db,
                       "SELECT id, kernel, name, template_hash, description FROM implementation",
                       "read implementations");
    tw_db_select_where_text(&query, "kernel", kernel);
    tw_db_select_ready(&query, "ORDER BY kernel, name, id DESC");
    while (tw_db_query_row(&query)) {
        struct tw_db_implementation implementation;
        implementation.id = tw_db_next_integer(&query);
        implementation.kernel = tw_db_next_text(&query);
        implementation.name = tw_db_next_text(&query);
        implementation.template_hash = tw_db_next_text(&query);
        implementation.description = tw_db_next_text(&query);
        if (query.status == TW_DB_OK && !visit(context, &implementation)) {
            break;
        }
    }
    return tw_db_query_finish(&query);
}
