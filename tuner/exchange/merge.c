#include "tuner/exchange/merge.h"

#include "db/merge.h"
#include "tuner/exchange/sound_model.h"

struct inspection {
    struct tw_error *error;
    tw_status status;
};

static bool inspect(void *context, const struct tw_db_best_row *row) {
    struct inspection *inspection = context;
    inspection->status = well_formed_row(row, inspection->error);
    if (inspection->status != TW_OK) {
        char name[ROW_NAME_SIZE];
        row_name(row, name);
        tw_fail_within(inspection->error, inspection->status, "cannot take in %s", name);
    }
    return inspection->status == TW_OK;
}

static bool inspect_model(void *context, const struct tw_db_model *row) {
    struct inspection *inspection = context;
    struct tw_model *model;
    char name[ROW_NAME_SIZE];
    model_name(row, name);
    inspection->status = tw_model_read(&model, row->text, name, inspection->error);
    tw_model_free(model);
    if (inspection->status != TW_OK)
        tw_fail_within(inspection->error, inspection->status, "cannot take in");
    return inspection->status == TW_OK;
}

static enum tw_db_status inspect_all(tw_db *db, struct inspection *inspection) {
    enum tw_db_status status = tw_db_best_each(db, NULL, inspect, inspection);
    return status == TW_DB_OK && inspection->status == TW_OK
               ? tw_db_model_each(db, NULL, inspect_model, inspection)
               : status;
}

/* Commits when all is well, and undoes it all when it is not. */
static tw_status end(tw_db *db, enum tw_db_status status, struct tw_error *error) {
    if (status == TW_DB_OK)
        status = tw_db_commit(db);
    if (status == TW_DB_OK)
        return TW_OK;
    tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    tw_db_rollback(db);
    return TW_DATABASE;
}

tw_status merge_databases(tw_db *db, tw_db *const *others, int count, struct tw_db_merged *merged,
                          struct tw_error *error) {
    *merged = (struct tw_db_merged){0};
    struct inspection inspection = {.error = error};
    for (int i = 0; i < count && inspection.status == TW_OK; i++)
        if (inspect_all(others[i], &inspection) != TW_DB_OK)
            inspection.status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(others[i]));
    if (inspection.status != TW_OK)
        return inspection.status;
    enum tw_db_status status = tw_db_begin(db);
    for (int i = 0; i < count && status == TW_DB_OK; i++)
        status = tw_db_merge(db, others[i], merged);
    return end(db, status, error);
}

struct taking {
    tw_db *db;
    struct tw_db_merged *merged;
    bool decided_only; /* no provisional rows */
    enum tw_db_status status;
};

static bool take(void *context, const struct tw_db_best_row *row) {
    struct taking *taking = context;
    if (taking->decided_only && row->best.tie_set == NULL)
        return true;
    taking->status = tw_db_best_merge(taking->db, row, NULL, taking->merged);
    return taking->status == TW_DB_OK;
}

static bool take_model(void *context, const struct tw_db_model *row) {
    struct taking *taking = context;
    taking->status = tw_db_model_merge(taking->db, row);
    return taking->status == TW_DB_OK;
}

static tw_status take_all(struct taking *taking, const struct import *const *imports, int count,
                          struct tw_error *error) {
    tw_status status = TW_OK;
    *taking->merged = (struct tw_db_merged){0};
    taking->status = tw_db_begin(taking->db);
    for (int i = 0; i < count && status == TW_OK && taking->status == TW_DB_OK; i++)
        status = import_each(imports[i], take, taking, error);
    for (int i = 0; i < count && status == TW_OK && taking->status == TW_DB_OK; i++)
        import_each_model(imports[i], take_model, taking);
    if (status == TW_OK)
        return end(taking->db, taking->status, error);
    tw_db_rollback(taking->db);
    return status;
}

tw_status merge_imports(tw_db *db, struct import *const *imports, int count,
                        struct tw_db_merged *merged, struct tw_error *error) {
    struct taking taking = {.db = db, .merged = merged};
    return take_all(&taking, (const struct import *const *)imports, count, error);
}

tw_status merge_decided(tw_db *db, const struct import *import, struct tw_db_merged *merged,
                        struct tw_error *error) {
    struct taking taking = {.db = db, .merged = merged, .decided_only = true};
    return take_all(&taking, &import, 1, error);
}
