/* The kernels that put hard inputs into buffers (runtime/description/accuracy.h) and bring a sample
 * of an output together, of templates/check. */
#ifndef TUNER_MEASURE_HARD_INPUTS_H
#define TUNER_MEASURE_HARD_INPUTS_H

#include "runtime/description/accuracy.h"
#include "tuner/measure/testbed.h"

/* As templates/check/sampled.cu has it. */
enum { SAMPLED_ROWS = 256, SAMPLED_LAYERS = 2 };

/* How many of `count` are sampled, and which the i-th of them is. */
static inline int64_t sampled_count(int64_t count, int64_t most) {
    return count < most ? count : most;
}

static inline int64_t sampled(int64_t i, int64_t count, int64_t of) {
    return count < 2 ? 0 : i * (of - 1) / (count - 1);
}

struct hard_inputs {
    struct tw_module *fill[TW_TYPE_COUNT], *gather; /* NULL where not needed */
};

enum hard_kernel { HARD_FILL, HARD_GATHER };

/* Compiles one of the kernels for elements of a type. The binary is to be freed in every case. */
tw_status hard_inputs_compile(const struct tw_backend *backend, const struct tw_device_info *device,
                              enum hard_kernel kernel, enum tw_type type, struct tw_binary *binary,
                              struct tw_error *error);

/* Loads what fills inputs of a type, unless it is there, or what gathers outputs of one. Free with
 * hard_inputs_free also after a failure. */
tw_status hard_inputs_need(struct hard_inputs *inputs, const struct testbed *testbed,
                           enum hard_kernel kernel, enum tw_type type, struct tw_error *error);
void hard_inputs_free(struct hard_inputs *inputs, const struct testbed *testbed);

/* Queues a fill of the testbed's problem into `memory`, of `extent`, by `seed`; waits for what its
 * single places need. */
tw_status hard_inputs_fill(const struct hard_inputs *inputs, const struct testbed *testbed,
                           const struct tw_hard_fill *fill, const struct tw_extent *extent,
                           uint32_t seed, const struct tw_memory *memory, struct tw_error *error);

/* Queues bringing the sample of an output together in `to`, as doubles. */
tw_status hard_inputs_gather(const struct hard_inputs *inputs, const struct testbed *testbed,
                             const struct tw_extent *extent, const struct tw_memory *from,
                             const struct tw_memory *to, struct tw_error *error);

#endif
