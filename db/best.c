/* The winners. */
#include "db/internal.h"
#include "db/upkeep.h"

#include <time.h>

static enum tw_db_status store(tw_db *db, const struct tw_db_best *best) {
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "INSERT OR REPLACE INTO best (problem, device, implementation, cache_policy,"
                      " configuration, time_us, ci_low_us, ci_high_us, repeats, rate_unit, rate,"
                      " max_rel_error, rms_rel_error, tie_set, baselines, run, measured_at, source,"
                      " judge, hard_max_error, hard_rms_error)"
                      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                      "store a best configuration");
    tw_db_bind_integer(&query, best->problem);
    tw_db_bind_integer(&query, best->device);
    tw_db_bind_integer(&query, best->implementation);
    tw_db_bind_text(&query, best->cache_policy);
    tw_db_bind_text(&query, best->configuration);
    tw_db_bind_real(&query, best->time_us);
    tw_db_bind_real(&query, best->ci_low_us);
    tw_db_bind_real(&query, best->ci_high_us);
    tw_db_bind_integer(&query, best->repeats);
    tw_db_bind_text(&query, best->rate_unit);
    tw_db_bind_optional_real(&query, best->rate_unit != NULL, best->rate);
    tw_db_bind_optional_real(&query, best->has_error, tw_db_error_value(best->max_rel_error));
    tw_db_bind_optional_real(&query, best->has_error, tw_db_error_value(best->rms_rel_error));
    tw_db_bind_text(&query, best->tie_set);
    tw_db_bind_text(&query, best->baselines);
    tw_db_bind_reference(&query, best->run);
    tw_db_bind_integer(&query, best->measured_at != 0 ? best->measured_at : (int64_t)time(NULL));
    tw_db_bind_text(&query, best->source);
    tw_db_bind_text(&query, best->judge);
    tw_db_bind_optional_real(&query, best->has_hard, tw_db_error_value(best->hard_max_error));
    tw_db_bind_optional_real(&query, best->has_hard, tw_db_error_value(best->hard_rms_error));
    return tw_db_query_run(&query);
}

enum tw_db_status tw_db_best_put(tw_db *db, const struct tw_db_best *best) {
    enum tw_db_status status = tw_db_write_begin(db);
    return status == TW_DB_OK ? tw_db_write_end(db, store(db, best)) : status;
}

static enum tw_db_status remove_provisional(tw_db *db, int64_t problem, int64_t device,
                                            const char *cache_policy) {
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "DELETE FROM best WHERE problem = ? AND device = ? AND cache_policy = ?"
                      " AND tie_set IS NULL",
                      "remove provisional results");
    tw_db_bind_integer(&query, problem);
    tw_db_bind_integer(&query, device);
    tw_db_bind_text(&query, cache_policy);
    return tw_db_query_run(&query);
}

enum tw_db_status tw_db_best_remove_provisional(tw_db *db, int64_t problem, int64_t device,
                                                const char *cache_policy) {
    enum tw_db_status status = tw_db_write_begin(db);
    return status == TW_DB_OK
               ? tw_db_write_end(db, remove_provisional(db, problem, device, cache_policy))
               : status;
}

static enum tw_db_status find_as_good(tw_db *db, const struct tw_db_best *best,
                                      const int64_t *implementations, size_t count, bool *found) {
    struct tw_db_query query;
    tw_db_select_start(&query, db, "SELECT 1 FROM best", "look for a better result");
    tw_db_select_where_id(&query, "problem", best->problem);
    tw_db_select_where_id(&query, "device", best->device);
    tw_db_select_where_text(&query, "cache_policy", best->cache_policy);
    tw_db_select_where_ids(&query, "implementation", implementations, count);
    tw_db_select_ready(&query, "AND (tie_set IS NOT NULL OR time_us <= ?)");
    tw_db_bind_real(&query, best->time_us);
    *found = tw_db_query_row(&query);
    return tw_db_query_finish(&query);
}

enum tw_db_status tw_db_best_put_provisional(tw_db *db, const struct tw_db_best *best,
                                             const int64_t *implementations, size_t count) {
    enum tw_db_status status = tw_db_write_begin(db);
    if (status != TW_DB_OK) {
        return status;
    }
    bool found = false;
    status = best->tie_set == NULL
                 ? find_as_good(db, best, implementations, count, &found)
                 : tw_db_fail(db, TW_DB_MISUSE, "a provisional result has no tie set");
    if (status == TW_DB_OK && !found) {
        status = remove_provisional(db, best->problem, best->device, best->cache_policy);
    }
    if (status == TW_DB_OK && !found) {
        status = store(db, best);
    }
    return tw_db_write_end(db, status);
}

static void next_provenance(struct tw_db_query *query, struct tw_db_provenance *provenance) {
    int64_t seed = 0;
    provenance->uid = tw_db_next_optional_text(query);
    provenance->strategy = tw_db_next_optional_text(query);
    tw_db_next_optional_integer(query, &seed);
    provenance->seed = (uint64_t)seed;
    provenance->budget_kind = tw_db_next_optional_text(query);
    tw_db_next_optional_real(query, &provenance->budget_value);
    tw_db_next_optional_integer(query, &provenance->started_at);
    provenance->tilewise_version = tw_db_next_optional_text(query);
    provenance->driver = tw_db_next_optional_text(query);
    provenance->compiler = tw_db_next_optional_text(query);
    provenance->conditions = tw_db_next_optional_text(query);
    provenance->protocol = tw_db_next_optional_text(query);
}

static void next_best(struct tw_db_query *query, struct tw_db_best_row *row) {
    struct tw_db_best *best = &row->best;
    tw_db_next_device(query, &row->device);
    row->problem.id = tw_db_next_integer(query);
    row->problem.kernel = tw_db_next_text(query);
    row->problem.key = tw_db_next_text(query);
    row->problem.text = tw_db_next_optional_text(query);
    row->implementation_name = tw_db_next_text(query);
    row->template_hash = tw_db_next_text(query);
    best->problem = row->problem.id;
    best->device = row->device.id;
    best->implementation = tw_db_next_integer(query);
    best->cache_policy = tw_db_next_text(query);
    best->configuration = tw_db_next_text(query);
    best->time_us = tw_db_next_real(query);
    best->ci_low_us = tw_db_next_real(query);
    best->ci_high_us = tw_db_next_real(query);
    best->repeats = tw_db_next_integer(query);
    best->rate_unit = tw_db_next_optional_text(query);
    best->rate = tw_db_next_real(query);
    best->has_error = tw_db_next_optional_real(query, &best->max_rel_error);
    tw_db_next_optional_real(query, &best->rms_rel_error);
    best->tie_set = tw_db_next_optional_text(query);
    best->baselines = tw_db_next_optional_text(query);
    tw_db_next_optional_integer(query, &best->run);
    best->measured_at = tw_db_next_integer(query);
    best->source = tw_db_next_optional_text(query);
    best->judge = tw_db_next_optional_text(query);
    best->has_hard = tw_db_next_optional_real(query, &best->hard_max_error);
    tw_db_next_optional_real(query, &best->hard_rms_error);
    next_provenance(query, &row->provenance);
}

enum tw_db_status tw_db_best_each(tw_db *db, const struct tw_db_best_filter *filter,
                                  tw_db_best_visitor visit, void *context) {
    static const struct tw_db_best_filter all;
    const struct tw_db_best_filter *wanted = filter != NULL ? filter : &all;
    struct tw_db_problem_copy copy = {0};
    struct tw_db_query query;
    tw_db_select_start(
        &query, db,
        "SELECT " TW_DB_DEVICE_COLUMNS ", problem.id, problem.kernel, problem.key,"
        " problem.text, implementation.name, implementation.template_hash, best.implementation,"
        " best.cache_policy, best.configuration, best.time_us, best.ci_low_us, best.ci_high_us,"
        " best.repeats, best.rate_unit, best.rate, best.max_rel_error, best.rms_rel_error,"
        " best.tie_set, best.baselines, best.run, best.measured_at, best.source, best.judge,"
        " best.hard_max_error, best.hard_rms_error,"
        " run.uid, run.strategy, run.seed, run.budget_kind, run.budget_value, run.started_at, "
        "run.tilewise_version,"
        " run.driver, run.compiler, run.conditions, run.protocol"
        " FROM best JOIN problem ON problem.id = best.problem"
        " JOIN device ON device.id = best.device"
        " JOIN implementation ON implementation.id = best.implementation"
        " LEFT JOIN run ON run.id = best.run",
        "read the best configurations");
    tw_db_select_where_text(&query, "problem.kernel", wanted->kernel);
    tw_db_select_where_text(&query, "problem.key", wanted->problem_key);
    tw_db_select_where_text(&query, "device.fingerprint", wanted->device_fingerprint);
    tw_db_select_where_text(&query, "best.cache_policy", wanted->cache_policy);
    tw_db_select_where_text(&query, "implementation.name", wanted->implementation_name);
    tw_db_select_where_text(&query, "implementation.template_hash", wanted->template_hash);
    tw_db_select_where_id(&query, "best.problem", wanted->problem);
    tw_db_select_where_id(&query, "best.device", wanted->device);
    if (wanted->unidentified) {
        tw_db_select_where(&query, "best.source IS NULL");
    }
    tw_db_select_ready(&query, "ORDER BY problem.kernel, problem.key, device.fingerprint,"
                               " best.cache_policy, best.time_us, best.implementation");
    while (tw_db_query_row(&query)) {
        struct tw_db_best_row row;
        next_best(&query, &row);
        if (query.status == TW_DB_OK) {
            query.status = tw_db_problem_parts(db, &row.problem, &copy);
        }
        if (query.status == TW_DB_OK && !visit(context, &row)) {
            break;
        }
    }
    tw_db_problem_copy_free(&copy);
    return tw_db_query_finish(&query);
}

enum tw_db_status tw_db_result_each(tw_db *db, tw_db_result_visitor visit, void *context) {
    struct tw_db_query query;
    tw_db_select_start(&query, db,
                       "SELECT problem.kernel, problem.key, best.device, best.implementation,"
                       " best.cache_policy, best.configuration, best.time_us,"
                       " best.tie_set IS NULL, best.source, best.judge"
                       " FROM best JOIN problem ON problem.id = best.problem",
                       "read the best configurations");
    tw_db_select_ready(&query, "");
    while (tw_db_query_row(&query)) {
        struct tw_db_result result;
        result.kernel = tw_db_next_text(&query);
        result.problem_key = tw_db_next_text(&query);
        result.device = tw_db_next_integer(&query);
        result.implementation = tw_db_next_integer(&query);
        result.cache_policy = tw_db_next_text(&query);
        result.configuration = tw_db_next_text(&query);
        result.time_us = tw_db_next_real(&query);
        result.provisional = tw_db_next_integer(&query) != 0;
        result.source = tw_db_next_optional_text(&query);
        result.judge = tw_db_next_optional_text(&query);
        if (query.status == TW_DB_OK && !visit(context, &result)) {
            break;
        }
    }
    return tw_db_query_finish(&query);
}

static enum tw_db_status remove_row(tw_db *db, const struct tw_db_best *best) {
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "DELETE FROM best WHERE problem = ? AND device = ? AND implementation = ?"
                      " AND cache_policy = ? AND configuration = coalesce(?, configuration)",
                      "remove a best configuration");
    tw_db_bind_integer(&query, best->problem);
    tw_db_bind_integer(&query, best->device);
    tw_db_bind_integer(&query, best->implementation);
    tw_db_bind_text(&query, best->cache_policy);
    tw_db_bind_text(&query, best->configuration);
    return tw_db_query_run(&query);
}

enum tw_db_status tw_db_best_remove(tw_db *db, const struct tw_db_best *best) {
    enum tw_db_status status = tw_db_write_begin(db);
    return status == TW_DB_OK ? tw_db_write_end(db, remove_row(db, best)) : status;
}

static enum tw_db_status identify(tw_db *db, const struct tw_db_best *best, int64_t implementation,
                                  const char *source, const char *judge) {
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "UPDATE OR IGNORE best SET implementation = ?, source = ?, judge = ?"
                      " WHERE problem = ? AND device = ? AND implementation = ?"
                      " AND cache_policy = ?",
                      "say what a best configuration belongs to");
    tw_db_bind_integer(&query, implementation);
    tw_db_bind_text(&query, source);
    tw_db_bind_text(&query, judge);
    tw_db_bind_integer(&query, best->problem);
    tw_db_bind_integer(&query, best->device);
    tw_db_bind_integer(&query, best->implementation);
    tw_db_bind_text(&query, best->cache_policy);
    enum tw_db_status status = tw_db_query_run(&query);
    bool is_there = status == TW_DB_OK && sqlite3_changes(db->sqlite) == 0;
    return is_there ? remove_row(db, best) : status;
}

enum tw_db_status tw_db_best_identify(tw_db *db, const struct tw_db_best *best,
                                      int64_t implementation, const char *source,
                                      const char *judge) {
    enum tw_db_status status = tw_db_write_begin(db);
    return status == TW_DB_OK
               ? tw_db_write_end(db, identify(db, best, implementation, source, judge))
               : status;
}
