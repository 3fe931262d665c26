/* A batch: calls queued back to back and timed as one, each on the next set of buffers. */
#ifndef TOOLS_BENCH_BATCH_H
#define TOOLS_BENCH_BATCH_H

#include "tools/bench/data.h"

/* Queues one call on the set of that number. */
typedef tw_status (*batch_call)(void *state, int set, tw_error *error);

struct batch {
    double seconds;  /* of one call, on the device */
    double queueing; /* seconds that the host took to queue one; libraries of the host do it then */
    bool late;       /* the device did not wait until all was queued: `seconds` may be the host's */
};

tw_status batch_time(struct data *data, batch_call call, void *state, int calls,
                     struct batch *batch, tw_error *error);

/* How many calls make a batch that is long against what the clock resolves. */
int batch_calls(const struct data *data, double seconds);

#endif
