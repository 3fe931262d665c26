/* Merging: best rows from elsewhere, each with what it refers to. */
#include "db/internal.h"
#include "db/merge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Ranking needs numbers that compare, and a moment of 0 would become today's. */
static enum tw_db_status check_numbers(tw_db *db, const struct tw_db_best_row *row) {
    const struct tw_db_best *best = &row->best;
    bool sound = isfinite(best->time_us) && best->time_us > 0 && best->ci_low_us >= 0 &&
                 best->ci_low_us <= best->time_us && best->ci_high_us >= best->time_us &&
                 isfinite(best->ci_high_us) && best->repeats > 0 && best->measured_at > 0;
    if (sound) {
        return TW_DB_OK;
    }
    return tw_db_fail(
        db, TW_DB_CONSTRAINT,
        "cannot take in %.40s %.120s, %.40s: its times, repeats or date make no sense",
        row->problem.kernel, row->problem.key, row->implementation_name);
}

static enum tw_db_status merge_device(tw_db *db, const struct tw_db_device *device, int64_t *id) {
    struct tw_db_query query;
    bool keep = false;
    tw_db_query_start(&query, db,
                      "SELECT " TW_DB_DEVICE_COLUMNS " FROM device WHERE fingerprint = ?",
                      "find a device");
    tw_db_bind_text(&query, device->fingerprint);
    if (tw_db_query_row(&query)) {
        struct tw_db_device stored;
        tw_db_next_device(&query, &stored);
        *id = stored.id;
        keep = tw_db_device_order(&stored, device) >= 0;
    }
    enum tw_db_status status = tw_db_query_finish(&query);
    return status == TW_DB_OK && !keep ? tw_db_device_put(db, device, id) : status;
}

static bool same_problem(const struct tw_db_problem *a, const struct tw_db_problem *b) {
    bool same = a->dimension_count == b->dimension_count;
    for (size_t i = 0; same && i < a->dimension_count; i++) {
        same = strcmp(a->dimensions[i].name, b->dimensions[i].name) == 0 &&
               a->dimensions[i].value == b->dimensions[i].value;
    }
    /* Attributes have no order of their own, and one may have come to a kernel since. */
    for (size_t i = 0; same && i < a->attribute_count; i++) {
        for (size_t j = 0; same && j < b->attribute_count; j++) {
            same = strcmp(a->attributes[i].name, b->attributes[j].name) != 0 ||
                   strcmp(a->attributes[i].value, b->attributes[j].value) == 0;
        }
    }
    return same;
}

static enum tw_db_status merge_problem(tw_db *db, const struct tw_db_problem *problem,
                                       int64_t *id) {
    enum tw_db_status status = tw_db_problem_put(db, problem, id);
    if (status != TW_DB_OK) {
        return status;
    }
    struct tw_db_problem stored = {.id = *id};
    struct tw_db_problem_copy copy = {0};
    status = tw_db_problem_parts(db, &stored, &copy);
    if (status == TW_DB_OK && !same_problem(&stored, problem)) {
        status = tw_db_fail(db, TW_DB_CONSTRAINT,
                            "cannot take in %.40s %.120s: it is another problem here, so one of "
                            "the two databases is damaged",
                            problem->kernel, problem->key);
    }
    tw_db_problem_copy_free(&copy);
    return status;
}

static enum tw_db_status merge_implementation(tw_db *db, const struct tw_db_best_row *row,
                                              const char *description, int64_t *id) {
    struct tw_db_query query;
    bool keep = false;
    const struct tw_db_implementation implementation = {.kernel = row->problem.kernel,
                                                        .name = row->implementation_name,
                                                        .template_hash = row->template_hash,
                                                        .description =
                                                            description != NULL ? description : ""};
    tw_db_query_start(&query, db,
                      "SELECT id, description FROM implementation"
                      " WHERE kernel = ? AND name = ? AND template_hash = ?",
                      "find an implementation");
    tw_db_bind_text(&query, implementation.kernel);
    tw_db_bind_text(&query, implementation.name);
    tw_db_bind_text(&query, implementation.template_hash);
    if (tw_db_query_row(&query)) {
        *id = tw_db_next_integer(&query);
        keep = strcmp(tw_db_next_text(&query), implementation.description) >= 0;
    }
    enum tw_db_status status = tw_db_query_finish(&query);
    return status == TW_DB_OK && !keep ? tw_db_implementation_put(db, &implementation, id) : status;
}

static void bind_provenance(struct tw_db_query *query, const struct tw_db_best *best,
                            const struct tw_db_provenance *provenance) {
    tw_db_bind_text(query, provenance->uid);
    tw_db_bind_integer(query, best->problem);
    tw_db_bind_integer(query, best->device);
    tw_db_bind_text(query, best->cache_policy);
    tw_db_bind_text(query, provenance->strategy);
    tw_db_bind_integer(query, (int64_t)provenance->seed);
    tw_db_bind_text(query, provenance->budget_kind);
    tw_db_bind_real(query, provenance->budget_value);
    tw_db_bind_integer(query, provenance->started_at);
    tw_db_bind_text(query, provenance->tilewise_version);
    tw_db_bind_text(query, provenance->driver);
    tw_db_bind_text(query, provenance->compiler);
    tw_db_bind_text(query, provenance->conditions);
    tw_db_bind_text(query, provenance->protocol);
}

/* A run that says something else under the same uid is kept apart: a best row's provenance is what
 * came with it. */
static enum tw_db_status merge_run(tw_db *db, const struct tw_db_best *best,
                                   const struct tw_db_provenance *provenance, int64_t *id) {
    struct tw_db_query query;
    *id = 0;
    if (provenance->uid == NULL) {
        return TW_DB_OK;
    }
    tw_db_query_start(&query, db,
                      "SELECT id FROM run WHERE uid = ? AND problem = ? AND device = ?"
                      " AND cache_policy = ? AND strategy = ? AND seed = ? AND budget_kind = ?"
                      " AND budget_value = ? AND started_at = ? AND tilewise_version IS ?"
                      " AND driver IS ? AND compiler IS ? AND conditions IS ? AND protocol IS ?"
                      " ORDER BY merged, id LIMIT 1",
                      "find a run");
    bind_provenance(&query, best, provenance);
    enum tw_db_status status = tw_db_query_find_id(&query, id);
    if (status != TW_DB_NOT_FOUND) {
        return status;
    }
    tw_db_query_start(&query, db,
                      "INSERT INTO run (uid, problem, device, cache_policy, strategy, seed,"
                      " budget_kind, budget_value, started_at, tilewise_version, driver, compiler,"
                      " conditions, protocol, state, elapsed_s, updated_at, finished_at,"
                      " owner_host, owner_pid, owner_token, merged)"
                      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'done', 0, ?, ?,"
                      " '', 0, '', 1)",
                      "store a run");
    bind_provenance(&query, best, provenance);
    tw_db_bind_integer(&query, provenance->started_at);
    tw_db_bind_integer(&query, provenance->started_at);
    status = tw_db_query_run(&query);
    *id = sqlite3_last_insert_rowid(db->sqlite);
    return status;
}

struct rival {
    const struct tw_db_best_row *row;
    bool there;
    bool better;
};

static bool compare(void *context, const struct tw_db_best_row *stored) {
    struct rival *rival = context;
    rival->there = true;
    rival->better = tw_db_best_order(rival->row, stored) > 0;
    return false;
}

static enum tw_db_status merge_row(tw_db *db, const struct tw_db_best_row *row,
                                   const char *description, struct tw_db_merged *merged) {
    struct tw_db_best best = row->best;
    struct rival rival = {.row = row};
    const struct tw_db_best_filter same = {.kernel = row->problem.kernel,
                                           .problem_key = row->problem.key,
                                           .device_fingerprint = row->device.fingerprint,
                                           .cache_policy = best.cache_policy,
                                           .implementation_name = row->implementation_name,
                                           .template_hash = row->template_hash};
    enum tw_db_status status = check_numbers(db, row);
    if (status == TW_DB_OK) {
        status = merge_device(db, &row->device, &best.device);
    }
    if (status == TW_DB_OK) {
        status = merge_problem(db, &row->problem, &best.problem);
    }
    if (status == TW_DB_OK) {
        status = merge_implementation(db, row, description, &best.implementation);
    }
    if (status == TW_DB_OK) {
        status = tw_db_best_each(db, &same, compare, &rival);
    }
    const bool stays = rival.there && !rival.better;
    /* A search that is over is known of, also where another's row stays. */
    if (status == TW_DB_OK && (!stays || best.tie_set != NULL)) {
        status = merge_run(db, &best, &row->provenance, &best.run);
    }
    if (status == TW_DB_OK && stays) {
        merged->kept++;
        return TW_DB_OK;
    }
    if (status == TW_DB_OK) {
        status = tw_db_best_put(db, &best);
    }
    if (status == TW_DB_OK) {
        merged->added += !rival.there;
        merged->replaced += rival.there;
    }
    return status;
}

/* A transaction around several writes, unless the caller has one open; then only what was written
 * since is undone. */
static enum tw_db_status group_begin(tw_db *db, bool *own) {
    *own = !db->in_batch;
    enum tw_db_status status = *own ? tw_db_begin(db) : TW_DB_OK;
    return status == TW_DB_OK ? tw_db_write_begin(db) : status;
}

static enum tw_db_status group_end(tw_db *db, bool own, enum tw_db_status status) {
    status = tw_db_write_end(db, status);
    if (own && status == TW_DB_OK) {
        return tw_db_commit(db);
    }
    if (own) {
        tw_db_rollback(db);
    }
    return status;
}

enum tw_db_status tw_db_best_merge(tw_db *db, const struct tw_db_best_row *row,
                                   const char *description, struct tw_db_merged *merged) {
    bool own = false;
    enum tw_db_status status = group_begin(db, &own);
    return status == TW_DB_OK ? group_end(db, own, merge_row(db, row, description, merged))
                              : status;
}

struct merge {
    tw_db *db;
    tw_db *from;
    struct tw_db_merged *merged;
    enum tw_db_status status; /* of writing to db, or of reading more of a row */
};

static bool take_device(void *context, const struct tw_db_device *device) {
    struct merge *merge = context;
    int64_t id = 0;
    merge->status = merge_device(merge->db, device, &id);
    return merge->status == TW_DB_OK;
}

static bool take_row(void *context, const struct tw_db_best_row *row) {
    struct merge *merge = context;
    struct tw_db_query query;
    tw_db_query_start(&query, merge->from, "SELECT description FROM implementation WHERE id = ?",
                      "read an implementation");
    tw_db_bind_integer(&query, row->best.implementation);
    const char *description = tw_db_query_row(&query) ? tw_db_next_text(&query) : NULL;
    if (query.status == TW_DB_OK) {
        merge->status = merge_row(merge->db, row, description, merge->merged);
    }
    if (tw_db_query_finish(&query) != TW_DB_OK) {
        merge->status = tw_db_fail(merge->db, query.status,
                                   "cannot take in another database: %.500s", merge->from->message);
    }
    return merge->status == TW_DB_OK;
}

static bool take_model(void *context, const struct tw_db_model *model) {
    struct merge *merge = context;
    merge->status = tw_db_model_merge(merge->db, model);
    return merge->status == TW_DB_OK;
}

enum tw_db_status tw_db_merge(tw_db *db, tw_db *from, struct tw_db_merged *merged) {
    struct merge merge = {.db = db, .from = from, .merged = merged};
    bool own = false;
    enum tw_db_status status = group_begin(db, &own);
    if (status != TW_DB_OK) {
        return status;
    }
    status = tw_db_device_each(from, take_device, &merge);
    if (status == TW_DB_OK && merge.status == TW_DB_OK) {
        status = tw_db_best_each(from, NULL, take_row, &merge);
    }
    if (status == TW_DB_OK && merge.status == TW_DB_OK) {
        status = tw_db_model_each(from, NULL, take_model, &merge);
    }
    if (status != TW_DB_OK) {
        snprintf(db->message, sizeof db->message, "%s", from->message);
    }
    return group_end(db, own, status != TW_DB_OK ? status : merge.status);
}
