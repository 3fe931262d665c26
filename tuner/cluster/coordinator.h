/* Rank 0's other task: what there is to do, who does it, and one database of what all have found.
 */
#ifndef TUNER_CLUSTER_COORDINATOR_H
#define TUNER_CLUSTER_COORDINATOR_H

#include "tuner/cluster/post.h"
#include "tuner/commands/arguments.h"

struct coordinator;

/* Checks the whole command line, opens the database, and takes up the job where an earlier one of
 * the same command stopped. The arguments are borrowed. The caller frees *out. */
tw_status coordinator_create(struct coordinator **out, const struct arguments *arguments,
                             struct post *post, struct tw_error *error);
void coordinator_free(struct coordinator *coordinator);

/* A message for it. TW_OK unless the job cannot go on. */
tw_status coordinator_take(struct coordinator *coordinator, int from, enum post_kind kind,
                           const char *text, struct tw_error *error);
/* Whatever there is to do, without waiting. */
void coordinator_step(struct coordinator *coordinator);
bool coordinator_is_over(const struct coordinator *coordinator);
/* Tells all that it is over and prints what there is to say at the end. Returns whether every
 * problem is done. */
bool coordinator_finish(struct coordinator *coordinator);

#endif
