/* tune KERNEL --shape ...: the main job. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/printable.h"
#include "runtime/base/text.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/commands/interrupts.h"
#include "tuner/commands/resolve.h"
#include "tuner/json/json.h"
#include "tuner/report/report.h"
#include "tuner/session/session.h"

static const char help[] =
    "tune [KERNEL] --shape MxN[xK] [OPTIONS]\n"
    "\n"
    "Finds the fastest right configuration of a kernel for a shape on a device, and stores it.\n"
    "The kernel defaults to gemm for three sizes and transpose for two.\n"
    "\n"
    "  --shape MxN[xK]      what to tune; may be given more than once\n"
    "  --shapes FILE        a list: a shape a line, then NAME=WORD attributes if any; # comments\n"
    "  --dtype WORD         element type, as in f32 or f64\n"
    "  --trans WORD         gemm's transposes: nn, nt, tn or tt\n"
    "  --attr NAME=WORD     any other attribute of the kernel: gemm's batch=COUNT,\n"
    "                       bias=row|column, activation=relu|gelu|gelu_tanh|silu, addend=apart\n"
    "  --device ID          as `tune devices` lists them; default: the first GPU, else the CPU\n"
    "  --budget B           a time (90s, 5m, 1h) or a number of trials (500); default 60s\n"
    "  --strategy NAME      how to search, see below\n"
    "  --seed N             for the search and the random inputs; default 1\n"
    "  --jobs N             compiling processes; default: one a core\n"
    "  --fix NAME=VALUE     hold a parameter at a value; may be given more than once\n"
    "  --cache cold|warm    time with inputs out of cache (default) or in it\n"
    "  --db FILE            the database; default: tilewise/tilewise.db under XDG_DATA_HOME\n"
    "  --config FILE        a kernel description of your own, or a folder of them; may be "
    "repeated\n"
    "  --trial-limit TIME   most that one trial may take on the device; default: from the kernel\n"
    "  --compile-limit TIME most that one compilation may take, also at a first launch; default\n"
    "                       60s\n"
    "  --json               print one JSON object (an array for several shapes)\n"
    "  --quiet              no progress\n"
    "  --verbose            list the presets that cannot be here too, and say why there is no "
    "CUDA\n"
    "\n"
    "Ctrl-C stops cleanly. The same command goes on where an interrupted run stopped.\n"
    "\n"
    "Strategies:\n";

static const char retry_help[] =
    "tune retry [KERNEL] --shape MxN[xK] [OPTIONS]\n"
    "\n"
    "Forgets the trials of this problem, device and cache policy that failed, and tunes: what "
    "they\n"
    "were of is tried again first. Forgets nothing else. Takes the options of tune below, and\n"
    "\n"
    "  --status S           forget those with this status only (timeout, wrong, ...); may be "
    "given\n"
    "                       more than once\n"
    "\n";

struct task {
    struct arguments arguments;
    struct tw_description *description;
    struct tw_device_info device;
    struct strategy_choice strategy;
    struct pins pins;
    unsigned retry; /* statuses of trials to be tried again, a bit each */
    char *db_path;
    tw_db *db;
    cJSON *reports;
    const volatile sig_atomic_t *interrupted;
};

/* Problems are all checked before the first is tuned: a typing error in the last of a list must not
 * show after an hour. */
static tw_status prepare(struct task *task, struct tw_error *error) {
    struct arguments *a = &task->arguments;
    if (a->shape_count == 0)
        return tw_fail(error, TW_INVALID,
                       "what shape? give --shape, as in --shape 4096x4096x1024; see --help");
    tw_status status = strategy_choose(&task->strategy, a->strategy, error);
    if (status == TW_OK)
        status = resolve_description(a, &task->description, error);
    if (status == TW_OK)
        status = pins_read(&task->pins, a->fixes.words, a->fixes.count, task->description, error);
    for (int i = 0; i < a->shape_count && status == TW_OK; i++) {
        struct tw_problem problem;
        status = resolve_problem(a, i, task->description, &problem, error);
    }
    if (status == TW_OK)
        status = resolve_device(a, &task->device, error);
    if (status == TW_OK) {
        task->db_path = database_path(a, error);
        status = task->db_path == NULL
                     ? error->status
                     : database_open(task->db_path, TW_DB_WRITE, &task->db, error);
    }
    if (status == TW_OK)
        status = database_adopt(a, task->db, error);
    return status;
}

/* Without a trial, and not interrupted: there was nothing to try. */
static void tell_why_none(const struct task *task, const struct tw_problem *problem) {
    struct tw_text why = {0};
    struct tw_error error;
    if (space_explain(problem, &task->device, &task->pins, &why, &error) == TW_OK)
        tw_printable_line(stderr, "tune: no configuration of %s fits this problem on %s: %s",
                          problem->description->kernel, task->device.id, why.data);
    else
        tw_printable_line(stderr, "tune: no configuration of %s fits this problem on %s (why: %s)",
                          problem->description->kernel, task->device.id, error.message);
    tw_text_free(&why);
}

static int tell(struct task *task, const struct tw_problem *problem,
                const struct session_result *result) {
    if (task->arguments.json) {
        cJSON *report = report_json(problem, &task->device, result, task->db_path);
        if (json_lacked_memory()) {
            cJSON_Delete(report);
            fputs("tune: out of memory for the report; what was found is stored\n", stderr);
            return EXIT_FAILED;
        }
        json_append(task->reports, report);
    } else {
        report_table(problem, &task->device, result, task->db_path, task->arguments.verbose);
    }
    if (result->interrupted)
        return EXIT_INTERRUPTED;
    if (result->has_best)
        return EXIT_FINE;
    if (result->trials == 0)
        tell_why_none(task, problem);
    else
        fprintf(stderr, "tune: none of %lld trials worked; the first failed with: %s\n",
                (long long)result->trials, result->first_failure);
    return EXIT_FAILED;
}

static int tune_shape(struct task *task, int index, struct tw_error *error) {
    const struct arguments *a = &task->arguments;
    struct session_options options = {.strategy = task->strategy,
                                      .seed = (uint64_t)a->seed,
                                      .budget_seconds = a->budget_seconds,
                                      .budget_trials = a->budget_trials,
                                      .jobs = (int)a->jobs,
                                      .cache = a->cache,
                                      .trial_limit_s = a->trial_limit_s,
                                      .compile_limit_s = a->compile_limit_s,
                                      .pins = &task->pins,
                                      .retry = task->retry,
                                      .interrupted = task->interrupted};
    struct session_result *result = calloc(1, sizeof *result);
    struct tw_problem problem;
    struct progress_printer printer;
    if (result == NULL) {
        tw_fail(error, TW_NO_MEMORY, "out of memory");
        return command_failed(TW_NO_MEMORY, error);
    }
    tw_status status = resolve_problem(a, index, task->description, &problem, error);
    /* Afresh for each shape: those of the list that were tuned just now are near. */
    struct tw_catalogue *hints = NULL;
    if (status == TW_OK)
        status = database_catalogue(a, &hints, error);
    options.hints = hints;
    progress_begin(&printer);
    if (status == TW_OK)
        status = session_run(&options, &problem, &task->device, task->db, task->db_path,
                             a->quiet ? NULL : progress_print, &printer, result, error);
    progress_end(&printer);
    int code = status == TW_OK ? tell(task, &problem, result) : command_failed(status, error);
    tw_catalogue_free(hints);
    free(result);
    return code;
}

static tw_status print_reports(struct task *task, struct tw_error *error) {
    cJSON *whole = task->reports;
    if (cJSON_GetArraySize(whole) == 1) {
        whole = cJSON_DetachItemFromArray(task->reports, 0);
        cJSON_Delete(task->reports);
    }
    task->reports = NULL;
    return json_print(whole, error);
}

static void print_help(bool retry) {
    struct tw_text strategies = {0};
    strategy_list(&strategies, false);
    fputs(retry ? retry_help : "", stdout);
    fputs(help, stdout);
    fputs(tw_text_or(&strategies, ""), stdout);
    tw_text_free(&strategies);
}

static int run(int count, char **words, bool retry) {
    struct task task = {0};
    struct tw_error error;
    int code = EXIT_FINE;
    tw_status status = arguments_parse(
        &task.arguments, count, words,
        OPTIONS_SUBJECT | OPTION(FIX) | OPTION(SHAPES) | OPTION(BUDGET) | OPTION(STRATEGY) |
            OPTION(SEED) | OPTION(JOBS) | OPTION(TRIAL_LIMIT) | OPTION(COMPILE_LIMIT) |
            OPTION(JSON) | OPTION(QUIET) | OPTION(VERBOSE) | (retry ? OPTION(STATUS) : 0),
        &error);
    if (retry)
        task.retry = task.arguments.statuses != 0 ? task.arguments.statuses : TW_DB_TRIAL_FAILURES;
    if (status == TW_OK && task.arguments.help) {
        print_help(retry);
        arguments_free(&task.arguments);
        return EXIT_FINE;
    }
    if (status == TW_OK)
        status = prepare(&task, &error);
    if (status != TW_OK)
        code = command_failed(status, &error);
    task.interrupted = interrupts_catch();
    task.reports = cJSON_CreateArray();
    for (int i = 0; status == TW_OK && i < task.arguments.shape_count; i++) {
        int one = tune_shape(&task, i, &error);
        /* A list goes on after a shape that failed; the exit status remembers. */
        code = one != EXIT_FINE ? one : code;
        if (*task.interrupted != 0)
            break;
    }
    if (task.arguments.json && cJSON_GetArraySize(task.reports) > 0) {
        status = print_reports(&task, &error);
        if (status != TW_OK)
            code = command_failed(status, &error);
    }
    cJSON_Delete(task.reports);
    tw_db_close(task.db);
    free(task.db_path);
    tw_description_free(task.description);
    arguments_free(&task.arguments);
    return code;
}

int command_tune(int count, char **words) {
    return run(count, words, false);
}

int command_retry(int count, char **words) {
    return run(count, words, true);
}
