#include "tuner/session/recorder_best.h"

#include "db/upkeep.h"

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
    return recorder_check(r, tw_db_best_each(r->db, &filter, visit, context), error);
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
    tw_status status = recorder_identify(r, configuration, texts->source, error);
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
        status = recorder_check(r, tw_db_best_put(r->db, best), error);
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
        status = recorder_check(
            r,
            tw_db_best_put_provisional(r->db, best, r->implementation_ids,
                                       (size_t)r->problem->description->implementation_count),
            error);
    best->configuration = best->source = best->judge = NULL;
    tw_text_free(&texts.configuration);
    return status;
}

tw_status recorder_drop_provisional(const struct recorder *r, struct tw_error *error) {
    return recorder_check(
        r, tw_db_best_remove_provisional(r->db, r->problem_id, r->device_id, r->cache_policy),
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
        status = recorder_check(r, tw_db_trial_condemn(r->db, &row), error);
    if (status == TW_OK)
        status = recorder_check(r, tw_db_best_remove(r->db, &best), error);
    tw_text_free(&texts.configuration);
    return status;
}
