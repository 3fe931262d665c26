/* The database that a command line means: where it is, and opening it. */
#ifndef TUNER_COMMANDS_DATABASE_H
#define TUNER_COMMANDS_DATABASE_H

#include "db/store.h"
#include "runtime/select/catalogue.h"
#include "tuner/commands/arguments.h"

/* --db, else XDG_DATA_HOME/tilewise/tilewise.db, else ~/.local/share/tilewise/tilewise.db. The
 * caller frees; NULL with the error set when there is no home. */
char *database_path(const struct arguments *arguments, struct tw_error *error);
/* TW_INVALID when the file is none, or no database that can be used, and is not the default one;
 * else TW_DATABASE. */
tw_status database_open(const char *path, enum tw_db_mode mode, tw_db **db, struct tw_error *error);
/* To be written to, but not made. */
tw_status database_open_existing(const char *path, tw_db **db, struct tw_error *error);
/* Brings rows of older programs up to date (exchange/adopt.h), if there are any. */
tw_status database_adopt(const struct arguments *arguments, tw_db *db, struct tw_error *error);
/* The database's best rows in memory. A database that is not there yet is empty; one that is there
 * must be readable. */
tw_status database_catalogue(const struct arguments *arguments, struct tw_catalogue **out,
                             struct tw_error *error);
/* The same of the database that was installed, whose models predict whatever database is meant. */
tw_status database_installed(struct tw_catalogue **out, struct tw_error *error);
#endif
