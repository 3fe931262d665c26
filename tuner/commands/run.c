/* tune run KERNEL --shape ...: one variant, checked and timed, with its source and what the
 * compiler said. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/backend/devices.h"
#include "runtime/select/select.h"
#include "runtime/variant/compile.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/commands/print_selection.h"
#include "tuner/commands/resolve.h"
#include "tuner/json/json.h"
#include "tuner/report/report.h"
#include "tuner/session/one_variant.h"
#include "tuner/space/given.h"
#include "tuner/space/pins.h"

static const char help[] =
    "tune run [KERNEL] --shape MxN[xK] [OPTIONS]\n"
    "\n"
    "Runs one variant: compiles it, checks its whole answer and times it, in processes of its "
    "own,\n"
    "as a search does. Stores nothing. Fails when it does not compile, crashes, hangs or is "
    "wrong.\n"
    "\n"
    "  --configuration JSON its parameters, as tune show and tune trials print them\n"
    "  --implementation I   of this implementation, where several have such parameters\n"
    "  --preset NAME        a preset of the kernel instead; without either, what an application\n"
    "                       would get\n"
    "  --fix NAME=VALUE     with this parameter changed; may be given more than once\n"
    "  --source             print the source that is compiled\n"
    "  --log                print all that the compiler says\n"
    "  --shape, --dtype, --trans, --attr, --device, --cache, --db, --config, --seed,\n"
    "  --trial-limit, --compile-limit: as for tune\n"
    "  --json               print one JSON object\n"
    "  --quiet              no remarks\n";

/* The variant, and what is known of it before and after. */
struct subject {
    struct tw_description *description;
    struct tw_problem problem;
    struct tw_device_info device;
    struct tw_catalogue *catalogue;
    const char *chosen;            /* "configuration", "preset"; NULL: by the selection */
    struct tw_selection selection; /* borrows from the catalogue */
    struct tw_configuration configuration;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_executable *executable;
    struct tw_text sources[TW_MAX_LAUNCHES];
    struct one_variant one;
};

static const struct tw_implementation *implementation_of(const struct subject *s) {
    return &s->description->implementations[s->configuration.implementation];
}

/* ---- Which variant ---- */

static tw_status choose(const struct arguments *a, struct subject *s, struct tw_error *error) {
    if (a->configuration != NULL && a->preset != NULL)
        return tw_fail(error, TW_INVALID, "give --configuration or --preset, not both");
    if (a->implementation != NULL && a->configuration == NULL)
        return tw_fail(error, TW_INVALID, "--implementation goes with --configuration");
    if (a->configuration != NULL) {
        s->chosen = "configuration";
        return given_configuration(s->description, a->implementation, a->configuration,
                                   &s->configuration, error);
    }
    if (a->preset != NULL) {
        s->chosen = "preset";
        return given_preset(s->description, a->preset, &s->configuration, error);
    }
    tw_status status = database_catalogue(a, &s->catalogue, error);
    const struct tw_query query = {
        .catalogue = s->catalogue, .problem = &s->problem, .device = &s->device, .cache = a->cache};
    if (status == TW_OK)
        status = tw_select(&query, &s->selection, error);
    if (status == TW_OK)
        s->configuration = s->selection.configuration;
    return status;
}

static tw_status bind(struct subject *s, struct tw_error *error) {
    int64_t slots[TW_DEVICE_SLOTS];
    tw_device_values(&s->device, slots);
    tw_status status = tw_problem_bind(&s->problem, slots, NULL, s->values, error);
    if (status == TW_OK)
        status = tw_configuration_bind(s->description, &s->configuration, s->values, error);
    if (status == TW_OK)
        status = tw_configuration_check(s->description, &s->configuration, s->values, error);
    return status == TW_OK
               ? tw_implementation_fits(implementation_of(s), s->values, &s->device, error)
               : status;
}

static tw_status render(struct subject *s, struct tw_error *error) {
    tw_status status = tw_executable_create(&s->executable, &s->problem, &s->configuration,
                                            s->values, &s->device, error);
    for (int i = 0; status == TW_OK && i < s->executable->launch_count; i++)
        status =
            tw_executable_source(s->executable, i, s->device.backend, &s->sources[i], NULL, error);
    return status;
}

static tw_status find_variant(const struct arguments *a, struct subject *s,
                              struct tw_error *error) {
    struct pins pins;
    tw_status status = resolve_single(a, &s->description, &s->problem, &s->device, error);
    if (status == TW_OK)
        status = pins_read(&pins, a->fixes.words, a->fixes.count, s->description, error);
    if (status == TW_OK)
        status = choose(a, s, error);
    if (status == TW_OK)
        status = pins_apply(&pins, s->description, &s->configuration, error);
    if (status == TW_OK)
        status = bind(s, error);
    return status == TW_OK ? render(s, error) : status;
}

/* ---- What came of it ---- */

static bool is_right(const struct subject *s) {
    return s->one.trial.status == TW_DB_TRIAL_OK;
}

static double rate_of(const struct subject *s, const char **unit) {
    struct tw_work work;
    *unit = "";
    if (tw_problem_work(&s->problem, s->values, &work, NULL) != TW_OK)
        return 0;
    return tw_work_rate(&work, s->one.trial.time_us * 1e-6, unit);
}

static void add_result(cJSON *json, const struct subject *s) {
    const struct trial *t = &s->one.trial;
    cJSON_AddStringToObject(json, "status", tw_db_trial_status_text(t->status));
    if (t->message[0] != '\0')
        cJSON_AddStringToObject(json, "message", t->message);
    if (is_right(s)) {
        const char *unit;
        double rate = rate_of(s, &unit);
        cJSON_AddNumberToObject(json, "time_us", t->time_us);
        cJSON_AddNumberToObject(json, "repeats", t->repeats);
        if (t->has_interval) {
            cJSON_AddNumberToObject(json, "ci_low_us", t->ci_low_us);
            cJSON_AddNumberToObject(json, "ci_high_us", t->ci_high_us);
        }
        cJSON_AddNumberToObject(json, "rate", rate);
        cJSON_AddStringToObject(json, "rate_unit", unit);
    }
    if (t->has_error) {
        cJSON_AddNumberToObject(json, "max_rel_error", t->max_rel_error);
        cJSON_AddNumberToObject(json, "rms_rel_error", t->rms_rel_error);
    }
    if (t->has_hard) {
        cJSON_AddNumberToObject(json, "hard_max_error", t->hard_max_error);
        cJSON_AddNumberToObject(json, "hard_rms_error", t->hard_rms_error);
    }
    if (t->has_compile_ms)
        cJSON_AddNumberToObject(json, "compile_ms", t->compile_ms);
    if (t->has_resources) {
        cJSON_AddNumberToObject(json, "registers", (double)t->registers);
        cJSON_AddNumberToObject(json, "spill_bytes", (double)t->spill_bytes);
    }
}

static void add_sizes(cJSON *json, const char *name, const uint32_t sizes[3]) {
    cJSON *array = cJSON_AddArrayToObject(json, name);
    for (int i = 0; i < 3; i++)
        json_append(array, cJSON_CreateNumber(sizes[i]));
}

static void add_launches(cJSON *json, const struct arguments *a, const struct subject *s) {
    const struct tw_implementation *in = implementation_of(s);
    cJSON *launches = cJSON_AddArrayToObject(json, "launches");
    for (int i = 0; i < in->launch_count; i++) {
        cJSON *launch = cJSON_CreateObject();
        cJSON_AddStringToObject(launch, "function", in->launches[i].function);
        add_sizes(launch, "block", s->executable->launches[i].geometry.block);
        add_sizes(launch, "grid", s->executable->launches[i].geometry.grid);
        cJSON_AddNumberToObject(launch, "shared_bytes", s->executable->launches[i].geometry.shared);
        if (a->source)
            cJSON_AddStringToObject(launch, "source", s->sources[i].data);
        if (a->log && i < s->one.log_count)
            cJSON_AddStringToObject(launch, "log", s->one.logs[i].data);
        json_append(launches, launch);
    }
}

static tw_status print_json(const struct arguments *a, const struct subject *s,
                            const char *configuration, struct tw_error *error) {
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_text(&s->problem, key);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kernel", s->description->kernel);
    cJSON_AddStringToObject(json, "problem", key);
    cJSON_AddStringToObject(json, "device", s->device.id);
    cJSON_AddStringToObject(json, "chosen",
                            s->chosen != NULL ? s->chosen : tw_selection_word(s->selection.rule));
    cJSON_AddStringToObject(json, "implementation", implementation_of(s)->name);
    json_add(json, "configuration", cJSON_Parse(configuration));
    add_result(json, s);
    add_launches(json, a, s);
    return json_print(json, error);
}

static void print_times(const struct subject *s) {
    const struct trial *t = &s->one.trial;
    char time[32], low[32], high[32], text[REPORT_RATE_SIZE];
    const char *unit;
    double rate = rate_of(s, &unit);
    report_time(t->time_us, time);
    report_time(t->ci_low_us, low);
    report_time(t->ci_high_us, high);
    printf("  answer          right; max error %.2g\n", t->has_error ? t->max_rel_error : 0);
    if (t->has_hard)
        printf("  on hard inputs  max error %.2g, rms %.2g, of the sizes summed\n",
               t->hard_max_error, t->hard_rms_error);
    if (t->has_interval)
        printf("  time            %s (95%% interval %s to %s, %d repeats)\n", time, low, high,
               t->repeats);
    else
        printf("  time            %s (%d repeats)\n", time, t->repeats);
    report_rate(rate, unit, text);
    printf("  rate            %s\n", text);
}

static void print_launches(const struct arguments *a, const struct subject *s) {
    const struct tw_implementation *in = implementation_of(s);
    for (int i = 0; i < in->launch_count; i++) {
        const struct tw_geometry *g = &s->executable->launches[i].geometry;
        printf("  launch          %s: a grid of %ux%ux%u blocks of %ux%ux%u, %u bytes of shared "
               "memory each\n",
               in->launches[i].function, g->grid[0], g->grid[1], g->grid[2], g->block[0],
               g->block[1], g->block[2], g->shared);
    }
    for (int i = 0; a->source && i < in->launch_count; i++)
        printf("\n---- source of %s ----\n%s", in->launches[i].function, s->sources[i].data);
    for (int i = 0; a->log && i < s->one.log_count; i++)
        printf("\n---- the compiler on %s ----\n%s%s", in->launches[i].function,
               s->one.logs[i].length > 0 ? s->one.logs[i].data : "(nothing)\n",
               s->one.logs[i].length > 0 ? "\n" : "");
}

static tw_status print_table(const struct arguments *a, const struct subject *s,
                             const char *configuration, struct tw_error *error) {
    tw_status status = TW_OK;
    const struct trial *t = &s->one.trial;
    char key[TW_PROBLEM_KEY_SIZE];
    tw_problem_text(&s->problem, key);
    printf("%s %s on %s (%s)\n", s->description->kernel, key, s->device.name, s->device.id);
    if (s->chosen == NULL)
        status = print_selection(s->problem.description, &s->selection, error);
    else
        printf("  chosen          %s %s\n", s->chosen,
               a->preset != NULL ? a->preset : "from the command line");
    if (status != TW_OK)
        return status;
    printf("  configuration   %s %s\n", implementation_of(s)->name, configuration);
    if (is_right(s))
        print_times(s);
    else
        printf("  %-15s %s\n", tw_db_trial_status_text(t->status), t->message);
    if (t->has_compile_ms)
        printf("  compiled        in %.0f ms", t->compile_ms);
    if (t->has_compile_ms && t->has_resources)
        printf("; %lld registers a thread, %lld bytes spilled", (long long)t->registers,
               (long long)t->spill_bytes);
    if (t->has_compile_ms)
        printf("\n");
    print_launches(a, s);
    return TW_OK;
}

static tw_status run(const struct arguments *a, bool *right, struct tw_error *error) {
    struct tw_text configuration = {0};
    struct subject *s = calloc(1, sizeof *s);
    if (s == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_status status = find_variant(a, s, error);
    if (status == TW_OK) {
        const struct one_variant_options options = {.seed = (uint32_t)a->seed,
                                                    .cache = a->cache,
                                                    .trial_limit_s = a->trial_limit_s,
                                                    .compile_limit_s = a->compile_limit_s};
        status = one_variant_run(&options, &s->device, s->executable, s->sources, &s->one, error);
    }
    if (status == TW_OK) {
        tw_configuration_text(s->description, &s->configuration, &configuration);
        if (configuration.failed)
            status = tw_fail(error, TW_NO_MEMORY, "out of memory");
        else if (a->json)
            status = print_json(a, s, configuration.data, error);
        else
            status = print_table(a, s, configuration.data, error);
        *right = is_right(s);
    }
    tw_text_free(&configuration);
    one_variant_free(&s->one);
    tw_executable_free(s->executable);
    for (int i = 0; i < TW_MAX_LAUNCHES; i++)
        tw_text_free(&s->sources[i]);
    tw_catalogue_free(s->catalogue);
    tw_description_free(s->description);
    free(s);
    return status;
}

int command_run(int count, char **words) {
    struct arguments arguments;
    struct tw_error error;
    bool right = true;
    tw_status status = arguments_parse(
        &arguments, count, words,
        OPTIONS_SUBJECT | OPTION(CONFIGURATION) | OPTION(IMPLEMENTATION) | OPTION(PRESET) |
            OPTION(FIX) | OPTION(SOURCE) | OPTION(LOG) | OPTION(SEED) | OPTION(TRIAL_LIMIT) |
            OPTION(COMPILE_LIMIT) | OPTION(JSON) | OPTION(QUIET) | OPTION(VERBOSE),
        &error);
    if (status == TW_OK && arguments.help)
        fputs(help, stdout);
    else if (status == TW_OK)
        status = run(&arguments, &right, &error);
    arguments_free(&arguments);
    if (status != TW_OK)
        return command_failed(status, &error);
    return right ? EXIT_FINE : EXIT_FAILED;
}
