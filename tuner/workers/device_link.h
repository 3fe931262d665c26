/* The running worker as the coordinator sees it: started, given one request at a time, replaced
 * when it hangs, crashes or loses its device. */
#ifndef TUNER_WORKERS_DEVICE_LINK_H
#define TUNER_WORKERS_DEVICE_LINK_H

#include "runtime/backend/backend.h"
#include "runtime/description/problem.h"
#include "tuner/workers/protocol.h"

enum device_state { DEVICE_STARTING, DEVICE_IDLE, DEVICE_BUSY };

enum device_event {
    DEVICE_NOTHING,      /* nothing new */
    DEVICE_READY,        /* it started; `answer` is a device_ready */
    DEVICE_ANSWER,       /* `answer` is a device_answer to the request */
    DEVICE_TIMEOUT,      /* the request took too long; the worker is being replaced */
    DEVICE_LOAD_TIMEOUT, /* likewise, the driver did: it did not get a kernel to run */
    DEVICE_CRASH         /* the worker died; it is being replaced, and `error` says how it ended */
};

/* A worker that does not become ready is started again: this often in a row when it dies or says
 * why, and more often when it was killed, which is nobody's fault that could be known, unless that
 * takes longer than a minute. */
enum { DEVICE_STARTS = 3, DEVICE_STARTS_KILLED = 50, DEVICE_STARTS_SECONDS = 60 };

struct device_link;

/* Starts the worker; it becomes ready by and by. The problem's description must outlive the link.
 * `seed` and `cache` ("cold", "warm") are for its
 * data, `measures_errors` is a testbed's. `load_limit_s`: what the driver may take for each
 * kernel's first launch. */
tw_status device_link_create(struct device_link **out, const struct tw_problem *problem,
                             const struct tw_device_info *device, const char *cache, uint32_t seed,
                             bool measures_errors, double load_limit_s, struct tw_error *error);
void device_link_free(struct device_link *link);

/* Gives an idle worker another problem of the same description and attributes; it becomes ready by
 * and by, and so do those that replace it. */
tw_status device_link_assign(struct device_link *link, const struct tw_problem *problem,
                             struct tw_error *error);

enum device_state device_link_state(const struct device_link *link);
int device_link_fd(const struct device_link *link); /* to poll for POLLIN */
/* How many times a worker was replaced. */
int device_link_replaced(const struct device_link *link);
/* After DEVICE_CRASH, or an answer with `lost` set: how much that says against the variant
 * (worker_blame). */
int device_link_blame(const struct device_link *link);
/* Then, if that is enough: what the variant is. */
enum tw_db_trial_status device_link_verdict(const struct device_link *link);

/* Sends a request to an idle worker, to be answered within `limit_s` seconds, which begin anew
 * whenever a kernel's first launch has been got to run. */
tw_status device_link_send(struct device_link *link, const struct device_request *request,
                           double limit_s, struct tw_error *error);
/* What happened since, without waiting. The caller frees *answer. An answer with `lost` set is
 * given before the worker is replaced. *fatal is not TW_OK when no worker can be had any more. */
enum device_event device_link_take(struct device_link *link, struct message *answer,
                                   tw_status *fatal, struct tw_error *error);
#endif
