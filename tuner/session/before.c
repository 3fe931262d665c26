#include "tuner/session/before.h"

#include <string.h>

#include "tuner/session/state.h"

struct looking {
    tw_db *db;
    const struct before_query *query;
    const struct tw_db_run *search;
    void (*visit)(void *context, const struct tw_db_best_row *row);
    void *context;
    struct tw_error *error;
    tw_status status;
};

static bool visit_best(void *context, const struct tw_db_best_row *row) {
    struct looking *looking = context;
    if (row->best.tie_set == NULL)
        return true;
    tw_status status = known_kernel_check(looking->query->kernel, row, looking->error);
    if (status == TW_NO_MEMORY)
        looking->status = status;
    else if (status == TW_OK)
        looking->visit(looking->context, row);
    return status != TW_OK && status != TW_NO_MEMORY;
}

static bool same_search(const struct tw_db_run *one, const struct tw_db_run *other) {
    return strcmp(one->strategy, other->strategy) == 0 && one->seed == other->seed &&
           strcmp(one->budget_kind, other->budget_kind) == 0 &&
           one->budget_value == other->budget_value &&
           strcmp(one->cache_policy, other->cache_policy) == 0;
}

static bool visit_run(void *context, const struct tw_db_run_row *row) {
    struct looking *looking = context;
    if (row->state != TW_DB_RUN_DONE || !same_search(&row->run, looking->search))
        return true;
    const struct tw_db_best_filter filter = {.kernel = row->kernel,
                                             .problem_key = row->problem_key,
                                             .device_fingerprint = row->device_fingerprint,
                                             .cache_policy = looking->search->cache_policy};
    if (tw_db_best_each(looking->db, &filter, visit_best, looking) != TW_DB_OK)
        looking->status = tw_fail(looking->error, TW_DATABASE, "%s", tw_db_message(looking->db));
    return looking->status == TW_OK;
}

tw_status before_each(tw_db *db, const struct before_query *query,
                      void (*visit)(void *context, const struct tw_db_best_row *row), void *context,
                      struct tw_error *error) {
    struct tw_text words = {0};
    struct tw_db_run search;
    struct looking looking = {db, query, &search, visit, context, error, TW_OK};
    const struct tw_db_run_filter filter = {.kernel = query->kernel->description->kernel,
                                            .problem_key = query->problem_key,
                                            .device_fingerprint = query->fingerprint};
    looking.status = session_search(query->options, &words, &search, error);
    if (looking.status == TW_OK && tw_db_run_each(db, &filter, visit_run, &looking) != TW_DB_OK)
        looking.status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    tw_text_free(&words);
    return looking.status;
}
