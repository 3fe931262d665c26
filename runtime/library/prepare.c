/* Making many plans at once: threads take requests in turn. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/library/library.h"

enum { MAX_THREADS = 64 };

struct batch {
    tw_library *library;
    const char *requests; /* as far apart as the caller's structs are large */
    size_t size, count;
    const tw_plan **plans; /* may be NULL */
    tw_error *errors;
    atomic_size_t next, failed;
};

static const tw_request *request_at(const struct batch *batch, size_t i) {
    return (const tw_request *)(batch->requests + i * batch->size);
}

static void *make_plans(void *context) {
    struct batch *batch = context;
    for (size_t i; (i = atomic_fetch_add(&batch->next, 1)) < batch->count;) {
        const tw_plan *plan;
        tw_error *error = &batch->errors[i];
        *error = (tw_error){.status = TW_OK};
        if (tw_plan_create(&plan, batch->library, request_at(batch, i), error) != TW_OK)
            atomic_fetch_add(&batch->failed, 1);
        if (batch->plans != NULL)
            batch->plans[i] = plan;
    }
    return NULL;
}

/* The calling thread is one of them, so that none that cannot be started is missed. */
static void run_threads(struct batch *batch, int threads) {
    pthread_t ids[MAX_THREADS];
    int started = 0;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int wanted = threads > 0                                  ? threads
                 : processors > 0 && processors < MAX_THREADS ? (int)processors
                                                              : MAX_THREADS;
    if ((size_t)wanted > batch->count)
        wanted = (int)batch->count;
    /* The application's signal handlers are not to run in threads that it knows nothing of. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started + 1 < wanted && started < MAX_THREADS &&
           pthread_create(&ids[started], NULL, make_plans, batch) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    make_plans(batch);
    while (started > 0)
        pthread_join(ids[--started], NULL);
}

static tw_status check_sizes(const struct batch *batch, tw_error *error) {
    for (size_t i = 0; i < batch->count; i++)
        if (batch->size == 0 || request_at(batch, i)->size != batch->size)
            return tw_fail(error, TW_INVALID,
                           "tw_prepare: the size of requests[%zu] is %zu; set it to "
                           "sizeof(tw_request) in each",
                           i, request_at(batch, i)->size);
    return TW_OK;
}

static tw_status report(const struct batch *batch, tw_error *error) {
    size_t first = 0;
    while (batch->errors[first].status == TW_OK)
        first++;
    const char *kernel = request_at(batch, first)->kernel;
    return tw_fail(error, batch->errors[first].status,
                   "%zu of %zu plans could not be made; the first is requests[%zu], of %.40s: %s",
                   (size_t)batch->failed, batch->count, first,
                   kernel != NULL ? kernel : "no kernel", batch->errors[first].message);
}

tw_status tw_prepare(tw_library *library, const tw_request *requests, size_t count, int threads,
                     const tw_plan **plans, tw_error *errors, tw_error *error) {
    if (count == 0)
        return TW_OK;
    struct batch batch = {.library = library,
                          .requests = (const char *)requests,
                          .size = requests[0].size,
                          .count = count,
                          .plans = plans,
                          .errors = errors};
    for (size_t i = 0; i < count; i++) {
        if (plans != NULL)
            plans[i] = NULL;
        if (errors != NULL)
            errors[i] = (tw_error){.status = TW_INVALID};
    }
    tw_status status = check_sizes(&batch, error);
    if (status != TW_OK)
        return status;
    if (threads < 0)
        return tw_fail(error, TW_INVALID, "tw_prepare: threads is %d; it must not be negative",
                       threads);
    tw_error *own = errors == NULL ? calloc(count, sizeof *own) : NULL;
    if (errors == NULL && own == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (own != NULL)
        batch.errors = own;
    run_threads(&batch, threads);
    status = batch.failed > 0 ? report(&batch, error) : TW_OK;
    free(own);
    return status;
}
