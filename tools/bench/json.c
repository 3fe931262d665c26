#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

#include "tools/bench/report.h"
#include "tools/bench/summary.h"

/* JSON has no infinity: null then, which "wrong" explains. */
static void add_number(cJSON *object, const char *name, double number) {
    if (isfinite(number))
        cJSON_AddNumberToObject(object, name, number);
    else
        cJSON_AddNullToObject(object, name);
}

static cJSON *outcome_json(const struct contest *contest, const struct outcome *o) {
    const char *unit;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", o->entry->contender->name);
    cJSON_AddStringToObject(json, "role", role_name(o->entry->role));
    cJSON_AddBoolToObject(json, "timed", outcome_timed(o));
    if (!outcome_timed(o)) {
        cJSON_AddBoolToObject(json, "absent", o->failure.status == TW_UNAVAILABLE);
        cJSON_AddStringToObject(json, "reason", o->failure.message);
        return json;
    }
    if (o->detail.data != NULL)
        cJSON_AddStringToObject(json, "detail", o->detail.data);
    add_number(json, "median_us", 1e6 * o->median);
    add_number(json, "low_us", 1e6 * o->low);
    add_number(json, "high_us", 1e6 * o->high);
    cJSON_AddNumberToObject(json, "calls", o->calls);
    add_number(json, "queueing_us", 1e6 * o->queueing);
    cJSON_AddNumberToObject(json, "late", o->late);
    add_number(json, "rate", tw_work_rate(&contest->task.work, o->median, &unit));
    cJSON_AddStringToObject(json, "rate_unit", unit);
    if (contest->ours != NULL) {
        add_number(json, "ratio", o->ratio);
        add_number(json, "ratio_low", o->ratio_low);
        add_number(json, "ratio_high", o->ratio_high);
    }
    if (o->compared) {
        add_number(json, "max_error", o->errors.max);
        add_number(json, "rms_error", o->errors.rms);
        cJSON_AddBoolToObject(json, "wrong", outcome_is_wrong(o));
    }
    return json;
}

static cJSON *match_json(const struct contest *contest) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kernel", contest->task.description->kernel);
    cJSON_AddStringToObject(json, "problem", contest->task.key);
    cJSON_AddBoolToObject(json, "tuned", match_is_tuned(contest));
    if (contest->plan != NULL) {
        cJSON_AddStringToObject(json, "rule", contest->plan->rule);
        cJSON_AddStringToObject(json, "reason", contest->plan->reason);
        cJSON_AddStringToObject(json, "implementation", contest->plan->implementation);
        cJSON_AddItemToObject(json, "configuration", cJSON_Parse(contest->plan->configuration));
    }
    cJSON_AddNumberToObject(json, "rounds", contest->rounds);
    add_number(json, "confidence", contest->confidence);
    cJSON_AddNumberToObject(json, "buffer_sets", contest->set_count);
    add_number(json, "checked_share", contest->checked);
    if (contest->vendor != NULL) {
        cJSON_AddStringToObject(json, "vendor", contest->vendor->entry->contender->name);
        if (contest->ours != NULL)
            add_number(json, "ratio", contest->vendor->ratio);
    }
    cJSON *contenders = cJSON_AddArrayToObject(json, "contenders");
    for (int i = 0; i < contest->count; i++)
        cJSON_AddItemToArray(contenders, outcome_json(contest, &contest->outcomes[i]));
    return json;
}

static cJSON *summary_json(const struct summary *summary) {
    cJSON *json = cJSON_CreateArray();
    for (int i = 0; i < summary->count; i++) {
        const struct summary_line *line = &summary->lines[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "kernel", line->kernel);
        cJSON_AddStringToObject(item, "opponent", line->opponent);
        cJSON_AddStringToObject(item, "role", role_name(line->role));
        cJSON_AddNumberToObject(item, "count", line->count);
        add_number(item, "geometric_mean", line->geometric_mean);
        add_number(item, "least", line->least);
        cJSON_AddItemToArray(json, item);
    }
    return json;
}

tw_status report_as_json(const struct report *report, FILE *file, tw_error *error) {
    struct summary summary;
    const struct tw_device_info *info = &report->stage->info;
    cJSON *json = cJSON_CreateObject();
    cJSON *device = cJSON_AddObjectToObject(json, "device");
    cJSON_AddStringToObject(device, "id", info->id);
    cJSON_AddStringToObject(device, "name", info->name);
    cJSON_AddStringToObject(device, "driver", info->driver);
    cJSON_AddStringToObject(json, "version", tw_version());
    cJSON_AddStringToObject(json, "cache", report->cache);
    cJSON_AddItemToObject(json, "conditions", cJSON_Parse(report->conditions));
    cJSON *problems = cJSON_AddArrayToObject(json, "problems");
    for (int i = 0; i < report->count; i++)
        cJSON_AddItemToArray(problems, match_json(&report->contests[i]));
    summary_make(&summary, report->contests, report->count);
    cJSON_AddItemToObject(json, "summary", summary_json(&summary));
    char *text = cJSON_Print(json);
    cJSON_Delete(json);
    if (text == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    fprintf(file, "%s\n", text);
    free(text);
    return TW_OK;
}
