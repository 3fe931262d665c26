#include "tuner/session/recorder_trials.h"

#include <string.h>

#include "db/upkeep.h"

struct known_context {
    struct recorder *recorder;
    bool of_others; /* the rest is passed over */
    void (*visit)(void *context, const struct trial *trial);
    void *context;
};

static bool visit_row(void *context, const struct tw_db_trial_row *row) {
    const struct known_context *known = context;
    const struct tw_description *d = known->recorder->problem->description;
    const struct tw_db_trial *stored = &row->trial;
    known->recorder->newest_trial = row->id;
    if (known->of_others && stored->run == known->recorder->run_id)
        return true;
    int index = tw_description_implementation(d, row->implementation_name);
    struct trial trial = {.status = stored->status,
                          .time_us = stored->time_us,
                          .ci_low_us = stored->ci_low_us,
                          .ci_high_us = stored->ci_high_us,
                          .has_interval = stored->has_interval,
                          .repeats = (int)stored->repeats,
                          .screened_out = stored->screened_out,
                          .has_error = stored->has_error,
                          .max_rel_error = stored->max_rel_error,
                          .rms_rel_error = stored->rms_rel_error,
                          .has_hard = stored->has_hard,
                          .hard_max_error = stored->hard_max_error,
                          .hard_rms_error = stored->hard_rms_error,
                          .has_compile_ms = stored->has_compile_ms,
                          .compile_ms = stored->compile_ms,
                          .has_resources = stored->has_registers,
                          .registers = stored->registers,
                          .spill_bytes = stored->spill_bytes};
    /* A value that the description has dropped since makes the trial history, not knowledge. */
    if (index >= 0 && tw_configuration_parse(&trial.configuration, d, index, stored->configuration,
                                             NULL) == TW_OK) {
        strncpy(trial.message, stored->message != NULL ? stored->message : "",
                sizeof trial.message - 1);
        known->visit(known->context, &trial);
    }
    return true;
}

/* The trials of this problem, device, cache policy and today's templates. */
static struct tw_db_trial_filter its_trials(const struct recorder *r) {
    return (struct tw_db_trial_filter){.problem = r->problem_id,
                                       .device = r->device_id,
                                       .implementations = r->implementation_ids,
                                       .implementation_count =
                                           (size_t)r->problem->description->implementation_count,
                                       .cache_policy = r->cache_policy};
}

static tw_status each_known(struct known_context *known, struct tw_error *error) {
    const struct recorder *r = known->recorder;
    struct tw_db_trial_filter filter = its_trials(r);
    filter.after = r->newest_trial;
    return recorder_check(r, tw_db_trial_each(r->db, &filter, visit_row, known), error);
}

tw_status recorder_known(struct recorder *r,
                         void (*visit)(void *context, const struct trial *trial), void *context,
                         struct tw_error *error) {
    return each_known(&(struct known_context){.recorder = r, .visit = visit, .context = context},
                      error);
}

static bool count_trial(void *context, const struct tw_db_trial_row *row) {
    int64_t *counts = context;
    counts[row->trial.status]++;
    return true;
}

tw_status recorder_forget(struct recorder *r, unsigned statuses,
                          int64_t counts[TW_DB_TRIAL_STATUS_COUNT], struct tw_error *error) {
    struct tw_db_trial_filter filter = its_trials(r);
    int64_t removed;
    filter.statuses = statuses;
    r->newest_trial = 0;
    tw_status status =
        recorder_check(r, tw_db_trial_each(r->db, &filter, count_trial, counts), error);
    return status == TW_OK ? recorder_check(r, tw_db_trials_remove(r->db, &filter, &removed), error)
                           : status;
}

tw_status recorder_news(struct recorder *r, void (*visit)(void *context, const struct trial *trial),
                        void *context, struct tw_error *error) {
    return each_known(
        &(struct known_context){
            .recorder = r, .of_others = true, .visit = visit, .context = context},
        error);
}

tw_status recorder_add(const struct recorder *r, const struct trial *trial, bool *added,
                       struct tw_error *error) {
    *added = false;
    struct tw_text text = {0};
    char source[TW_HASH_SIZE];
    tw_status identified = recorder_identify(r, &trial->configuration, source, error);
    if (identified != TW_OK)
        return identified;
    tw_configuration_text(r->problem->description, &trial->configuration, &text);
    if (text.failed) {
        tw_text_free(&text);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    const struct tw_db_trial row = {
        .run = r->run_id,
        .problem = r->problem_id,
        .device = r->device_id,
        .implementation = r->implementation_ids[trial->configuration.implementation],
        .cache_policy = r->cache_policy,
        .configuration = text.data,
        .source = source,
        .judge = r->judge,
        .status = trial->status,
        .message = trial->message[0] != '\0' ? trial->message : NULL,
        .has_time = trial->status == TW_DB_TRIAL_OK,
        .time_us = trial->time_us,
        .repeats = trial->repeats,
        .has_interval = trial->has_interval,
        .ci_low_us = trial->ci_low_us,
        .ci_high_us = trial->ci_high_us,
        .screened_out = trial->screened_out,
        .has_error = trial->has_error,
        .max_rel_error = trial->max_rel_error,
        .rms_rel_error = trial->rms_rel_error,
        .has_hard = trial->has_hard,
        .hard_max_error = trial->hard_max_error,
        .hard_rms_error = trial->hard_rms_error,
        .has_compile_ms = trial->has_compile_ms,
        .compile_ms = trial->compile_ms,
        .has_registers = trial->has_resources,
        .registers = trial->registers,
        .has_spill_bytes = trial->has_resources,
        .spill_bytes = trial->spill_bytes,
    };
    tw_status status = recorder_check(r, tw_db_trial_put(r->db, &row, added), error);
    tw_text_free(&text);
    return status;
}

tw_status recorder_retime(const struct recorder *r, const struct trial *trial,
                          struct tw_error *error) {
    struct tw_text text = {0};
    tw_configuration_text(r->problem->description, &trial->configuration, &text);
    const struct tw_db_trial row = {.problem = r->problem_id,
                                    .device = r->device_id,
                                    .implementation =
                                        r->implementation_ids[trial->configuration.implementation],
                                    .cache_policy = r->cache_policy,
                                    .configuration = text.data,
                                    .time_us = trial->time_us,
                                    .has_interval = trial->has_interval,
                                    .ci_low_us = trial->ci_low_us,
                                    .ci_high_us = trial->ci_high_us};
    tw_status status = text.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                                   : recorder_check(r, tw_db_trial_retime(r->db, &row), error);
    tw_text_free(&text);
    return status;
}
