/* The configurations that a recording measures. */
#ifndef TUNER_RECORD_PORTFOLIO_H
#define TUNER_RECORD_PORTFOLIO_H

#include "db/store.h"
#include "runtime/backend/backend.h"
#include "runtime/description/configuration.h"
#include "runtime/select/catalogue.h"

/* Zero-initialise; free with portfolio_free. */
struct portfolio {
    int count, room;
    struct tw_configuration *all; /* each once */
};

tw_status portfolio_add(struct portfolio *portfolio, const struct tw_description *description,
                        const struct tw_configuration *configuration, struct tw_error *error);
/* What won on any problem of the kernel on devices of this one's architecture, as far as the
 * description still allows it. */
tw_status portfolio_add_rows(struct portfolio *portfolio, const struct tw_description *description,
                             const struct tw_device_info *device,
                             const struct tw_catalogue *catalogue, struct tw_error *error);
/* What models of devices of this architecture choose from. One that cannot be read has nothing. */
tw_status portfolio_add_models(struct portfolio *portfolio,
                               const struct tw_description *description,
                               const struct tw_device_info *device,
                               const struct tw_catalogue *catalogue, struct tw_error *error);
/* All presets of the implementations. */
tw_status portfolio_add_presets(struct portfolio *portfolio,
                                const struct tw_description *description, struct tw_error *error);
/* What was the best of a problem on this device, or nearly, as far as trials of searches and
 * recordings are in the database: most of it won nowhere, and is no row. */
tw_status portfolio_add_trials(struct portfolio *portfolio,
                               const struct tw_description *description,
                               const struct tw_device_info *device, const char *cache, tw_db *db,
                               struct tw_error *error);
void portfolio_free(struct portfolio *portfolio);

#endif
