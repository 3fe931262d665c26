#include "tuner/session/recorder.h"

#include <string.h>

#include "db/upkeep.h"
#include "runtime/backend/devices.h"
#include "runtime/select/current.h"
#include "runtime/variant/identity.h"
#include "tuner/exchange/allowed.h"
#include "tuner/session/carry_over.h"
#include "tuner/session/sources.h"

static tw_status check(const struct recorder *r, enum tw_db_status status, struct tw_error *error) {
    if (status == TW_DB_OK)
        return TW_OK;
    return tw_fail(error, TW_DATABASE, "%s", tw_db_message(r->db));
}

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
                           : check(r, tw_db_device_put(r->db, &row, &r->device_id), error);
    tw_text_free(&properties);
    return status;
}

static tw_status put_problem(struct recorder *r, struct tw_error *error) {
    struct allowed_parts parts;
    struct tw_db_problem row;
    allowed_problem_row(r->problem, &parts, &row);
    return check(r, tw_db_problem_put(r->db, &row, &r->problem_id), error);
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
        status = check(r, tw_db_implementation_put(r->db, &row, &r->implementation_ids[i]), error);
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

/* What the run has rendered is not rendered again. */
static tw_status identify(const struct recorder *r, const struct tw_configuration *configuration,
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
    return check(r, status, error);
}

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
    return check(r, tw_db_trial_each(r->db, &filter, visit_row, known), error);
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
    tw_status status = check(r, tw_db_trial_each(r->db, &filter, count_trial, counts), error);
    return status == TW_OK ? check(r, tw_db_trials_remove(r->db, &filter, &removed), error)
                           : status;
}

tw_status recorder_news(struct recorder *r, void (*visit)(void *context, const struct trial *trial),
                        void *context, struct tw_error *error) {
    return each_known(
        &(struct known_context){
            .recorder = r, .of_others = true, .visit = visit, .context = context},
        error);
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
    tw_status status = check(r, tw_db_run_each(r->db, &filter, visit_run, &others), error);
    *count = others.count;
    return status;
}

tw_status recorder_add(const struct recorder *r, const struct trial *trial, bool *added,
                       struct tw_error *error) {
    *added = false;
    struct tw_text text = {0};
    char source[TW_HASH_SIZE];
    tw_status identified = identify(r, &trial->configuration, source, error);
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
    tw_status status = check(r, tw_db_trial_put(r->db, &row, added), error);
    tw_text_free(&text);
    return status;
}

tw_status recorder_update(const struct recorder *r, double elapsed_s, const char *conditions,
                          struct tw_error *error) {
    return check(r, tw_db_run_update(r->db, r->run_id, elapsed_s, conditions), error);
}

struct winners {
    const struct recorder *recorder;
    void (*visit)(void *context, const struct tw_configuration *configuration);
    void *context;
};

static bool visit_winner(void *context, const struct tw_db_best_row *row) {
    const struct winners *winners = context;
    const struct recorder *r = winners->recorder;
    const struct tw_description *d = r->problem->description;
    int index = tw_description_implementation(d, row->implementation_name);
    struct tw_configuration configuration;
    if (index >= 0 && r->implementation_ids[index] == row->best.implementation &&
        row->best.tie_set != NULL &&
        tw_configuration_parse(&configuration, d, index, row->best.configuration, NULL) == TW_OK)
        winners->visit(winners->context, &configuration);
    return true;
}

/* Visits the problem's rows, of whatever templates. */
static tw_status each_best(const struct recorder *r, tw_db_best_visitor visit, void *context,
                           struct tw_error *error) {
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_key(r->problem, key);
    const struct tw_db_best_filter filter = {.kernel = r->problem->description->kernel,
                                             .problem_key = key,
                                             .device_fingerprint = r->fingerprint,
                                             .cache_policy = r->cache_policy};
    return check(r, tw_db_best_each(r->db, &filter, visit, context), error);
}

tw_status recorder_winners(const struct recorder *r,
                           void (*visit)(void *context,
                                         const struct tw_configuration *configuration),
                           void *context, struct tw_error *error) {
    struct winners winners = {.recorder = r, .visit = visit, .context = context};
    return each_best(r, visit_winner, &winners, error);
}

struct fastest {
    const struct recorder *recorder;
    double time_us;
};

static bool visit_time(void *context, const struct tw_db_best_row *row) {
    struct fastest *fastest = context;
    const struct recorder *r = fastest->recorder;
    bool of_today = false;
    for (int i = 0; i < r->problem->description->implementation_count; i++)
        of_today |= r->implementation_ids[i] == row->best.implementation;
    if (of_today && row->best.run != r->run_id &&
        (fastest->time_us == 0 || row->best.time_us < fastest->time_us))
        fastest->time_us = row->best.time_us;
    return true;
}

tw_status recorder_fastest(const struct recorder *r, double *time_us, struct tw_error *error) {
    struct fastest fastest = {.recorder = r};
    tw_status status = each_best(r, visit_time, &fastest, error);
    *time_us = fastest.time_us;
    return status;
}

/* Texts of a row. */
struct best_texts {
    struct tw_text configuration;
    char source[TW_HASH_SIZE];
};

/* The rest of a row, which then points into `texts`. */
static tw_status fill_in(const struct recorder *r, struct tw_db_best *best,
                         const struct tw_configuration *configuration, struct best_texts *texts,
                         struct tw_error *error) {
    *texts = (struct best_texts){0};
    tw_status status = identify(r, configuration, texts->source, error);
    if (status != TW_OK)
        return status;
    tw_configuration_text(r->problem->description, configuration, &texts->configuration);
    best->source = texts->source;
    best->judge = r->judge;
    best->problem = r->problem_id;
    best->device = r->device_id;
    best->implementation = r->implementation_ids[configuration->implementation];
    best->cache_policy = r->cache_policy;
    best->configuration = texts->configuration.data;
    best->run = r->run_id;
    return texts->configuration.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
}

tw_status recorder_best(const struct recorder *r, struct tw_db_best *best,
                        const struct tw_configuration *configuration, struct tw_error *error) {
    struct best_texts texts;
    tw_status status = fill_in(r, best, configuration, &texts, error);
    if (status == TW_OK)
        status = check(r, tw_db_best_put(r->db, best), error);
    best->configuration = best->source = best->judge = NULL;
    tw_text_free(&texts.configuration);
    return status;
}

tw_status recorder_provisional(const struct recorder *r, struct tw_db_best *best,
                               const struct tw_configuration *configuration,
                               struct tw_error *error) {
    struct best_texts texts;
    tw_status status = fill_in(r, best, configuration, &texts, error);
    if (status == TW_OK)
        status =
            check(r,
                  tw_db_best_put_provisional(r->db, best, r->implementation_ids,
                                             (size_t)r->problem->description->implementation_count),
                  error);
    best->configuration = best->source = best->judge = NULL;
    tw_text_free(&texts.configuration);
    return status;
}

tw_status recorder_drop_provisional(const struct recorder *r, struct tw_error *error) {
    return check(r,
                 tw_db_best_remove_provisional(r->db, r->problem_id, r->device_id, r->cache_policy),
                 error);
}

tw_status recorder_condemn(const struct recorder *r, const struct trial *trial,
                           struct tw_error *error) {
    struct tw_db_best best = {0};
    struct best_texts texts;
    tw_status status = fill_in(r, &best, &trial->configuration, &texts, error);
    const struct tw_db_trial row = {.problem = best.problem,
                                    .device = best.device,
                                    .implementation = best.implementation,
                                    .cache_policy = best.cache_policy,
                                    .configuration = best.configuration,
                                    .status = trial->status,
                                    .message = trial->message};
    if (status == TW_OK)
        status = check(r, tw_db_trial_condemn(r->db, &row), error);
    if (status == TW_OK)
        status = check(r, tw_db_best_remove(r->db, &best), error);
    tw_text_free(&texts.configuration);
    return status;
}

tw_status recorder_begin(const struct recorder *r, struct tw_error *error) {
    return check(r, tw_db_begin(r->db), error);
}

tw_status recorder_end(const struct recorder *r, tw_status status, struct tw_error *error) {
    if (status == TW_OK)
        status = check(r, tw_db_commit(r->db), error);
    if (status != TW_OK)
        tw_db_rollback(r->db);
    return status;
}

tw_status recorder_finish(const struct recorder *r, enum tw_db_run_state state, double elapsed_s,
                          struct tw_error *error) {
    return check(r, tw_db_run_finish(r->db, r->run_id, state, elapsed_s), error);
}
