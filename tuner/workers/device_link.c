#include "tuner/workers/device_link.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "tuner/workers/process.h"

/* Filling large buffers and the reference's own compile and run take their time, on a CPU above
 * all. */
static const double START_SECONDS = 900;

struct device_link {
    struct worker worker;
    struct device_assignment assigned;
    struct message assignment; /* the same, packed for worker after worker */
    enum device_state state;
    double deadline;
    double limit_s, load_limit_s;
    bool loading;
    int replaced;
    int failed_starts; /* in a row */
    double failing_since;
    bool was_ready;        /* ever */
    struct worker_end end; /* of the last worker that was lost */
};

static tw_status start(struct device_link *link, struct tw_error *error) {
    link->state = DEVICE_STARTING;
    link->deadline = tw_clock_now() + START_SECONDS;
    tw_status status = worker_start(&link->worker, "device-worker", error);
    if (status == TW_OK)
        status = message_send(link->worker.fd, &link->assignment, error);
    /* If it has died already, the next take finds it so. */
    return status == TW_IO && link->worker.pid != 0 ? TW_OK : status;
}

static void assign(struct device_link *link, const struct tw_problem *problem) {
    message_free(&link->assignment);
    link->assigned.problem = *problem;
    link->assignment = device_assignment_pack(&link->assigned);
}

tw_status device_link_create(struct device_link **out, const struct tw_problem *problem,
                             const struct tw_device_info *device, const char *cache, uint32_t seed,
                             bool measures_errors, double load_limit_s, struct tw_error *error) {
    *out = NULL;
    struct device_link *link = calloc(1, sizeof *link);
    if (link == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    link->load_limit_s = load_limit_s;
    link->assigned = (struct device_assignment){
        .device = *device,
        .cache = strcmp(cache, cache_policy_name(CACHE_WARM)) == 0 ? CACHE_WARM : CACHE_COLD,
        .seed = seed,
        .measures_errors = measures_errors};
    assign(link, problem);
    tw_status status = start(link, error);
    if (status != TW_OK) {
        device_link_free(link);
        return status;
    }
    *out = link;
    return TW_OK;
}

tw_status device_link_assign(struct device_link *link, const struct tw_problem *problem,
                             struct tw_error *error) {
    assign(link, problem);
    link->state = DEVICE_STARTING;
    link->deadline = tw_clock_now() + START_SECONDS;
    tw_status status = message_send(link->worker.fd, &link->assignment, error);
    /* If it has died, the next take finds it so. */
    return status == TW_IO ? TW_OK : status;
}

void device_link_free(struct device_link *link) {
    if (link == NULL)
        return;
    worker_stop(&link->worker, NULL);
    message_free(&link->assignment);
    free(link);
}

enum device_state device_link_state(const struct device_link *link) {
    return link->state;
}

int device_link_fd(const struct device_link *link) {
    return link->worker.fd;
}

int device_link_replaced(const struct device_link *link) {
    return link->replaced;
}

int device_link_blame(const struct device_link *link) {
    return worker_blame(&link->end);
}

enum tw_db_trial_status device_link_verdict(const struct device_link *link) {
    return link->end.no_memory ? TW_DB_TRIAL_RESOURCE : TW_DB_TRIAL_CRASH;
}

static tw_status restart(struct device_link *link, struct tw_error *error) {
    worker_stop(&link->worker, NULL);
    link->replaced++;
    return start(link, error);
}

tw_status device_link_send(struct device_link *link, const struct device_request *request,
                           double limit_s, struct tw_error *error) {
    struct message message = device_request_pack(request, link->assigned.problem.description);
    /* If the worker has just died, the next take finds it so; the request counts as its last. */
    tw_status status = message_send(link->worker.fd, &message, error);
    device_request_free(&message);
    if (status == TW_OK || status == TW_IO) {
        link->state = DEVICE_BUSY;
        link->limit_s = limit_s;
        link->loading = false;
        link->deadline = tw_clock_now() + limit_s;
        return TW_OK;
    }
    return status;
}

/* A worker that says that it cannot start is believed unless one has worked here before: a device
 * may need a moment after a kernel was killed on it. */
static tw_status refused_start(struct device_link *link, const char *why, struct tw_error *error) {
    if (!link->was_ready || ++link->failed_starts >= DEVICE_STARTS)
        return tw_fail(error, TW_DEVICE, "%.900s", why);
    return restart(link, error);
}

static bool is_hopeless(const struct device_link *link) {
    bool killed = link->end.signal == SIGKILL || link->end.no_memory;
    double seconds = tw_clock_now() - link->failing_since;
    return link->failed_starts >= (killed ? DEVICE_STARTS_KILLED : DEVICE_STARTS) ||
           (link->failed_starts >= DEVICE_STARTS && seconds > DEVICE_STARTS_SECONDS);
}

static tw_status died_starting(struct device_link *link, bool late, struct tw_error *error) {
    bool killed = link->end.signal == SIGKILL;
    if (late)
        return refused_start(link, "the device worker does not become ready: it hangs", error);
    if (link->failed_starts++ == 0)
        link->failing_since = tw_clock_now();
    if (is_hopeless(link))
        return tw_fail(error, TW_DEVICE,
                       "the device worker was %s while it prepared, %d times in a row%s",
                       link->end.words, link->failed_starts,
                       killed ? "; the system's log says whether memory ran out" : "");
    return restart(link, error);
}

static enum device_event replace(struct device_link *link, bool late, tw_status *fatal,
                                 struct tw_error *error) {
    enum device_state state = link->state;
    worker_stop(&link->worker, &link->end);
    if (state == DEVICE_STARTING) {
        *fatal = died_starting(link, late, error);
        return DEVICE_NOTHING;
    }
    *fatal = restart(link, error);
    if (*fatal == TW_OK)
        tw_fail(error, TW_DEVICE, "the device worker was %s",
                late ? "ended: it hung" : link->end.words);
    if (state == DEVICE_IDLE)
        return DEVICE_NOTHING;
    if (!late)
        return DEVICE_CRASH;
    return link->loading ? DEVICE_LOAD_TIMEOUT : DEVICE_TIMEOUT;
}

/* Whether this is no answer but word of how far the worker is with it. */
static bool is_progress(struct device_link *link, const struct message *answer) {
    enum device_says says = device_says(answer);
    bool loading = says == DEVICE_SAYS_LOADING;
    if (!loading && says != DEVICE_SAYS_RUNNING)
        return false;
    link->loading = loading;
    link->deadline = tw_clock_now() + (loading ? link->load_limit_s : link->limit_s);
    return true;
}

enum device_event device_link_take(struct device_link *link, struct message *answer,
                                   tw_status *fatal, struct tw_error *error) {
    *answer = (struct message){0};
    *fatal = TW_OK;
    /* What has been said counts, however late it is looked at. */
    bool said = worker_said(&link->worker);
    bool late = !said && link->state != DEVICE_IDLE && tw_clock_now() > link->deadline;
    if (!late && !said)
        return DEVICE_NOTHING;
    tw_status status = late ? TW_DEVICE : message_receive(link->worker.fd, answer, error);
    /* The worker has nothing to do with what this process lacks. */
    if (status == TW_NO_MEMORY) {
        *fatal = status;
        return DEVICE_NOTHING;
    }
    if (status != TW_OK)
        return replace(link, late, fatal, error);
    if (link->state == DEVICE_STARTING) {
        if (device_says(answer) != DEVICE_SAYS_READY) {
            *fatal = refused_start(link, device_failed_unpack(answer), error);
            message_free(answer);
            return DEVICE_NOTHING;
        }
        link->state = DEVICE_IDLE;
        link->was_ready = true;
        link->failed_starts = 0;
        return DEVICE_READY;
    }
    if (is_progress(link, answer)) {
        message_free(answer);
        return DEVICE_NOTHING;
    }
    link->state = DEVICE_IDLE;
    struct device_answer told;
    device_answer_unpack(answer, &told);
    if (told.lost) {
        link->end = (struct worker_end){0}; /* it told of its end itself */
        *fatal = restart(link, error);
    }
    return DEVICE_ANSWER;
}
