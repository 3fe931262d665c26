/* tune db forget: trials dropped, so that they are tried again. */
#ifndef TUNER_COMMANDS_DB_FORGET_H
#define TUNER_COMMANDS_DB_FORGET_H

#include "tuner/commands/arguments.h"

#define DB_FORGET_OPTIONS (OPTIONS_SUBJECT | OPTION(RUN) | OPTION(STATUS))

/* Forgets the trials that the arguments name in the database at `path`, and tells how many. */
tw_status db_forget(const struct arguments *arguments, const char *path, struct tw_error *error);

#endif
