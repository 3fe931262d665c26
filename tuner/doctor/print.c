/* A diagnosis, for people and for programs. */
#include <math.h>
#include <stdio.h>

#include "tuner/doctor/doctor.h"
#include "tuner/json/json.h"
#include "tuner/report/report.h"

static const char *const modes[] = {[TW_MODE_SHARED] = "shared",
                                    [TW_MODE_EXCLUSIVE] = "exclusive",
                                    [TW_MODE_PROHIBITED] = "prohibited"};

static void print_health(const struct diagnosis *d) {
    const struct tw_device_health *h = &d->health;
    if (!d->has_health || h->unknown[0] != '\0') {
        printf("  clocks          not known: %s\n",
               d->has_health ? h->unknown : "the backend tells nothing of them");
        return;
    }
    printf("  clocks          ");
    if (h->clock_mhz >= 0)
        printf("%.0f of %.0f MHz, memory %.0f MHz", h->clock_mhz, h->clock_max_mhz,
               h->memory_clock_mhz);
    if (h->temperature_c >= 0)
        printf("; %.0f C", h->temperature_c);
    if (h->power_w >= 0 && h->power_limit_w >= 0)
        printf(", %.0f of %.0f W", h->power_w, h->power_limit_w);
    printf("\n  slowed down by  %s\n", !h->has_slowed_by         ? "not known"
                                       : h->slowed_by[0] != '\0' ? h->slowed_by
                                                                 : "nothing");
    printf("  persistence     %s\n", h->persistence < 0   ? "not known"
                                     : h->persistence > 0 ? "on"
                                                          : "off");
    printf("  use             %s", h->mode < 0 ? "not known" : modes[h->mode]);
    if (h->other_processes >= 0)
        printf("; %d other process%s", h->other_processes, h->other_processes == 1 ? "" : "es");
    printf("\n");
}

static void print_host(const struct host_load *h) {
    printf("  host            %d cores", h->cores);
    if (h->other_cores >= 0)
        printf(", of which others kept %.1f busy", h->other_cores);
    if (h->load >= 0)
        printf("; load %.1f", h->load);
    if (h->governor[0] != '\0')
        printf("; governor %s", h->governor);
    printf("\n");
}

void doctor_print_table(const struct diagnosis *d) {
    const struct terminal terminal = terminal_of(stdout);
    struct tw_text verdict = {0};
    char key[TW_PROBLEM_KEY_SIZE], time[32];
    tw_problem_text(&d->problem, key);
    report_time(d->time_us, time);
    printf("%s (%s), %s cache\n", d->device.name, d->device.id, d->cache);
    printf("  the same twice  %.4fx (%.4f to %.4f) over %zu rounds of %s %s, %s a call\n",
           d->same.median, d->same.interval.low, d->same.interval.high, d->same.rounds,
           d->problem.description->kernel, key, time);
    printf("  spread          %.2f%% between the quartiles of the ratios\n", 100 * d->spread);
    printf("  launch          %.2f us one by one, ", d->launch.one_by_one_us);
    if (d->launch.in_graph_us > 0)
        printf("%.2f us in a graph, ", d->launch.in_graph_us);
    printf("%.1f us until the host knows\n", d->launch.round_trip_us);
    if (isfinite(d->resolution_us))
        printf("  timer           steps of %.3g us\n", d->resolution_us);
    else
        printf("  timer           all times were the same\n");
    print_health(d);
    print_host(&d->host);
    for (int i = 0; i < d->finding_count; i++)
        printf("  %-15s %s: %s\n", d->findings[i].serious ? "disturbed" : "note",
               d->findings[i].what, d->findings[i].to_do);
    doctor_verdict(d, &verdict);
    terminal_print(&terminal, d->trusted ? INK_GOOD : INK_BAD, 0, tw_text_or(&verdict, ""));
    printf("\n");
    tw_text_free(&verdict);
}

static void add_known(cJSON *json, const char *name, double value) {
    if (value >= 0 && isfinite(value))
        cJSON_AddNumberToObject(json, name, value);
}

static void add_health(cJSON *json, const struct diagnosis *d) {
    const struct tw_device_health *h = &d->health;
    cJSON *health = cJSON_AddObjectToObject(json, "device_health");
    if (!d->has_health || h->unknown[0] != '\0') {
        cJSON_AddStringToObject(health, "unknown",
                                d->has_health ? h->unknown : "the backend tells nothing of it");
        return;
    }
    add_known(health, "clock_mhz", h->clock_mhz);
    add_known(health, "clock_max_mhz", h->clock_max_mhz);
    add_known(health, "memory_clock_mhz", h->memory_clock_mhz);
    add_known(health, "temperature_c", h->temperature_c);
    add_known(health, "power_w", h->power_w);
    add_known(health, "power_limit_w", h->power_limit_w);
    if (h->has_slowed_by)
        cJSON_AddStringToObject(health, "slowed_by", h->slowed_by);
    if (h->persistence >= 0)
        cJSON_AddBoolToObject(health, "persistence", h->persistence > 0);
    if (h->mode >= 0)
        cJSON_AddStringToObject(health, "mode", modes[h->mode]);
    add_known(health, "other_processes", h->other_processes);
}

static void add_findings(cJSON *json, const struct diagnosis *d) {
    cJSON *list = cJSON_AddArrayToObject(json, "findings");
    for (int i = 0; i < d->finding_count; i++) {
        cJSON *finding = cJSON_CreateObject();
        cJSON_AddBoolToObject(finding, "serious", d->findings[i].serious);
        cJSON_AddStringToObject(finding, "what", d->findings[i].what);
        cJSON_AddStringToObject(finding, "to_do", d->findings[i].to_do);
        json_append(list, finding);
    }
}

tw_status doctor_print_json(const struct diagnosis *d, struct tw_error *error) {
    char key[TW_PROBLEM_KEY_SIZE];
    struct tw_text verdict = {0};
    tw_problem_text(&d->problem, key);
    doctor_verdict(d, &verdict);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "device", d->device.id);
    cJSON_AddStringToObject(json, "device_name", d->device.name);
    cJSON_AddStringToObject(json, "kernel", d->problem.description->kernel);
    cJSON_AddStringToObject(json, "problem", key);
    cJSON_AddStringToObject(json, "cache", d->cache);
    cJSON_AddNumberToObject(json, "time_us", d->time_us);
    cJSON *same = cJSON_AddObjectToObject(json, "same_twice");
    cJSON_AddNumberToObject(same, "rounds", (double)d->same.rounds);
    cJSON_AddNumberToObject(same, "ratio", d->same.median);
    cJSON_AddNumberToObject(same, "low", d->same.interval.low);
    cJSON_AddNumberToObject(same, "high", d->same.interval.high);
    cJSON_AddNumberToObject(same, "spread", d->spread);
    cJSON *launch = cJSON_AddObjectToObject(json, "launch_us");
    cJSON_AddNumberToObject(launch, "one_by_one", d->launch.one_by_one_us);
    if (d->launch.in_graph_us > 0)
        cJSON_AddNumberToObject(launch, "in_graph", d->launch.in_graph_us);
    cJSON_AddNumberToObject(launch, "round_trip", d->launch.round_trip_us);
    add_known(json, "timer_step_us", d->resolution_us);
    add_health(json, d);
    cJSON *host = cJSON_AddObjectToObject(json, "host");
    cJSON_AddNumberToObject(host, "cores", d->host.cores);
    add_known(host, "load", d->host.load);
    add_known(host, "other_cores", d->host.other_cores);
    add_known(host, "quota_cores", d->host.quota_cores);
    if (d->host.governor[0] != '\0')
        cJSON_AddStringToObject(host, "governor", d->host.governor);
    add_findings(json, d);
    cJSON_AddNumberToObject(json, "noise", d->noise);
    cJSON_AddBoolToObject(json, "trusted", d->trusted);
    cJSON_AddStringToObject(json, "verdict", tw_text_or(&verdict, ""));
    tw_text_free(&verdict);
    return json_print(json, error);
}
