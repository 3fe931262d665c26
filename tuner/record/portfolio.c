#include "tuner/record/portfolio.h"

#include <math.h>

#include <stdlib.h>
#include <string.h>

#include "runtime/backend/devices.h"

/* Of a problem's best. */
static const double NEARLY = 1.08;

tw_status portfolio_add(struct portfolio *p, const struct tw_description *d,
                        const struct tw_configuration *configuration, struct tw_error *error) {
    for (int i = 0; i < p->count; i++)
        if (tw_configuration_equal(d, &p->all[i], configuration))
            return TW_OK;
    if (p->count == p->room) {
        int room = p->room > 0 ? 2 * p->room : 64;
        struct tw_configuration *all = realloc(p->all, (size_t)room * sizeof *all);
        if (all == NULL)
            return tw_fail(error, TW_NO_MEMORY, "out of memory");
        p->all = all;
        p->room = room;
    }
    p->all[p->count++] = *configuration;
    return TW_OK;
}

/* What the description has no more, or does not allow any longer, is left out. */
static tw_status add_known(struct portfolio *p, const struct tw_description *d,
                           const char *implementation, const char *text, struct tw_error *error) {
    struct tw_configuration configuration;
    const int index = tw_description_implementation(d, implementation);
    tw_status status = TW_NOT_FOUND;
    if (index >= 0)
        status = tw_configuration_parse(&configuration, d, index, text, error);
    if (status == TW_OK)
        status = portfolio_add(p, d, &configuration, error);
    return status == TW_NO_MEMORY ? status : TW_OK;
}

tw_status portfolio_add_rows(struct portfolio *p, const struct tw_description *d,
                             const struct tw_device_info *device,
                             const struct tw_catalogue *catalogue, struct tw_error *error) {
    const char *kernel = tw_catalogue_word(catalogue, d->kernel);
    const char *backend = tw_catalogue_word(catalogue, device->backend);
    const char *architecture = tw_catalogue_word(catalogue, device->architecture);
    tw_status status = TW_OK;
    for (size_t i = 0; i < tw_catalogue_size(catalogue) && status == TW_OK; i++) {
        const struct tw_catalogue_row *row = tw_catalogue_at(catalogue, i);
        if (row->kernel == kernel && row->backend == backend && row->architecture == architecture)
            status = add_known(p, d, row->implementation, row->configuration, error);
    }
    return status;
}

tw_status portfolio_add_models(struct portfolio *p, const struct tw_description *d,
                               const struct tw_device_info *device,
                               const struct tw_catalogue *catalogue, struct tw_error *error) {
    const char *kernel = tw_catalogue_word(catalogue, d->kernel);
    tw_status status = TW_OK;
    for (size_t i = 0; i < tw_catalogue_models(catalogue) && status == TW_OK; i++) {
        const struct tw_catalogue_model *model;
        if (tw_catalogue_model_subject(catalogue, i)->kernel != kernel)
            continue;
        status = tw_catalogue_model(catalogue, i, &model, error);
        if (status == TW_OK && strcmp(model->model->backend, device->backend) == 0 &&
            strcmp(model->model->architecture, device->architecture) == 0)
            for (size_t k = 0; k < model->count && status == TW_OK; k++)
                status = add_known(p, d, model->rows[k].implementation,
                                   model->rows[k].configuration, error);
        status = status == TW_NO_MEMORY ? status : TW_OK;
    }
    return status;
}

tw_status portfolio_add_presets(struct portfolio *p, const struct tw_description *d,
                                struct tw_error *error) {
    for (int i = 0; i < d->implementation_count; i++) {
        const struct tw_implementation *in = &d->implementations[i];
        for (int k = 0; k < in->preset_count; k++) {
            struct tw_configuration configuration = {.implementation = i};
            memcpy(configuration.values, in->presets[k].values, sizeof configuration.values);
            tw_status status = portfolio_add(p, d, &configuration, error);
            if (status != TW_OK)
                return status;
        }
    }
    return TW_OK;
}

/* The best of each problem; they come by problem, mostly. */
struct bests {
    int count, room;
    struct best {
        int64_t problem;
        double time_us;
    } * all;
};

static struct best *find_best(const struct bests *bests, int64_t problem) {
    for (int i = bests->count - 1; i >= 0; i--)
        if (bests->all[i].problem == problem)
            return &bests->all[i];
    return NULL;
}

static tw_status note_best(struct bests *bests, int64_t problem, double time_us,
                           struct tw_error *error) {
    struct best *best = find_best(bests, problem);
    if (best != NULL) {
        best->time_us = fmin(best->time_us, time_us);
        return TW_OK;
    }
    if (bests->count == bests->room) {
        int room = bests->room > 0 ? 2 * bests->room : 64;
        struct best *all = realloc(bests->all, (size_t)room * sizeof *all);
        if (all == NULL)
            return tw_fail(error, TW_NO_MEMORY, "out of memory");
        bests->all = all;
        bests->room = room;
    }
    bests->all[bests->count++] = (struct best){problem, time_us};
    return TW_OK;
}

struct reading {
    struct portfolio *portfolio;
    const struct tw_description *description;
    struct bests bests;
    tw_status status;
    struct tw_error *error;
};

static bool see_time(void *context, const struct tw_db_trial_row *row) {
    struct reading *r = context;
    r->status = note_best(&r->bests, row->trial.problem, row->trial.time_us, r->error);
    return r->status == TW_OK;
}

static bool see_good(void *context, const struct tw_db_trial_row *row) {
    struct reading *r = context;
    const struct best *best = find_best(&r->bests, row->trial.problem);
    /* One may have been added in between: it is none of what the best was told by. */
    if (best != NULL && !row->trial.screened_out && row->trial.time_us <= NEARLY * best->time_us)
        r->status = add_known(r->portfolio, r->description, row->implementation_name,
                              row->trial.configuration, r->error);
    return r->status == TW_OK;
}

tw_status portfolio_add_trials(struct portfolio *p, const struct tw_description *d,
                               const struct tw_device_info *device, const char *cache, tw_db *db,
                               struct tw_error *error) {
    char fingerprint[256];
    tw_device_fingerprint(device, fingerprint);
    const struct tw_db_trial_filter filter = {.kernel = d->kernel,
                                              .device_fingerprint = fingerprint,
                                              .cache_policy = cache,
                                              .statuses = TW_DB_TRIAL_BIT(TW_DB_TRIAL_OK)};
    struct reading r = {.portfolio = p, .description = d, .error = error};
    enum tw_db_status found = tw_db_trial_each(db, &filter, see_time, &r);
    if (found == TW_DB_OK && r.status == TW_OK)
        found = tw_db_trial_each(db, &filter, see_good, &r);
    free(r.bests.all);
    return found != TW_DB_OK ? tw_fail(error, TW_DATABASE, "%s", tw_db_message(db)) : r.status;
}

void portfolio_free(struct portfolio *p) {
    free(p->all);
    *p = (struct portfolio){0};
}
