/* Somebody who can do a task: our library, a vendor's, the device's own copy.
 *
 * A contender fills in this table and has a line in contenders.c. Calls come from one thread. */
#ifndef TOOLS_BENCH_CONTENDER_H
#define TOOLS_BENCH_CONTENDER_H

#include "runtime/base/text.h"
#include "tools/bench/data.h"

struct contender {
    const char *name;
    /* Prepares for data->task. TW_UNAVAILABLE: cannot run here or not this task, and why. `data`
     * outlives the state. What is made before a failure is given to free, too. */
    tw_status (*create)(void **state, struct data *data, tw_error *error);
    void (*free)(void *state);
    /* Queues the task on the buffers of a set, on the stage's stream. Libraries of the host do it
     * at once. */
    tw_status (*call)(void *state, int set, tw_error *error);
    /* Brings set 0's output to the device where it is elsewhere; NULL: it is there. */
    tw_status (*publish)(void *state, tw_error *error);
    /* A few words on how it does it; NULL: nothing to say. */
    void (*describe)(const void *state, struct tw_text *text);
};

enum role {
    ROLE_OURS,
    ROLE_VENDOR,  /* does the same; the fastest of these is who we compare with */
    ROLE_CEILING, /* does less, and bounds what can be hoped for */
    ROLE_PART     /* does a part of it: to be seen, not compared with, its output incomplete */
};

struct entry {
    const char *kernel;
    const char *backend; /* NULL: any */
    enum role role;
    const struct contender *contender;
};

/* What the contender is for, in a word. */
const char *role_name(enum role role);

enum { CONTENDERS_MAX = 8 }; /* for one kernel on one backend */

/* Those that may do a task on a device, ours first. Returns how many. */
int contenders_for(const struct task *task, const struct tw_device_info *device,
                   const struct entry *entries[CONTENDERS_MAX]);

#endif
