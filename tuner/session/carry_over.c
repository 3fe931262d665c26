#include "tuner/session/carry_over.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"
#include "runtime/variant/identity.h"

/* Rows are chosen while reading, when writing is not allowed, and moved after. */
struct moved {
    int64_t trial; /* 0: the best row `best` */
    struct tw_db_best best;
    char cache_policy[16];
    int implementation; /* index */
    char source[TW_HASH_SIZE];
};

struct moving {
    const struct recorder *recorder;
    struct tw_today *today;
    int64_t slots[TW_DEVICE_SLOTS];
    size_t count;
    struct moved *moved;
    bool failed;
};

/* Where the row goes, NULL when it stays: it is under today's code already, or of other code. */
static struct moved *choose(struct moving *moving, int64_t implementation, struct tw_stored *stored,
                            bool judged) {
    const struct recorder *r = moving->recorder;
    const struct tw_description *d = r->problem->description;
    int index = tw_description_implementation(d, stored->implementation);
    struct tw_configuration configuration;
    if (index < 0 || r->implementation_ids[index] == implementation)
        return NULL;
    stored->backend = r->device->backend;
    stored->device = moving->slots;
    tw_status status = judged ? tw_today_check(moving->today, r->problem, stored, NULL)
                              : tw_today_check_code(moving->today, r->problem, stored, NULL);
    if (status == TW_OK)
        status = tw_configuration_parse(&configuration, d, index, stored->configuration, NULL);
    moving->failed = moving->failed || status == TW_NO_MEMORY;
    if (status != TW_OK)
        return NULL;
    if ((moving->count & (moving->count - 1)) == 0) {
        struct moved *grown =
            realloc(moving->moved, (moving->count > 0 ? 2 * moving->count : 1) * sizeof *grown);
        if (grown == NULL) {
            moving->failed = true;
            return NULL;
        }
        moving->moved = grown;
    }
    struct moved *moved = &moving->moved[moving->count];
    *moved = (struct moved){.implementation = index};
    status = tw_identity_source(r->problem, &configuration, stored->backend, moving->slots,
                                moved->source, NULL);
    moving->failed = moving->failed || status == TW_NO_MEMORY;
    if (status != TW_OK)
        return NULL;
    moving->count++;
    return moved;
}

static bool choose_trial(void *context, const struct tw_db_trial_row *row) {
    struct moving *moving = context;
    bool judged = row->trial.status == TW_DB_TRIAL_OK || row->trial.status == TW_DB_TRIAL_WRONG;
    struct tw_stored stored = {.implementation = row->implementation_name,
                               .template_hash = row->template_hash,
                               .source = row->trial.source,
                               .judge = row->trial.judge,
                               .configuration = row->trial.configuration};
    struct moved *moved = choose(moving, row->trial.implementation, &stored, judged);
    if (moved != NULL)
        moved->trial = row->id;
    return !moving->failed;
}

static bool choose_best(void *context, const struct tw_db_best_row *row) {
    struct moving *moving = context;
    struct tw_stored stored = {.implementation = row->implementation_name,
                               .template_hash = row->template_hash,
                               .source = row->best.source,
                               .judge = row->best.judge,
                               .configuration = row->best.configuration};
    struct moved *moved = strlen(row->best.cache_policy) < sizeof moved->cache_policy
                              ? choose(moving, row->best.implementation, &stored, true)
                              : NULL;
    if (moved != NULL) {
        moved->best = (struct tw_db_best){.problem = row->best.problem,
                                          .device = row->best.device,
                                          .implementation = row->best.implementation};
        strcpy(moved->cache_policy, row->best.cache_policy);
    }
    return !moving->failed;
}

static enum tw_db_status move_all(struct moving *moving) {
    const struct recorder *r = moving->recorder;
    enum tw_db_status status = moving->count > 0 ? tw_db_begin(r->db) : TW_DB_OK;
    for (size_t i = 0; i < moving->count && status == TW_DB_OK; i++) {
        struct moved *moved = &moving->moved[i];
        int64_t implementation = r->implementation_ids[moved->implementation];
        moved->best.cache_policy = moved->cache_policy;
        status =
            moved->trial != 0
                ? tw_db_trial_identify(r->db, moved->trial, implementation, moved->source, r->judge)
                : tw_db_best_identify(r->db, &moved->best, implementation, moved->source, r->judge);
    }
    if (moving->count > 0 && status == TW_DB_OK)
        status = tw_db_commit(r->db);
    return status;
}

tw_status carry_over(const struct recorder *r, struct tw_today *today, struct tw_error *error) {
    struct moving moving = {.recorder = r, .today = today};
    const struct tw_db_trial_filter trials = {.problem = r->problem_id, .device = r->device_id};
    const struct tw_db_best_filter best = {.problem = r->problem_id, .device = r->device_id};
    tw_device_values(r->device, moving.slots);
    enum tw_db_status status = tw_db_trial_each(r->db, &trials, choose_trial, &moving);
    if (status == TW_DB_OK && !moving.failed)
        status = tw_db_best_each(r->db, &best, choose_best, &moving);
    if (status == TW_DB_OK && !moving.failed)
        status = move_all(&moving);
    tw_status result = TW_OK;
    if (moving.failed)
        result = tw_fail(error, TW_NO_MEMORY, "out of memory");
    else if (status != TW_DB_OK)
        result = tw_fail(error, TW_DATABASE, "%s", tw_db_message(r->db));
    tw_db_rollback(r->db);
    free(moving.moved);
    return result;
}
