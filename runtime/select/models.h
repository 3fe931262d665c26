/* Internal to the room: the models of a catalogue, each in its text until it is asked for. */
#ifndef TW_SELECT_MODELS_H
#define TW_SELECT_MODELS_H

#include "runtime/select/row.h"

struct tw_models;

/* NULL: out of memory. */
struct tw_models *tw_models_create(void);
void tw_models_free(struct tw_models *models);

/* Takes in a copy of a model's text, in place of one about the same; what `subject` points to is
 * borrowed. False: out of memory. Before others use `models`. */
bool tw_models_add(struct tw_models *models, const struct tw_model_subject *subject,
                   const char *text);

size_t tw_models_count(const struct tw_models *models);
const struct tw_model_subject *tw_models_subject(const struct tw_models *models, size_t index);
/* As tw_catalogue_model. */
tw_status tw_models_get(struct tw_models *models, size_t index,
                        const struct tw_catalogue_model **out, struct tw_error *error);

#endif
