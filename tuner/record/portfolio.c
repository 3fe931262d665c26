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

tw_status portfolio_add_rows(struct portfolio *p, const struct tw_description *d,
                             const struct tw_device_info *device,
                             const struct tw_catalogue *catalogue, struct tw_error *error) {
    const char *kernel = tw_catalogue_word(catalogue, d->kernel);
    const char *backend = tw_catalogue_word(catalogue, device->backend);
    const char *architecture = tw_catalogue_word(catalogue, device->architecture);
    for (size_t i = 0; i < tw_catalogue_size(catalogue); i++) {
        const struct tw_catalogue_row *row = tw_catalogue_at(catalogue, i);
        struct tw_configuration configuration;
        if (row->kernel != kernel || row->backend != backend || row->architecture != architecture)
            continue;
        int index = tw_description_implementation(d, row->implementation);
        tw_status status = TW_NOT_FOUND;
        if (index >= 0)
            status = tw_configuration_parse(&configuration, d, index, row->configuration, error);
        if (status == TW_OK)
            status = add(p, d, &configuration, error);
        if (status == TW_NO_MEMORY)
            return status;
    }
    return TW_OK;
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
