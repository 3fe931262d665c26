/* The buffers that all contenders share: sets with the same random inputs, over which timing with
 * cold caches rotates, as many as the tuner takes (tuner/measure/workload.h). Together they exceed
 * twice the last-level cache; where the problem is too small for that, the caches are filled with
 * something else before each batch instead, and no set is used twice in it. */
#ifndef TOOLS_BENCH_DATA_H
#define TOOLS_BENCH_DATA_H

#include "tools/bench/stage.h"
#include "tools/bench/task.h"
#include "tuner/measure/check_kernels.h"

struct set {
    void *in[2]; /* A and B; for A*A^T both are A; a transposition or copy has only A */
    void *out;
};

struct data {
    struct stage *stage;
    const struct task *task;
    struct testbed testbed; /* what the checking kernels know of stage and task */
    struct check_kernels checks;
    int in_count;
    struct tw_extent in[2], out;
    int in_arguments[2], out_argument; /* of the description */
    int set_count;
    struct set *sets;
    struct tw_memory flush; /* twice the last-level cache, where the sets are smaller; else empty */
    bool cold;
    int next_set; /* where the rotation is */
};

/* Allocates and fills. Free with data_free also after a failure. */
tw_status data_create(struct data *data, struct stage *stage, const struct task *task, bool cold,
                      tw_error *error);
void data_free(struct data *data);

/* The set to use next, counting on where caches are to be cold. */
int data_next_set(struct data *data);

/* A buffer of a set as the backend and the checking kernels take it. */
struct tw_memory data_memory(const void *buffer, const struct tw_extent *extent);

#endif
