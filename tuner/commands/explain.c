/* tune explain KERNEL --shape ...: which configuration an application would get, and why. */
#include <stdio.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "runtime/base/printable.h"
#include "tuner/commands/command.h"
#include "tuner/commands/plain.h"
#include "tuner/commands/database.h"
#include "tuner/commands/print_selection.h"
#include "tuner/commands/resolve.h"
#include "tuner/json/json.h"

static const char help[] =
    "tune explain [KERNEL] --shape MxN[xK] [OPTIONS]\n"
    "\n"
    "Says which configuration an application would get for the shape on the device, by which rule, "
    "from\n"
    "which stored row and at what distance; for a shape that was never tuned, how long it is "
    "predicted to\n"
    "take and what was predicted to take longer. Runs nothing.\n"
    "\n"
    "  --shape, --dtype, --trans, --attr, --device, --cache, --db, --config: as for tune\n"
    "  --json               print one JSON object\n"
    "  --quiet              no remarks\n";

static void add_others(cJSON *json, const struct tw_description *d, const struct tw_selection *s) {
    cJSON *others = cJSON_AddArrayToObject(json, "runners_up");
    for (int i = 0; i < s->other_count; i++) {
        const struct tw_selection_other *other = &s->others[i];
        char key[TW_PROBLEM_KEY_SIZE];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "rule", tw_selection_word(other->rule));
        cJSON_AddStringToObject(one, "implementation",
                                d->implementations[other->configuration.implementation].name);
        json_add(one, "configuration", json_configuration(d, &other->configuration));
        cJSON_AddNumberToObject(one, "predicted_us", other->predicted_us);
        cJSON_AddNumberToObject(one, "uncertainty", other->uncertainty);
        if (other->row != NULL) {
            tw_selection_problem(d, other->row, key);
            cJSON_AddStringToObject(one, "problem", key);
            cJSON_AddStringToObject(one, "device", other->row->device_name);
        }
        json_append(others, one);
    }
}

static tw_status print_json(const struct tw_problem *problem, const struct tw_device_info *device,
                            const struct tw_selection *s, const char *configuration,
                            struct tw_error *error) {
    const struct tw_description *d = problem->description;
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_text(problem, key);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kernel", d->kernel);
    cJSON_AddStringToObject(json, "problem", key);
    cJSON_AddStringToObject(json, "device", device->id);
    cJSON_AddStringToObject(json, "device_name", device->name);
    cJSON_AddStringToObject(json, "rule", tw_selection_word(s->rule));
    cJSON_AddStringToObject(json, "reason", tw_selection_text(s->rule));
    cJSON_AddStringToObject(json, "implementation",
                            d->implementations[s->configuration.implementation].name);
    json_add(json, "configuration", cJSON_Parse(configuration));
    if (s->row != NULL) {
        cJSON_AddNumberToObject(json, "distance", s->distance);
        cJSON *row = cJSON_AddObjectToObject(json, "row");
        tw_selection_problem(d, s->row, key);
        cJSON_AddStringToObject(row, "problem", key);
        cJSON_AddStringToObject(row, "device", s->row->device_name);
        cJSON_AddNumberToObject(row, "time_us", s->row->time_us);
        cJSON_AddBoolToObject(row, "provisional", s->row->provisional);
    }
    if (s->predicted_us > 0) {
        cJSON_AddNumberToObject(json, "predicted_us", s->predicted_us);
        cJSON_AddNumberToObject(json, "uncertainty", s->uncertainty);
        add_others(json, d, s);
    }
    if (s->refused != NULL) {
        cJSON *refused = cJSON_AddObjectToObject(json, "refused");
        tw_selection_problem(d, s->refused, key);
        cJSON_AddStringToObject(refused, "problem", key);
        cJSON_AddStringToObject(refused, "device", s->refused->device_name);
        cJSON_AddStringToObject(refused, "reason", s->refusal);
    }
    if (s->unread[0] != '\0')
        cJSON_AddStringToObject(json, "unread_model", s->unread);
    return json_print(json, error);
}

/* Nothing that was measured had a say. */
static bool is_guessed(const struct tw_selection *s) {
    return s->rule == TW_SELECTED_FALLBACK || s->rule == TW_SELECTED_DEFAULT;
}

static tw_status print_table(const struct tw_problem *problem, const struct tw_device_info *device,
                             const struct tw_selection *s, const char *configuration, bool quiet,
                             struct tw_error *error) {
    const struct tw_description *d = problem->description;
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_text(problem, key);
    printf("%s %s on %s (%s)\n", d->kernel, key, device->name, device->id);
    tw_status status = print_selection(problem->description, s, error);
    if (status != TW_OK)
        return status;
    printf("  configuration   %s %s\n", d->implementations[s->configuration.implementation].name,
           configuration);
    if (is_guessed(s) && !quiet)
        puts("  hint            no result is of use here; tune, with the same kernel, shape and "
             "options, finds what is fastest");
    return TW_OK;
}

/* A database that is not there holds nothing, here as for an application; but a name that is
 * mistyped would read as a shape that was never tuned. */
static void tell_missing(const struct arguments *a) {
    if (a->db != NULL && access(a->db, F_OK) != 0 && !a->quiet)
        tw_printable_line(stderr, "tune: %s is not there, so that it holds nothing", a->db);
}

static tw_status explain(const struct arguments *a, struct tw_error *error) {
    struct tw_description *description = NULL;
    struct tw_problem problem;
    struct tw_device_info device;
    struct tw_catalogue *catalogue = NULL;
    struct tw_selection selection;
    struct tw_text configuration = {0};
    tw_status status = resolve_single(a, &description, &problem, &device, error);
    if (status == TW_OK)
        tell_missing(a);
    if (status == TW_OK)
        status = database_catalogue(a, &catalogue, error);
    if (status == TW_OK)
        status = tw_select(
            &(struct tw_query){
                .catalogue = catalogue, .problem = &problem, .device = &device, .cache = a->cache},
            &selection, error);
    if (status == TW_OK) {
        tw_configuration_text(description, &selection.configuration, &configuration);
        if (configuration.failed)
            status = tw_fail(error, TW_NO_MEMORY, "out of memory");
        else if (a->json)
            status = print_json(&problem, &device, &selection, configuration.data, error);
        else
            status =
                print_table(&problem, &device, &selection, configuration.data, a->quiet, error);
    }
    tw_text_free(&configuration);
    tw_catalogue_free(catalogue);
    tw_description_free(description);
    return status;
}

int command_explain(int count, char **words) {
    return command_plain(count, words, OPTIONS_SUBJECT | OPTION(JSON) | OPTION(QUIET), help,
                         explain);
}
