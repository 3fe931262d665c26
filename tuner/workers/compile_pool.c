#include "tuner/workers/compile_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/workers/assignment.h"
#include "runtime/base/clock.h"
#include "tuner/workers/process.h"
#include "tuner/workers/trial_status.h"

struct slot {
    struct worker worker;
    bool busy;
    uint64_t id;
    double deadline;
};

struct compile_pool {
    struct tw_problem problem; /* borrows the description */
    struct message assignment;
    double timeout_s;
    int busy;
    int count;
    struct slot slots[];
};

void compiled_free(struct compiled *compiled) {
    message_free(&compiled->binaries);
}

static tw_status start(struct compile_pool *pool, struct slot *slot, struct tw_error *error) {
    slot->busy = false;
    tw_status status = worker_start(&slot->worker, "compile-worker", error);
    if (status == TW_OK)
        status = message_send(slot->worker.fd, &pool->assignment, error);
    return status;
}

tw_status compile_pool_create(struct compile_pool **out, const struct tw_problem *problem,
                              const struct tw_device_info *device, int workers, double timeout_s,
                              struct tw_error *error) {
    *out = NULL;
    struct compile_pool *pool = calloc(1, sizeof *pool + (size_t)workers * sizeof *pool->slots);
    if (pool == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    pool->problem = *problem;
    pool->timeout_s = timeout_s;
    pool->assignment = assignment_message("assignment", problem, device);
    tw_status status = TW_OK;
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
    for (int i = 0; i < pool->count; i++)
        worker_end(&pool->slots[i].worker, NULL, 0);
    message_free(&pool->assignment);
    free(pool);
}

int compile_pool_busy(const struct compile_pool *pool) {
    return pool->busy;
}

int compile_pool_size(const struct compile_pool *pool) {
    return pool->count;
}

tw_status compile_pool_submit(struct compile_pool *pool, uint64_t id,
                              const struct tw_configuration *configuration,
                              struct tw_error *error) {
    int i = 0;
    while (i < pool->count && pool->slots[i].busy)
        i++;
    if (i == pool->count)
        return tw_fail(error, TW_INVALID, "no compiling worker is free");
    struct slot *slot = &pool->slots[i];
    struct message request = message_new("compile");
    cJSON_AddNumberToObject(request.json, "id", (double)id);
    assignment_add_variant(&request, pool->problem.description, configuration);
    /* A worker that died while idle shows only now. */
    tw_status status = message_send(slot->worker.fd, &request, error);
    if (status == TW_IO) {
        worker_end(&slot->worker, NULL, 0);
        status = start(pool, slot, error);
        if (status == TW_OK)
            status = message_send(slot->worker.fd, &request, error);
    }
    message_free(&request);
    if (status != TW_OK)
        return status;
    slot->busy = true;
    slot->id = id;
    slot->deadline = tw_clock_now() + pool->timeout_s;
    pool->busy++;
    return TW_OK;
}

int compile_pool_fds(const struct compile_pool *pool, struct pollfd *fds) {
    int count = 0;
    for (int i = 0; i < pool->count; i++)
        if (pool->slots[i].busy)
            fds[count++] = (struct pollfd){.fd = pool->slots[i].worker.fd, .events = POLLIN};
    return count;
}

static void read_answer(struct message *answer, struct compiled *compiled) {
    compiled->status = trial_status_parse(message_text(answer, "status", ""));
    snprintf(compiled->message, sizeof compiled->message, "%s",
             message_text(answer, "message", ""));
    compiled->compile_ms = message_number(answer, "compile_ms", 0);
    compiled->has_resources = message_number(answer, "registers", -1) >= 0;
    compiled->registers = (int64_t)message_number(answer, "registers", 0);
    compiled->spill_bytes = (int64_t)message_number(answer, "spill_bytes", 0);
    compiled->binaries = *answer;
    *answer = (struct message){0};
}

static bool readable(int fd) {
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

bool compile_pool_take(struct compile_pool *pool, struct compiled *compiled,
                       struct tw_error *error) {
    for (int i = 0; i < pool->count; i++) {
        struct slot *slot = &pool->slots[i];
        if (!slot->busy)
            continue;
        bool late = tw_clock_now() > slot->deadline;
        if (!late && !readable(slot->worker.fd))
            continue;
        *compiled = (struct compiled){.id = slot->id};
        slot->busy = false;
        pool->busy--;
        struct message answer = {0};
        if (!late && message_receive(slot->worker.fd, &answer, error) == TW_OK) {
            read_answer(&answer, compiled);
            return true;
        }
        char how[128];
        worker_end(&slot->worker, how, sizeof how);
        compiled->status = late ? TW_DB_TRIAL_COMPILE_TIMEOUT : TW_DB_TRIAL_CRASH;
        if (late)
            snprintf(compiled->message, sizeof compiled->message,
                     "the compiler did not finish within %g s", pool->timeout_s);
        else
            snprintf(compiled->message, sizeof compiled->message, "the compiler was %s", how);
        /* If no replacement starts, the next submit to this slot says why. */
        start(pool, slot, error);
        return true;
    }
    return false;
}
