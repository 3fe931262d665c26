/* The presets of a problem that is new, and what it has without tuning, are tried in any case, so
 * compilers need not wait until its space is listed, which takes a large fraction of a second. */
#include <string.h>

#include "runtime/base/clock.h"
#include "tuner/session/state.h"

/* Nothing is on record then that would not be tried again. */
static bool is_new(const struct session *s, tw_db *db) {
    char key[TW_PROBLEM_KEY_SIZE];
    int64_t id;
    tw_problem_key(s->problem, key);
    return tw_db_problem_find(db, s->problem->description->kernel, key, &id) == TW_DB_NOT_FOUND;
}

static tw_status submit(struct session *s, const struct tw_configuration *configuration) {
    struct build *build =
        builds_get(&s->builds, s->device, s->problem, configuration, s->values, s->error);
    if (build == NULL)
        return s->error->status;
    tw_status status = TW_OK;
    if (build->state == BUILD_NEW)
        status = builds_submit(&s->builds, build, s->pool, s->device, s->problem, configuration,
                               s->values, s->error);
    builds_release(&s->builds, build);
    return status;
}

tw_status head_start(struct session *s, tw_db *db) {
    const struct session_result *result = s->result;
    tw_status status = TW_OK;
    /* A CPU has other work for its cores, and of a number of trials presets may have no part. */
    if (s->device->is_cpu || s->options->budget_trials > 0 || !is_new(s, db))
        return TW_OK;
    s->first_submit_at = tw_clock_now();
    if (untuned_pending(s) && !compile_pool_full(s->pool))
        status = submit(s, &s->untuned.configuration);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < result->preset_count && status == TW_OK; i++) {
            const struct session_preset *preset = &result->presets[i];
            bool is_default = strcmp(preset->name, "default") == 0;
            if (preset->fits && is_default == (pass == 0) && !compile_pool_full(s->pool))
                status = submit(s, &preset->configuration);
        }
    }
    compile_pool_rest(s->pool);
    return status;
}
