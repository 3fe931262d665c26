/* tune db export and import, where the file is for another tool or from one. */
#ifndef TUNER_COMMANDS_DB_FORMATS_H
#define TUNER_COMMANDS_DB_FORMATS_H

#include "tuner/commands/arguments.h"

/* Whether the files named are another tool's results. TW_INVALID when only some of them are, or
 * when they are not and there are options that only such files need. */
tw_status db_is_results_file(const struct arguments *arguments, bool *is, struct tw_error *error);

/* Takes the files in, or none of them; tells what came of it. `path` names the database. */
tw_status db_import_results_file(const struct arguments *arguments, const char *path,
                                 struct tw_error *error);
/* Writes a run in the --format given, which is not ours. */
tw_status db_export_results_file(const struct arguments *arguments, const char *path,
                                 struct tw_error *error);

#endif
