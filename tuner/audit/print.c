#include <inttypes.h>
#include <stdio.h>

#include "runtime/base/printable.h"
#include "runtime/base/text.h"
#include "tuner/audit/audit.h"
#include "tuner/json/json.h"
#include "tuner/report/report.h"

static void name_of(const struct wanted *wanted, char out[TW_PROBLEM_KEY_SIZE + TW_NAME_SIZE]) {
    char text[TW_PROBLEM_KEY_SIZE];
    tw_problem_text(&wanted->problem, text);
    snprintf(out, TW_PROBLEM_KEY_SIZE + TW_NAME_SIZE, "%s %s", wanted->problem.description->kernel,
             text);
}

static void print_row(const struct audited *one, bool counted, bool has_vendor) {
    char name[TW_PROBLEM_KEY_SIZE + TW_NAME_SIZE], given[32], tuned[32], saved[32], ratio[32] = "";
    char interval[32] = "same";
    name_of(one->wanted, name);
    if (!one->measured) {
        tw_printable_line(stdout, "%-44s  not measured: %s", name, one->failure);
        return;
    }
    report_time(one->given_us, given);
    report_time(one->same ? one->given_us : one->tuned_us, tuned);
    report_time(one->saved_us, saved);
    if (!one->same)
        snprintf(interval, sizeof interval, "%.3f to %.3f", one->ratio.interval.low,
                 one->ratio.interval.high);
    if (has_vendor && one->vendor_us > 0)
        snprintf(ratio, sizeof ratio, "  %8.2f", one->vendor_ratio);
    else if (has_vendor)
        snprintf(ratio, sizeof ratio, "  %8s", "-");
    struct tw_text line = {0};
    tw_text_print(&line, "%-44s", name);
    if (counted)
        tw_text_print(&line, "  %10" PRId64, one->wanted->launches + one->wanted->refused);
    tw_text_print(&line, "  %-12s  %10s  %10s  %6.3f  %-14s  %6" PRId64,
                  tw_selection_word(one->given.rule), given, tuned, one->regret, interval,
                  one->trials);
    if (counted)
        tw_text_print(&line, "  %10s", saved);
    tw_printable_line(stdout, "%s%s", tw_text_or(&line, ""), ratio);
    tw_text_free(&line);
}

void audit_print_table(const struct audited *all, int count, const struct audit_summary *s,
                       const struct tw_device_info *device, bool counted) {
    char name[TW_PROBLEM_KEY_SIZE + TW_NAME_SIZE], saved[32], launched[32];
    bool has_vendor = false;
    for (int i = 0; i < count; i++)
        has_vendor = has_vendor || all[i].vendor_us > 0;
    printf("%s (%s)\n", device->name, device->id);
    printf("%-44s%s  %-12s  %10s  %10s  %6s  %-14s  %6s%s%s\n", "problem",
           counted ? "    launches" : "", "rule", "gets", "tuned", "regret", "between", "trials",
           counted ? "       saves" : "", has_vendor ? "    vendor" : "");
    for (int i = 0; i < count; i++)
        print_row(&all[i], counted, has_vendor);
    if (s->measured > 0) {
        name_of(s->worst_problem, name);
        printf("regret over %d problem%s: %.3f in the geometric mean, %.3f at the 95th percentile, "
               "%.3f at the worst (%s)\n",
               s->measured, s->measured == 1 ? "" : "s", s->mean, s->p95, s->worst, name);
    }
    if (counted && s->measured > 0) {
        report_time(s->saved_us, saved);
        report_time(s->launched_us, launched);
        printf("tuning them saves %s of the %s that the launches took together\n", saved, launched);
    }
    if (s->failed > 0)
        printf("%d could not be measured\n", s->failed);
}

static cJSON *json_one(const struct audited *one, bool counted) {
    const struct tw_description *d = one->wanted->problem.description;
    char text[TW_PROBLEM_KEY_SIZE];
    cJSON *json = cJSON_CreateObject();
    tw_problem_text(&one->wanted->problem, text);
    cJSON_AddStringToObject(json, "kernel", d->kernel);
    cJSON_AddStringToObject(json, "problem", text);
    if (counted) {
        cJSON_AddNumberToObject(json, "launches", (double)one->wanted->launches);
        cJSON_AddNumberToObject(json, "refused", (double)one->wanted->refused);
    }
    cJSON_AddBoolToObject(json, "measured", one->measured);
    if (!one->measured) {
        cJSON_AddStringToObject(json, "message", one->failure);
        return json;
    }
    cJSON_AddStringToObject(json, "rule", tw_selection_word(one->given.rule));
    cJSON_AddStringToObject(json, "implementation",
                            d->implementations[one->given.configuration.implementation].name);
    json_add(json, "configuration", json_configuration(d, &one->given.configuration));
    if (one->given.predicted_us > 0)
        cJSON_AddNumberToObject(json, "predicted_us", one->given.predicted_us);
    cJSON_AddNumberToObject(json, "given_us", one->given_us);
    cJSON_AddStringToObject(json, "tuned_implementation",
                            d->implementations[one->tuned.implementation].name);
    json_add(json, "tuned_configuration", json_configuration(d, &one->tuned));
    cJSON_AddNumberToObject(json, "tuned_us", one->tuned_us);
    cJSON_AddBoolToObject(json, "same", one->same);
    cJSON_AddNumberToObject(json, "trials", (double)one->trials);
    cJSON_AddNumberToObject(json, "ratio", one->ratio.median);
    cJSON_AddNumberToObject(json, "ratio_low", one->ratio.interval.low);
    cJSON_AddNumberToObject(json, "ratio_high", one->ratio.interval.high);
    cJSON_AddNumberToObject(json, "regret", one->regret);
    if (counted)
        cJSON_AddNumberToObject(json, "saved_us", one->saved_us);
    if (one->vendor_us > 0) {
        cJSON_AddNumberToObject(json, "vendor_us", one->vendor_us);
        cJSON_AddNumberToObject(json, "vendor_ratio", one->vendor_ratio);
    }
    return json;
}

tw_status audit_print_json(const struct audited *all, int count, const struct audit_summary *s,
                           const struct tw_device_info *device, bool counted,
                           struct tw_error *error) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "device", device->id);
    cJSON_AddStringToObject(json, "device_name", device->name);
    cJSON *problems = cJSON_AddArrayToObject(json, "problems");
    for (int i = 0; i < count; i++)
        json_append(problems, json_one(&all[i], counted));
    cJSON_AddNumberToObject(json, "measured", s->measured);
    cJSON_AddNumberToObject(json, "failed", s->failed);
    if (s->measured > 0) {
        cJSON_AddNumberToObject(json, "regret_mean", s->mean);
        cJSON_AddNumberToObject(json, "regret_p95", s->p95);
        cJSON_AddNumberToObject(json, "regret_worst", s->worst);
    }
    if (counted && s->measured > 0) {
        cJSON_AddNumberToObject(json, "saved_us", s->saved_us);
        cJSON_AddNumberToObject(json, "launched_us", s->launched_us);
    }
    return json_print(json, error);
}
