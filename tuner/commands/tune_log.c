#include "tuner/commands/tune_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/clock.h"
#include "runtime/base/printable.h"
#include "runtime/base/text.h"
#include "tuner/commands/audit_subject.h"
#include "tuner/commands/command.h"
#include "tuner/commands/database.h"
#include "tuner/commands/interrupts.h"
#include "tuner/json/json.h"
#include "tuner/report/report.h"
#include "tuner/session/session.h"

/* A search that is shorter finds little. */
static const double LEAST_SECONDS = 5, LEAST_TRIALS = 20;

struct task {
    struct arguments *arguments;
    struct audit_subject subject;
    struct session_options options;
    char *db_path;
    tw_db *db;
    double left; /* of the budget: seconds, or trials */
    int chosen;  /* that the budget is for, as it was split at first */
    int tuned, failed;
    double saved_us;
    cJSON *reports;
    bool interrupted;
};

static bool in_trials(const struct task *task) {
    return task->arguments->budget_trials > 0;
}

/* ---- What is told ---- */

/* An application may prepare many sizes and launch few of them: time would gain nothing there. */
static bool is_idle(const struct wanted *w) {
    return wanted_launches(w) == 0 && w->selection.rule != TW_SELECTED_EXACT;
}

static int64_t idle(const struct demand *demand) {
    int64_t count = 0;
    for (int i = 0; i < demand->count; i++)
        count += is_idle(&demand->all[i]);
    return count;
}

static int64_t tuned_before(const struct demand *demand) {
    int64_t count = 0;
    for (int i = 0; i < demand->count; i++)
        count += demand->all[i].gain_us == 0 && !is_idle(&demand->all[i]);
    return count;
}

static void tell_plan(const struct task *task) {
    const struct demand *demand = &task->subject.demand;
    double launches = 0;
    int64_t before = tuned_before(demand), unused = idle(demand);
    char never[64] = "";
    for (int i = 0; i < demand->count; i++)
        launches += wanted_launches(&demand->all[i]);
    if (unused > 0)
        snprintf(never, sizeof never, ", %" PRId64 " prepared and never launched", unused);
    printf("%d problem%s, asked for %.0f times, on %s (%s): %" PRId64
           " tuned already%s, the time goes to %d first, %d wait\n",
           demand->count, demand->count == 1 ? "" : "s", launches, task->subject.device.name,
           task->subject.device.id, before, never, task->chosen,
           demand->count - (int)(before + unused) - task->chosen);
    fflush(stdout);
}

/* What a launch takes without what was tuned now: as the search measured it, where that is a
 * preset, or as it was predicted. 0: not known. */
static double before_of(const struct wanted *w, const struct session_result *result,
                        bool *measured) {
    const struct tw_description *d = w->problem.description;
    *measured = true;
    for (int i = 0; i < result->preset_count; i++) {
        const struct session_preset *preset = &result->presets[i];
        if (preset->tried && preset->trial.status == TW_DB_TRIAL_OK &&
            tw_configuration_equal(d, &preset->configuration, &w->selection.configuration))
            return preset->trial.time_us;
    }
    *measured = false;
    return w->estimated ? 0 : w->expected_us;
}

static void tell_one(struct task *task, const struct wanted *w,
                     const struct session_result *result) {
    char text[TW_PROBLEM_KEY_SIZE], time[32], found[32], saves[32];
    bool measured;
    double before = before_of(w, result, &measured), faster = before - result->best.time_us;
    double saved = faster > 0 && result->has_best ? faster * wanted_launches(w) : 0;
    tw_problem_text(&w->problem, text);
    task->saved_us += saved;
    if (task->arguments->json) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "kernel", w->problem.description->kernel);
        cJSON_AddStringToObject(json, "problem", text);
        cJSON_AddNumberToObject(json, "launches", (double)w->launches);
        cJSON_AddNumberToObject(json, "refused", (double)w->refused);
        cJSON_AddStringToObject(json, "rule", tw_selection_word(w->selection.rule));
        if (before > 0) {
            cJSON_AddNumberToObject(json, "before_us", before);
            cJSON_AddBoolToObject(json, "before_measured", measured);
        }
        cJSON_AddNumberToObject(json, "expected_gain_us", w->gain_us);
        cJSON_AddNumberToObject(json, "trials", (double)result->trials_now);
        if (result->has_best) {
            cJSON_AddNumberToObject(json, "time_us", result->best.time_us);
            cJSON_AddNumberToObject(json, "saved_us", saved);
        } else {
            cJSON_AddStringToObject(json, "message", result->first_failure);
        }
        json_append(task->reports, json);
        return;
    }
    if (!result->has_best) {
        tw_printable_line(stdout, "%s %s: none of %lld trials worked%s%s",
                          w->problem.description->kernel, text, (long long)result->trials,
                          result->first_failure[0] != '\0' ? ": " : "", result->first_failure);
        return;
    }
    report_time(before, time);
    report_time(result->best.time_us, found);
    report_time(saved, saves);
    struct tw_text line = {0};
    tw_text_print(&line, "%s %s: ", w->problem.description->kernel, text);
    if (before > 0)
        tw_text_print(&line, "%s %s (%s), ", time, measured ? "before" : "expected before",
                      tw_selection_word(w->selection.rule));
    tw_text_print(&line, "%s %s with %lld %s", found, result->interrupted ? "so far" : "tuned",
                  (long long)result->trials_now, result->trials_now == 1 ? "trial" : "trials");
    if (result->trials > result->trials_now)
        tw_text_print(&line, " (%lld before)", (long long)(result->trials - result->trials_now));
    if (before > 0)
        tw_text_print(&line, "; saves %s over %.0f %s", saves, wanted_launches(w),
                      wanted_launches(w) == 1 ? "launch" : "launches");
    tw_printable_line(stdout, "%s", tw_text_or(&line, ""));
    tw_text_free(&line);
    fflush(stdout);
}

static tw_status tell_end(struct task *task, struct tw_error *error) {
    const struct demand *demand = &task->subject.demand;
    int64_t before = tuned_before(demand), unused = idle(demand);
    int64_t left = demand->count - before - unused - task->tuned - task->failed;
    if (task->arguments->json) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "log", task->arguments->from_log);
        cJSON_AddStringToObject(json, "device", task->subject.device.id);
        cJSON_AddNumberToObject(json, "problems", demand->count);
        cJSON_AddNumberToObject(json, "tuned_before", (double)before);
        cJSON_AddNumberToObject(json, "never_launched", (double)unused);
        cJSON_AddNumberToObject(json, "tuned_now", task->tuned);
        cJSON_AddNumberToObject(json, "failed", task->failed);
        cJSON_AddNumberToObject(json, "left", (double)left);
        cJSON_AddNumberToObject(json, "saved_us", task->saved_us);
        cJSON_AddBoolToObject(json, "interrupted", task->interrupted);
        json_add(json, "tuned", task->reports);
        task->reports = NULL;
        return json_print(json, error);
    }
    char saves[32], missed[80] = "";
    const int short_of = task->chosen - task->tuned - task->failed;
    report_time(task->saved_us, saves);
    if (short_of > 0 && !task->interrupted)
        snprintf(missed, sizeof missed, " (the budget was used up before %d of the %d it was for)",
                 short_of, task->chosen);
    tw_printable_line(stdout,
                      "tuned %d; what was found saves %s over the launches of the log; %" PRId64
                      " left%s%s; in %s",
                      task->tuned, saves, left, missed,
                      task->interrupted ? ", interrupted: the same command goes on"
                      : left > 0        ? ": the same command goes on with them"
                                        : "",
                      task->db_path);
    return TW_OK;
}

/* ---- Tuning ---- */

static tw_status tune_one(struct task *task, const struct wanted *w, double share,
                          struct progress_printer *printer, struct tw_error *error) {
    struct session_result *result = calloc(1, sizeof *result);
    struct tw_catalogue *hints = NULL, *installed = NULL;
    double began = tw_clock_now();
    if (result == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    /* Afresh for each: those that were tuned just now are near. */
    tw_status status = database_catalogue(task->arguments, &hints, error);
    if (status == TW_OK)
        status = database_installed(&installed, error);
    task->options.hints = hints;
    task->options.models = installed;
    task->options.budget_seconds = in_trials(task) ? 0 : share;
    task->options.budget_trials = in_trials(task) ? (int64_t)share : 0;
    if (status == TW_OK)
        status =
            session_run(&task->options, &w->problem, &task->subject.device, task->db, task->db_path,
                        task->arguments->quiet ? NULL : progress_print, printer, result, error);
    task->left -= in_trials(task) ? (double)(int64_t)share : tw_clock_now() - began;
    if (status == TW_OK) {
        task->interrupted = result->interrupted;
        task->tuned += result->has_best && !result->interrupted;
        task->failed += !result->has_best && !result->interrupted;
        progress_hold(printer);
        tell_one(task, w, result);
        progress_released(printer);
    }
    tw_catalogue_free(hints);
    tw_catalogue_free(installed);
    free(result);
    return status;
}

static tw_status tune_all(struct task *task, struct tw_error *error) {
    const struct demand *demand = &task->subject.demand;
    const double least = in_trials(task) ? LEAST_TRIALS : LEAST_SECONDS;
    double *shares = calloc((size_t)demand->count + 1, sizeof *shares);
    if (shares == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    struct progress_printer printer;
    tw_status status = TW_OK;
    task->chosen = demand_split(demand->all, demand->count, task->left, least, shares);
    if (!task->arguments->json)
        tell_plan(task);
    progress_begin(&printer);
    task->options.notice = progress_notice;
    task->options.notice_context = &printer;
    /* What one does not use goes to those that follow. */
    for (int i = 0; i < demand->count && status == TW_OK && !task->interrupted; i++) {
        if (i > 0 && task->left < least)
            break;
        if (demand_split(demand->all + i, demand->count - i, task->left, least, shares) == 0)
            break;
        status = tune_one(task, &demand->all[i], shares[0], &printer, error);
    }
    progress_end(&printer);
    free(shares);
    return status;
}

static tw_status prepare(struct task *task, struct tw_error *error) {
    struct arguments *a = task->arguments;
    if (a->shape_count > 0)
        return tw_fail(error, TW_INVALID,
                       "--from-log has the shapes; give it or --shape, not both");
    if (a->attribute_count > 0 || a->fixes.count > 0 || a->devices != NULL)
        return tw_fail(error, TW_INVALID,
                       "--from-log goes with no attributes, no --fix and no --devices");
    tw_status status = strategy_choose(&task->options.strategy, a->strategy, error);
    if (status == TW_OK)
        status = audit_subject_open(a, a->from_log, false, &task->subject, error);
    if (status == TW_OK) {
        task->db_path = database_path(a, error);
        status = task->db_path == NULL
                     ? error->status
                     : database_open(task->db_path, TW_DB_WRITE, &task->db, error);
    }
    return status == TW_OK ? database_adopt(a, task->db, error) : status;
}

int tune_log(struct arguments *a) {
    struct tw_error error;
    struct task task = {.arguments = a,
                        .left = a->budget_trials > 0 ? (double)a->budget_trials : a->budget_seconds,
                        .options = {.seed = (uint64_t)a->seed,
                                    .no_prior = a->no_prior,
                                    .jobs = (int)a->jobs,
                                    .cache = a->cache,
                                    .trial_limit_s = a->trial_limit_s,
                                    .compile_limit_s = a->compile_limit_s}};
    tw_status status = prepare(&task, &error);
    if (status == TW_OK) {
        task.reports = cJSON_CreateArray();
        task.options.interrupted = interrupts_catch();
        status = tune_all(&task, &error);
    }
    if (status == TW_OK)
        status = tell_end(&task, &error);
    cJSON_Delete(task.reports);
    tw_db_close(task.db);
    free(task.db_path);
    audit_subject_close(&task.subject);
    return status != TW_OK    ? command_failed(status, &error)
           : task.interrupted ? EXIT_INTERRUPTED
           : task.failed > 0  ? EXIT_FAILED
                              : EXIT_FINE;
}
