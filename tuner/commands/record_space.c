/* tune record KERNEL --shape ... -o FILE: a space tried once, for searches to be replayed on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/commands/device_list.h"
#include "tuner/commands/interrupts.h"
#include "tuner/commands/resolve.h"
#include "tuner/formats/packed_file.h"
#include "tuner/formats/trial_export.h"
#include "tuner/report/report.h"
#include "tuner/session/session.h"

static const char help[] =
    "tune record [KERNEL] --shape MxN[xK] --output FILE.json.gz [OPTIONS]\n"
    "\n"
    "Tries every configuration of an implementation once, or --trials of them at random, verified\n"
    "and timed as when tuning, and writes what came of each into a file in the format of Kernel\n"
    "Tuner's caches, packed, for `tune simulate`. Until it is written the trials are kept in\n"
    "FILE.json.gz.db, and the same command goes on where an interrupted one stopped. Nothing goes\n"
    "into the database that applications read.\n"
    "\n"
    "At the end the fastest are measured again in interleaved rounds, as the best of a search\n"
    "are, and then all that are within 10% of the fastest, and the file has these times.\n"
    "\n"
    "The file has a few digits of each time and is in order of the configurations, so that it "
    "packs\n"
    "to some 25 bytes for each.\n"
    "\n"
    "  -o, --output FILE    the recording\n"
    "  --implementation I   of the kernel; needed where it has several\n"
    "  --trials N           so many configurations at random; default: all of them\n"
    "  --budget TIME        at random too, until the time is up\n"
    "  --devices LIST       several like each other, which share the work: cuda:0-3\n"
    "  --shape, --dtype, --trans, --attr, --device, --cache, --config, --fix, --seed, --jobs,\n"
    "  --trial-limit, --compile-limit: as for tune\n"
    "  --quiet              no progress\n";

struct recording_job {
    const struct arguments *arguments;
    struct tw_description *description;
    struct tw_problem problem;
    struct device_list devices;
    struct pins pins;
    const char *implementation;
    char *path; /* of the database beside the recording */
    tw_db *db;
};

static tw_status choose_implementation(struct recording_job *job, struct tw_error *error) {
    const struct tw_description *d = job->description;
    const char *names[TW_MAX_IMPLEMENTATIONS];
    struct tw_text known = {0};
    for (int i = 0; i < d->implementation_count; i++) {
        names[i] = d->implementations[i].name;
        tw_text_print(&known, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char *asked = job->arguments->implementation;
    if (asked == NULL && d->implementation_count == 1)
        asked = names[0];
    for (int i = 0; i < d->implementation_count && asked != NULL; i++)
        if (strcmp(names[i], asked) == 0)
            job->implementation = names[i];
    tw_status status = TW_OK;
    if (job->implementation == NULL)
        status = tw_fail(error, TW_INVALID, "--implementation: a file has one; %s has %s",
                         d->kernel, tw_text_or(&known, "none"));
    else
        strcpy(job->pins.implementation, job->implementation);
    tw_text_free(&known);
    return status;
}

/* A recording is of one kind of device. */
static tw_status find_devices(struct recording_job *job, struct tw_error *error) {
    tw_status status = resolve_devices(job->arguments, &job->devices, error);
    int alike = status == TW_OK ? device_list_alike(&job->devices, 0) : 0;
    if (status == TW_OK && alike < job->devices.count)
        return tw_fail(error, TW_INVALID,
                       "--devices %s: %s and %s are not alike, and a recording is of one kind",
                       job->arguments->devices, job->devices.devices[0].id,
                       job->devices.devices[alike].id);
    return status;
}

static tw_status prepare(struct recording_job *job, struct tw_error *error) {
    const struct arguments *a = job->arguments;
    struct tw_text path = {0};
    if (a->output == NULL)
        return tw_fail(error, TW_INVALID, "where to? give --output, as in -o gemm.json.gz");
    if (a->budget_trials > 0 || (a->budget_given && a->trials > 0))
        return tw_fail(
            error, TW_INVALID,
            "--budget of a recording is a time, as 10m; --trials is a number, and it has "
            "one of them");
    tw_status status = resolve_single_problem(a, &job->description, &job->problem, error);
    if (status == TW_OK)
        status = find_devices(job, error);
    if (status == TW_OK)
        status = pins_read(&job->pins, a->fixes.words, a->fixes.count, job->description, error);
    if (status == TW_OK)
        status = choose_implementation(job, error);
    if (status != TW_OK)
        return status;
    tw_text_print(&path, "%s.db", a->output);
    if (path.failed) {
        tw_text_free(&path);
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    job->path = path.data;
    return database_open(job->path, TW_DB_WRITE, &job->db, error);
}

/* Trials that are on record are not made again. */
static tw_status run(struct recording_job *job, struct session_result *result,
                     struct tw_error *error) {
    const struct arguments *a = job->arguments;
    struct progress_printer printer;
    bool sample = a->trials > 0 || a->budget_given;
    struct session_options options = {
        .strategy = strategy_usual(strategy_find(sample ? "random" : "exhaustive", NULL)),
        .seed = (uint64_t)a->seed,
        .budget_seconds = a->budget_given ? a->budget_seconds : 0,
        .budget_trials = a->trials,
        .jobs = (int)a->jobs,
        .cache = a->cache,
        .trial_limit_s = a->trial_limit_s,
        .compile_limit_s = a->compile_limit_s,
        .pins = &job->pins,
        .trials_only = true,
        .others = &job->devices.devices[1],
        .other_count = job->devices.count - 1,
        .notice = progress_notice,
        .notice_context = &printer,
        .interrupted = interrupts_catch()};
    progress_begin(&printer);
    tw_status status =
        session_run(&options, &job->problem, &job->devices.devices[0], job->db, job->path,
                    a->quiet ? NULL : progress_print, &printer, result, error);
    progress_end(&printer);
    return status;
}

static void remove_database(const char *path) {
    static const char *const endings[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        struct tw_text name = {0};
        tw_text_print(&name, "%s%s", path, endings[i]);
        if (!name.failed)
            unlink(name.data);
        tw_text_free(&name);
    }
}

static tw_status write_file(struct recording_job *job, struct tw_error *error) {
    const struct trial_export what = {.kernel = job->description->kernel,
                                      .implementation = job->implementation,
                                      .brief = true,
                                      .device = &job->devices.devices[0]};
    struct tw_text text = {0};
    int64_t left_out = 0;
    tw_status status = trial_export_kernel_tuner(job->db, &what, &text, &left_out, error);
    if (status == TW_OK)
        status = packed_file_write(&text, job->arguments->output, error);
    tw_text_free(&text);
    return status;
}

static int record(struct recording_job *job, struct tw_error *error) {
    struct session_result *result = calloc(1, sizeof *result);
    tw_status status =
        result != NULL ? prepare(job, error) : tw_fail(error, TW_NO_MEMORY, "out of memory");
    int code = EXIT_FINE;
    if (status == TW_OK)
        status = run(job, result, error);
    if (status == TW_OK && result->interrupted) {
        fprintf(stderr,
                "tune: interrupted; %lld trials are kept in %s, and the same command goes on\n",
                (long long)result->trials, job->path);
        code = EXIT_INTERRUPTED;
    } else if (status == TW_OK && result->trials == 0) {
        status = tw_fail(error, TW_INVALID, "no configuration of %s fits this problem on %s",
                         job->implementation, job->devices.devices[0].id);
    } else if (status == TW_OK) {
        status = write_file(job, error);
        if (status == TW_OK)
            printf("%s: %lld configurations of %zu, %lld failed, in %.1f s\n",
                   job->arguments->output, (long long)result->trials, result->space_size,
                   (long long)(result->trials - result->counts[TW_DB_TRIAL_OK]), result->elapsed_s);
    }
    bool done = status == TW_OK && code == EXIT_FINE;
    tw_db_close(job->db);
    if (done)
        remove_database(job->path);
    free(job->path);
    tw_description_free(job->description);
    free(result);
    return status == TW_OK ? code : command_failed(status, error);
}

int command_record_space(int count, char **words) {
    struct arguments arguments;
    struct recording_job job = {.arguments = &arguments};
    struct tw_error error;
    int code = EXIT_FINE;
    tw_status status = arguments_parse(
        &arguments, count, words,
        OPTIONS_PROBLEM | OPTION(DEVICE) | OPTION(DEVICES) | OPTION(BUDGET) | OPTION(CACHE) |
            OPTION(FIX) | OPTION(SEED) | OPTION(JOBS) | OPTION(TRIALS) | OPTION(TRIAL_LIMIT) |
            OPTION(COMPILE_LIMIT) | OPTION(IMPLEMENTATION) | OPTION(OUTPUT) | OPTION(QUIET),
        &error);
    if (status != TW_OK)
        code = command_failed(status, &error);
    else if (arguments.help)
        fputs(help, stdout);
    else
        code = record(&job, &error);
    arguments_free(&arguments);
    return code;
}
