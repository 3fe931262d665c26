#include "tuner/exchange/merge.h"

#include "tuner/exchange/sound.h"

struct inspection {
    struct tw_error *error;
    tw_status status;
};

static bool inspect(void *context, const struct tw_db_best_row *row) {
    struct inspection *inspection = context;
    inspection->status = sound_row(row, inspection->error);
    if (inspection->status != TW_OK) {
        char name[SOUND_NAME_SIZE];
        sound_name(row, name);
        tw_fail_within(inspection->error, inspection->status, "cannot take in %s", name);
    }
    return inspection->status == TW_OK;
}

tw_status merge_databases(tw_db *db, tw_db *const *others, int count, struct tw_db_merged *merged,
                          struct tw_error *error) {
    *merged = (struct tw_db_merged){0};
    struct inspection inspection = {.error = error};
    for (int i = 0; i < count && inspection.status == TW_OK; i++)
        if (tw_db_best_each(others[i], NULL, inspect, &inspection) != TW_DB_OK)
            inspection.status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(others[i]));
    if (inspection.status != TW_OK)
        return inspection.status;
    enum tw_db_status status = tw_db_begin(db);
    for (int i = 0; i < count && status == TW_DB_OK; i++)
        status = tw_db_merge(db, others[i], merged);
    if (status == TW_DB_OK)
        status = tw_db_commit(db);
    if (status == TW_DB_OK)
        return TW_OK;
    tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    tw_db_rollback(db);
    return TW_DATABASE;
}
