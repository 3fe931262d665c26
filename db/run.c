/* Runs: beginning, resuming, keeping up to date, ending. */
#include "db/internal.h"

#include <string.h>
#include <time.h>

static const char *const states[] = {
#define X(name, text) [TW_DB_RUN_##name] = text,
    TW_DB_RUN_STATES(X)
#undef X
};

const char *tw_db_run_state_text(enum tw_db_run_state state) {
    size_t index = (size_t)state;
    return index < sizeof states / sizeof *states ? states[index] : "unknown state";
}

static void bind_search(struct tw_db_query *query, const struct tw_db_run *run) {
    tw_db_bind_integer(query, run->problem);
    tw_db_bind_integer(query, run->device);
    tw_db_bind_text(query, run->strategy);
    tw_db_bind_integer(query, (int64_t)run->seed);
    tw_db_bind_text(query, run->budget_kind);
    tw_db_bind_real(query, run->budget_value);
    tw_db_bind_text(query, run->cache_policy);
}

static void bind_owner(struct tw_db_query *query, const struct tw_db_owner *owner, int64_t now) {
    tw_db_bind_integer(query, now);
    tw_db_bind_text(query, owner->host);
    tw_db_bind_integer(query, owner->pid);
    tw_db_bind_text(query, owner->token);
}

static enum tw_db_status insert(tw_db *db, const struct tw_db_run *run, int64_t *id) {
    struct tw_db_owner owner;
    int64_t now = (int64_t)time(NULL);
    tw_db_owner_self(&owner);
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "INSERT INTO run (problem, device, strategy, seed, budget_kind, budget_value,"
                      " cache_policy, state, elapsed_s, updated_at, owner_host, owner_pid,"
                      " owner_token, started_at, tilewise_version, driver, compiler, conditions,"
                      " protocol, uid)"
                      " VALUES (?, ?, ?, ?, ?, ?, ?, 'running', 0,"
                      " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, lower(hex(randomblob(16))))",
                      "store a run");
    bind_search(&query, run);
    bind_owner(&query, &owner, now);
    tw_db_bind_integer(&query, now);
    tw_db_bind_text(&query, run->tilewise_version);
    tw_db_bind_text(&query, run->driver);
    tw_db_bind_text(&query, run->compiler);
    tw_db_bind_text(&query, run->conditions);
    tw_db_bind_text(&query, run->protocol);
    enum tw_db_status status = tw_db_query_run(&query);
    *id = status == TW_DB_OK ? sqlite3_last_insert_rowid(db->sqlite) : 0;
    return status;
}

enum tw_db_status tw_db_run_begin(tw_db *db, const struct tw_db_run *run, int64_t *id) {
    *id = 0;
    enum tw_db_status status = tw_db_write_begin(db);
    return status == TW_DB_OK ? tw_db_write_end(db, insert(db, run, id)) : status;
}

static enum tw_db_status find_unfinished(tw_db *db, const struct tw_db_run *run,
                                         struct tw_db_resumed *found) {
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "SELECT id, elapsed_s, (SELECT count(*) FROM trial WHERE trial.run = run.id),"
                      " state = 'running', owner_host, owner_pid, owner_token, updated_at"
                      " FROM run WHERE problem = ? AND device = ? AND strategy = ? AND seed = ?"
                      " AND budget_kind = ? AND budget_value = ? AND cache_policy = ?"
                      " AND state <> 'done' AND merged = 0 ORDER BY id DESC",
                      "look for an unfinished run");
    bind_search(&query, run);
    bool free = false;
    while (!free && tw_db_query_row(&query)) {
        found->id = tw_db_next_integer(&query);
        found->elapsed_s = tw_db_next_real(&query);
        found->trials = tw_db_next_integer(&query);
        bool running = tw_db_next_integer(&query) != 0;
        const char *host = tw_db_next_text(&query);
        int64_t pid = tw_db_next_integer(&query);
        const char *token = tw_db_next_text(&query);
        int64_t updated_at = tw_db_next_integer(&query);
        free = !running || !tw_db_owner_alive(host, pid, token, updated_at);
    }
    enum tw_db_status status = tw_db_query_finish(&query);
    if (status == TW_DB_OK && !free) {
        memset(found, 0, sizeof *found);
        status = tw_db_fail(db, TW_DB_NOT_FOUND, "has no unfinished run of this kind");
    }
    return status;
}

static enum tw_db_status take_over(tw_db *db, int64_t run) {
    struct tw_db_owner owner;
    tw_db_owner_self(&owner);
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "UPDATE run SET state = 'running', finished_at = NULL, updated_at = ?,"
                      " owner_host = ?, owner_pid = ?, owner_token = ? WHERE id = ?",
                      "take over a run");
    bind_owner(&query, &owner, (int64_t)time(NULL));
    tw_db_bind_integer(&query, run);
    return tw_db_query_run(&query);
}

enum tw_db_status tw_db_run_resume(tw_db *db, const struct tw_db_run *run,
                                   struct tw_db_resumed *resumed) {
    memset(resumed, 0, sizeof *resumed);
    /* Finding and taking are one transaction, or two processes could take the same run. */
    enum tw_db_status status = tw_db_write_begin(db);
    if (status != TW_DB_OK) {
        return status;
    }
    status = find_unfinished(db, run, resumed);
    if (status == TW_DB_OK) {
        status = take_over(db, resumed->id);
    }
    return tw_db_write_end(db, status);
}

/* Runs an UPDATE that must meet its row. */
static enum tw_db_status update_row(struct tw_db_query *query, int64_t run) {
    tw_db *db = query->db;
    enum tw_db_status status = tw_db_query_run(query);
    if (status == TW_DB_OK && sqlite3_changes(db->sqlite) == 0) {
        status = tw_db_fail(db, TW_DB_NOT_FOUND, "has no run %lld", (long long)run);
    }
    return status;
}

enum tw_db_status tw_db_run_update(tw_db *db, int64_t run, double elapsed_s,
                                   const char *conditions) {
    enum tw_db_status status = tw_db_write_begin(db);
    if (status != TW_DB_OK) {
        return status;
    }
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "UPDATE run SET elapsed_s = ?, conditions = coalesce(?, conditions),"
                      " updated_at = ? WHERE id = ?",
                      "update a run");
    tw_db_bind_real(&query, elapsed_s);
    tw_db_bind_text(&query, conditions);
    tw_db_bind_integer(&query, (int64_t)time(NULL));
    tw_db_bind_integer(&query, run);
    return tw_db_write_end(db, update_row(&query, run));
}

enum tw_db_status tw_db_run_finish(tw_db *db, int64_t run, enum tw_db_run_state state,
                                   double elapsed_s) {
    if (state != TW_DB_RUN_DONE && state != TW_DB_RUN_INTERRUPTED) {
        return tw_db_fail(db, TW_DB_MISUSE, "a run ends as done or interrupted");
    }
    enum tw_db_status status = tw_db_write_begin(db);
    if (status != TW_DB_OK) {
        return status;
    }
    int64_t now = (int64_t)time(NULL);
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "UPDATE run SET state = ?, elapsed_s = ?, updated_at = ?, finished_at = ?"
                      " WHERE id = ?",
                      "end a run");
    tw_db_bind_text(&query, tw_db_run_state_text(state));
    tw_db_bind_real(&query, elapsed_s);
    tw_db_bind_integer(&query, now);
    tw_db_bind_integer(&query, now);
    tw_db_bind_integer(&query, run);
    return tw_db_write_end(db, update_row(&query, run));
}

static void next_run(struct tw_db_query *query, struct tw_db_run_row *row) {
    struct tw_db_run *run = &row->run;
    row->id = tw_db_next_integer(query);
    row->uid = tw_db_next_text(query);
    row->merged = tw_db_next_integer(query) != 0;
    row->kernel = tw_db_next_text(query);
    row->problem_key = tw_db_next_text(query);
    row->problem_text = tw_db_next_text(query);
    row->device_fingerprint = tw_db_next_text(query);
    row->device_name = tw_db_next_text(query);
    int state_count = (int)(sizeof states / sizeof *states);
    row->state = (enum tw_db_run_state)tw_db_next_word(query, states, state_count);
    row->started_at = tw_db_next_integer(query);
    row->has_finished_at = tw_db_next_optional_integer(query, &row->finished_at);
    row->elapsed_s = tw_db_next_real(query);
    row->trials = tw_db_next_integer(query);
    row->host = tw_db_next_text(query);
    int64_t pid = tw_db_next_integer(query);
    const char *token = tw_db_next_text(query);
    int64_t updated_at = tw_db_next_integer(query);
    row->owner_alive =
        row->state == TW_DB_RUN_RUNNING && tw_db_owner_alive(row->host, pid, token, updated_at);
    run->problem = tw_db_next_integer(query);
    run->device = tw_db_next_integer(query);
    run->strategy = tw_db_next_text(query);
    run->seed = (uint64_t)tw_db_next_integer(query);
    run->budget_kind = tw_db_next_text(query);
    run->budget_value = tw_db_next_real(query);
    run->cache_policy = tw_db_next_text(query);
    run->tilewise_version = tw_db_next_optional_text(query);
    run->driver = tw_db_next_optional_text(query);
    run->compiler = tw_db_next_optional_text(query);
    run->conditions = tw_db_next_optional_text(query);
    run->protocol = tw_db_next_optional_text(query);
}

enum tw_db_status tw_db_run_each(tw_db *db, const struct tw_db_run_filter *filter,
                                 tw_db_run_visitor visit, void *context) {
    static const struct tw_db_run_filter all;
    const struct tw_db_run_filter *wanted = filter != NULL ? filter : &all;
    struct tw_db_query query;
    tw_db_select_start(
        &query, db,
        "SELECT run.id, run.uid, run.merged, problem.kernel, problem.key,"
        " ifnull(problem.text, problem.key), device.fingerprint, "
        "device.name, run.state,"
        " run.started_at, run.finished_at, run.elapsed_s,"
        " (SELECT count(*) FROM trial WHERE trial.run = run.id),"
        " run.owner_host, run.owner_pid, run.owner_token, run.updated_at, run.problem, run.device,"
        " run.strategy, run.seed, run.budget_kind, run.budget_value, run.cache_policy,"
        " run.tilewise_version, run.driver, run.compiler, run.conditions, run.protocol"
        " FROM run JOIN problem ON problem.id = run.problem JOIN device ON device.id = run.device",
        "read runs");
    tw_db_select_where_id(&query, "run.id", wanted->run);
    tw_db_select_where_text(&query, "problem.kernel", wanted->kernel);
    tw_db_select_where_text(&query, "problem.key", wanted->problem_key);
    tw_db_select_where_text(&query, "device.fingerprint", wanted->device_fingerprint);
    tw_db_select_where_text(&query, "run.merged", wanted->made_here ? "0" : NULL);
    tw_db_select_where_text(&query, "run.state",
                            wanted->running ? tw_db_run_state_text(TW_DB_RUN_RUNNING) : NULL);
    tw_db_select_ready(&query, "ORDER BY run.started_at DESC, run.id DESC LIMIT ?");
    tw_db_bind_integer(&query, wanted->limit > 0 ? wanted->limit : -1);
    while (tw_db_query_row(&query)) {
        struct tw_db_run_row row;
        next_run(&query, &row);
        if (query.status == TW_DB_OK && !visit(context, &row)) {
            break;
        }
    }
    return tw_db_query_finish(&query);
}
