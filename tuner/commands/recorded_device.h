/* A device that a database has trials of, and that need not be here. */
#ifndef TUNER_COMMANDS_RECORDED_DEVICE_H
#define TUNER_COMMANDS_RECORDED_DEVICE_H

#include <stdbool.h>

#include "db/store.h"
#include "runtime/backend/backend.h"

/* The device of that name, or of that fingerprint, as the database has it; *found is false where it
 * has none. TW_INVALID where several have the name, or where too little is known of it. */
tw_status recorded_device(tw_db *db, const char *name, struct tw_device_info *device, bool *found,
                          struct tw_error *error);

#endif
