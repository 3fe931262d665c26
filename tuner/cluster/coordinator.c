#include "tuner/cluster/coordinator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/store.h"
#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/base/printable.h"
#include "tuner/cluster/job_words.h"
#include "tuner/cluster/journal.h"
#include "tuner/cluster/schedule.h"
#include "tuner/commands/database.h"
#include "tuner/commands/resolve.h"
#include "tuner/exchange/merge.h"
#include "tuner/json/json.h"
#include "tuner/report/report.h"

static const double ALIVE_SECONDS = 1;

/* A rank as it is seen from here. */
struct seen {
    bool here, lost;
    int kind;
    double heard_at;
    char name[160];  /* "rank 2 (cuda:1 of node7)" */
    char place[128]; /* of its device, among all machines' */
};

struct problem {
    char key[TW_PROBLEM_KEY_SIZE];
    char *name; /* as it was given */
};

struct coordinator {
    const struct arguments *arguments;
    struct post *post;
    struct tw_description *description;
    struct known_kernels known;
    char *path;
    tw_db *db;
    struct journal *journal;
    cJSON *before; /* [fingerprint, problem] of what an earlier job had done */
    struct schedule *schedule;
    struct problem *problems;
    struct seen *seen; /* by rank */
    cJSON *reports;    /* by "kind problem" */
    double began_at, alive_next;
    int resumed; /* done before */
    bool told_of_sharing;
};

static void say(const char *line) {
    tw_printable_line(stderr, "tune-mpi: %s", line);
}

static void say_of(const struct seen *seen, const char *what) {
    struct tw_text line = {0};
    tw_text_print(&line, "%s%s", seen->name, what);
    say(tw_text_or(&line, what));
    tw_text_free(&line);
}

/* ---- Beginning ---- */

static void take_before(void *context, const char *fingerprint, const char *problem) {
    cJSON *pair = cJSON_CreateArray();
    json_append(pair, cJSON_CreateString(fingerprint));
    json_append(pair, cJSON_CreateString(problem));
    json_append(context, pair);
}

static tw_status read_problems(struct coordinator *c, struct tw_error *error) {
    const struct arguments *a = c->arguments;
    tw_status status = TW_OK;
    c->problems = calloc((size_t)a->shape_count, sizeof *c->problems);
    if (c->problems == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < a->shape_count && status == TW_OK; i++) {
        struct tw_problem problem;
        struct tw_text name = {0};
        status = resolve_problem(a, i, c->description, &problem, error);
        if (status != TW_OK)
            break;
        tw_problem_key(&problem, c->problems[i].key);
        tw_text_print(&name, "%s", a->shapes[i].shape);
        for (int j = 0; j < a->shapes[i].attribute_count; j++)
            tw_text_print(&name, " %s", a->shapes[i].attributes[j]);
        c->problems[i].name = name.data;
        if (name.failed)
            status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    }
    return status;
}

static tw_status open_files(struct coordinator *c, struct tw_error *error) {
    const struct arguments *a = c->arguments;
    struct tw_text command = {0};
    bool other = false;
    tw_status status = known_kernels_open(&c->known, a->configs.words, a->configs.count, error);
    if (status != TW_OK)
        return status;
    c->path = database_path(a, error);
    status = c->path != NULL ? database_open(c->path, TW_DB_WRITE, &c->db, error) : error->status;
    if (status == TW_OK)
        status = database_adopt(a, c->db, error);
    if (status != TW_OK)
        return status;
    job_command(a, &command);
    c->before = cJSON_CreateArray();
    status = command.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory")
                            : journal_open(&c->journal, c->path, command.data, &other, take_before,
                                           c->before, error);
    tw_text_free(&command);
    if (status == TW_OK && other)
        say("the job before was of another command and did not end; what it found is kept, and its "
            "problems are tuned again if they are asked for");
    return status;
}

/* The job's databases are found again by where its results go. */
static void job_id(const struct coordinator *c, char id[TW_HASH_SIZE]) {
    struct tw_hash *hash = tw_hash_begin();
    char *path = realpath(c->path, NULL);
    tw_hash_add_text(hash, path != NULL ? path : c->path);
    tw_hash_finish(hash, id);
    free(path);
}

static void send_start(struct coordinator *c) {
    const struct arguments *a = c->arguments;
    char id[TW_HASH_SIZE];
    cJSON *json = cJSON_CreateObject();
    job_id(c, id);
    json_add(json, "words", job_words(a));
    cJSON_AddStringToObject(json, "id", id);
    cJSON_AddNumberToObject(json, "began_at", (double)journal_began_at(c->journal));
    cJSON_AddBoolToObject(json, "jobs", a->jobs_given);
    cJSON_AddNumberToObject(json, "lost_after", a->lost_after_s);
    if (a->local != NULL)
        cJSON_AddStringToObject(json, "directory", a->local);
    if (a->device != NULL)
        cJSON_AddStringToObject(json, "device", a->device);
    if (a->devices != NULL)
        cJSON_AddStringToObject(json, "devices", a->devices);
    char *text = json_text(json);
    for (int i = 0; text != NULL && i < c->post->ranks; i++)
        c->post->send(c->post, i, POST_START, text);
    cJSON_free(text);
}

tw_status coordinator_create(struct coordinator **out, const struct arguments *a, struct post *post,
                             struct tw_error *error) {
    struct coordinator *c = calloc(1, sizeof *c);
    *out = c;
    if (c == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    *c = (struct coordinator){.arguments = a, .post = post, .began_at = tw_clock_now()};
    tw_status status = resolve_description(a, &c->description, error);
    if (status == TW_OK)
        status = read_problems(c, error);
    if (status == TW_OK)
        status = open_files(c, error);
    if (status == TW_OK)
        status = schedule_create(&c->schedule, a->shape_count, post->ranks, error);
    if (status != TW_OK)
        return status;
    c->reports = cJSON_CreateObject();
    c->seen = calloc((size_t)post->ranks, sizeof *c->seen);
    if (c->seen == NULL)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (int i = 0; i < post->ranks; i++) {
        c->seen[i].heard_at = tw_clock_now();
        snprintf(c->seen[i].name, sizeof c->seen[i].name, "rank %d", i);
    }
    send_start(c);
    return TW_OK;
}

void coordinator_free(struct coordinator *c) {
    if (c == NULL)
        return;
    journal_close(c->journal, false);
    tw_db_close(c->db);
    known_kernels_close(&c->known);
    free(c->path);
    schedule_free(c->schedule);
    for (int i = 0; c->problems != NULL && i < c->arguments->shape_count; i++)
        free(c->problems[i].name);
    free(c->problems);
    free(c->seen);
    cJSON_Delete(c->before);
    cJSON_Delete(c->reports);
    tw_description_free(c->description);
    free(c);
}

/* ---- What ranks find ---- */

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
        say_of(seen, tw_text_or(&line, ""));
        tw_text_free(&line);
    }
}

static tw_status take_hello(struct coordinator *c, int from, const cJSON *json,
                            struct tw_error *error) {
    struct seen *seen = &c->seen[from];
    const char *failed = post_text(json, "failed", NULL);
    const cJSON *export;
    snprintf(seen->name, sizeof seen->name, "rank %d (%s of %s)", from,
             post_text(json, "device", "no device"), post_text(json, "host", "a machine"));
    if (failed != NULL) {
        struct tw_text line = {0};
        tw_text_print(&line, " takes no part: %s", failed);
        say_of(seen, tw_text_or(&line, ""));
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
    char us[32];
    report_time(cJSON_IsNumber(time) ? time->valuedouble : 0, us);
    tw_printable_line(stdout, "%s: %s, %.4g %s (%s), %s; %d of %d", c->problems[problem].name, us,
                      cJSON_IsNumber(rate) ? rate->valuedouble : 0,
                      post_text(best, "rate_unit", ""), post_text(best, "implementation", ""),
                      c->seen[from].name, schedule_count_done(c->schedule),
                      schedule_total(c->schedule));
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
        say_of(&c->seen[from], tw_text_or(&line, ""));
    tw_text_free(&line);
}

static tw_status take_result(struct coordinator *c, int from, cJSON *json, struct tw_error *error) {
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

/* ---- Who is there, and who has nothing to do ---- */

static void give_task(struct coordinator *c, int to) {
    int problem = schedule_next(c->schedule, to);
    if (problem == SCHEDULE_NONE)
        return;
    const struct shape_argument *shape = &c->arguments->shapes[problem];
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "problem", problem);
    cJSON_AddStringToObject(json, "name", c->problems[problem].name);
    json_add(json, "words", shape_words(shape));
    post_json(c->post, to, POST_TASK, json);
}

static void hear(struct coordinator *c, int from) {
    struct seen *seen = &c->seen[from];
    seen->heard_at = tw_clock_now();
    if (!seen->lost)
        return;
    seen->lost = false;
    say_of(seen, " is there again");
    if (seen->here)
        schedule_join(c->schedule, from, seen->kind);
}

tw_status coordinator_take(struct coordinator *c, int from, enum post_kind kind, const char *text,
                           struct tw_error *error) {
    tw_status status = TW_OK;
    cJSON *json = cJSON_Parse(text);
    hear(c, from);
    if (kind == POST_HELLO)
        status = take_hello(c, from, json, error);
    else if (kind == POST_RESULT)
        status = take_result(c, from, json, error);
    else if (kind == POST_NOTE)
        say(post_text(json, "line", ""));
    else if (kind == POST_ALIVE && c->seen[from].here &&
             cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "idle")))
        give_task(c, from);
    cJSON_Delete(json);
    return status;
}

static void lose(struct coordinator *c, int rank) {
    struct tw_text line = {0};
    int problem = schedule_held(c->schedule, rank);
    tw_text_print(&line, " has not been heard of for %g s, and is taken for lost",
                  c->arguments->lost_after_s);
    if (problem != SCHEDULE_NONE)
        tw_text_print(&line, "; %s goes to another", c->problems[problem].name);
    say_of(&c->seen[rank], tw_text_or(&line, ""));
    tw_text_free(&line);
    c->seen[rank].lost = true;
    schedule_leave(c->schedule, rank);
}

void coordinator_step(struct coordinator *c) {
    double now = tw_clock_now();
    for (int i = 1; i < c->post->ranks; i++)
        if (!c->seen[i].lost && now - c->seen[i].heard_at > c->arguments->lost_after_s)
            lose(c, i);
    if (now < c->alive_next)
        return;
    c->alive_next = now + ALIVE_SECONDS;
    for (int i = 1; i < c->post->ranks; i++)
        if (!c->seen[i].lost)
            c->post->send(c->post, i, POST_ALIVE, "{}");
}

bool coordinator_is_over(const struct coordinator *c) {
    return schedule_over(c->schedule);
}

/* ---- The end ---- */

static void print_reports(struct coordinator *c) {
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < c->arguments->shape_count; i++)
        for (int k = 0; k < schedule_kinds(c->schedule); k++) {
            char key[32];
            snprintf(key, sizeof key, "%d %d", i, k);
            cJSON *report = cJSON_DetachItemFromObjectCaseSensitive(c->reports, key);
            if (report != NULL)
                json_append(list, report);
        }
    struct tw_error error;
    if (json_print(list, &error) != TW_OK)
        say(error.message);
}

bool coordinator_finish(struct coordinator *c) {
    int total = schedule_total(c->schedule), done = schedule_count_done(c->schedule);
    int failed = schedule_count_failed(c->schedule), ranks = 0;
    bool complete = total > 0 && done == total;
    bool lost = false;
    for (int i = 0; i < c->post->ranks; i++) {
        ranks += c->seen[i].here && !c->seen[i].lost;
        lost |= c->seen[i].lost;
    }
    struct tw_text line = {0};
    cJSON *json = cJSON_CreateObject();
    cJSON_AddBoolToObject(json, "lost", lost);
    char *text = json_text(json);
    for (int i = 0; i < c->post->ranks; i++)
        c->post->send(c->post, i, POST_OVER, text != NULL ? text : "{}");
    cJSON_free(text);
    if (c->arguments->json)
        print_reports(c);
    tw_text_print(&line, "%d of %d problems done in %.1f s by %d rank%s", done, total,
                  tw_clock_now() - c->began_at, ranks, ranks == 1 ? "" : "s");
    if (c->resumed > 0)
        tw_text_print(&line, ", %d of them by an earlier start of this command", c->resumed);
    if (failed > 0)
        tw_text_print(&line, "; %d given up", failed);
    if (done + failed < total || total == 0)
        tw_text_print(&line, "; nobody is left for the others: the same command goes on");
    tw_text_print(&line, "; database %s", c->path);
    say(tw_text_or(&line, ""));
    tw_text_free(&line);
    journal_close(c->journal, complete);
    c->journal = NULL;
    return complete;
}
