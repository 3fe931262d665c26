#include "tuner/workers/compile_pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "tuner/workers/known_launches.h"
#include "tuner/workers/process.h"

/* A variant handed in. */
struct job {
    uint64_t id;
    const struct compile_pool *owner; /* NULL: nobody waits for it any more */
    struct message request;
    struct launch_keys keys;
    int deaths; /* of workers, over it */
    int blame;  /* for them */
};

struct slot {
    struct worker worker;
    bool busy;
    struct job job;
    double deadline;
};

struct compilers {
    pthread_mutex_t lock;       /* of all that follows */
    struct compile_pool *first; /* of those that share them */
    struct message assignment;
    double timeout_s;
    int busy;          /* slots */
    int waiting;       /* jobs to be tried again, alone */
    struct job *again; /* room for one a slot */
    bool alone;        /* one of those is being compiled */
    struct known_launches known;
    int count;
    struct slot slots[];
};

struct compile_pool {
    struct compilers *compilers;
    struct compile_pool *next; /* that shares them */
    bool takes_part;           /* it was asked about its share; one that is only shared was not */
    bool turned_away;          /* when it last asked for a worker */
    int64_t shared;            /* launches that were known */
    bool has_late;             /* another pool took the worker that it was to have: */
    struct job late;           /* it is the next to get one */
};

static tw_status start(struct compilers *all, struct slot *slot, struct tw_error *error) {
    tw_status status = worker_start(&slot->worker, "compile-worker", error);
    if (status == TW_OK)
        status = message_send(slot->worker.fd, &all->assignment, error);
    /* If it has died already, what it is given next finds it so. */
    return status == TW_IO && slot->worker.pid != 0 ? TW_OK : status;
}

static void end(struct compilers *all) {
    for (int i = 0; i < all->count; i++) {
        worker_stop(&all->slots[i].worker, NULL);
        message_free(&all->slots[i].job.request);
    }
    for (int i = 0; i < all->waiting; i++)
        message_free(&all->again[i].request);
    free(all->again);
    known_launches_free(&all->known);
    message_free(&all->assignment);
    pthread_mutex_destroy(&all->lock);
    free(all);
}

tw_status compile_pool_create(struct compile_pool **out, const struct tw_device_info *device,
                              int workers, double timeout_s, struct tw_error *error) {
    *out = NULL;
    struct compile_pool *pool = calloc(1, sizeof *pool);
    struct compilers *all = calloc(1, sizeof *all + (size_t)workers * sizeof *all->slots);
    if (pool == NULL || all == NULL) {
        free(pool);
        free(all);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    pool->compilers = all;
    pthread_mutex_init(&all->lock, NULL);
    all->first = pool;
    all->timeout_s = timeout_s;
    all->assignment = compile_assignment_pack(device);
    all->again = calloc((size_t)workers, sizeof *all->again);
    tw_status status = all->again != NULL ? TW_OK : tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < workers && status == TW_OK; i++) {
        status = start(all, &all->slots[i], error);
        all->count++;
    }
    if (status != TW_OK) {
        compile_pool_free(pool);
        return status;
    }
    *out = pool;
    return TW_OK;
}

tw_status compile_pool_share(struct compile_pool *pool, struct compile_pool **out,
                             struct tw_error *error) {
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    struct compilers *all = (*out)->compilers = pool->compilers;
    pthread_mutex_lock(&all->lock);
    (*out)->next = all->first;
    all->first = *out;
    pthread_mutex_unlock(&all->lock);
    return TW_OK;
}

/* Nobody waits for the pool's jobs any more. */
static void disown(struct compilers *all, const struct compile_pool *pool) {
    struct compile_pool **at = &all->first;
    while (*at != pool)
        at = &(*at)->next;
    *at = pool->next;
    for (int i = 0; i < all->count; i++)
        if (all->slots[i].job.owner == pool)
            all->slots[i].job.owner = NULL;
    int kept = 0;
    for (int i = 0; i < all->waiting; i++) {
        if (all->again[i].owner == pool)
            message_free(&all->again[i].request);
        else
            all->again[kept++] = all->again[i];
    }
    all->waiting = kept;
}

void compile_pool_free(struct compile_pool *pool) {
    if (pool == NULL)
        return;
    struct compilers *all = pool->compilers;
    pthread_mutex_lock(&all->lock);
    disown(all, pool);
    bool last = all->first == NULL;
    pthread_mutex_unlock(&all->lock);
    if (last)
        end(all);
    message_free(&pool->late.request);
    free(pool);
}

static int busy_for(const struct compilers *all, const struct compile_pool *pool) {
    int count = 0;
    for (int i = 0; i < all->count; i++)
        count += all->slots[i].busy && all->slots[i].job.owner == pool;
    return count;
}

int compile_pool_busy(const struct compile_pool *pool) {
    struct compilers *all = pool->compilers;
    int count = pool->has_late;
    pthread_mutex_lock(&all->lock);
    count += busy_for(all, pool);
    for (int i = 0; i < all->waiting; i++)
        count += all->again[i].owner == pool;
    pthread_mutex_unlock(&all->lock);
    return count;
}

int compile_pool_size(const struct compile_pool *pool) {
    return pool->compilers->count;
}

static int portion(const struct compilers *all) {
    int sharers = 0;
    for (const struct compile_pool *p = all->first; p != NULL; p = p->next)
        sharers += p->takes_part;
    return all->count > sharers && sharers > 0 ? all->count / sharers : 1;
}

int compile_pool_portion(struct compile_pool *pool) {
    pthread_mutex_lock(&pool->compilers->lock);
    pool->takes_part = true;
    int workers = portion(pool->compilers);
    pthread_mutex_unlock(&pool->compilers->lock);
    return workers;
}

static bool is_full(const struct compilers *all) {
    return all->busy == all->count || all->waiting > 0 || all->alone;
}

/* Whose variant is ready is the first to see that its worker is free, and would keep it for good.
 */
static bool has_to_leave_some(const struct compilers *all, const struct compile_pool *pool) {
    if (busy_for(all, pool) < portion(all))
        return false;
    for (const struct compile_pool *p = all->first; p != NULL; p = p->next)
        if (p != pool && p->turned_away && busy_for(all, p) < portion(all))
            return true;
    return false;
}

bool compile_pool_full(struct compile_pool *pool) {
    struct compilers *all = pool->compilers;
    pthread_mutex_lock(&all->lock);
    pool->takes_part = true;
    bool full = is_full(all) || pool->has_late || has_to_leave_some(all, pool);
    pool->turned_away = full;
    pthread_mutex_unlock(&all->lock);
    return full;
}

void compile_pool_rest(struct compile_pool *pool) {
    pthread_mutex_lock(&pool->compilers->lock);
    pool->turned_away = false;
    pthread_mutex_unlock(&pool->compilers->lock);
}

/* The job is the slot's from here on, also when this fails. */
static tw_status hand_over(struct compilers *all, struct slot *slot, const struct job *job,
                           struct tw_error *error) {
    slot->job = *job;
    slot->busy = true;
    all->busy++;
    slot->deadline = tw_clock_now() + all->timeout_s;
    tw_status status = message_send(slot->worker.fd, &slot->job.request, error);
    if (status != TW_IO)
        return status;
    /* A worker that died while idle shows only now. */
    worker_stop(&slot->worker, NULL);
    status = start(all, slot, error);
    if (status == TW_OK)
        status = message_send(slot->worker.fd, &slot->job.request, error);
    /* The next take finds one that is killed as soon as it is started. */
    return status == TW_IO && slot->worker.pid != 0 ? TW_OK : status;
}

static struct slot *free_slot(struct compilers *all) {
    for (int i = 0; i < all->count; i++)
        if (!all->slots[i].busy)
            return &all->slots[i];
    return NULL;
}

static tw_status hand_in(struct compile_pool *pool, const struct job *job, struct tw_error *error) {
    struct compilers *all = pool->compilers;
    const struct job one = *job;
    pool->has_late = is_full(all);
    pool->late = pool->has_late ? one : (struct job){0};
    return pool->has_late ? TW_OK : hand_over(all, free_slot(all), &one, error);
}

static tw_status submit(struct compile_pool *pool, uint64_t id, const struct tw_executable *x,
                        const struct tw_text *sources, const struct launch_keys *keys,
                        struct tw_error *error) {
    const struct tw_binary *known[TW_MAX_LAUNCHES];
    known_launches_find(&pool->compilers->known, keys, known);
    for (int i = 0; i < TW_MAX_LAUNCHES; i++)
        pool->shared += known[i] != NULL;
    const struct job job = {.id = id,
                            .owner = pool,
                            .request = compile_request_pack(id, x, sources, known),
                            .keys = *keys};
    return hand_in(pool, &job, error);
}

tw_status compile_pool_submit(struct compile_pool *pool, uint64_t id,
                              const struct tw_executable *executable, const struct tw_text *sources,
                              const char hashes[][TW_HASH_SIZE], struct tw_error *error) {
    struct launch_keys keys;
    if (pool->has_late)
        return tw_fail(error, TW_INVALID, "no compiling worker is free");
    tw_status status = launch_keys_of(executable, hashes, &keys, error);
    if (status != TW_OK)
        return status;
    pthread_mutex_lock(&pool->compilers->lock);
    status = submit(pool, id, executable, sources, &keys, error);
    pthread_mutex_unlock(&pool->compilers->lock);
    return status;
}

int64_t compile_pool_shared(const struct compile_pool *pool) {
    return pool->shared;
}

int compile_pool_fds(const struct compile_pool *pool, struct pollfd *fds) {
    struct compilers *all = pool->compilers;
    int count = 0;
    pthread_mutex_lock(&all->lock);
    for (int i = 0; i < all->count; i++)
        if (all->slots[i].busy && all->slots[i].job.owner == pool)
            fds[count++] = (struct pollfd){.fd = all->slots[i].worker.fd, .events = POLLIN};
    pthread_mutex_unlock(&all->lock);
    return count;
}

/* The slot's worker is gone. Its variant gets another try, or its verdict; then *taken is set. */
static tw_status lose_worker(struct compilers *all, struct slot *slot, bool late,
                             struct compiled *compiled, bool *taken, struct tw_error *error) {
    struct worker_end end;
    worker_stop(&slot->worker, &end);
    slot->job.deaths++;
    slot->job.blame += worker_blame(&end);
    *taken = late || slot->job.blame >= WORKER_VERDICT;
    if (!*taken && slot->job.owner != NULL) {
        all->again[all->waiting++] = slot->job;
        slot->job = (struct job){0};
    } else if (late) {
        compiled->status = TW_DB_TRIAL_COMPILE_TIMEOUT;
        snprintf(compiled->message, sizeof compiled->message,
                 "the compiler did not finish within %g s", all->timeout_s);
    } else {
        compiled->status = end.no_memory ? TW_DB_TRIAL_RESOURCE : TW_DB_TRIAL_CRASH;
        snprintf(compiled->message, sizeof compiled->message, "the compiler was %s, %d times",
                 end.words, slot->job.deaths);
    }
    return start(all, slot, error);
}

static tw_status look_at(struct compilers *all, struct slot *slot, struct compiled *compiled,
                         bool *taken, struct tw_error *error) {
    /* What has been said counts, however late it is looked at. */
    bool said = worker_said(&slot->worker), late = !said && tw_clock_now() > slot->deadline;
    if (!late && !said)
        return TW_OK;
    *compiled = (struct compiled){.id = slot->job.id};
    slot->busy = false;
    all->busy--;
    all->alone = false;
    struct message answer = {0};
    tw_status status = TW_OK;
    *taken = !late && message_receive(slot->worker.fd, &answer, error) == TW_OK;
    if (*taken) {
        compiled_unpack(&answer, compiled);
        status = known_launches_add(&all->known, &slot->job.keys, compiled, error);
        if (status != TW_OK)
            compiled_free(compiled);
    } else {
        status = lose_worker(all, slot, late, compiled, taken, error);
    }
    message_free(&slot->job.request);
    return status;
}

/* What nobody waits for makes room. */
static tw_status look_at_dropped(struct compilers *all, struct slot *slot, struct tw_error *error) {
    struct compiled compiled = {0};
    bool taken = false;
    tw_status status = look_at(all, slot, &compiled, &taken, error);
    if (taken)
        compiled_free(&compiled);
    return status;
}

/* One at a time, when nothing else is being compiled. */
static tw_status try_again(struct compilers *all, struct tw_error *error) {
    if (all->waiting == 0 || all->busy > 0)
        return TW_OK;
    struct job job = all->again[--all->waiting];
    all->alone = true;
    return hand_over(all, &all->slots[0], &job, error);
}

static tw_status take(struct compile_pool *pool, struct compiled *compiled, bool *taken,
                      struct tw_error *error) {
    struct compilers *all = pool->compilers;
    tw_status status = TW_OK;
    for (int i = 0; i < all->count && !*taken && status == TW_OK; i++) {
        struct slot *slot = &all->slots[i];
        if (slot->busy && slot->job.owner == pool)
            status = look_at(all, slot, compiled, taken, error);
        else if (slot->busy && slot->job.owner == NULL)
            status = look_at_dropped(all, slot, error);
    }
    if (status == TW_OK)
        status = try_again(all, error);
    return status == TW_OK && pool->has_late ? hand_in(pool, &pool->late, error) : status;
}

tw_status compile_pool_take(struct compile_pool *pool, struct compiled *compiled, bool *taken,
                            struct tw_error *error) {
    *taken = false;
    pthread_mutex_lock(&pool->compilers->lock);
    tw_status status = take(pool, compiled, taken, error);
    pthread_mutex_unlock(&pool->compilers->lock);
    return status;
}
