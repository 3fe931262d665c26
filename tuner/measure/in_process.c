#include "tuner/measure/in_process.h"

#include "tuner/measure/timing.h"

static tw_status time_it(struct workload *workload, const struct tw_variant *variant,
                         double *time_us, struct tw_error *error) {
    struct timer *timer = NULL;
    struct timing timing = {0};
    tw_status status = timer_make(&timer, workload, variant, error);
    if (status == TW_OK)
        status = timer_measure(timer, 0, 0, &timing, error);
    if (status == TW_OK)
        *time_us = timing_median(&timing);
    timer_free(timer);
    return status;
}

tw_status in_process_run(const struct testbed *testbed, struct workload *workload,
                         const struct tw_configuration *configuration, const int64_t *values,
                         const struct tw_binaries *binaries, struct in_process_result *single,
                         struct tw_error *error) {
    struct tw_variant *variant = NULL;
    tw_status status = testbed_load(testbed, configuration, values, binaries, &variant, error);
    if (status == TW_OK)
        status = verify_variant(workload, variant, &single->accuracy, error);
    if (status == TW_OK)
        status = time_it(workload, variant, &single->time_us, error);
    tw_variant_free(variant);
    return status;
}

tw_status in_process_measure(const struct testbed *testbed, struct workload *workload,
                             const struct tw_configuration *configuration,
                             struct in_process_result *single, struct tw_error *error) {
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_binaries binaries = {0};
    tw_status status = testbed_compile(testbed, configuration, values, &binaries, error);
    if (status == TW_OK)
        status = in_process_run(testbed, workload, configuration, values, &binaries, single, error);
    tw_binaries_free(&binaries);
    return status;
}
