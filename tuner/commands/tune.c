/* tune KERNEL --shape ...: the main job. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/commands/interrupts.h"
#include "tuner/commands/resolve.h"
#include "tuner/commands/tune_compute.h"
#include "tuner/commands/tune_log.h"
#include "tuner/commands/tune_teams.h"
#include "tuner/json/json.h"

static const char help[] =
    "tune [KERNEL] --shape MxN[xK] [OPTIONS]\n"
    "\n"
    "Finds the fastest right configuration of a kernel for a shape on a device, and stores it.\n"
    "The kernel defaults to gemm for three sizes and transpose for two.\n"
    "\n"
    "  --shape MxN[xK]      what to tune; may be given more than once\n"
    "  --shapes FILE        a list: a shape a line, then NAME=WORD attributes if any; # comments\n";

static const char log_help[] =
    "  --from-log FILE      what applications asked for, as TILEWISE_LOG_SHAPES logs it: --budget "
    "is\n"
    "                       of all together, and goes where launches and predictions promise the\n"
    "                       most; what was tuned is passed over, so that the same command goes "
    "on\n";

static const char options_help[] =
    "  --dtype WORD         element type, as in f32 or f64\n"
    "  --trans WORD         gemm's transposes: nn, nt, tn or tt\n"
    "  --compute WORD       what is promised of errors: gemm's f32, f32_split, bf16x6, tf32x3, "
    "bf16x3,\n"
    "                       tf32; any: each of them, and then a table of time against errors\n"
    "  --attr NAME=WORD     any other attribute of the kernel: gemm's batch=COUNT,\n"
    "                       bias=row|column, activation=relu|gelu|gelu_tanh|silu, addend=apart\n"
    "  --device ID          as `tune devices` lists them; default: the first GPU, else the CPU\n"
    "  --devices LIST       several: cuda:0-3, cuda:0,2, a backend, or all; see below\n"
    "  --budget B           a time (90s, 5m, 1h) or a number of trials (500); default 60s\n"
    "  --strategy NAME      how to search, see below\n"
    "  --prior on|off       whether auto begins with what the cost model predicts to be fast, and\n"
    "                       puts off what it predicts to be slow; default on\n"
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
    "Ctrl-C stops cleanly. The same command goes on where an interrupted run stopped; what it has\n"
    "done of a list (--shapes) is not searched again, unless with another --seed.\n"
    "\n"
    "Of several devices like each other, each tunes a problem of its own while there are as many;\n"
    "else problems have several, which try variants at the same time and share what they find: a\n"
    "single problem has them all, and its playoff is on one. Devices of different kinds tune all\n"
    "problems, each kind for itself. The --jobs compiling processes serve all. A device that "
    "fails\n"
    "loses the trial that it was at, which is tried again on another.\n"
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

/* A command as a whole. */
struct job {
    struct task task;
    struct device_list devices;
    tw_db *db;
};

/* Problems are all checked before the first is tuned: a typing error in the last of a list must not
 * show after an hour. */
static tw_status prepare(struct job *job, struct tw_error *error) {
    struct task *task = &job->task;
    struct arguments *a = &task->arguments;
    if (a->shape_count == 0)
        return tw_fail(error, TW_INVALID,
                       "what shape? give --shape, as in --shape 4096x4096x1024; see --help");
    tw_status status = strategy_choose(&task->strategy, a->strategy, error);
    if (status == TW_OK)
        status = resolve_description(a, &task->description, error);
    if (status == TW_OK)
        status = compute_expand(task, error);
    if (status == TW_OK)
        status = pins_read(&task->pins, a->fixes.words, a->fixes.count, task->description, error);
    for (int i = 0; i < a->shape_count && status == TW_OK; i++) {
        struct tw_problem problem;
        status = resolve_problem(a, i, task->description, &problem, error);
    }
    if (status == TW_OK)
        status = resolve_devices(a, &job->devices, error);
    if (status == TW_OK) {
        task->db_path = database_path(a, error);
        status = task->db_path == NULL ? error->status
                                       : database_open(task->db_path, TW_DB_WRITE, &job->db, error);
    }
    if (status == TW_OK)
        status = database_adopt(a, job->db, error);
    return status;
}

/* A single one stands for itself. Frees them. */
static tw_status print_reports(cJSON *reports, struct tw_error *error) {
    if (cJSON_GetArraySize(reports) == 0) {
        cJSON_Delete(reports);
        return TW_OK;
    }
    cJSON *whole = reports;
    if (cJSON_GetArraySize(reports) == 1) {
        whole = cJSON_DetachItemFromArray(reports, 0);
        cJSON_Delete(reports);
    }
    return json_print(whole, error);
}

static void print_help(bool retry) {
    struct tw_text strategies = {0};
    strategy_list(&strategies, false);
    fputs(retry ? retry_help : "", stdout);
    fputs(help, stdout);
    fputs(retry ? "" : log_help, stdout);
    fputs(options_help, stdout);
    fputs(tw_text_or(&strategies, ""), stdout);
    tw_text_free(&strategies);
}

static tw_status parse(struct task *task, int count, char **words, bool retry,
                       struct tw_error *error) {
    tw_status status = arguments_parse(
        &task->arguments, count, words,
        OPTIONS_SUBJECT | OPTION(DEVICES) | OPTION(FIX) | OPTION(SHAPES) | OPTION(BUDGET) |
            OPTION(STRATEGY) | OPTION(PRIOR) | OPTION(SEED) | OPTION(JOBS) | OPTION(TRIAL_LIMIT) |
            OPTION(COMPILE_LIMIT) | OPTION(JSON) | OPTION(QUIET) | OPTION(VERBOSE) |
            (retry ? OPTION(STATUS) : OPTION(FROM_LOG)),
        error);
    if (retry)
        task->retry =
            task->arguments.statuses != 0 ? task->arguments.statuses : TW_DB_TRIAL_FAILURES;
    return status;
}

static int run(int count, char **words, bool retry) {
    struct job job = {0};
    struct task *task = &job.task;
    struct tw_error error;
    int code = EXIT_FINE;
    tw_status status = parse(task, count, words, retry, &error);
    bool help_only = status == TW_OK && task->arguments.help;
    if (help_only)
        print_help(retry);
    bool from_log = status == TW_OK && !help_only && task->arguments.from_log != NULL;
    if (from_log)
        code = tune_log(&task->arguments);
    else if (status == TW_OK && !help_only)
        status = prepare(&job, &error);
    if (status != TW_OK)
        code = command_failed(status, &error);
    if (status == TW_OK && !help_only && !from_log) {
        cJSON *reports = cJSON_CreateArray();
        task->interrupted = interrupts_catch();
        int before = 0;
        code = tune_teams(task, &job.devices, job.db, &before, reports);
        if (before > 0 && !task->arguments.quiet)
            fprintf(stderr,
                    "tune: %d problem%s done before by this command; another --seed searches "
                    "%s again\n",
                    before, before == 1 ? " was" : "s were", before == 1 ? "it" : "them");
        status = compute_tell(task, &job.devices, job.db, reports, &error);
        if (status == TW_OK)
            status = print_reports(reports, &error);
        else
            cJSON_Delete(reports);
        if (status != TW_OK)
            code = command_failed(status, &error);
    }
    tw_db_close(job.db);
    free(task->db_path);
    tw_description_free(task->description);
    arguments_free(&task->arguments);
    return code;
}

int command_tune(int count, char **words) {
    return run(count, words, false);
}

int command_retry(int count, char **words) {
    return run(count, words, true);
}
