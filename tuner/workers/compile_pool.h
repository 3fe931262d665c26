/* The compiling workers as the coordinator sees them: a number of slots that take variants and give
 * back binaries, or a status when a source does not compile, takes too long or takes its compiler
 * down.
 *
 * Several sessions may share them, each through a pool of its own: a pool belongs to one thread at
 * a time, and hands its owner nothing that another pool was given. */
#ifndef TUNER_WORKERS_COMPILE_POOL_H
#define TUNER_WORKERS_COMPILE_POOL_H

#include <poll.h>

#include "db/store.h"
#include "runtime/variant/executable.h"
#include "tuner/workers/protocol.h"

struct compile_pool;

/* Starts `workers` processes. The device is copied into their assignment: more of a run they need
 * not know. */
tw_status compile_pool_create(struct compile_pool **out, const struct tw_device_info *device,
                              int workers, double timeout_s, struct tw_error *error);
/* Another pool on the same workers, for devices like that of the first. */
tw_status compile_pool_share(struct compile_pool *pool, struct compile_pool **out,
                             struct tw_error *error);
/* What is being compiled for the pool is dropped when it is done; the last pool of the workers ends
 * them, whatever they are doing. */
void compile_pool_free(struct compile_pool *pool);

/* Variants handed in through this pool and not yet taken. */
int compile_pool_busy(const struct compile_pool *pool);
int compile_pool_size(const struct compile_pool *pool); /* workers */
/* The pool's share of them: as many fall to each that asks, at least one. */
int compile_pool_portion(struct compile_pool *pool);
/* Whether no more can be handed in for now: all workers are busy, or one of them died and its
 * variant waits for the others, to be tried again alone. A pool that is told so while it has less
 * than its portion is the next to get a worker: pools with more leave theirs. */
bool compile_pool_full(struct compile_pool *pool);
/* What was told that it is full wants nothing now, and no worker is left for it. */
void compile_pool_rest(struct compile_pool *pool);
/* Hands sources to a free worker; the pool must not be full. `sources` has a text a launch,
 * `hashes` the hash of each (tw_executable_source): launches that another variant had before are
 * not compiled again. NULL: they are not known. */
tw_status compile_pool_submit(struct compile_pool *pool, uint64_t id,
                              const struct tw_executable *executable, const struct tw_text *sources,
                              const char hashes[][TW_HASH_SIZE], struct tw_error *error);
/* Launches of this pool's variants that were not compiled again. */
int64_t compile_pool_shared(const struct compile_pool *pool);
/* Descriptors to poll for POLLIN, at most compile_pool_size of them; returns how many. */
int compile_pool_fds(const struct compile_pool *pool, struct pollfd *fds);
/* Takes one finished variant without waiting; *taken is false when none is finished. Also notices
 * workers that died or are past their limit, and replaces them; fails when no worker can be had. A
 * variant over which a worker died is tried again with no other beside it, so that memory that ran
 * out is not laid at the wrong door; it is a crash when that brings death too
 * (WORKER_VERDICT). */
tw_status compile_pool_take(struct compile_pool *pool, struct compiled *compiled, bool *taken,
                            struct tw_error *error);

#endif
