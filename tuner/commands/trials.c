/* tune trials: what a run tried, and what came of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "runtime/base/printable.h"
#include "tuner/commands/command.h"
#include "tuner/commands/plain.h"
#include "tuner/commands/database.h"
#include "tuner/json/json.h"
#include "tuner/report/report.h"

static const char help[] =
    "tune trials [--run N] [KERNEL] [OPTIONS]\n"
    "\n"
    "Prints the trials of a run, in the order they were made: the run numbered N, or the latest "
    "(of a\n"
    "kernel, if one is named). A time with \"~\" is of a few repeats: its measurement was stopped, "
    "as\n"
    "the variant was clearly slower than the best by then.\n"
    "\n"
    "  --db FILE            the database; default: tilewise/tilewise.db under XDG_DATA_HOME\n"
    "  --json               print one JSON object\n";

struct listing {
    bool json;
    struct terminal terminal;
    int64_t run; /* 0: none found */
    cJSON *object, *trials;
    bool no_memory;
};

static bool visit_run(void *context, const struct tw_db_run_row *row) {
    struct listing *listing = context;
    const char *state = tw_db_run_state_text(row->state);
    if (row->state == TW_DB_RUN_RUNNING && !row->owner_alive)
        state = "stopped";
    if (row->merged)
        state = "merged";
    listing->run = row->id;
    if (!listing->json) {
        struct tw_text line = {0};
        tw_text_print(
            &line, "run %lld: %s %s on %s, %s, seed %llu, budget %g %s, %s cache, %s after %.1f s",
            (long long)row->id, row->kernel, row->problem_text, row->device_name, row->run.strategy,
            (unsigned long long)row->run.seed, row->run.budget_value, row->run.budget_kind,
            row->run.cache_policy, state, row->elapsed_s);
        listing->no_memory = line.failed;
        if (!line.failed) {
            terminal_wrap(&listing->terminal, 0, 4, line.data);
            printf("\n");
        }
        tw_text_free(&line);
        return false;
    }
    cJSON_AddNumberToObject(listing->object, "run", (double)row->id);
    cJSON_AddStringToObject(listing->object, "kernel", row->kernel);
    cJSON_AddStringToObject(listing->object, "problem", row->problem_text);
    cJSON_AddStringToObject(listing->object, "device", row->device_name);
    cJSON_AddStringToObject(listing->object, "state", state);
    cJSON_AddStringToObject(listing->object, "strategy", row->run.strategy);
    cJSON_AddNumberToObject(listing->object, "seed", (double)row->run.seed);
    cJSON_AddStringToObject(listing->object, "budget_kind", row->run.budget_kind);
    cJSON_AddNumberToObject(listing->object, "budget", row->run.budget_value);
    cJSON_AddStringToObject(listing->object, "cache", row->run.cache_policy);
    cJSON_AddNumberToObject(listing->object, "seconds", row->elapsed_s);
    cJSON_AddStringToObject(listing->object, "tilewise",
                            row->run.tilewise_version != NULL ? row->run.tilewise_version : "");
    cJSON_AddStringToObject(listing->object, "driver",
                            row->run.driver != NULL ? row->run.driver : "");
    cJSON_AddStringToObject(listing->object, "compiler",
                            row->run.compiler != NULL ? row->run.compiler : "");
    if (row->run.conditions != NULL)
        json_add(listing->object, "conditions", cJSON_Parse(row->run.conditions));
    return false;
}

static void add_json(struct listing *listing, const struct tw_db_trial_row *row) {
    const struct tw_db_trial *t = &row->trial;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "implementation", row->implementation_name);
    json_add(json, "configuration", cJSON_Parse(t->configuration));
    cJSON_AddStringToObject(json, "status", tw_db_trial_status_text(t->status));
    if (t->message != NULL)
        cJSON_AddStringToObject(json, "message", t->message);
    if (t->has_time) {
        cJSON_AddNumberToObject(json, "time_us", t->time_us);
        cJSON_AddNumberToObject(json, "repeats", (double)t->repeats);
        cJSON_AddBoolToObject(json, "screened_out", t->screened_out);
    }
    if (t->has_interval) {
        cJSON_AddNumberToObject(json, "ci_low_us", t->ci_low_us);
        cJSON_AddNumberToObject(json, "ci_high_us", t->ci_high_us);
    }
    if (t->has_error)
        cJSON_AddNumberToObject(json, "max_rel_error", t->max_rel_error);
    if (t->has_hard) {
        cJSON_AddNumberToObject(json, "hard_max_error", t->hard_max_error);
        cJSON_AddNumberToObject(json, "hard_rms_error", t->hard_rms_error);
    }
    if (t->has_compile_ms)
        cJSON_AddNumberToObject(json, "compile_ms", t->compile_ms);
    if (t->has_registers)
        cJSON_AddNumberToObject(json, "registers", (double)t->registers);
    if (t->has_spill_bytes)
        cJSON_AddNumberToObject(json, "spill_bytes", (double)t->spill_bytes);
    json_append(listing->trials, json);
}

/* On a terminal a line has what fits, so why a trial failed comes before what it was of. */
static void print_row(const struct terminal *terminal, const struct tw_db_trial_row *row) {
    const struct tw_db_trial *t = &row->trial;
    const char *message = t->message != NULL ? t->message : "";
    const char *before = message[0] != '\0' ? "  " : "";
    char time[32] = "";
    struct tw_text rest = {0};
    if (t->has_time)
        report_time(t->time_us, time);
    /* The time is of a few repeats. */
    if (t->screened_out)
        strcat(time, " ~");
    if (terminal->columns > 0 && message[0] != '\0')
        tw_text_print(&rest, "%s  %s %s", message, row->implementation_name, t->configuration);
    else
        tw_text_print(&rest, "%s %s%s%s", row->implementation_name, t->configuration, before,
                      message);
    const char *status = tw_db_trial_status_text(t->status);
    if (t->status == TW_DB_TRIAL_OK)
        printf("%-15s ", status);
    else
        terminal_print(terminal, INK_BAD, 16, status);
    printf("%-10s ", time);
    if (!rest.failed) {
        terminal_cut(terminal, 27, tw_text_or(&rest, ""));
        printf("\n");
    } else {
        tw_printable_line(stdout, "%s %s%s%s", row->implementation_name, t->configuration, before,
                          message);
    }
    tw_text_free(&rest);
}

static bool visit_trial(void *context, const struct tw_db_trial_row *row) {
    struct listing *listing = context;
    if (listing->json) {
        add_json(listing, row);
        return true;
    }
    print_row(&listing->terminal, row);
    return true;
}

static tw_status list(const struct arguments *a, tw_db *db, struct listing *listing,
                      struct tw_error *error) {
    const struct tw_db_run_filter runs = {
        .run = a->run, .kernel = a->kernel, .made_here = a->run == 0, .limit = 1};
    if (tw_db_run_each(db, &runs, visit_run, listing) != TW_DB_OK)
        return tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    if (listing->no_memory)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (listing->run == 0)
        return a->run != 0
                   ? tw_fail(error, TW_NOT_FOUND, "there is no run %lld", (long long)a->run)
                   : tw_fail(error, TW_NOT_FOUND, "there are no runs%s%s yet",
                             a->kernel != NULL ? " of " : "", a->kernel != NULL ? a->kernel : "");
    const struct tw_db_trial_filter trials = {.run = listing->run};
    if (tw_db_trial_each(db, &trials, visit_trial, listing) != TW_DB_OK)
        return tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    return TW_OK;
}

static tw_status trials(const struct arguments *a, struct tw_error *error) {
    tw_db *db = NULL;
    char *path = database_path(a, error);
    tw_status status = path != NULL ? database_open(path, TW_DB_READ, &db, error) : error->status;
    struct listing listing = {
        .json = a->json, .terminal = terminal_of(stdout), .object = cJSON_CreateObject()};
    listing.trials = cJSON_CreateArray();
    if (status == TW_OK)
        status = list(a, db, &listing, error);
    json_add(listing.object, "trials", listing.trials);
    if (status == TW_OK && a->json) {
        status = json_print(listing.object, error);
        listing.object = NULL;
    }
    cJSON_Delete(listing.object);
    tw_db_close(db);
    free(path);
    return status;
}

int command_trials(int count, char **words) {
    return command_plain(count, words, OPTION(RUN) | OPTION(DB) | OPTION(JSON), help, trials);
}
