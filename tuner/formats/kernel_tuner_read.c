/* An entry of a Kernel Tuner cache. Of a configuration that failed, newer versions say why under
 * "__error__" and older ones in place of the time, or of whatever else they were to optimise. */
#include <stdio.h>
#include <string.h>

#include "tuner/formats/extras.h"
#include "tuner/formats/results_file.h"
#include "tuner/formats/status_words.h"
#include "tuner/formats/values.h"

enum { MOST_MEMBERS = 256 };

/* The time that versions up to 0.4.0 at least give to a configuration that failed. */
static const double failed_time = 1e20;

static bool read_failure(const struct tw_json *entry, struct tw_db_trial *trial) {
    for (const cJSON *member = entry->item->child; member != NULL; member = member->next)
        if (cJSON_IsString(member) &&
            status_word_read_kernel_tuner(member->valuestring, &trial->status)) {
            trial->message = member->valuestring;
            return true;
        }
    const cJSON *time = cJSON_GetObjectItemCaseSensitive(entry->item, "time");
    if (!cJSON_IsNumber(time) || time->valuedouble != failed_time)
        return false;
    trial->status = TW_DB_TRIAL_LAUNCH_ERROR;
    trial->message = "time 1e20";
    return true;
}

void kernel_tuner_read(const struct tw_json *entry, struct tw_db_trial *trial,
                       struct tw_json *configuration) {
    *trial = (struct tw_db_trial){0};
    *configuration = *entry;
    if (!cJSON_IsObject(entry->item) || tw_json_count(entry) > MOST_MEMBERS) {
        tw_json_fail(entry,
                     cJSON_IsObject(entry->item) ? "too many members" : "expected an object");
        return;
    }
    tw_json_expect_object(entry);
    if (!read_failure(entry, trial)) {
        struct tw_json time = tw_json_member(entry, "time");
        struct tw_json times = tw_json_optional(entry, "times");
        trial->has_time = true;
        trial->time_us = results_file_time(&time, 1);
        trial->repeats = results_file_repeats(&times);
    }
    struct tw_json compile = tw_json_optional(entry, "compile_time");
    struct tw_json moment = tw_json_optional(entry, "timestamp");
    /* 0: it was compiled before. */
    trial->has_compile_ms = compile.item != NULL && tw_json_number(&compile) > 0;
    trial->compile_ms = trial->has_compile_ms ? compile.item->valuedouble : 0;
    trial->created_at = results_file_moment(&moment);
    for (const cJSON *member = entry->item->child; member != NULL; member = member->next) {
        struct tw_json value = {.context = entry->context, .item = member};
        snprintf(value.path, sizeof value.path, "%.100s", member->string);
        extras_take(trial, member->string, &value);
    }
    extras_check(trial, entry);
}
