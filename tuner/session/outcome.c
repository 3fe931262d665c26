#include <stdio.h>
#include <string.h>

#include "tuner/session/recorder_best.h"
#include "tuner/session/recorder_trials.h"
#include "tuner/session/state.h"

static bool same(const struct session *s, const struct tw_configuration *a,
                 const struct tw_configuration *b) {
    return tw_configuration_equal(s->problem->description, a, b);
}

static void update_presets(struct session *s, const struct trial *trial) {
    for (int i = 0; i < s->result->preset_count; i++) {
        struct session_preset *preset = &s->result->presets[i];
        if (preset->fits && same(s, &preset->configuration, &trial->configuration)) {
            preset->trial = *trial;
            preset->tried = true;
        }
    }
}

static void update_regulars(struct session *s, const struct trial *trial, struct build *build) {
    if (trial->status != TW_DB_TRIAL_OK)
        return;
    for (int i = 0; i < s->regular_count; i++) {
        struct regular *regular = &s->regulars[i];
        if (regular->known || !same(s, &regular->configuration, &trial->configuration))
            continue;
        regular->known = true;
        regular->trial = *trial;
        regular->build = build;
        if (build != NULL)
            builds_retain(build);
    }
}

struct strategy_outcome outcome_of(const struct trial *trial) {
    return (struct strategy_outcome){.ok = trial->status == TW_DB_TRIAL_OK,
                                     .seconds = trial->time_us * 1e-6};
}

static void take_in(struct session *s, size_t point, const struct trial *trial,
                    struct build *build) {
    struct session_result *result = s->result;
    if (trial->status != TW_DB_TRIAL_OK && result->first_failure[0] == '\0')
        strncpy(result->first_failure, trial->message, sizeof result->first_failure - 1);
    update_presets(s, trial);
    update_regulars(s, trial, build);
    s->untuned.tried |= untuned_is(s, &trial->configuration);
    contenders_add(s, trial, build);
    if (point == SPACE_NONE)
        return;
    const struct strategy_outcome outcome = outcome_of(trial);
    strategy_tell(s->strategy, point, &outcome);
}

static void count(struct session *s, const struct trial *trial) {
    s->result->trials++;
    s->result->counts[trial->status]++;
}

void outcome_known(void *session, const struct trial *trial) {
    struct session *s = session;
    if (!session_allows(s, &trial->configuration))
        return;
    count(s, trial);
    take_in(s, space_nearest(s->space, &trial->configuration), trial, NULL);
}

tw_status outcome_condemn(struct session *s, const struct trial *trial) {
    struct session_result *result = s->result;
    result->counts[TW_DB_TRIAL_OK]--;
    result->counts[trial->status]++;
    if (result->first_failure[0] == '\0')
        strncpy(result->first_failure, trial->message, sizeof result->first_failure - 1);
    update_presets(s, trial);
    contenders_drop(s, &trial->configuration);
    for (int i = 0; i < s->regular_count; i++)
        s->regulars[i].known &= !same(s, &s->regulars[i].configuration, &trial->configuration);
    tw_status status = recorder_begin(&s->recorder, s->error);
    if (status != TW_OK)
        return status;
    status = recorder_condemn(&s->recorder, trial, s->error);
    if (status == TW_OK)
        status = outcome_store_leader(s);
    return recorder_end(&s->recorder, status, s->error);
}

tw_status outcome_store_leader(struct session *s) {
    if (!s->leader_changed || s->contender_count == 0 || s->contenders[0].trial.screened_out ||
        untuned_pending(s))
        return TW_OK;
    s->leader_changed = false;
    const struct trial *leader = &s->contenders[0].trial;
    /* Too few repeats tell no interval. */
    struct tw_db_best best = {
        .time_us = leader->time_us,
        .ci_low_us = leader->has_interval ? leader->ci_low_us : leader->time_us,
        .ci_high_us = leader->has_interval ? leader->ci_high_us : leader->time_us,
        .repeats = leader->repeats,
        .has_error = leader->has_error,
        .max_rel_error = leader->max_rel_error,
        .rms_rel_error = leader->rms_rel_error,
        .has_hard = leader->has_hard,
        .hard_max_error = leader->hard_max_error,
        .hard_rms_error = leader->hard_rms_error};
    best.rate = tw_work_rate(&s->work, leader->time_us * 1e-6, &best.rate_unit);
    return recorder_provisional(&s->recorder, &best, &leader->configuration, s->error);
}

tw_status outcome_record(struct session *s, size_t point, const struct trial *trial,
                         struct build *build) {
    s->result->trials_now++;
    s->result->stopped_now += trial->screened_out;
    wall_tell(&s->wall, trial->verify_s, trial->measure_s);
    take_in(s, point, trial, build);
    tw_status status = predictions_note(s, trial);
    if (status == TW_OK)
        status = recorder_begin(&s->recorder, s->error);
    if (status != TW_OK)
        return status;
    bool added;
    status = recorder_add(&s->recorder, trial, &added, s->error);
    /* What another run was first to record counts when its trial is taken in. */
    if (added)
        count(s, trial);
    if (status == TW_OK)
        status = outcome_store_leader(s);
    return recorder_end(&s->recorder, status, s->error);
}

/* The row of before would stay if it promised more than what is known now. */
static tw_status store_changed_leader(struct session *s) {
    if (!s->leader_changed)
        return TW_OK;
    tw_status status = recorder_begin(&s->recorder, s->error);
    if (status != TW_OK)
        return status;
    status = recorder_drop_provisional(&s->recorder, s->error);
    if (status == TW_OK)
        status = outcome_store_leader(s);
    return recorder_end(&s->recorder, status, s->error);
}

/* What a device has no room for just now was right before, and is still. */
tw_status outcome_again(struct session *s, const struct trial *trial) {
    struct trial condemned = *trial;
    s->result->again_now++;
    wall_tell(&s->wall, trial->verify_s, trial->measure_s);
    if (trial->status == TW_DB_TRIAL_RESOURCE)
        return TW_OK;
    if (trial->status == TW_DB_TRIAL_OK) {
        contenders_measured(s, trial);
        return store_changed_leader(s);
    }
    snprintf(condemned.message, sizeof condemned.message, "measured again: %.480s", trial->message);
    return outcome_condemn(s, &condemned);
}
