#include "tuner/workers/compile_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "tuner/workers/process.h"

/* A variant handed in. */
struct job {
    uint64_t id;
    struct message request;
    int deaths; /* of workers, over it */
    int blame;  /* for them */
};

struct slot {
    struct worker worker;
    bool busy;
    struct job job;
    double deadline;
};

struct compile_pool {
    struct message assignment;
    double timeout_s;
    int busy;          /* slots */
    int waiting;       /* jobs to be tried again, alone */
    struct job *again; /* room for one a slot */
    bool alone;        /* one of those is being compiled */
    int count;
    struct slot slots[];
};

static tw_status start(struct compile_pool *pool, struct slot *slot, struct tw_error *error) {
    tw_status status = worker_start(&slot->worker, "compile-worker", error);
    if (status == TW_OK)
        status = message_send(slot->worker.fd, &pool->assignment, error);
    /* If it has died already, what it is given next finds it so. */
    return status == TW_IO && slot->worker.pid != 0 ? TW_OK : status;
}

tw_status compile_pool_create(struct compile_pool **out, const struct tw_device_info *device,
                              int workers, double timeout_s, struct tw_error *error) {
    *out = NULL;
    struct compile_pool *pool = calloc(1, sizeof *pool + (size_t)workers * sizeof *pool->slots);
    if (pool == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    pool->timeout_s = timeout_s;
    pool->assignment = compile_assignment_pack(device);
    pool->again = calloc((size_t)workers, sizeof *pool->again);
    tw_status status = pool->again != NULL ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < workers && status == TW_OK; i++) {
        status = start(pool, &pool->slots[i], error);
        pool->count++;
    }
    if (status != TW_OK) {
        compile_pool_free(pool);
        return status;
    }
    *out = pool;
    return TW_OK;
}

void compile_pool_free(struct compile_pool *pool) {
    if (pool == NULL)
        return;
    for (int i = 0; i < pool->count; i++) {
        worker_stop(&pool->slots[i].worker, NULL);
        message_free(&pool->slots[i].job.request);
    }
    for (int i = 0; i < pool->waiting; i++)
        message_free(&pool->again[i].request);
    free(pool->again);
    message_free(&pool->assignment);
    free(pool);
}

int compile_pool_busy(const struct compile_pool *pool) {
    return pool->busy + pool->waiting;
}

int compile_pool_size(const struct compile_pool *pool) {
    return pool->count;
}

bool compile_pool_full(const struct compile_pool *pool) {
    return pool->busy == pool->count || pool->waiting > 0 || pool->alone;
}

/* The job is the slot's from here on, also when this fails. */
static tw_status hand_over(struct compile_pool *pool, struct slot *slot, const struct job *job,
                           struct tw_error *error) {
    slot->job = *job;
    slot->busy = true;
    pool->busy++;
    slot->deadline = tw_clock_now() + pool->timeout_s;
    tw_status status = message_send(slot->worker.fd, &slot->job.request, error);
    if (status != TW_IO)
        return status;
    /* A worker that died while idle shows only now. */
    worker_stop(&slot->worker, NULL);
    status = start(pool, slot, error);
    if (status == TW_OK)
        status = message_send(slot->worker.fd, &slot->job.request, error);
    /* The next take finds one that is killed as soon as it is started. */
    return status == TW_IO && slot->worker.pid != 0 ? TW_OK : status;
}

static struct slot *free_slot(struct compile_pool *pool) {
    for (int i = 0; i < pool->count; i++)
        if (!pool->slots[i].busy)
            return &pool->slots[i];
    return NULL;
}

tw_status compile_pool_submit(struct compile_pool *pool, uint64_t id,
                              const struct tw_executable *executable, const struct tw_text *sources,
                              struct tw_error *error) {
    if (compile_pool_full(pool))
        return tw_fail(error, TW_INVALID, "no compiling worker is free");
    const struct job job = {.id = id, .request = compile_request_pack(id, executable, sources)};
    return hand_over(pool, free_slot(pool), &job, error);
}

int compile_pool_fds(const struct compile_pool *pool, struct pollfd *fds) {
    int count = 0;
    for (int i = 0; i < pool->count; i++)
        if (pool->slots[i].busy)
            fds[count++] = (struct pollfd){.fd = pool->slots[i].worker.fd, .events = POLLIN};
    return count;
}

static bool readable(int fd) {
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

/* The slot's worker is gone. Its variant gets another try, or its verdict; then *taken is set. */
static tw_status lose_worker(struct compile_pool *pool, struct slot *slot, bool late,
                             struct compiled *compiled, bool *taken, struct tw_error *error) {
    struct worker_end end;
    worker_stop(&slot->worker, &end);
    slot->job.deaths++;
    slot->job.blame += worker_blame(&end);
    *taken = late || slot->job.blame >= WORKER_VERDICT;
    if (!*taken) {
        pool->again[pool->waiting++] = slot->job;
        slot->job = (struct job){0};
    } else if (late) {
        compiled->status = TW_DB_TRIAL_COMPILE_TIMEOUT;
        snprintf(compiled->message, sizeof compiled->message,
                 "the compiler did not finish within %g s", pool->timeout_s);
    } else {
        compiled->status = end.no_memory ? TW_DB_TRIAL_RESOURCE : TW_DB_TRIAL_CRASH;
        snprintf(compiled->message, sizeof compiled->message, "the compiler was %s, %d times",
                 end.words, slot->job.deaths);
    }
    return start(pool, slot, error);
}

static tw_status look_at(struct compile_pool *pool, struct slot *slot, struct compiled *compiled,
                         bool *taken, struct tw_error *error) {
    bool late = tw_clock_now() > slot->deadline;
    if (!late && !readable(slot->worker.fd))
        return TW_OK;
    *compiled = (struct compiled){.id = slot->job.id};
    slot->busy = false;
    pool->busy--;
    pool->alone = false;
    struct message answer = {0};
    tw_status status = TW_OK;
    *taken = !late && message_receive(slot->worker.fd, &answer, error) == TW_OK;
    if (*taken)
        compiled_unpack(&answer, compiled);
    else
        status = lose_worker(pool, slot, late, compiled, taken, error);
    message_free(&slot->job.request);
    return status;
}

/* One at a time, when nothing else is being compiled. */
static tw_status try_again(struct compile_pool *pool, struct tw_error *error) {
    if (pool->waiting == 0 || pool->busy > 0)
        return TW_OK;
    struct job job = pool->again[--pool->waiting];
    pool->alone = true;
    return hand_over(pool, &pool->slots[0], &job, error);
}

tw_status compile_pool_take(struct compile_pool *pool, struct compiled *compiled, bool *taken,
                            struct tw_error *error) {
    tw_status status = TW_OK;
    *taken = false;
    for (int i = 0; i < pool->count && !*taken && status == TW_OK; i++)
        if (pool->slots[i].busy)
            status = look_at(pool, &pool->slots[i], compiled, taken, error);
    return status == TW_OK ? try_again(pool, error) : status;
}
