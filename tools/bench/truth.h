/* The right answer of a matrix product with its epilogue, in double: rows of it, at least as exact
 * as an error of any contender needs. Products of floats and of smaller types are summed in double;
 * doubles are summed as if in twice the precision (Ogita, Rump and Oishi, "Accurate Sum and Dot
 * Product", 2005, algorithm Dot2), because a plain sum would be as far off as a contender's, and
 * equal to that of one that adds in the same order. */
#ifndef TOOLS_BENCH_TRUTH_H
#define TOOLS_BENCH_TRUTH_H

#include "tools/bench/data.h"

/* Free with the backend's unload. */
tw_status truth_create(struct tw_module **out, const struct data *data, tw_error *error);

/* Queues `rows` rows from `first` on, of set 0's product; `right` has rows x n doubles. */
tw_status truth_queue(const struct tw_module *module, const struct data *data, int64_t first,
                      int64_t rows, const struct tw_memory *right, tw_error *error);

#endif
