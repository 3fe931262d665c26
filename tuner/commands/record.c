/* tune record KERNEL --shapes FILE: good configurations measured on many problems, to fit a model
 * to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/library/paths.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/commands/interrupts.h"
#include "tuner/commands/resolve.h"
#include "tuner/json/json.h"
#include "tuner/record/best_predicted.h"
#include "tuner/record/portfolio.h"
#include "tuner/record/record.h"

static const char help[] =
    "tune record [KERNEL] --shapes FILE [OPTIONS]\n"
    "\n"
    "Measures good configurations on many problems: what has won on devices of this architecture,\n"
    "what models of such devices choose from, and the presets, and each again with those\n"
    "parameters of the launch, which cost no compiling, that are estimated to suit the problem\n"
    "best. Each is verified and timed as in a search, for a shorter time, and recorded as a "
    "trial;\n"
    "the best rows stay as they are. tune model fit then makes of them what chooses for shapes\n"
    "that were never tuned. What is on record already is not measured again, and a configuration\n"
    "that is far from the best on all of the first problems is left out; so is, where the\n"
    "database has a model, what it was fitted to and predicts to take over half as long again\n"
    "as the fastest.\n"
    "\n"
    "  --shapes FILE        a shape a line, with attributes if it has any: 512x512x64 trans=nt\n"
    "  --shape, --dtype, --trans, --attr, --device, --cache, --db, --config, --seed, --jobs,\n"
    "  --trial-limit, --compile-limit: as for tune\n"
    "  --budget TIME        stop after so long, as 10m; the next run goes on from there\n"
    "  --trials N           of each problem only the N that a model predicts to take least (the\n"
    "                       database's, or the installed one; else the estimate, each\n"
    "                       implementation in its turn, as those have beside the model's choice\n"
    "                       that it was not fitted with): of all the above, of all that came\n"
    "                       within 8% of the best of any problem on record here, and of what the\n"
    "                       model hopes most of in each problem's space. A model learns most from\n"
    "                       what it would choose, or nearly. Of a binary three launches at most\n"
    "  --json               print one JSON object\n"
    "  --quiet              no progress\n"
    "\n"
    "Ctrl-C stops cleanly.\n"
    "\n"
    "With --output FILE it records the space of one problem instead: see tune record -o FILE "
    "--help.\n";

struct task {
    struct tw_description *description;
    struct tw_device_info device;
    struct tw_problem *problems;
    struct portfolio portfolio;
    struct tw_catalogue *known; /* what the database has */
    struct tw_catalogue
        *shipped; /* and, if another is meant, what the installed one has; or NULL */
    char *db_path;
    tw_db *db;
    struct record_result result;
};

static void print_progress(void *context, const struct record_progress *progress) {
    (void)context;
    fprintf(stderr, "tune: %d of %d problems, %lld trials, %.0f s\n", progress->problem,
            progress->problem_count, (long long)progress->trials, progress->elapsed_s);
}

static tw_status add_catalogue(struct task *task, const struct tw_catalogue *catalogue,
                               struct tw_error *error) {
    tw_status status =
        portfolio_add_rows(&task->portfolio, task->description, &task->device, catalogue, error);
    return status == TW_OK ? portfolio_add_models(&task->portfolio, task->description,
                                                  &task->device, catalogue, error)
                           : status;
}

/* What the installed database has counts, whatever --db says. */
static tw_status find_portfolio(const struct arguments *a, struct task *task,
                                struct tw_error *error) {
    struct tw_text system = {0};
    struct arguments installed = *a;
    tw_path_system_database(&system);
    tw_status status = database_catalogue(a, &task->known, error);
    if (status == TW_OK && a->db != NULL && system.data != NULL) {
        installed.db = system.data;
        status = database_catalogue(&installed, &task->shipped, error);
    }
    if (status == TW_OK)
        status = add_catalogue(task, task->known, error);
    if (status == TW_OK && task->shipped != NULL)
        status = add_catalogue(task, task->shipped, error);
    if (status == TW_OK)
        status = portfolio_add_presets(&task->portfolio, task->description, error);
    tw_text_free(&system);
    return status;
}

static tw_status prepare(const struct arguments *a, struct task *task, struct tw_error *error) {
    if (a->shape_count == 0)
        return tw_fail(error, TW_INVALID, "give --shapes FILE, or --shape, to say which problems");
    if (a->budget_trials > 0)
        return tw_fail(error, TW_INVALID, "--budget of a recording is a time, as 10m");
    tw_status status = resolve_description(a, &task->description, error);
    if (status == TW_OK)
        status = resolve_device(a, &task->device, error);
    task->problems = calloc((size_t)a->shape_count, sizeof *task->problems);
    if (status == TW_OK && task->problems == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < a->shape_count && status == TW_OK; i++)
        status = resolve_problem(a, i, task->description, &task->problems[i], error);
    if (status == TW_OK)
        status = find_portfolio(a, task, error);
    if (status == TW_OK) {
        task->db_path = database_path(a, error);
        status = task->db_path == NULL ? error->status : TW_OK;
    }
    if (status == TW_OK)
        status = database_open(task->db_path, TW_DB_WRITE, &task->db, error);
    if (status == TW_OK)
        status = database_adopt(a, task->db, error);
    if (status == TW_OK && a->trials > 0)
        status = portfolio_add_trials(&task->portfolio, task->description, &task->device, a->cache,
                                      task->db, error);
    return status;
}

static tw_status print_result(const struct arguments *a, const struct task *task,
                              struct tw_error *error) {
    const struct record_result *r = &task->result;
    if (a->json) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "kernel", task->description->kernel);
        cJSON_AddStringToObject(json, "device", task->device.id);
        cJSON_AddNumberToObject(json, "problems", r->problems);
        cJSON_AddNumberToObject(json, "configurations", task->portfolio.count);
        cJSON_AddNumberToObject(json, "left_out", r->left_out);
        cJSON_AddNumberToObject(json, "trials", (double)r->trials);
        cJSON_AddNumberToObject(json, "failures", (double)r->failures);
        cJSON_AddNumberToObject(json, "known", (double)r->known);
        cJSON_AddNumberToObject(json, "unlikely", (double)r->unlikely);
        if (a->trials > 0) {
            cJSON_AddNumberToObject(json, "beyond", (double)r->beyond);
            cJSON_AddNumberToObject(json, "by_model", r->by_model);
        }
        cJSON_AddNumberToObject(json, "compiled", (double)r->compiled);
        cJSON_AddNumberToObject(json, "elapsed_s", r->elapsed_s);
        cJSON_AddBoolToObject(json, "interrupted", r->interrupted || r->out_of_time);
        return json_print(json, error);
    }
    printf("%s on %s (%s)\n", task->description->kernel, task->device.name, task->device.id);
    printf("  problems        %d of %d recorded%s\n", r->problems, a->shape_count,
           r->interrupted   ? "; interrupted"
           : r->out_of_time ? "; the time is up"
                            : "");
    printf("  configurations  %d, of which %d were left out after the first problems\n",
           task->portfolio.count, r->left_out);
    printf("  trials          %lld now, %lld known; %lld failed%s%s\n", (long long)r->trials,
           (long long)r->known, (long long)r->failures, r->failures > 0 ? ", the first: " : "",
           r->first_failure);
    if (r->unlikely > 0)
        printf("  left out        %lld, for which a model predicts over half as long again\n",
               (long long)r->unlikely);
    if (a->trials > 0)
        printf("  left out        %lld beyond the %lld of a problem that are predicted to take "
               "least: by\n"
               "                  a model on %d problems, else by the estimate\n",
               (long long)r->beyond, (long long)a->trials, r->by_model);
    printf("  compiled        %lld variants\n", (long long)r->compiled);
    printf("  took            %.1f s; in %s\n", r->elapsed_s, task->db_path);
    return TW_OK;
}

static tw_status record(const struct arguments *a, struct task *task, struct tw_error *error) {
    tw_status status = prepare(a, task, error);
    if (status != TW_OK)
        return status;
    const struct record_options options = {.cache = a->cache,
                                           .seed = (uint32_t)a->seed,
                                           .jobs = (int)a->jobs,
                                           .seconds = a->budget_given ? a->budget_seconds : 0,
                                           .trials = (int)a->trials,
                                           .trial_limit_s = a->trial_limit_s,
                                           .compile_limit_s = a->compile_limit_s,
                                           .interrupted = interrupts_catch(),
                                           .models = task->known,
                                           .other_models = task->shipped};
    if (a->trials > 0)
        status = portfolio_add_best_predicted(&task->portfolio, &options, task->problems,
                                              a->shape_count, &task->device, error);
    if (status != TW_OK)
        return status;
    status = record_run(&options, task->problems, a->shape_count, task->portfolio.all,
                        task->portfolio.count, &task->device, task->db, task->db_path,
                        a->quiet ? NULL : print_progress, NULL, &task->result, error);
    return status == TW_OK ? print_result(a, task, error) : status;
}

/* With a file to write it is one space that is recorded, as a whole. */
static bool names_output(int count, char **words) {
    for (int i = 1; i < count; i++)
        if (strncmp(words[i], "-o", 2) == 0 || strncmp(words[i], "--output", 8) == 0)
            return true;
    return false;
}

int command_record(int count, char **words) {
    if (names_output(count, words))
        return command_record_space(count, words);
    struct arguments arguments;
    struct tw_error error;
    struct task *task = calloc(1, sizeof *task);
    if (task == NULL) {
        tw_fail(&error, TW_NO_MEMORY, "out of memory");
        return command_failed(TW_NO_MEMORY, &error);
    }
    tw_status status =
        arguments_parse(&arguments, count, words,
                        OPTIONS_SUBJECT | OPTION(SHAPES) | OPTION(BUDGET) | OPTION(TRIALS) |
                            OPTION(SEED) | OPTION(JOBS) | OPTION(TRIAL_LIMIT) |
                            OPTION(COMPILE_LIMIT) | OPTION(JSON) | OPTION(QUIET) | OPTION(VERBOSE),
                        &error);
    bool interrupted = false;
    if (status == TW_OK && arguments.help)
        fputs(help, stdout);
    else if (status == TW_OK) {
        status = record(&arguments, task, &error);
        interrupted = task->result.interrupted;
    }
    tw_db_close(task->db);
    free(task->db_path);
    portfolio_free(&task->portfolio);
    tw_catalogue_free(task->known);
    tw_catalogue_free(task->shipped);
    free(task->problems);
    tw_description_free(task->description);
    free(task);
    arguments_free(&arguments);
    if (status != TW_OK)
        return command_failed(status, &error);
    return interrupted ? EXIT_INTERRUPTED : EXIT_FINE;
}
