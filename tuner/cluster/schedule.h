/* Which rank has which problem: every kind of device tunes every problem once. Ranks come, fail and
 * are lost; what they had goes to others. Knows nothing of messages. */
#ifndef TUNER_CLUSTER_SCHEDULE_H
#define TUNER_CLUSTER_SCHEDULE_H

#include <stdbool.h>

#include "runtime/base/error.h"

struct schedule;

enum { SCHEDULE_NONE = -1, SCHEDULE_MOST_KINDS = 64 };

/* The caller frees *out. */
tw_status schedule_create(struct schedule **out, int problems, int ranks, struct tw_error *error);
void schedule_free(struct schedule *schedule);

/* The number of a kind of device, by what tells it from others; a new one has all problems open.
 * SCHEDULE_NONE: there are too many, or no memory. */
int schedule_kind(struct schedule *schedule, const char *fingerprint);
const char *schedule_fingerprint(const struct schedule *schedule, int kind);
int schedule_kinds(const struct schedule *schedule);

/* A rank that works on a device of a kind. */
void schedule_join(struct schedule *schedule, int rank, int kind);
/* The rank has a part of a problem, and gets it before others do. */
void schedule_prefer(struct schedule *schedule, int rank, int problem);
/* The rank never joins, or is lost: what it had is open again. */
void schedule_leave(struct schedule *schedule, int rank);

/* A problem for a rank that has none: SCHEDULE_NONE when there is none now. */
int schedule_next(struct schedule *schedule, int rank);
/* What the rank has; SCHEDULE_NONE: nothing. */
int schedule_held(const struct schedule *schedule, int rank);
/* The problem is done, whoever has it. */
void schedule_done(struct schedule *schedule, int kind, int problem);
bool schedule_is_done(const struct schedule *schedule, int kind, int problem);
/* The rank could not do what it has: another may try it. Returns whether one will. */
bool schedule_failed(struct schedule *schedule, int rank);

/* How many are done, and how many have failed for good, of `schedule_total`. */
int schedule_count_done(const struct schedule *schedule);
int schedule_count_failed(const struct schedule *schedule);
int schedule_total(const struct schedule *schedule);
/* Nothing is open or under way, or nobody is left for it. */
bool schedule_over(const struct schedule *schedule);

#endif
