/* Making many plans at once: threads take requests in turn. */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/library/plan_create.h"
#include "runtime/library/sized.h"
#include "runtime/library/sizes.h"

enum { MAX_THREADS = 64, MOST_OF_RANGES = 1000000 };

struct batch {
    tw_library *library;
    /* Fills in request `i`; `requests` or `ranges` are as far apart as the caller's structs are
     * large. */
    void (*read)(const struct batch *batch, size_t i, tw_request *request);
    const char *requests, *ranges;
    size_t size, count;
    const tw_plan **plans; /* NULL: they are held for good, or not at all */
    bool hold;
    tw_error *errors; /* may be NULL */
    atomic_size_t next, failed;
    pthread_mutex_t lock; /* of what follows */
    size_t first_failed;
    tw_error first_error;
};

static void keep_failure(struct batch *batch, size_t i, const tw_error *error) {
    pthread_mutex_lock(&batch->lock);
    if (batch->failed == 0 || i < batch->first_failed) {
        batch->first_failed = i;
        batch->first_error = *error;
    }
    batch->failed++;
    pthread_mutex_unlock(&batch->lock);
}

static void *make_plans(void *context) {
    struct batch *batch = context;
    for (size_t i; (i = atomic_fetch_add(&batch->next, 1)) < batch->count;) {
        const tw_plan *plan;
        tw_request request;
        tw_error error = {.status = TW_OK};
        batch->read(batch, i, &request);
        if (tw_plan_create(&plan, batch->library, &request, &error) != TW_OK)
            keep_failure(batch, i, &error);
        if (batch->errors != NULL)
            batch->errors[i] = error;
        if (batch->plans != NULL)
            batch->plans[i] = plan;
        else if (!batch->hold)
            tw_plan_release(plan);
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

static void read_one(const void *context, size_t i, tw_request *request) {
    const struct batch *batch = context;
    batch->read(batch, i, request);
}

/* Threads that began with one shape each would compile for each what is the best there. So it is
 * settled first which binaries there will be: for sizes of one dimension all together, then one
 * request after the other, and the first may know that there are others; what cannot be is told of
 * when the plan is made. */
static void make_all(struct batch *batch, int threads) {
    pthread_mutex_init(&batch->lock, NULL);
    if (batch->count > 1) {
        const struct tw_sizes sizes = {read_one, batch, batch->count};
        tw_request last;
        tw_sizes_settle(batch->library, &sizes);
        batch->read(batch, batch->count - 1, &last);
        tw_plan_expect(batch->library, &last);
    }
    for (size_t i = 0; i < batch->count && batch->count > 1; i++) {
        tw_request request;
        batch->read(batch, i, &request);
        tw_plan_settle(batch->library, &request);
    }
    run_threads(batch, threads);
    pthread_mutex_destroy(&batch->lock);
}

static tw_status check_threads(const char *call, int threads, tw_error *error) {
    return threads >= 0 ? TW_OK
                        : tw_fail(error, TW_INVALID, "%s: threads is %d; it must not be negative",
                                  call, threads);
}

/* ---- Lists ---- */

static const tw_request *request_at(const struct batch *batch, size_t i) {
    return (const tw_request *)(batch->requests + i * batch->size);
}

static void read_request(const struct batch *batch, size_t i, tw_request *request) {
    (void)tw_sized_read(&tw_sized_request, request, request_at(batch, i), NULL); /* it was before */
}

static tw_status check_sizes(const struct batch *batch, tw_error *error) {
    for (size_t i = 0; i < batch->count; i++)
        if (batch->size == 0 || request_at(batch, i)->size != batch->size)
            return tw_fail(error, TW_INVALID,
                           "tw_prepare: the size of requests[%zu] is %zu; set it to "
                           "sizeof(tw_request) in each",
                           i, request_at(batch, i)->size);
    tw_request first;
    return tw_sized_read(&tw_sized_request, &first, batch->requests, error);
}

tw_status tw_prepare(tw_library *library, const tw_request *requests, size_t count, int threads,
                     const tw_plan **plans, tw_error *errors, tw_error *error) {
    if (count == 0)
        return TW_OK;
    if (requests == NULL)
        return tw_fail(error, TW_INVALID, "tw_prepare: the array of requests is NULL");
    struct batch batch = {.library = library,
                          .read = read_request,
                          .requests = (const char *)requests,
                          .size = requests[0].size,
                          .count = count,
                          .plans = plans,
                          .hold = true,
                          .errors = errors};
    for (size_t i = 0; i < count; i++) {
        if (plans != NULL)
            plans[i] = NULL;
        if (errors != NULL)
            errors[i] = (tw_error){.status = TW_INVALID};
    }
    tw_status status = tw_library_given(library, error);
    if (status == TW_OK)
        status = check_sizes(&batch, error);
    if (status == TW_OK)
        status = check_threads("tw_prepare", threads, error);
    if (status != TW_OK)
        return status;
    make_all(&batch, threads);
    if (batch.failed == 0)
        return TW_OK;
    const char *kernel = request_at(&batch, batch.first_failed)->kernel;
    return tw_fail(error, batch.first_error.status,
                   "%zu of %zu plans could not be made; the first is requests[%zu], of %.40s: %s",
                   (size_t)batch.failed, count, batch.first_failed,
                   kernel != NULL ? kernel : "no kernel", batch.first_error.message);
}

/* ---- Ranges ---- */

static tw_range range_at(const struct batch *batch, size_t i) {
    tw_range range;
    memcpy(&range, batch->ranges + i * batch->size, sizeof range);
    if (range.step == 0)
        range.step = 1;
    return range;
}

static size_t values_of(const tw_range *range) {
    return (size_t)((range->to - range->from) / range->step) + 1;
}

/* Which range the request `i` is of, and its value there. */
static size_t find_value(const struct batch *batch, size_t i, int64_t *value) {
    size_t at = 0;
    tw_range range = range_at(batch, 0);
    while (i >= values_of(&range)) {
        i -= values_of(&range);
        range = range_at(batch, ++at);
    }
    *value = range.from + (int64_t)i * range.step;
    return at;
}

static void read_value(const struct batch *batch, size_t i, tw_request *request) {
    int64_t value;
    const tw_range range = range_at(batch, find_value(batch, i, &value));
    (void)tw_sized_read(&tw_sized_request, request, range.request, NULL); /* it was before */
    request->dimensions[range.dimension] = value;
}

static tw_status check_range(const struct batch *batch, size_t i, tw_error *error) {
    tw_request request;
    size_t size;
    memcpy(&size, batch->ranges + i * batch->size, sizeof size);
    if (size != batch->size || size < sizeof(tw_range))
        return tw_fail(error, TW_INVALID, "the size is %zu; set it to sizeof(tw_range) in each",
                       size);
    const tw_range range = range_at(batch, i);
    if (range.request == NULL)
        return tw_fail(error, TW_INVALID, "the request is NULL");
    if (range.dimension < 0 || range.dimension >= TW_REQUEST_DIMENSIONS)
        return tw_fail(error, TW_INVALID, "the dimension is %d; it counts from 0 to %d",
                       range.dimension, TW_REQUEST_DIMENSIONS - 1);
    if (range.from < 1 || range.to < range.from || range.to > INT32_MAX || range.step < 1)
        return tw_fail(error, TW_INVALID,
                       "from %" PRId64 " to %" PRId64 " by %" PRId64
                       " is no range of sizes from 1 to %d",
                       range.from, range.to, range.step, INT32_MAX);
    return tw_sized_read(&tw_sized_request, &request, range.request, error);
}

tw_status tw_prepare_ranges(tw_library *library, const tw_range *ranges, size_t count, int threads,
                            tw_error *error) {
    if (ranges == NULL && count > 0)
        return tw_fail(error, TW_INVALID, "tw_prepare_ranges: the array of ranges is NULL");
    struct batch batch = {.library = library,
                          .read = read_value,
                          .ranges = (const char *)ranges,
                          .size = count > 0 ? ranges[0].size : 0};
    tw_status status = tw_library_given(library, error);
    if (status == TW_OK)
        status = check_threads("tw_prepare_ranges", threads, error);
    for (size_t i = 0; i < count && status == TW_OK; i++) {
        status = check_range(&batch, i, error);
        if (status != TW_OK)
            return tw_fail_within(error, status, "tw_prepare_ranges: ranges[%zu]", i);
        const tw_range range = range_at(&batch, i);
        batch.count += values_of(&range);
        if (batch.count > MOST_OF_RANGES)
            status = tw_fail(error, TW_INVALID,
                             "tw_prepare_ranges: these are more than %d shapes; take larger steps",
                             MOST_OF_RANGES);
    }
    if (status != TW_OK || batch.count == 0)
        return status;
    make_all(&batch, threads);
    if (batch.failed == 0)
        return TW_OK;
    int64_t value;
    size_t at = find_value(&batch, batch.first_failed, &value);
    const char *kernel = range_at(&batch, at).request->kernel;
    return tw_fail(error, batch.first_error.status,
                   "%zu of %zu plans could not be made; the first is ranges[%zu] at %" PRId64
                   ", of %.40s: %s",
                   (size_t)batch.failed, batch.count, at, value,
                   kernel != NULL ? kernel : "no kernel", batch.first_error.message);
}
