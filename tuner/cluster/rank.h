/* A rank at work: one device, one problem at a time, tuned by a `tune` of its own into the rank's
 * own database. A `tune` that dies is started again and goes on where it was. */
#ifndef TUNER_CLUSTER_RANK_H
#define TUNER_CLUSTER_RANK_H

#include "runtime/backend/backend.h"
#include "tuner/cluster/child.h"
#include "tuner/cluster/post.h"

/* POST_START says what the command line said: {words: [what each tune is started with], id: of the
 * job's databases, began_at: of the job, directory: for them, device, devices, jobs: whether they
 * are among the words, lost_after: seconds}. */

enum rank_activity { RANK_BEGINS, RANK_IDLE, RANK_BUSY, RANK_TAKES_NO_PART, RANK_IS_OVER };

struct rank {
    struct post *post;
    enum rank_activity activity;
    bool lost; /* once over: some rank cannot be waited for */
    struct tw_device_info device;
    cJSON *start;
    char host[64];
    struct tw_text path; /* of its database */
    int jobs;            /* 0: the words say */

    cJSON *task;
    int problem;
    struct child child;
    int barren;            /* times that tune died over it with nothing new recorded, in a row */
    int64_t trials_before; /* recorded when it was started */
    double alive_next, heard_at; /* of rank 0 */
    double silence_s;            /* after which rank 0 is taken for gone */
};

void rank_begin(struct rank *rank, struct post *post);
/* A message for the rank. */
void rank_take(struct rank *rank, int from, enum post_kind kind, const char *text);
/* Whatever there is to do, without waiting. */
void rank_step(struct rank *rank);
void rank_end(struct rank *rank);

#endif
