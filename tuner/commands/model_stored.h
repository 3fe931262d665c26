/* tune model show|import|forget: the models that a database holds. */
#ifndef TUNER_COMMANDS_MODEL_STORED_H
#define TUNER_COMMANDS_MODEL_STORED_H

#include "runtime/predict/model.h"
#include "tuner/commands/arguments.h"

/* A model's file, with the nodes of its trees, and its text, which the caller frees in every case.
 */
tw_status model_stored_read(struct tw_model **model, struct tw_text *text, const char *path,
                            struct tw_error *error);

/* Lists the models on standard output. */
tw_status model_stored_show(const struct arguments *arguments, struct tw_error *error);
/* Stores the models of the files that the arguments name, all or none. */
tw_status model_stored_import(const struct arguments *arguments, struct tw_error *error);
/* Removes the models of a kernel, on the device and under the cache policy that the arguments name;
 * TW_NOT_FOUND where there is none. */
tw_status model_stored_forget(const struct arguments *arguments, struct tw_error *error);

#endif
