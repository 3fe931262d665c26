/* Models as part of an export, read from anyone. */
#ifndef TUNER_EXCHANGE_IMPORT_MODELS_H
#define TUNER_EXCHANGE_IMPORT_MODELS_H

#include "tuner/exchange/import_tables.h"
#include "tuner/exchange/known_kernels.h"

struct imported_model {
    struct tw_db_model row;
    struct tw_text kernel, device, text; /* which the row points to */
    char cache[8];
    bool other; /* fitted to other templates than today's: it could choose nothing */
};

struct import_models {
    int count;
    struct imported_model *all;
};

/* Reads the list, each model as `tune model import` does. Refused with one line are those that are
 * damaged, those of unknown kernels, and two about the same. Free with import_models_free in every
 * case. */
tw_status import_models_read(struct import_models *models, const struct tw_json *list,
                             const struct import_tables *tables, const struct known_kernels *known,
                             struct tw_error *error);
void import_models_free(struct import_models *models);

#endif
