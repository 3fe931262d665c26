/* tune apply KERNEL --shape ...: what an application would launch, launched and checked. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/select/select.h"
#include "tuner/commands/command.h"
#include "tuner/commands/plain.h"
#include "tuner/commands/database.h"
#include "tuner/commands/print_selection.h"
#include "tuner/commands/resolve.h"
#include "tuner/json/json.h"
#include "tuner/measure/in_process.h"
#include "tuner/measure/workload_create.h"
#include "tuner/report/report.h"

static const char help[] =
    "tune apply [KERNEL] --shape MxN[xK] [OPTIONS]\n"
    "\n"
    "Loads the best stored configuration for the shape on the device, as an application would, "
    "runs\n"
    "it, checks the whole answer, and times it. Says so when nothing is stored and the preset "
    "default\n"
    "is what an application would get. Fails when the answer is wrong.\n"
    "\n"
    "  --shape, --dtype, --trans, --attr, --device, --cache, --db, --config, --seed: as for tune\n"
    "  --json               print one JSON object\n"
    "  --quiet              no remarks\n";

struct application {
    struct testbed testbed;
    struct workload workload;
    struct tw_selection selection;
    struct in_process_result single;
};

static tw_status run(struct application *app, const struct arguments *a,
                     const struct tw_catalogue *catalogue, const struct tw_problem *problem,
                     const struct tw_device_info *device, struct tw_error *error) {
    enum cache_policy policy = a->cache[0] == 'w' ? CACHE_WARM : CACHE_COLD;
    const struct tw_query query = {
        .catalogue = catalogue, .problem = problem, .device = device, .cache = a->cache};
    tw_status status = tw_select(&query, &app->selection, error);
    if (status == TW_OK)
        status = testbed_open(&app->testbed, device, problem, NULL, error);
    if (status == TW_OK)
        status = workload_create(&app->workload, &app->testbed, policy, (uint32_t)a->seed, error);
    if (status == TW_OK)
        status = in_process_measure(&app->testbed, &app->workload, &app->selection.configuration,
                                    &app->single, error);
    return status;
}

static tw_status print_json(const struct application *app, const struct tw_problem *problem,
                            struct tw_error *error) {
    const struct tw_description *d = problem->description;
    const struct tw_selection *s = &app->selection;
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_text(problem, key);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kernel", d->kernel);
    cJSON_AddStringToObject(json, "problem", key);
    cJSON_AddStringToObject(json, "device", app->testbed.info.id);
    cJSON_AddStringToObject(json, "rule", tw_selection_word(s->rule));
    cJSON_AddStringToObject(json, "reason", tw_selection_text(s->rule));
    cJSON_AddStringToObject(json, "implementation",
                            d->implementations[s->configuration.implementation].name);
    json_add(json, "configuration", json_configuration(d, &s->configuration));
    if (s->rule == TW_SELECTED_EXACT)
        cJSON_AddNumberToObject(json, "stored_time_us", s->row->time_us);
    cJSON_AddNumberToObject(json, "time_us", app->single.time_us);
    cJSON_AddNumberToObject(json, "max_rel_error", app->single.accuracy.max_rel_error);
    cJSON_AddBoolToObject(json, "correct", 1);
    return json_print(json, error);
}

static tw_status print_table(const struct application *app, const struct tw_problem *problem,
                             struct tw_error *error) {
    const struct tw_description *d = problem->description;
    const struct tw_selection *s = &app->selection;
    struct tw_text configuration = {0};
    char key[TW_PROBLEM_KEY_SIZE], time[32], stored[32] = "";
    tw_problem_text(problem, key);
    tw_configuration_text(d, &s->configuration, &configuration);
    report_time(app->single.time_us, time);
    if (s->rule == TW_SELECTED_EXACT)
        report_time(s->row->time_us, stored);
    printf("%s %s on %s (%s)\n", d->kernel, key, app->testbed.info.name, app->testbed.info.id);
    tw_status status = print_selection(problem->description, s, error);
    if (status != TW_OK) {
        tw_text_free(&configuration);
        return status;
    }
    printf("  configuration   %s %s\n", d->implementations[s->configuration.implementation].name,
           tw_text_or(&configuration, ""));
    printf("  answer          right; max error %.2g\n", app->single.accuracy.max_rel_error);
    if (s->rule == TW_SELECTED_EXACT)
        printf("  time            %s (%s when it was stored)\n", time, stored);
    else
        printf("  time            %s\n", time);
    tw_text_free(&configuration);
    return TW_OK;
}

static tw_status apply(const struct arguments *a, struct tw_error *error) {
    struct tw_description *description = NULL;
    struct tw_problem problem;
    struct tw_device_info device;
    struct tw_catalogue *catalogue = NULL;
    struct application *app = calloc(1, sizeof *app);
    if (app == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = resolve_single(a, &description, &problem, &device, error);
    if (status == TW_OK)
        status = database_catalogue(a, &catalogue, error);
    if (status == TW_OK)
        status = run(app, a, catalogue, &problem, &device, error);
    if (status == TW_OK && a->json)
        status = print_json(app, &problem, error);
    else if (status == TW_OK)
        status = print_table(app, &problem, error);
    workload_free(&app->workload);
    testbed_close(&app->testbed);
    free(app);
    tw_catalogue_free(catalogue);
    tw_description_free(description);
    return status;
}

int command_apply(int count, char **words) {
    return command_plain(
        count, words, OPTIONS_SUBJECT | OPTION(SEED) | OPTION(JSON) | OPTION(QUIET), help, apply);
}
