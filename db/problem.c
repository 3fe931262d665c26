/* Problems, with their dimensions and attributes. */
#include "db/internal.h"

#include <stdlib.h>
#include <string.h>

enum tw_db_status tw_db_problem_find(tw_db *db, const char *kernel, const char *key, int64_t *id) {
    struct tw_db_query query;
    tw_db_query_start(&query, db, "SELECT id FROM problem WHERE kernel = ? AND key = ?",
                      "find a problem");
    tw_db_bind_text(&query, kernel);
    tw_db_bind_text(&query, key);
    return tw_db_query_find_id(&query, id);
}

static enum tw_db_status store_parts(tw_db *db, int64_t id, const struct tw_db_problem *problem) {
    struct tw_db_query query;
    enum tw_db_status status = TW_DB_OK;
    for (size_t i = 0; status == TW_DB_OK && i < problem->dimension_count; i++) {
        tw_db_query_start(&query, db,
                          "INSERT INTO problem_dimension (problem, position, name, value)"
                          " VALUES (?, ?, ?, ?)",
                          "store a dimension");
        tw_db_bind_integer(&query, id);
        tw_db_bind_integer(&query, (int64_t)i);
        tw_db_bind_text(&query, problem->dimensions[i].name);
        tw_db_bind_integer(&query, problem->dimensions[i].value);
        status = tw_db_query_run(&query);
    }
    for (size_t i = 0; status == TW_DB_OK && i < problem->attribute_count; i++) {
        tw_db_query_start(&query, db,
                          "INSERT INTO problem_attribute (problem, name, value) VALUES (?, ?, ?)",
                          "store an attribute");
        tw_db_bind_integer(&query, id);
        tw_db_bind_text(&query, problem->attributes[i].name);
        tw_db_bind_text(&query, problem->attributes[i].value);
        status = tw_db_query_run(&query);
    }
    return status;
}

static enum tw_db_status store(tw_db *db, const struct tw_db_problem *problem, int64_t *id) {
    /* Another process may have stored it while this one waited for the lock. */
    enum tw_db_status status = tw_db_problem_find(db, problem->kernel, problem->key, id);
    if (status != TW_DB_NOT_FOUND) {
        return status;
    }
    struct tw_db_query query;
    tw_db_query_start(&query, db, "INSERT INTO problem (kernel, key, text) VALUES (?, ?, ?)",
                      "store a problem");
    tw_db_bind_text(&query, problem->kernel);
    tw_db_bind_text(&query, problem->key);
    tw_db_bind_text(&query, problem->text);
    status = tw_db_query_run(&query);
    if (status == TW_DB_OK) {
        *id = sqlite3_last_insert_rowid(db->sqlite);
        status = store_parts(db, *id, problem);
    }
    return status;
}

enum tw_db_status tw_db_problem_put(tw_db *db, const struct tw_db_problem *problem, int64_t *id) {
    enum tw_db_status status = tw_db_problem_find(db, problem->kernel, problem->key, id);
    if (status != TW_DB_NOT_FOUND) {
        return status;
    }
    status = tw_db_write_begin(db);
    return status == TW_DB_OK ? tw_db_write_end(db, store(db, problem, id)) : status;
}

/* SQLite's allocator, because strdup is not C11. */
static char *copy_text(struct tw_db_query *query) {
    char *copy = sqlite3_mprintf("%s", tw_db_next_text(query));
    if (copy == NULL && query->status == TW_DB_OK) {
        query->status =
            tw_db_fail(query->db, TW_DB_NO_MEMORY, "cannot read a problem: out of memory");
    }
    return copy;
}

static void *grow(struct tw_db_query *query, void *array, size_t count, size_t size) {
    void *grown = realloc(array, (count + 1) * size);
    if (grown == NULL) {
        query->status =
            tw_db_fail(query->db, TW_DB_NO_MEMORY, "cannot read a problem: out of memory");
    }
    return grown;
}

static enum tw_db_status read_dimensions(tw_db *db, struct tw_db_problem_copy *copy) {
    struct tw_db_query query;
    tw_db_query_start(
        &query, db, "SELECT name, value FROM problem_dimension WHERE problem = ? ORDER BY position",
        "read dimensions");
    tw_db_bind_integer(&query, copy->id);
    while (tw_db_query_row(&query)) {
        struct tw_db_dimension *all =
            grow(&query, copy->dimensions, copy->dimension_count, sizeof *all);
        if (all == NULL) {
            break;
        }
        copy->dimensions = all;
        all[copy->dimension_count].name = copy_text(&query);
        all[copy->dimension_count].value = tw_db_next_integer(&query);
        copy->dimension_count++;
    }
    return tw_db_query_finish(&query);
}

static enum tw_db_status read_attributes(tw_db *db, struct tw_db_problem_copy *copy) {
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "SELECT name, value FROM problem_attribute WHERE problem = ? ORDER BY name",
                      "read attributes");
    tw_db_bind_integer(&query, copy->id);
    while (tw_db_query_row(&query)) {
        struct tw_db_attribute *all =
            grow(&query, copy->attributes, copy->attribute_count, sizeof *all);
        if (all == NULL) {
            break;
        }
        copy->attributes = all;
        all[copy->attribute_count].name = copy_text(&query);
        all[copy->attribute_count].value = copy_text(&query);
        copy->attribute_count++;
    }
    return tw_db_query_finish(&query);
}

void tw_db_problem_copy_free(struct tw_db_problem_copy *copy) {
    for (size_t i = 0; i < copy->dimension_count; i++) {
        sqlite3_free((char *)copy->dimensions[i].name);
    }
    for (size_t i = 0; i < copy->attribute_count; i++) {
        sqlite3_free((char *)copy->attributes[i].name);
        sqlite3_free((char *)copy->attributes[i].value);
    }
    free(copy->dimensions);
    free(copy->attributes);
    memset(copy, 0, sizeof *copy);
}

enum tw_db_status tw_db_problem_parts(tw_db *db, struct tw_db_problem *problem,
                                      struct tw_db_problem_copy *copy) {
    enum tw_db_status status = TW_DB_OK;
    if (copy->id != problem->id) {
        tw_db_problem_copy_free(copy);
        copy->id = problem->id;
        status = read_dimensions(db, copy);
        if (status == TW_DB_OK) {
            status = read_attributes(db, copy);
        }
    }
    problem->dimensions = copy->dimensions;
    problem->dimension_count = copy->dimension_count;
    problem->attributes = copy->attributes;
    problem->attribute_count = copy->attribute_count;
    return status;
}

static enum tw_db_status each(tw_db *db, const char *kernel, bool old, tw_db_problem_visitor visit,
                              void *context) {
    struct tw_db_problem_copy copy = {0};
    struct tw_db_query query;
    tw_db_select_start(&query, db, "SELECT id, kernel, key, text FROM problem", "read problems");
    tw_db_select_where_text(&query, "kernel", kernel);
    if (old) {
        tw_db_select_where(&query, "text IS NULL");
    }
    tw_db_select_ready(&query, "ORDER BY kernel, key");
    while (tw_db_query_row(&query)) {
        struct tw_db_problem problem;
        problem.id = tw_db_next_integer(&query);
        problem.kernel = tw_db_next_text(&query);
        problem.key = tw_db_next_text(&query);
        problem.text = tw_db_next_optional_text(&query);
        if (query.status == TW_DB_OK) {
            query.status = tw_db_problem_parts(db, &problem, &copy);
        }
        if (query.status == TW_DB_OK && !visit(context, &problem)) {
            break;
        }
    }
    tw_db_problem_copy_free(&copy);
    return tw_db_query_finish(&query);
}

enum tw_db_status tw_db_problem_each(tw_db *db, const char *kernel, tw_db_problem_visitor visit,
                                     void *context) {
    return each(db, kernel, false, visit, context);
}

enum tw_db_status tw_db_problem_each_old(tw_db *db, const char *kernel, tw_db_problem_visitor visit,
                                         void *context) {
    return each(db, kernel, true, visit, context);
}

static enum tw_db_status set_key(tw_db *db, const struct tw_db_problem *problem) {
    struct tw_db_query query;
    tw_db_query_start(&query, db, "UPDATE problem SET key = ?, text = ? WHERE id = ?",
                      "rename a problem");
    tw_db_bind_text(&query, problem->key);
    tw_db_bind_text(&query, problem->text);
    tw_db_bind_integer(&query, problem->id);
    return tw_db_query_run(&query);
}

/* What is about the same as a row of `to` is not moved, and goes with the problem. */
static enum tw_db_status move_rows(tw_db *db, int64_t from, int64_t to) {
    static const char *const moves[] = {
        "UPDATE run SET problem = ?1 WHERE problem = ?2",
        "UPDATE OR IGNORE trial SET problem = ?1 WHERE problem = ?2",
        "UPDATE OR IGNORE best SET problem = ?1 WHERE problem = ?2",
        "DELETE FROM trial WHERE problem <> ?1 AND problem = ?2",
        "DELETE FROM best WHERE problem <> ?1 AND problem = ?2",
        "DELETE FROM problem_dimension WHERE problem <> ?1 AND problem = ?2",
        "DELETE FROM problem_attribute WHERE problem <> ?1 AND problem = ?2",
        "DELETE FROM problem WHERE id <> ?1 AND id = ?2",
    };
    enum tw_db_status status = TW_DB_OK;
    for (size_t i = 0; status == TW_DB_OK && i < sizeof moves / sizeof *moves; i++) {
        struct tw_db_query query;
        tw_db_query_start(&query, db, moves[i], "join two problems");
        tw_db_bind_integer(&query, to);
        tw_db_bind_integer(&query, from);
        status = tw_db_query_run(&query);
    }
    return status;
}

enum tw_db_status tw_db_problem_rename(tw_db *db, const struct tw_db_problem *problem) {
    int64_t other = 0;
    enum tw_db_status status = tw_db_write_begin(db);
    if (status != TW_DB_OK) {
        return status;
    }
    status = tw_db_problem_find(db, problem->kernel, problem->key, &other);
    if (status == TW_DB_NOT_FOUND || (status == TW_DB_OK && other == problem->id)) {
        status = set_key(db, problem);
    } else if (status == TW_DB_OK) {
        status = move_rows(db, problem->id, other);
    }
    return tw_db_write_end(db, status);
}

enum tw_db_status tw_db_has_old_rows(tw_db *db, bool *has) {
    struct tw_db_query query;
    *has = false;
    tw_db_query_start(&query, db,
                      "SELECT EXISTS (SELECT 1 FROM problem WHERE text IS NULL)"
                      " OR EXISTS (SELECT 1 FROM best WHERE source IS NULL)",
                      "look for older rows");
    if (tw_db_query_row(&query)) {
        *has = tw_db_next_integer(&query) != 0;
    }
    return tw_db_query_finish(&query);
}
