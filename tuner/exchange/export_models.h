/* Models as part of an export. */
#ifndef TUNER_EXCHANGE_EXPORT_MODELS_H
#define TUNER_EXCHANGE_EXPORT_MODELS_H

#include "db/store.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

/* Appends the member "models", in order of kernel, device and cache policy: [{"fitted_at": ...,
 * "model": {...}}], the model as `tune model fit` writes it, a member or a tree a line; nothing
 * where there is none. `kernel` NULL: of all. A model that cannot be read is TW_INVALID, named. */
tw_status export_models(tw_db *db, const char *kernel, struct tw_text *text, int64_t *count,
                        struct tw_error *error);

#endif
