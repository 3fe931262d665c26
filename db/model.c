/* Models that predict times. */
#include "db/internal.h"
#include "db/upkeep.h"

#include <string.h>
#include <time.h>

static enum tw_db_status put(tw_db *db, const struct tw_db_model *model, const char *conflict) {
    enum tw_db_status status = tw_db_write_begin(db);
    if (status != TW_DB_OK) {
        return status;
    }
    struct tw_db_query query;
    tw_db_query_start(&query, db, conflict, "store a model");
    tw_db_bind_text(&query, model->kernel);
    tw_db_bind_text(&query, model->device);
    tw_db_bind_text(&query, model->cache_policy);
    tw_db_bind_text(&query, model->text);
    tw_db_bind_integer(&query, model->fitted_at != 0 ? model->fitted_at : (int64_t)time(NULL));
    return tw_db_write_end(db, tw_db_query_run(&query));
}

#define INSERT                                                                                     \
    "INSERT INTO model (kernel, device, cache_policy, text, fitted_at) VALUES (?, ?, ?, ?, ?)"     \
    " ON CONFLICT (kernel, device, cache_policy) DO UPDATE"                                        \
    " SET text = excluded.text, fitted_at = excluded.fitted_at"

enum tw_db_status tw_db_model_put(tw_db *db, const struct tw_db_model *model) {
    return put(db, model, INSERT);
}

enum tw_db_status tw_db_model_merge(tw_db *db, const struct tw_db_model *model) {
    return put(db, model,
               INSERT " WHERE (excluded.fitted_at, excluded.text) > (model.fitted_at, model.text)");
}

enum tw_db_status tw_db_model_remove(tw_db *db, const struct tw_db_model *model) {
    enum tw_db_status status = tw_db_write_begin(db);
    if (status != TW_DB_OK) {
        return status;
    }
    struct tw_db_query query;
    tw_db_query_start(&query, db,
                      "DELETE FROM model WHERE kernel = ? AND device = ? AND cache_policy = ?",
                      "remove a model");
    tw_db_bind_text(&query, model->kernel);
    tw_db_bind_text(&query, model->device);
    tw_db_bind_text(&query, model->cache_policy);
    return tw_db_write_end(db, tw_db_query_run(&query));
}

enum tw_db_status tw_db_model_each(tw_db *db, const char *kernel, tw_db_model_visitor visit,
                                   void *context) {
    struct tw_db_query query;
    tw_db_select_start(&query, db,
                       "SELECT kernel, device, cache_policy, text, fitted_at FROM model",
                       "read the models");
    tw_db_select_where_text(&query, "kernel", kernel);
    tw_db_select_ready(&query, "ORDER BY kernel, device, cache_policy");
    while (tw_db_query_row(&query)) {
        struct tw_db_model model;
        model.kernel = tw_db_next_text(&query);
        model.device = tw_db_next_text(&query);
        model.cache_policy = tw_db_next_text(&query);
        model.text = tw_db_next_text(&query);
        model.fitted_at = tw_db_next_integer(&query);
        if (query.status == TW_DB_OK && !visit(context, &model)) {
            break;
        }
    }
    return tw_db_query_finish(&query);
}
