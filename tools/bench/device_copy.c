/* The backend's copy from device to device: what moving each byte once costs. */
#include "tools/bench/kinds.h"

static tw_status create(void **state, struct data *data, tw_error *error) {
    (void)error;
    *state = data;
    return TW_OK;
}

static void keep(void *state) {
    (void)state;
}

static tw_status call(void *state, int set, tw_error *error) {
    const struct data *data = state;
    return data->stage->kind->copy(data->stage, data->sets[set].out, data->sets[set].in[0],
                                   data->out.bytes, error);
}

const struct contender contender_device_copy = {
    .name = "device copy", .create = create, .free = keep, .call = call};
