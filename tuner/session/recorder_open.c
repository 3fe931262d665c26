#include "tuner/session/recorder_open.h"

#include "runtime/backend/devices.h"
#include "runtime/select/current.h"
#include "runtime/variant/identity.h"
#include "tuner/exchange/allowed.h"
#include "tuner/session/carry_over.h"

static tw_status put_device(struct recorder *r, struct tw_error *error) {
    struct tw_text properties = {0};
    tw_device_fingerprint(r->device, r->fingerprint);
    tw_device_properties(r->device, &properties);
    const struct tw_db_device row = {.fingerprint = r->fingerprint,
                                     .backend = r->device->backend,
                                     .name = r->device->name,
                                     .vendor = r->device->vendor,
                                     .architecture = r->device->architecture,
                                     .compute_units = r->device->compute_units,
                                     .memory_bytes = r->device->memory_bytes,
                                     .properties = properties.data};
    tw_status status = properties.failed
                           ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                           : recorder_check(r, tw_db_device_put(r->db, &row, &r->device_id), error);
    tw_text_free(&properties);
    return status;
}

static tw_status put_problem(struct recorder *r, struct tw_error *error) {
    struct allowed_parts parts;
    struct tw_db_problem row;
    allowed_problem_row(r->problem, &parts, &row);
    return recorder_check(r, tw_db_problem_put(r->db, &row, &r->problem_id), error);
}

static tw_status put_implementations(struct recorder *r, struct tw_today *today,
                                     struct tw_error *error) {
    const struct tw_description *d = r->problem->description;
    for (int i = 0; i < d->implementation_count; i++) {
        const char *code;
        tw_status status = tw_today_code(today, i, r->device->backend, &code, error);
        if (status != TW_OK)
            return status;
        const struct tw_db_implementation row = {.kernel = d->kernel,
                                                 .name = d->implementations[i].name,
                                                 .template_hash = code,
                                                 .description = d->text};
        status = recorder_check(r, tw_db_implementation_put(r->db, &row, &r->implementation_ids[i]),
                                error);
        if (status != TW_OK)
            return status;
    }
    return TW_OK;
}

tw_status recorder_open(struct recorder *r, tw_db *db, const char *path,
                        const struct tw_problem *problem, const struct tw_device_info *device,
                        const char *cache_policy, struct tw_error *error) {
    int64_t slots[TW_DEVICE_SLOTS];
    *r = (struct recorder){
        .db = db, .path = path, .problem = problem, .device = device, .cache_policy = cache_policy};
    struct tw_today *today = tw_today_create(problem->description);
    if (today == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_device_values(device, slots);
    tw_status status = tw_identity_judge(problem, device->backend, slots, r->judge, error);
    if (status == TW_OK)
        status = put_device(r, error);
    if (status == TW_OK)
        status = put_problem(r, error);
    if (status == TW_OK)
        status = put_implementations(r, today, error);
    if (status == TW_OK)
        status = carry_over(r, today, error);
    tw_today_free(today);
    return status;
}
