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
/* Kills it if it still runs, waits for it, and says in `how` (may be NULL) what became of it, as in
 * "killed by signal 11 (Segmentation fault)". */
void worker_end(struct worker *worker, char *how, size_t size);

/* In the worker: the descriptor that connects it to its coordinator. */
enum { WORKER_FD = 3 };

#endif
