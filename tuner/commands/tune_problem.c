#include "tuner/commands/tune_problem.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/backend/devices.h"
#include "runtime/base/printable.h"
#include "runtime/base/text.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/commands/resolve.h"
#include "tuner/json/json.h"
#include "tuner/session/before.h"

/* Without a trial, and not interrupted: there was nothing to try. */
static void tell_why_none(const struct task *task, const struct team *team,
                          const struct tw_problem *problem) {
    struct tw_text why = {0};
    struct tw_error error;
    const struct tw_device_info *device = &team->devices[0];
    if (space_explain(problem, device, &task->pins, &why, &error) == TW_OK)
        tw_printable_line(stderr, "tune: no configuration of %s fits this problem on %s: %s",
                          problem->description->kernel, device->id, why.data);
    else
        tw_printable_line(stderr, "tune: no configuration of %s fits this problem on %s (why: %s)",
                          problem->description->kernel, device->id, error.message);
    tw_text_free(&why);
}

static int tell(const struct task *task, const struct team *team, const struct tw_problem *problem,
                const struct session_result *result, struct tuned *tuned) {
    const struct tw_device_info *device = &team->devices[0];
    if (task->arguments.json) {
        tuned->report = report_json(problem, device, result, task->db_path);
        if (json_lacked_memory()) {
            cJSON_Delete(tuned->report);
            tuned->report = NULL;
            fputs("tune: out of memory for the report; what was found is stored\n", stderr);
            return EXIT_FAILED;
        }
    } else {
        report_table(problem, device, result, task->db_path, task->arguments.verbose);
    }
    if (result->interrupted)
        return EXIT_INTERRUPTED;
    if (result->has_best)
        return EXIT_FINE;
    if (result->trials == 0)
        tell_why_none(task, team, problem);
    else
        fprintf(stderr, "tune: none of %lld trials worked; the first failed with: %s\n",
                (long long)result->trials, result->first_failure);
    return EXIT_FAILED;
}

static bool all_lost(const struct session_result *result) {
    bool lost = result->device_count > 0;
    for (int i = 0; i < result->device_count; i++)
        lost &= result->devices[i].lost;
    return lost;
}

int tune_failed(struct team *team, tw_status status, const struct tw_error *error) {
    progress_hold(&team->printer);
    int code = command_failed(status, error);
    progress_released(&team->printer);
    return code;
}

static struct session_options options_of(const struct task *task, struct team *team) {
    const struct arguments *a = &task->arguments;
    return (struct session_options){.no_prior = a->no_prior,
                                    .strategy = task->strategy,
                                    .seed = (uint64_t)a->seed,
                                    .budget_seconds = a->budget_seconds,
                                    .budget_trials = a->budget_trials,
                                    .jobs = (int)a->jobs,
                                    .cache = a->cache,
                                    .trial_limit_s = a->trial_limit_s,
                                    .compile_limit_s = a->compile_limit_s,
                                    .pins = &task->pins,
                                    .retry = task->retry,
                                    .measures_errors = task->front_size > 0,
                                    .interrupted = task->interrupted,
                                    .others = team->devices + 1,
                                    .other_count = team->count - 1,
                                    .pool = team->pool,
                                    .notice = progress_notice,
                                    .notice_context = &team->printer};
}

/* What the same search was through with before: told, and not searched again. */
struct earlier {
    const struct task *task;
    struct team *team;
    const struct tw_problem *problem;
    struct tuned *tuned;
};

static void tell_before(void *context, const struct tw_db_best_row *row) {
    const struct earlier *earlier = context;
    struct team *team = earlier->team;
    if (earlier->tuned->before)
        return;
    earlier->tuned->before = true;
    progress_hold(&team->printer);
    if (earlier->task->arguments.json)
        earlier->tuned->report =
            report_before_json(earlier->problem, team->devices[0].id, row, earlier->task->db_path);
    else
        report_before(earlier->problem, team->devices[0].id, row);
    progress_released(&team->printer);
}

/* A list goes on where it was; a shape of the command line is searched on. */
static tw_status look_before(const struct session_options *options, struct earlier *earlier,
                             tw_db *db, int index, struct tw_error *error) {
    const struct task *task = earlier->task;
    char key[TW_PROBLEM_KEY_SIZE], fingerprint[256];
    if (task->arguments.shapes[index].origin == NULL || task->retry != 0)
        return TW_OK;
    const struct known_kernel kernel = {task->description, tw_today_create(task->description)};
    if (kernel.today == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_problem_key(earlier->problem, key);
    tw_device_fingerprint(&earlier->team->devices[0], fingerprint);
    const struct before_query query = {options, &kernel, key, fingerprint};
    tw_status status = before_each(db, &query, tell_before, earlier, error);
    tw_today_free(kernel.today);
    return status;
}

void tune_problem(const struct task *task, struct team *team, tw_db *db, int index,
                  struct tuned *tuned) {
    const struct arguments *a = &task->arguments;
    struct session_options options = options_of(task, team);
    struct session_result *result = calloc(1, sizeof *result);
    struct tw_problem problem;
    struct tw_error *error = &tuned->error;
    *tuned = (struct tuned){0};
    if (result == NULL) {
        tw_fail(error, TW_NO_MEMORY, "out of memory");
        tuned->code = tune_failed(team, TW_NO_MEMORY, error);
        return;
    }
    tw_status status = resolve_problem(a, index, task->description, &problem, error);
    struct earlier earlier = {task, team, &problem, tuned};
    if (status == TW_OK)
        status = look_before(&options, &earlier, db, index, error);
    if (status == TW_OK && tuned->before) {
        free(result);
        return;
    }
    /* Afresh for each shape: those of the list that were tuned just now are near. */
    struct tw_catalogue *hints = NULL, *installed = NULL;
    if (status == TW_OK)
        status = database_catalogue(a, &hints, error);
    if (status == TW_OK)
        status = database_installed(&installed, error);
    options.hints = hints;
    options.models = installed;
    if (status == TW_OK)
        status = session_run(&options, &problem, &team->devices[0], db, task->db_path,
                             a->quiet ? NULL : progress_print, &team->printer, result, error);
    tuned->lost = status != TW_OK && all_lost(result);
    progress_hold(&team->printer);
    if (status == TW_OK)
        tuned->code = tell(task, team, &problem, result, tuned);
    progress_released(&team->printer);
    if (status != TW_OK && !tuned->lost)
        tuned->code = tune_failed(team, status, error);
    tw_catalogue_free(hints);
    tw_catalogue_free(installed);
    free(result);
}
