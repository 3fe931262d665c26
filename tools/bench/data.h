/* The buffers that all contenders share: sets with the same random inputs, over which timing with
 * cold caches rotates, as many as the tuner takes (tuner/measure/workload_create.h). Together they
 * exceed twice the last-level cache; where the problem is too small for that, the caches are filled
 * with something else before each batch instead, and no set is used twice in it. */
#ifndef TOOLS_BENCH_DATA_H
#define TOOLS_BENCH_DATA_H

#include "tools/bench/stage.h"
#include "tools/bench/task.h"

enum { DATA_MAX_INPUTS = 8 };

struct set {
    /* As the description lists them: of a product A, B and what else it has (for A*A^T A twice); a
     * transposition or copy has only A. */
    void *in[DATA_MAX_INPUTS];
    void *out;
};

struct data {
    struct stage *stage;
    const struct task *task;
    struct testbed testbed;
    int in_count;
    struct tw_extent in[DATA_MAX_INPUTS];
    struct tw_extent out; /* matrices of a batch lie one after the other: all their rows as one's */
    int in_arguments[DATA_MAX_INPUTS], out_argument; /* of the description */
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

/* Which of a set's inputs the description calls so; -1: the task has none. */
int data_input(const struct data *data, const char *name);
/* The type of the second operand. */
enum tw_type data_type_b(const struct data *data);

/* A buffer of a set as the backend and the checking kernels take it. */
struct tw_memory data_memory(const void *buffer, const struct tw_extent *extent);

#endif
