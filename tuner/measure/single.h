/* One configuration, compiled, checked and timed in this process: for commands that look at known
 * variants. Searching is done by workers, which may die of what they try. */
#ifndef TUNER_MEASURE_SINGLE_H
#define TUNER_MEASURE_SINGLE_H

#include "tuner/measure/verify.h"

struct single {
    struct accuracy accuracy;
    double time_us; /* of one call, the median */
};

/* The workload must have been made on the bench. Fails when the variant does not compile, does not
 * fit, or is wrong. */
tw_status single_measure(const struct bench *bench, const struct workload *workload,
                         const struct tw_configuration *configuration, struct single *single,
                         struct tw_error *error);
/* The same for what was compiled already; `values` are bound. */
tw_status single_run(const struct bench *bench, const struct workload *workload,
                     const struct tw_configuration *configuration, const int64_t *values,
                     const struct tw_binaries *binaries, struct single *single,
                     struct tw_error *error);

#endif
