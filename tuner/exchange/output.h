/* Where an export goes. */
#ifndef TUNER_EXCHANGE_OUTPUT_H
#define TUNER_EXCHANGE_OUTPUT_H

#include "runtime/base/error.h"
#include "runtime/base/text.h"

/* Writes to the file `path`, which either becomes all of `text` or stays what it was; to a pipe or
 * a device as it is; to standard output when `path` is NULL. */
tw_status output_write(const struct tw_text *text, const char *path, struct tw_error *error);

#endif
