/* Telling what the rungs brought. */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tuner/json/json.h"
#include "tuner/ladder/ladder.h"
#include "tuner/report/report.h"

/* Gains are between rungs of the ladder's own kernel: others do another job. */
static const struct ladder_step *own_before(const struct ladder *ladder, int i) {
    while (--i >= 0)
        if (strcmp(ladder->steps[i].kernel, ladder->problem.description->kernel) == 0 &&
            ladder->steps[i].failure.message[0] == '\0')
            return &ladder->steps[i];
    return NULL;
}

static const struct ladder_step *own_first(const struct ladder *ladder, int before) {
    const struct ladder_step *first = NULL;
    for (const struct ladder_step *step; (step = own_before(ladder, before)) != NULL;
         before = (int)(step - ladder->steps))
        first = step;
    return first;
}

static bool is_own(const struct ladder *ladder, const struct ladder_step *step) {
    return strcmp(step->kernel, ladder->problem.description->kernel) == 0;
}

static double gain_over(const struct ladder *ladder, int step, const struct ladder_step *base) {
    const struct ladder_step *this = &ladder->steps[step];
    return base != NULL && is_own(ladder, this) ? base->single.time_us / this->single.time_us : 0;
}

double ladder_gain(const struct ladder *ladder, int step) {
    return gain_over(ladder, step, own_before(ladder, step));
}

double ladder_total_gain(const struct ladder *ladder, int step) {
    return gain_over(ladder, step, own_first(ladder, step));
}

static void print_gain(double gain) {
    char text[16] = "";
    if (gain > 0)
        snprintf(text, sizeof text, "%.2fx", gain);
    printf(" %9s", text);
}

/* Whether any rung only moves data, and so was measured with the loop in its kernel as well. */
static bool has_looped(const struct ladder *ladder) {
    for (int i = 0; i < ladder->count; i++)
        if (ladder->steps[i].passes > 0)
            return true;
    return false;
}

static void print_looped(const struct ladder_step *step) {
    char time[32] = "", rate[REPORT_RATE_SIZE] = "";
    if (step->passes > 0 && step->looped_failure.message[0] == '\0') {
        report_time(step->looped.time_us, time);
        report_rate(step->looped_rate, step->rate_unit, rate);
    }
    printf(" %10s %14s", time, rate);
}

static void print_remarks(const struct ladder *ladder) {
    if (has_looped(ladder))
        printf(
            "  a pass: the loop is inside the kernel, so all passes but the first find a block's "
            "data in the caches\n");
    for (int i = 0; i < ladder->count; i++) {
        const struct ladder_step *step = &ladder->steps[i];
        if (step->looped_failure.message[0] != '\0')
            printf("  no loop inside %s %s: %s\n", step->kernel, step->name,
                   step->looped_failure.message);
    }
}

static void print_step(const struct ladder *ladder, int i) {
    const struct ladder_step *step = &ladder->steps[i];
    char name[2 * TW_NAME_SIZE], time[32], rate[REPORT_RATE_SIZE], share[16] = "";
    snprintf(name, sizeof name, "%s%s%s", is_own(ladder, step) ? "" : step->kernel,
             is_own(ladder, step) ? "" : " ", step->name);
    if (step->failure.message[0] != '\0') {
        printf("  %-26s %s\n", name, step->failure.message);
        return;
    }
    report_time(step->single.time_us, time);
    report_rate(step->rate, step->rate_unit, rate);
    if (ladder->copy_rate > 0)
        snprintf(share, sizeof share, "%.1f%%", 100 * step->rate / ladder->copy_rate);
    printf("  %-26s %10s %14s %8s", name, time, rate, share);
    print_gain(ladder_gain(ladder, i));
    print_gain(ladder_total_gain(ladder, i));
    if (has_looped(ladder))
        print_looped(step);
    printf("   %s\n", step->shows);
}

void ladder_print_table(const struct ladder *ladder) {
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_text(&ladder->problem, key);
    printf("%s %s on %s (%s), %s caches\n", ladder->problem.description->kernel, key,
           ladder->device.name, ladder->device.id, ladder->cache);
    if (ladder->copy_rate > 0) {
        char time[32];
        report_time(ladder->copy_us, time);
        printf("  a device-to-device copy of the bytes takes %s, %.4g GB/s\n", time,
               ladder->copy_rate);
    }
    printf("  %-26s %10s %14s %8s %9s %9s", "rung", "time", "rate",
           ladder->copy_rate > 0 ? "of copy" : "", "gain", "in all");
    if (has_looped(ladder))
        printf(" %10s %14s", "a pass", "rate");
    printf("   %s\n", "shows");
    for (int i = 0; i < ladder->count; i++)
        print_step(ladder, i);
    print_remarks(ladder);
}

static cJSON *looped_json(const struct ladder_step *step) {
    cJSON *json = cJSON_CreateObject();
    if (step->looped_failure.message[0] != '\0') {
        cJSON_AddStringToObject(json, "failure", step->looped_failure.message);
        return json;
    }
    cJSON_AddNumberToObject(json, "passes", step->passes);
    cJSON_AddNumberToObject(json, "time_us", step->looped.time_us);
    cJSON_AddNumberToObject(json, "rate", step->looped_rate);
    cJSON_AddNumberToObject(json, "max_rel_error", step->looped.accuracy.max_rel_error);
    return json;
}

static cJSON *step_json(const struct ladder *ladder, int i) {
    const struct ladder_step *step = &ladder->steps[i];
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kernel", step->kernel);
    cJSON_AddStringToObject(json, "name", step->name);
    cJSON_AddStringToObject(json, "shows", step->shows);
    if (step->failure.message[0] != '\0') {
        cJSON_AddStringToObject(json, "failure", step->failure.message);
        return json;
    }
    cJSON_AddNumberToObject(json, "time_us", step->single.time_us);
    cJSON_AddNumberToObject(json, "rate", step->rate);
    cJSON_AddStringToObject(json, "rate_unit", step->rate_unit);
    cJSON_AddNumberToObject(json, "max_rel_error", step->single.accuracy.max_rel_error);
    if (ladder->copy_rate > 0)
        cJSON_AddNumberToObject(json, "share_of_copy", step->rate / ladder->copy_rate);
    if (ladder_gain(ladder, i) > 0) {
        cJSON_AddNumberToObject(json, "gain", ladder_gain(ladder, i));
        cJSON_AddNumberToObject(json, "total_gain", ladder_total_gain(ladder, i));
    }
    if (step->passes > 0)
        json_add(json, "in_kernel", looped_json(step));
    return json;
}

tw_status ladder_print_json(const struct ladder *ladder, struct tw_error *error) {
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_text(&ladder->problem, key);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kernel", ladder->problem.description->kernel);
    cJSON_AddStringToObject(json, "problem", key);
    cJSON_AddStringToObject(json, "device", ladder->device.id);
    cJSON_AddStringToObject(json, "device_name", ladder->device.name);
    if (ladder->copy_rate > 0)
        cJSON_AddNumberToObject(json, "copy_gb_per_s", ladder->copy_rate);
    cJSON *rungs = cJSON_AddArrayToObject(json, "rungs");
    for (int i = 0; i < ladder->count; i++)
        json_append(rungs, step_json(ladder, i));
    return json_print(json, error);
}
