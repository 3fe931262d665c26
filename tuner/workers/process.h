/* Worker processes: this program again, with a hidden subcommand and one end of a socket pair.
 *
 * A worker may crash, hang or lose its device; its owner then ends it and starts another. It dies
 * with its coordinator, however that ends. */
#ifndef TUNER_WORKERS_PROCESS_H
#define TUNER_WORKERS_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/base/error.h"

struct worker {
    pid_t pid; /* 0: none */
    int fd;    /* the coordinator's end */
};

/* Remembers the environment for workers. To be called first thing in main: libraries that are
 * loaded later may write to it (ocl-icd cuts OCL_ICD_FILENAMES at its first colon), and a worker
 * must find the devices that its coordinator found. */
void worker_keep_environment(void);

/* Starts `tune SUBCOMMAND`. The worker ignores SIGINT, which a terminal sends to the whole group:
 * the coordinator decides when to stop. */
tw_status worker_start(struct worker *worker, const char *subcommand, struct tw_error *error);

/* Whether it has said something, or its end is closed. Does not wait. */
bool worker_said(const struct worker *worker);

/* What became of a worker. */
struct worker_end {
    int signal;     /* that ended it; 0: it left by itself */
    bool no_memory; /* it left for lack of memory */
    char words[96]; /* "killed by signal 11 (Segmentation fault)" */
};

/* What a worker exits with whose process has no memory for its work: others may have it all. */
enum { WORKER_NO_MEMORY = 12 };

/* Kills it if it still runs, and waits for it. `end` may be NULL. */
void worker_stop(struct worker *worker, struct worker_end *end);

/* How much the death of a worker says against the work that it had. What crashes does so again:
 * two such deaths make a verdict. SIGKILL comes from outside, from a user or the out-of-memory
 * killer, and hits whoever is there, as does a lack of memory: it takes twice as many. */
enum { WORKER_VERDICT = 4 };
int worker_blame(const struct worker_end *end);

/* In the worker: the descriptor that connects it to its coordinator. */
enum { WORKER_FD = 3 };

/* In the worker, first thing. From now on the process ends as soon as the coordinator has closed
 * its end, whatever it is doing: the signal that a parent's death sends comes late where the parent
 * has a device to leave first. What the worker starts does not keep the connection open. */
void worker_begin(void);

#endif
