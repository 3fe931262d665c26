#include <string.h>

#include "tuner/session/state.h"

void outcome_update_presets(struct session *s, const struct trial *trial) {
    for (int i = 0; i < s->result->preset_count; i++) {
        struct session_preset *preset = &s->result->presets[i];
        if (preset->fits && tw_configuration_equal(s->problem->description, &preset->configuration,
                                                   &trial->configuration)) {
            preset->trial = *trial;
            preset->tried = true;
        }
    }
}

static void update_contenders(struct session *s, const struct trial *trial, struct build *build) {
    if (trial->status != TW_DB_TRIAL_OK)
        return;
    /* A rough time may lead only while there is nothing better. */
    if (trial->screened_out && s->contender_count > 0)
        return;
    int at = s->contender_count;
    while (at > 0 && s->contenders[at - 1].trial.time_us > trial->time_us)
        at--;
    if (at == FINALISTS)
        return;
    if (s->contender_count == FINALISTS)
        builds_release(&s->builds, s->contenders[--s->contender_count].build);
    memmove(&s->contenders[at + 1], &s->contenders[at],
            (size_t)(s->contender_count - at) * sizeof *s->contenders);
    s->contenders[at] = (struct contender){*trial, build};
    s->contender_count++;
    if (build != NULL)
        builds_retain(build);
}

static void take_in(struct session *s, size_t point, const struct trial *trial,
                    struct build *build) {
    struct session_result *result = s->result;
    result->trials++;
    result->counts[trial->status]++;
    if (trial->status != TW_DB_TRIAL_OK && result->first_failure[0] == '\0')
        strncpy(result->first_failure, trial->message, sizeof result->first_failure - 1);
    outcome_update_presets(s, trial);
    update_contenders(s, trial, build);
    if (point == SPACE_NONE)
        return;
    const struct strategy_outcome outcome = {.ok = trial->status == TW_DB_TRIAL_OK,
                                             .seconds = trial->time_us * 1e-6};
    strategy_tell(s->strategy, point, &outcome);
}

void outcome_known(void *session, const struct trial *trial) {
    struct session *s = session;
    take_in(s, space_nearest(s->space, &trial->configuration), trial, NULL);
}

tw_status outcome_record(struct session *s, size_t point, const struct trial *trial,
                         struct build *build) {
    s->result->trials_now++;
    take_in(s, point, trial, build);
    return recorder_add(&s->recorder, trial, s->error);
}
