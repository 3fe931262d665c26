/* From the command line to what a command is about: kernel, problem, device, database. */
#ifndef TUNER_COMMANDS_SUBJECT_H
#define TUNER_COMMANDS_SUBJECT_H

#include "db/store.h"
#include "runtime/backend/backend.h"
#include "runtime/description/problem.h"
#include "runtime/select/catalogue.h"
#include "tuner/commands/arguments.h"

/* The description: the one of --config (of several, the named kernel's), or the named kernel's, or
 * the one that a shape of so many sizes is for (gemm for three, transpose for two). The caller
 * frees *out. */
tw_status subject_description(const struct arguments *arguments, struct tw_description **out,
                              struct tw_error *error);
/* The problem of the shape numbered `index`: its own attributes, then those of the command line. */
tw_status subject_problem(const struct arguments *arguments, int index,
                          const struct tw_description *description, struct tw_problem *problem,
                          struct tw_error *error);
/* The device. When none was asked for and CUDA is installed but does not work, says so on standard
 * error unless quiet; when verbose, also that there is none. */
tw_status subject_device(const struct arguments *arguments, struct tw_device_info *device,
                         struct tw_error *error);
/* --db, else XDG_DATA_HOME/tilewise/tilewise.db, else ~/.local/share/tilewise/tilewise.db. The
 * caller frees; NULL with the error set when there is no home. */
char *subject_db_path(const struct arguments *arguments, struct tw_error *error);
/* TW_INVALID when the file is none, or no database that can be used, and is not the default one;
 * else TW_DATABASE. */
tw_status subject_open_db(const char *path, enum tw_db_mode mode, tw_db **db,
                          struct tw_error *error);
/* To be written to, but not made. */
tw_status subject_open_existing(const char *path, tw_db **db, struct tw_error *error);
/* Brings rows of older programs up to date (exchange/adopt.h), if there are any. */
tw_status subject_adopt(const struct arguments *arguments, tw_db *db, struct tw_error *error);
/* The database's best rows in memory. A database that is not there yet is empty; one that is there
 * must be readable. */
tw_status subject_catalogue(const struct arguments *arguments, struct tw_catalogue **out,
                            struct tw_error *error);
/* The one shape that was asked for. The caller frees *description. */
tw_status subject_single_problem(const struct arguments *arguments,
                                 struct tw_description **description, struct tw_problem *problem,
                                 struct tw_error *error);
/* The one shape that was asked for, on the device that was asked for. The caller frees
 * *description. */
tw_status subject_single(const struct arguments *arguments, struct tw_description **description,
                         struct tw_problem *problem, struct tw_device_info *device,
                         struct tw_error *error);

#endif
