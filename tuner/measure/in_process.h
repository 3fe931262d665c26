/* One configuration, compiled, checked and timed in this process: for commands that look at known
 * variants. Searching is done by workers, which may die of what they try. */
#ifndef TUNER_MEASURE_IN_PROCESS_H
#define TUNER_MEASURE_IN_PROCESS_H

#include "tuner/measure/verify.h"

struct in_process_result {
    struct accuracy accuracy;
    double time_us; /* of one call, the median */
};

/* The workload must have been made on the testbed. Fails when the variant does not compile, does
 * not fit, or is wrong. */
tw_status in_process_measure(const struct testbed *testbed, struct workload *workload,
                             const struct tw_configuration *configuration,
                             struct in_process_result *single, struct tw_error *error);
/* The same for what was compiled already; `values` are bound. */
tw_status in_process_run(const struct testbed *testbed, struct workload *workload,
                         const struct tw_configuration *configuration, const int64_t *values,
                         const struct tw_binaries *binaries, struct in_process_result *single,
                         struct tw_error *error);

#endif
