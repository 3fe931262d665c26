#include "tools/bench/batch.h"

#include <math.h>

#include "runtime/base/clock.h"

/* A stream takes about a thousand launches before queueing one waits for the device, and a call may
 * be a few launches. */
enum { MAX_CALLS = 250 };

static const double BATCH_SECONDS = 4.5e-3;

tw_status batch_time(struct data *data, batch_call call, void *state, int calls,
                     struct batch *batch, tw_error *error) {
    struct stage *stage = data->stage;
    tw_status status = TW_OK;
    *batch = (struct batch){0};
    if (data->flush.bytes > 0) {
        status = data->testbed.backend->fill(data->testbed.device, &data->flush, 0, error);
        if (status == TW_OK)
            status = stage_settle(stage, error);
    }
    if (status == TW_OK)
        status = stage->kind->start(stage, error);
    double began = tw_clock_now();
    for (int i = 0; i < calls && status == TW_OK; i++)
        status = call(state, data_next_set(data), error);
    if (status == TW_OK)
        batch->queueing = (tw_clock_now() - began) / calls;
    if (status == TW_OK)
        status = stage->kind->stop(stage, &batch->seconds, &batch->late, error);
    batch->seconds /= calls;
    if (status == TW_OK && !(batch->seconds > 0))
        return tw_fail(error, TW_DEVICE, "the device measured no time at all");
    return status;
}

int batch_calls(const struct data *data, double seconds) {
    int most = MAX_CALLS;
    if (data->flush.bytes > 0 && data->set_count < most)
        most = data->set_count;
    return (int)fmax(1, fmin(ceil(BATCH_SECONDS / seconds), most));
}
