/* What a job on a cluster has done, in a file beside its results: "RESULTS.db.mpi". A job that was
 * killed goes on from there; one that is through removes it.
 *
 * A line a problem that is done, written as soon as its result is in the database. Lines that were
 * cut short by a crash are passed over. */
#ifndef TUNER_CLUSTER_JOURNAL_H
#define TUNER_CLUSTER_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"

struct journal;

/* Goes on with the job of the same `command`, or begins one, in place of another's if there is one:
 * *other is set then. `visit` is told of what is done. The caller frees *out. */
tw_status journal_open(struct journal **out, const char *results, const char *command, bool *other,
                       void (*visit)(void *context, const char *fingerprint, const char *problem),
                       void *context, struct tw_error *error);
/* When the job began, in seconds since 1970. */
int64_t journal_began_at(const struct journal *journal);
/* The problem is done: on the disk when this returns. */
tw_status journal_add(struct journal *journal, const char *fingerprint, const char *problem,
                      struct tw_error *error);
/* Closes it; a job that is `complete` leaves no file. */
void journal_close(struct journal *journal, bool complete);

#endif
