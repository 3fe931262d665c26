#include "tuner/session/attempt.h"

#include <stdio.h>

#include "tuner/json/json.h"
#include "tuner/statistics/statistics.h"
#include "tuner/workers/assignment.h"
#include "tuner/workers/trial_status.h"

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

tw_status attempt_send(struct device_link *link, const struct tw_description *d,
                       const struct tw_configuration *configuration,
                       const struct compiled *compiled, double best_us, double enough_s,
                       double limit_s, struct tw_error *error) {
    struct message request = message_new("trial");
    assignment_add_variant(&request, d, configuration);
    json_add(
        request.json, "sizes",
        cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(compiled->binaries.json, "sizes"), 1));
    cJSON_AddNumberToObject(request.json, "best_us", best_us);
    cJSON_AddNumberToObject(request.json, "enough_s", enough_s);
    /* The bytes are lent for the sending. */
    request.bytes = compiled->binaries.bytes;
    request.size = compiled->binaries.size;
    tw_status status = device_link_send(link, &request, limit_s, error);
    request.bytes = NULL;
    message_free(&request);
    return status;
}

void attempt_read(const struct message *answer, struct trial *trial) {
    trial->status = trial_status_parse(message_text(answer, "status", ""));
    snprintf(trial->message, sizeof trial->message, "%.500s", message_text(answer, "message", ""));
    trial->screened_out = message_flag(answer, "screened_out");
    trial->max_rel_error = message_number(answer, "max_rel_error", -1);
    trial->rms_rel_error = message_number(answer, "rms_rel_error", -1);
    trial->has_error = trial->max_rel_error >= 0;
    double times[256];
    int count = 0;
    const cJSON *time;
    cJSON_ArrayForEach(time, cJSON_GetObjectItemCaseSensitive(answer->json, "times_us")) {
        if (count < (int)(sizeof times / sizeof *times))
            times[count++] = time->valuedouble;
    }
    if (trial->status != TW_DB_TRIAL_OK || count == 0)
        return;
    trial->repeats = count;
    statistics_sort(times, (size_t)count);
    trial->time_us = statistics_median(times, (size_t)count);
    struct statistics_interval interval =
        statistics_median_interval(times, (size_t)count, STATISTICS_CONFIDENCE);
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
