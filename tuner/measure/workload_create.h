/* Workloads made: laid out in memory, filled, with the right answers. */
#ifndef TUNER_MEASURE_WORKLOAD_CREATE_H
#define TUNER_MEASURE_WORKLOAD_CREATE_H

#include "tuner/measure/workload.h"

/* How many sets of `set_bytes` timing with cold caches rotates over where memory allows. */
uint64_t workload_cold_sets(uint64_t set_bytes, uint64_t cache_bytes);

/* Allocates, fills, and computes the right answers. TW_NO_MEMORY says how much was needed. Free
 * with workload_free also after a failure. */
tw_status workload_create(struct workload *workload, const struct testbed *testbed,
                          enum cache_policy policy, uint32_t seed, struct tw_error *error);
void workload_free(struct workload *workload);
/* The same once more, after the testbed was bound for another call of its problem, or for another
 * problem of the same description. The kernels that check and the references stay, all else is made
 * anew. Not after a workload_create that failed. */
tw_status workload_change(struct workload *workload, enum cache_policy policy,
                          struct tw_error *error);

/* Fills everything and computes the right answers again: after a variant that may have written
 * anywhere. */
tw_status workload_restore(struct workload *workload, struct tw_error *error);

#endif
