/* A rank's own database, on its machine's own disk: where it is, and what is in it. It stays when
 * the job is over: what was tried is known to the next. */
#ifndef TUNER_CLUSTER_LOCAL_H
#define TUNER_CLUSTER_LOCAL_H

#include <stdint.h>

#include <cjson/cJSON.h>

#include "runtime/base/error.h"
#include "runtime/base/text.h"

/* "DIRECTORY/ID-RANK.db"; the directory is made. `directory` NULL: tilewise-mpi-UID in TMPDIR, else
 * in /tmp. */
tw_status local_path(const char *directory, const char *id, int local_rank, struct tw_text *path,
                     struct tw_error *error);

/* The best rows of a database, as an export; a file that is not there has none. */
tw_status local_export(const char *path, struct tw_text *text, struct tw_error *error);
/* The same of every database of the job in the directory of `path`, each a text of the array: ranks
 * of an earlier job may have left theirs. */
tw_status local_export_all(const char *path, const char *id, cJSON *array, struct tw_error *error);

/* Trials that are recorded; 0 where they cannot be counted. */
int64_t local_trials(const char *path);
/* Appends the problems (by key) whose runs on a device have begun since `began_at`, or before and
 * never ended: to `finished` those that are done since, to `unfinished` the others. */
tw_status local_runs(const char *path, const char *fingerprint, int64_t began_at, cJSON *finished,
                     cJSON *unfinished, struct tw_error *error);

#endif
