#include "tuner/record/portfolio.h"

#include <stdlib.h>
#include <string.h>

static tw_status add(struct portfolio *p, const struct tw_description *d,
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
        status = add(p, d, &configuration, error);
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
            tw_status status = add(p, d, &configuration, error);
            if (status != TW_OK)
                return status;
        }
    }
    return TW_OK;
}

void portfolio_free(struct portfolio *p) {
    free(p->all);
    *p = (struct portfolio){0};
}
