/* What ranks tell of themselves and of what they have found. */
#include <stdio.h>
#include <string.h>

#include "runtime/base/printable.h"
#include "tuner/cluster/coordinator_parts.h"
#include "tuner/commands/resolve.h"
#include "tuner/exchange/merge.h"
#include "tuner/json/json.h"
#include "tuner/report/report.h"

static tw_status merge(struct coordinator *c, int from, const char *text, struct tw_error *error) {
    struct import *import = NULL;
    struct tw_db_merged merged;
    if (text[0] == '\0')
        return TW_OK;
    tw_status status =
        import_read(&import, text, strlen(text), c->seen[from].name, &c->known, error);
    if (status == TW_OK)
        status = merge_decided(c->db, import, &merged, error);
    import_close(import);
    return status;
}

static int problem_of(const struct coordinator *c, const char *key) {
    for (int i = 0; i < c->arguments->shape_count; i++)
        if (strcmp(c->problems[i].key, key) == 0)
            return i;
    return SCHEDULE_NONE;
}

/* A list may name a problem more than once. */
static void mark_done(struct coordinator *c, int kind, const char *key) {
    for (int i = 0; i < c->arguments->shape_count; i++)
        if (strcmp(c->problems[i].key, key) == 0)
            schedule_done(c->schedule, kind, i);
}

static void mark_before(struct coordinator *c, int kind) {
    const char *fingerprint = schedule_fingerprint(c->schedule, kind);
    const cJSON *pair;
    cJSON_ArrayForEach(pair, c->before) {
        const cJSON *whose = cJSON_GetArrayItem(pair, 0), *what = cJSON_GetArrayItem(pair, 1);
        if (whose != NULL && what != NULL && strcmp(whose->valuestring, fingerprint) == 0)
            mark_done(c, kind, what->valuestring);
    }
}

static tw_status note_done(struct coordinator *c, int kind, const char *key,
                           struct tw_error *error) {
    mark_done(c, kind, key);
    return journal_add(c->journal, schedule_fingerprint(c->schedule, kind), key, error);
}

/* What it has finished since the job began, and an earlier one was not told of any more. */
static tw_status take_runs(struct coordinator *c, int from, const cJSON *json,
                           struct tw_error *error) {
    const cJSON *key;
    tw_status status = TW_OK;
    int kind = c->seen[from].kind;
    cJSON_ArrayForEach(key, cJSON_GetObjectItemCaseSensitive(json, "finished")) {
        if (status == TW_OK && cJSON_IsString(key) && problem_of(c, key->valuestring) >= 0)
            status = note_done(c, kind, key->valuestring, error);
    }
    cJSON_ArrayForEach(key, cJSON_GetObjectItemCaseSensitive(json, "unfinished")) {
        int problem = cJSON_IsString(key) ? problem_of(c, key->valuestring) : SCHEDULE_NONE;
        if (problem != SCHEDULE_NONE)
            schedule_prefer(c->schedule, from, problem);
    }
    return status;
}

/* Told of the first two that do. */
static void tell_who_shares(struct coordinator *c, int from) {
    const struct seen *seen = &c->seen[from];
    for (int i = 0; i < c->post->ranks && !c->told_of_sharing; i++) {
        if (i == from || !c->seen[i].here || strcmp(c->seen[i].place, seen->place) != 0)
            continue;
        struct tw_text line = {0};
        c->told_of_sharing = true;
        tw_text_print(
            &line, " shares its device with rank %d: ranks that do disturb each other's times", i);
        coordinator_say_of(seen, tw_text_or(&line, ""));
        tw_text_free(&line);
    }
}

tw_status coordinator_take_hello(struct coordinator *c, int from, const cJSON *json,
                                 struct tw_error *error) {
    struct seen *seen = &c->seen[from];
    const char *failed = post_text(json, "failed", NULL);
    const cJSON *export;
    snprintf(seen->name, sizeof seen->name, "rank %d (%s of %s)", from,
             post_text(json, "device", "no device"), post_text(json, "host", "a machine"));
    if (failed != NULL) {
        struct tw_text line = {0};
        tw_text_print(&line, " takes no part: %s", failed);
        coordinator_say_of(seen, tw_text_or(&line, ""));
        tw_text_free(&line);
        schedule_leave(c->schedule, from);
        return TW_OK;
    }
    int before = schedule_kinds(c->schedule);
    seen->kind = schedule_kind(c->schedule, post_text(json, "fingerprint", ""));
    if (seen->kind == SCHEDULE_NONE)
        return tw_fail(error, TW_NO_MEMORY, "out of memory, or of more than %d kinds of devices",
                       SCHEDULE_MOST_KINDS);
    schedule_join(c->schedule, from, seen->kind);
    seen->here = true;
    snprintf(seen->place, sizeof seen->place, "%.60s %.60s", post_text(json, "host", ""),
             post_text(json, "place", ""));
    tell_who_shares(c, from);
    tw_status status = TW_OK;
    cJSON_ArrayForEach(export, cJSON_GetObjectItemCaseSensitive(json, "exports")) {
        if (status == TW_OK && cJSON_IsString(export))
            status = merge(c, from, export->valuestring, error);
    }
    int done = schedule_count_done(c->schedule);
    if (schedule_kinds(c->schedule) > before)
        mark_before(c, seen->kind);
    if (status == TW_OK)
        status = take_runs(c, from, json, error);
    c->resumed += schedule_count_done(c->schedule) - done;
    return status;
}

/* "1024x1024x1024: 12.3 us, 45 TFLOP/s (register_tiled), rank 2 (cuda:1 of node7); 3 of 40" */
static void print_result(const struct coordinator *c, int from, int problem, const cJSON *report) {
    const cJSON *best = cJSON_GetObjectItemCaseSensitive(report, "best");
    const cJSON *time = cJSON_GetObjectItemCaseSensitive(best, "time_us");
    const cJSON *rate = cJSON_GetObjectItemCaseSensitive(best, "rate");
    char us[32], text[REPORT_RATE_SIZE];
    report_time(cJSON_IsNumber(time) ? time->valuedouble : 0, us);
    report_rate(cJSON_IsNumber(rate) ? rate->valuedouble : 0, post_text(best, "rate_unit", ""),
                text);
    tw_printable_line(stdout, "%s: %s, %s (%s), %s; %d of %d", c->problems[problem].name, us, text,
                      post_text(best, "implementation", ""), c->seen[from].name,
                      schedule_count_done(c->schedule), schedule_total(c->schedule));
    fflush(stdout);
}

static void keep_report(struct coordinator *c, int from, int problem, cJSON *json) {
    char key[32];
    cJSON *report = cJSON_DetachItemFromObjectCaseSensitive(json, "report");
    snprintf(key, sizeof key, "%d %d", problem, c->seen[from].kind);
    cJSON_AddNumberToObject(report, "rank", from);
    cJSON_DeleteItemFromObjectCaseSensitive(c->reports, key);
    json_add(c->reports, key, report);
}

static void take_failure(struct coordinator *c, int from, int problem, const char *why) {
    struct tw_text line = {0};
    bool held = schedule_held(c->schedule, from) == problem;
    bool again = held && schedule_failed(c->schedule, from);
    tw_text_print(&line, ": %s %s: %s", c->problems[problem].name,
                  again ? "goes to another rank" : "is given up", why);
    if (held)
        coordinator_say_of(&c->seen[from], tw_text_or(&line, ""));
    tw_text_free(&line);
}

tw_status coordinator_take_result(struct coordinator *c, int from, cJSON *json,
                                  struct tw_error *error) {
    int problem = post_number(json, "problem", SCHEDULE_NONE);
    const char *failed = post_text(json, "failed", NULL);
    if (!c->seen[from].here || problem < 0 || problem >= c->arguments->shape_count)
        return TW_OK;
    tw_status status = merge(c, from, post_text(json, "export", ""), error);
    if (status != TW_OK)
        return status;
    if (failed != NULL) {
        take_failure(c, from, problem, failed);
        return TW_OK;
    }
    status = note_done(c, c->seen[from].kind, c->problems[problem].key, error);
    if (!c->arguments->json && status == TW_OK)
        print_result(c, from, problem, cJSON_GetObjectItemCaseSensitive(json, "report"));
    keep_report(c, from, problem, json);
    return status;
}

struct on_record {
    const struct coordinator *coordinator;
    int problem;
    cJSON *report;
};

static bool visit_record(void *context, const struct tw_db_best_row *row) {
    struct on_record *found = context;
    const struct coordinator *c = found->coordinator;
    struct tw_problem problem;
    struct tw_error error;
    if (row->best.tie_set == NULL ||
        resolve_problem(c->arguments, found->problem, c->description, &problem, &error) != TW_OK)
        return true;
    found->report = report_before_json(&problem, NULL, row, c->path);
    return false;
}

cJSON *coordinator_report_before(const struct coordinator *c, int kind, int problem) {
    struct on_record found = {.coordinator = c, .problem = problem};
    const struct tw_db_best_filter filter = {.kernel = c->description->kernel,
                                             .problem_key = c->problems[problem].key,
                                             .device_fingerprint =
                                                 schedule_fingerprint(c->schedule, kind),
                                             .cache_policy = c->arguments->cache};
    if (schedule_is_done(c->schedule, kind, problem) &&
        tw_db_best_each(c->db, &filter, visit_record, &found) != TW_DB_OK)
        coordinator_say(tw_db_message(c->db));
    return found.report;
}
