#include "tuner/session/attempt.h"

#include <stdio.h>

#include "tuner/statistics/statistics.h"

struct trial attempt_compiled(const struct tw_configuration *configuration,
                              const struct compiled *compiled) {
    struct trial trial = {.configuration = *configuration,
                          .status = compiled->status,
                          .has_compile_ms = compiled->status == TW_DB_TRIAL_OK,
                          .compile_ms = compiled->compile_ms,
                          .has_resources = compiled->has_resources,
                          .registers = compiled->registers,
                          .spill_bytes = compiled->spill_bytes};
    snprintf(trial.message, sizeof trial.message, "%.500s", compiled->message);
    return trial;
}

double attempt_limit(double asked_s, double reference_s) {
    /* A naive variant may be as slow as the reference, and each case and repeat launches it again.
     */
    return asked_s > 0 ? asked_s : 10 + 30 * reference_s;
}

tw_status attempt_send(struct device_link *link, const struct tw_configuration *configuration,
                       const struct compiled *compiled, double best_us, double enough_s,
                       double limit_s, struct tw_error *error) {
    const struct device_request request = {.asked = DEVICE_TRIAL,
                                           .configuration = *configuration,
                                           .binaries = &compiled->answer,
                                           .best_us = best_us,
                                           .enough_s = enough_s};
    return device_link_send(link, &request, limit_s, error);
}

void attempt_read(const struct message *message, struct trial *trial) {
    struct device_answer answer;
    device_answer_unpack(message, &answer);
    trial->status = answer.status;
    snprintf(trial->message, sizeof trial->message, "%.500s", answer.message);
    trial->screened_out = answer.screened_out;
    trial->verify_s = answer.verify_s;
    trial->measure_s = answer.measure_s;
    trial->has_error = answer.has_error;
    trial->max_rel_error = answer.max_rel_error;
    trial->rms_rel_error = answer.rms_rel_error;
    trial->has_hard = answer.has_hard;
    trial->hard_max_error = answer.hard_max_error;
    trial->hard_rms_error = answer.hard_rms_error;
    if (trial->status != TW_DB_TRIAL_OK || answer.time_count == 0)
        return;
    size_t count = (size_t)answer.time_count;
    trial->repeats = answer.time_count;
    statistics_sort(answer.times_us, count);
    trial->time_us = statistics_median(answer.times_us, count);
    struct statistics_interval interval =
        statistics_median_interval(answer.times_us, count, STATISTICS_CONFIDENCE);
    trial->has_interval = interval.confidence >= STATISTICS_CONFIDENCE;
    trial->ci_low_us = interval.low;
    trial->ci_high_us = interval.high;
}

void attempt_timed_out(enum device_event event, double compile_limit_s, double limit_s,
                       struct trial *trial) {
    bool loading = event == DEVICE_LOAD_TIMEOUT;
    trial->status = loading ? TW_DB_TRIAL_COMPILE_TIMEOUT : TW_DB_TRIAL_TIMEOUT;
    snprintf(trial->message, sizeof trial->message, "%sdid not finish within %.3g s",
             loading ? "the driver, which compiles at the first launch, " : "",
             loading ? compile_limit_s : limit_s);
}
