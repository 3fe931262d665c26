/* Trials: every variant tried, once, with what came of it. */
#include "db/internal.h"
#include "db/upkeep.h"

#include <time.h>

static const char *const statuses[] = {
#define X(name, text) [TW_DB_TRIAL_##name] = text,
    TW_DB_TRIAL_STATUSES(X)
#undef X
};
enum { STATUS_COUNT = TW_DB_TRIAL_STATUS_COUNT };

const char *tw_db_trial_status_text(enum tw_db_trial_status status) {
    size_t index = (size_t)status;
    return index < STATUS_COUNT ? statuses[index] : "unknown status";
}

static void bind_trial(struct tw_db_query *query, const struct tw_db_trial *trial) {
    tw_db_bind_integer(query, trial->run);
    tw_db_bind_integer(query, trial->problem);
    tw_db_bind_integer(query, trial->device);
    tw_db_bind_integer(query, trial->implementation);
    tw_db_bind_text(query, trial->cache_policy);
    tw_db_bind_text(query, trial->configuration);
    tw_db_bind_text(query, tw_db_trial_status_text(trial->status));
    tw_db_bind_text(query, trial->message);
    tw_db_bind_optional_real(query, trial->has_time, trial->time_us);
    tw_db_bind_optional_integer(query, trial->has_time, trial->repeats);
    tw_db_bind_optional_real(query, trial->has_interval, trial->ci_low_us);
    tw_db_bind_optional_real(query, trial->has_interval, trial->ci_high_us);
    tw_db_bind_integer(query, trial->screened_out);
    tw_db_bind_optional_real(query, trial->has_error, tw_db_error_value(trial->max_rel_error));
    tw_db_bind_optional_real(query, trial->has_error, tw_db_error_value(trial->rms_rel_error));
    tw_db_bind_optional_real(query, trial->has_compile_ms, trial->compile_ms);
    tw_db_bind_optional_integer(query, trial->has_registers, trial->registers);
    tw_db_bind_optional_integer(query, trial->has_spill_bytes, trial->spill_bytes);
    tw_db_bind_optional_integer(query, trial->has_shared_bytes, trial->shared_bytes);
    tw_db_bind_integer(query, trial->created_at != 0 ? trial->created_at : (int64_t)time(NULL));
    tw_db_bind_text(query, trial->source);
    tw_db_bind_text(query, trial->judge);
    tw_db_bind_optional_real(query, trial->has_hard, tw_db_error_value(trial->hard_max_error));
    tw_db_bind_optional_real(query, trial->has_hard, tw_db_error_value(trial->hard_rms_error));
}

enum tw_db_status tw_db_trial_put(tw_db *db, const struct tw_db_trial *trial, bool *inserted) {
    if (inserted != NULL) {
        *inserted = false;
    }
    enum tw_db_status status = tw_db_write_begin(db);
    if (status != TW_DB_OK) {
        return status;
    }
    struct tw_db_query query;
    tw_db_query_start(
        &query, db,
        "INSERT INTO trial (run, problem, device, implementation, cache_policy,"
        " configuration, status, message, time_us, repeats, ci_low_us, ci_high_us,"
        " screened_out, max_rel_error, rms_rel_error, compile_ms, registers,"
        " spill_bytes, shared_bytes, created_at, source, judge, hard_max_error,"
        " hard_rms_error)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (problem, device, implementation, cache_policy, configuration)"
        " DO NOTHING",
        "store a trial");
    bind_trial(&query, trial);
    status = tw_db_query_run(&query);
    bool is_new = status == TW_DB_OK && sqlite3_changes(db->sqlite) == 1;
    status = tw_db_write_end(db, status);
    if (inserted != NULL) {
        *inserted = is_new && status == TW_DB_OK;
    }
    return status;
}

/* What a trial is unique by. */
static void bind_keys(struct tw_db_query *query, const struct tw_db_trial *trial) {
    tw_db_bind_integer(query, trial->problem);
    tw_db_bind_integer(query, trial->device);
    tw_db_bind_integer(query, trial->implementation);
    tw_db_bind_text(query, trial->cache_policy);
    tw_db_bind_text(query, trial->configuration);
}

enum tw_db_status tw_db_trial_condemn(tw_db *db, const struct tw_db_trial *trial) {
    enum tw_db_status status = tw_db_write_begin(db);
    if (status != TW_DB_OK) {
        return status;
    }
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "UPDATE trial SET status = ?, message = ?, time_us = NULL, repeats = NULL,"
                      " ci_low_us = NULL, ci_high_us = NULL, screened_out = 0"
                      " WHERE problem = ? AND device = ? AND implementation = ?"
                      " AND cache_policy = ? AND configuration = ?",
                      "condemn a trial");
    tw_db_bind_text(&query, tw_db_trial_status_text(trial->status));
    tw_db_bind_text(&query, trial->message);
    bind_keys(&query, trial);
    return tw_db_write_end(db, tw_db_query_run(&query));
}

enum tw_db_status tw_db_trial_retime(tw_db *db, const struct tw_db_trial *trial) {
    enum tw_db_status status = tw_db_write_begin(db);
    if (status != TW_DB_OK) {
        return status;
    }
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "UPDATE trial SET time_us = ?, ci_low_us = ?, ci_high_us = ?,"
                      " screened_out = 0"
                      " WHERE problem = ? AND device = ? AND implementation = ?"
                      " AND cache_policy = ? AND configuration = ? AND status = 'ok'",
                      "store a trial's time");
    tw_db_bind_optional_real(&query, true, trial->time_us);
    tw_db_bind_optional_real(&query, trial->has_interval, trial->ci_low_us);
    tw_db_bind_optional_real(&query, trial->has_interval, trial->ci_high_us);
    bind_keys(&query, trial);
    return tw_db_write_end(db, tw_db_query_run(&query));
}

static void next_trial(struct tw_db_query *query, struct tw_db_trial_row *row) {
    struct tw_db_trial *trial = &row->trial;
    row->id = tw_db_next_integer(query);
    row->kernel = tw_db_next_text(query);
    row->problem_key = tw_db_next_text(query);
    row->implementation_name = tw_db_next_text(query);
    row->template_hash = tw_db_next_text(query);
    trial->run = tw_db_next_integer(query);
    trial->problem = tw_db_next_integer(query);
    trial->device = tw_db_next_integer(query);
    trial->implementation = tw_db_next_integer(query);
    trial->cache_policy = tw_db_next_text(query);
    trial->configuration = tw_db_next_text(query);
    trial->status = (enum tw_db_trial_status)tw_db_next_word(query, statuses, STATUS_COUNT);
    trial->message = tw_db_next_optional_text(query);
    trial->has_time = tw_db_next_optional_real(query, &trial->time_us);
    tw_db_next_optional_integer(query, &trial->repeats);
    trial->has_interval = tw_db_next_optional_real(query, &trial->ci_low_us);
    tw_db_next_optional_real(query, &trial->ci_high_us);
    trial->screened_out = tw_db_next_integer(query) != 0;
    trial->has_error = tw_db_next_optional_real(query, &trial->max_rel_error);
    tw_db_next_optional_real(query, &trial->rms_rel_error);
    trial->has_compile_ms = tw_db_next_optional_real(query, &trial->compile_ms);
    trial->has_registers = tw_db_next_optional_integer(query, &trial->registers);
    trial->has_spill_bytes = tw_db_next_optional_integer(query, &trial->spill_bytes);
    trial->has_shared_bytes = tw_db_next_optional_integer(query, &trial->shared_bytes);
    trial->created_at = tw_db_next_integer(query);
    trial->source = tw_db_next_optional_text(query);
    trial->judge = tw_db_next_optional_text(query);
    trial->has_hard = tw_db_next_optional_real(query, &trial->hard_max_error);
    tw_db_next_optional_real(query, &trial->hard_rms_error);
}

enum tw_db_status tw_db_trial_identify(tw_db *db, int64_t id, int64_t implementation,
                                       const char *source, const char *judge) {
    enum tw_db_status status = tw_db_write_begin(db);
    if (status != TW_DB_OK) {
        return status;
    }
    struct tw_db_query query;
    tw_db_query_start(
        &query, db,
        "UPDATE OR IGNORE trial SET implementation = ?, source = ?, judge = ? WHERE id = ?",
        "say what a trial belongs to");
    tw_db_bind_integer(&query, implementation);
    tw_db_bind_text(&query, source);
    tw_db_bind_text(&query, judge);
    tw_db_bind_integer(&query, id);
    return tw_db_write_end(db, tw_db_query_run(&query));
}

static void add_filter(struct tw_db_query *query, const struct tw_db_trial_filter *filter) {
    tw_db_select_where_id(query, "trial.run", filter->run);
    tw_db_select_where_id(query, "trial.problem", filter->problem);
    tw_db_select_where_id(query, "trial.device", filter->device);
    tw_db_select_where_ids(query, "trial.implementation", filter->implementations,
                           filter->implementation_count);
    tw_db_select_where_text(query, "trial.cache_policy", filter->cache_policy);
    tw_db_select_where_text(query, "problem.kernel", filter->kernel);
    tw_db_select_where_text(query, "problem.key", filter->problem_key);
    tw_db_select_where_text(query, "device.fingerprint", filter->device_fingerprint);
    tw_db_select_where_words(query, "trial.status", statuses, STATUS_COUNT, filter->statuses);
    tw_db_select_where_after(query, "trial.id", filter->after);
}

enum tw_db_status tw_db_trials_remove(tw_db *db, const struct tw_db_trial_filter *filter,
                                      int64_t *count) {
    *count = 0;
    enum tw_db_status status = tw_db_write_begin(db);
    if (status != TW_DB_OK) {
        return status;
    }
    struct tw_db_query query;
    tw_db_select_start(&query, db,
                       "DELETE FROM trial WHERE id IN (SELECT trial.id FROM trial"
                       " JOIN problem ON problem.id = trial.problem"
                       " JOIN device ON device.id = trial.device",
                       "remove trials");
    add_filter(&query, filter);
    tw_db_select_ready(&query, ")");
    status = tw_db_query_run(&query);
    *count = status == TW_DB_OK ? sqlite3_changes(db->sqlite) : 0;
    return tw_db_write_end(db, status);
}

enum tw_db_status tw_db_trial_each(tw_db *db, const struct tw_db_trial_filter *filter,
                                   tw_db_trial_visitor visit, void *context) {
    static const struct tw_db_trial_filter all;
    const struct tw_db_trial_filter *wanted = filter != NULL ? filter : &all;
    struct tw_db_query query;
    tw_db_select_start(
        &query, db,
        "SELECT trial.id, problem.kernel, problem.key, implementation.name,"
        " implementation.template_hash, trial.run, trial.problem, trial.device,"
        " trial.implementation, trial.cache_policy, trial.configuration, trial.status,"
        " trial.message, trial.time_us, trial.repeats, trial.ci_low_us, trial.ci_high_us,"
        " trial.screened_out, trial.max_rel_error, trial.rms_rel_error, trial.compile_ms,"
        " trial.registers, trial.spill_bytes, trial.shared_bytes, trial.created_at,"
        " trial.source, trial.judge, trial.hard_max_error, trial.hard_rms_error"
        " FROM trial JOIN problem ON problem.id = trial.problem"
        " JOIN device ON device.id = trial.device"
        " JOIN implementation ON implementation.id = trial.implementation",
        "read trials");
    add_filter(&query, wanted);
    tw_db_select_ready(&query, "ORDER BY trial.id");
    while (tw_db_query_row(&query)) {
        struct tw_db_trial_row row;
        next_trial(&query, &row);
        if (query.status == TW_DB_OK && !visit(context, &row)) {
            break;
        }
    }
    return tw_db_query_finish(&query);
}
