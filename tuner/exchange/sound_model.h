/* Whether a model from elsewhere makes sense here. */
#ifndef TUNER_EXCHANGE_SOUND_MODEL_H
#define TUNER_EXCHANGE_SOUND_MODEL_H

#include "runtime/predict/model.h"
#include "tuner/exchange/known_kernels.h"
#include "tuner/exchange/well_formed.h"

/* TW_INVALID where what it says of itself is no plain text. */
tw_status sound_model_words(const struct tw_model *model, struct tw_error *error);

/* "model of gemm on DEVICE, cold" of a row of a database. */
void model_name(const struct tw_db_model *row, char out[ROW_NAME_SIZE]);

/* Holds a model that was read against the kernels that are known. TW_INVALID: what it says of
 * itself is no plain text. TW_NOT_FOUND: its kernel is not known. *current: how many of its
 * configurations are of today's code, the only ones that it can choose; a model without any is of
 * no use. That can be told with the values of its device; where `slots` is NULL, because they are
 * not known, all count, and whoever selects finds out. */
tw_status sound_model(const struct tw_model *model, const struct known_kernels *known,
                      const int64_t *slots, int *current, struct tw_error *error);

/* What is stored of a sound model in place of its text, where configurations of it are of today's
 * code under another name: they go under today's, as rows that are imported do. Appends nothing to
 * `out` where none is. */
tw_status sound_model_renew(const struct tw_model *model, const char *text,
                            const struct known_kernels *known, const int64_t *slots,
                            struct tw_text *out, struct tw_error *error);

#endif
