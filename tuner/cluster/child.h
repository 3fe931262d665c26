/* The program `tune` in a process of its own, for a rank: a crash of tuning is not the rank's. It
 * dies with the rank. */
#ifndef TUNER_CLUSTER_CHILD_H
#define TUNER_CLUSTER_CHILD_H

#include <sys/types.h>

#include "runtime/base/error.h"
#include "runtime/base/text.h"

struct child {
    pid_t pid; /* 0: none */
    int out, err;
    struct tw_text said;           /* on standard output */
    char complaint[TW_ERROR_SIZE]; /* the last line on standard error, without "tune: " */
    size_t complaint_length;
};

/* Starts `tune`, which lies beside this program; `words` begin with its name and end with NULL. */
tw_status child_start(struct child *child, char *const *words, struct tw_error *error);
/* Takes what it has said, without waiting. Whether it has ended: then *end is as waitpid's. */
bool child_step(struct child *child, int *end);
/* Kills it, if there is one, and forgets what it said. */
void child_stop(struct child *child);

#endif
