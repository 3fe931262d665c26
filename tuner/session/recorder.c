#include "tuner/session/recorder.h"

#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/variant/identity.h"
#include "tuner/session/sources.h"

tw_status recorder_check(const struct recorder *r, enum tw_db_status status,
                         struct tw_error *error) {
    if (status == TW_DB_OK)
        return TW_OK;
    return tw_fail(error, TW_DATABASE, "%s", tw_db_message(r->db));
}

/* What the run has rendered is not rendered again. */
tw_status recorder_identify(const struct recorder *r, const struct tw_configuration *configuration,
                            char source[TW_HASH_SIZE], struct tw_error *error) {
    int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    char key[TW_HASH_SIZE];
    tw_device_values(r->device, slots);
    tw_status status = tw_problem_bind(r->problem, slots, NULL, values, error);
    if (status == TW_OK)
        status = tw_made_of(r->device, r->problem, configuration, values, key, error);
    if (status != TW_OK)
        return status;
    const struct rendered *rendered = r->sources != NULL ? sources_find(r->sources, key) : NULL;
    return rendered != NULL ? tw_identity_rendered(r->problem, configuration, slots,
                                                   rendered->hashes, source, error)
                            : tw_identity_source(r->problem, configuration, r->device->backend,
                                                 slots, source, error);
}

tw_status recorder_begin_run(struct recorder *r, struct tw_db_run *run, double *elapsed_s,
                             int64_t *trials, bool *resumed, struct tw_error *error) {
    run->problem = r->problem_id;
    run->device = r->device_id;
    run->cache_policy = r->cache_policy;
    struct tw_db_resumed found;
    enum tw_db_status status = tw_db_run_resume(r->db, run, &found);
    *resumed = status == TW_DB_OK;
    *elapsed_s = *resumed ? found.elapsed_s : 0;
    *trials = *resumed ? found.trials : 0;
    if (*resumed)
        r->run_id = found.id;
    if (status == TW_DB_NOT_FOUND)
        status = tw_db_run_begin(r->db, run, &r->run_id);
    return recorder_check(r, status, error);
}

tw_status recorder_update(const struct recorder *r, double elapsed_s, const char *conditions,
                          struct tw_error *error) {
    return recorder_check(r, tw_db_run_update(r->db, r->run_id, elapsed_s, conditions), error);
}

tw_status recorder_finish(const struct recorder *r, enum tw_db_run_state state, double elapsed_s,
                          struct tw_error *error) {
    return recorder_check(r, tw_db_run_finish(r->db, r->run_id, state, elapsed_s), error);
}

struct others {
    const struct recorder *recorder;
    int count;
};

static bool visit_run(void *context, const struct tw_db_run_row *row) {
    struct others *others = context;
    others->count += row->owner_alive && row->id != others->recorder->run_id &&
                     strcmp(row->run.cache_policy, others->recorder->cache_policy) == 0;
    return true;
}

tw_status recorder_others(const struct recorder *r, int *count, struct tw_error *error) {
    struct others others = {.recorder = r};
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_key(r->problem, key);
    const struct tw_db_run_filter filter = {.kernel = r->problem->description->kernel,
                                            .problem_key = key,
                                            .device_fingerprint = r->fingerprint,
                                            .made_here = true,
                                            .running = true};
    tw_status status = recorder_check(r, tw_db_run_each(r->db, &filter, visit_run, &others), error);
    *count = others.count;
    return status;
}

tw_status recorder_begin(const struct recorder *r, struct tw_error *error) {
    return recorder_check(r, tw_db_begin(r->db), error);
}

tw_status recorder_end(const struct recorder *r, tw_status status, struct tw_error *error) {
    if (status == TW_OK)
        status = recorder_check(r, tw_db_commit(r->db), error);
    if (status != TW_OK)
        tw_db_rollback(r->db);
    return status;
}
