#include "tuner/cluster/coordinator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "tuner/cluster/coordinator_parts.h"
#include "tuner/cluster/job_words.h"
#include "tuner/commands/database.h"
#include "tuner/commands/resolve.h"
#include "tuner/json/json.h"
#include "tuner/session/before.h"

static const double ALIVE_SECONDS = 1;

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

static void take_done(void *context, const struct tw_db_best_row *row) {
    take_before(context, row->device.fingerprint, row->problem.key);
}

/* How every problem is searched: mistakes are found before there is a file. */
static tw_status read_search(struct coordinator *c, struct tw_error *error) {
    const struct arguments *a = c->arguments;
    c->search = (struct session_options){.seed = (uint64_t)a->seed,
                                         .budget_seconds = a->budget_seconds,
                                         .budget_trials = a->budget_trials,
                                         .cache = a->cache,
                                         .pins = &c->pins};
    tw_status status = strategy_choose(&c->search.strategy, a->strategy, error);
    return status == TW_OK
               ? pins_read(&c->pins, a->fixes.words, a->fixes.count, c->description, error)
               : status;
}

/* What the same search was through with before the job, whoever ran it. Ranks have told nothing
 * yet: where the results were taken away everything is tuned again. */
static tw_status find_done(struct coordinator *c, struct tw_error *error) {
    const struct before_query query = {
        .options = &c->search, .kernel = known_kernels_find(&c->known, c->description->kernel)};
    return query.kernel != NULL ? before_each(c->db, &query, take_done, c->before, error) : TW_OK;
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
        coordinator_say(
            "the job before was of another command and did not end; what it found is kept, and its "
            "problems are tuned again if they are asked for");
    return status == TW_OK ? find_done(c, error) : status;
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
        status = read_search(c, error);
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
    coordinator_say_of(seen, " is there again");
    if (seen->here)
        schedule_join(c->schedule, from, seen->kind);
}

tw_status coordinator_take(struct coordinator *c, int from, enum post_kind kind, const char *text,
                           struct tw_error *error) {
    tw_status status = TW_OK;
    cJSON *json = cJSON_Parse(text);
    hear(c, from);
    if (kind == POST_HELLO)
        status = coordinator_take_hello(c, from, json, error);
    else if (kind == POST_RESULT)
        status = coordinator_take_result(c, from, json, error);
    else if (kind == POST_NOTE)
        coordinator_say(post_text(json, "line", ""));
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
    coordinator_say_of(&c->seen[rank], tw_text_or(&line, ""));
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
    struct tw_error error;
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < c->arguments->shape_count; i++)
        for (int k = 0; k < schedule_kinds(c->schedule); k++) {
            char key[32];
            snprintf(key, sizeof key, "%d %d", i, k);
            cJSON *report = cJSON_DetachItemFromObjectCaseSensitive(c->reports, key);
            if (report == NULL)
                report = coordinator_report_before(c, k, i);
            if (report != NULL)
                json_append(list, report);
        }
    if (json_print(list, &error) != TW_OK)
        coordinator_say(error.message);
}

bool coordinator_finish(struct coordinator *c) {
    /* Each kind of device does the whole list. Where there is none, it was asked for once. */
    const bool nobody = schedule_kinds(c->schedule) == 0;
    int total = nobody ? c->arguments->shape_count : schedule_total(c->schedule);
    int done = schedule_count_done(c->schedule), failed = schedule_count_failed(c->schedule);
    int ranks = 0;
    bool complete = done == total;
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
        tw_text_print(&line, ", %d of them by an earlier start of this command%s", c->resumed,
                      c->resumed == total ? " (another --seed searches them again)" : "");
    if (failed > 0)
        tw_text_print(&line, "; %d given up", failed);
    if (nobody)
        tw_text_print(&line, "; no rank has a device to tune on");
    else if (done + failed < total)
        tw_text_print(&line, "; nobody is left for the others: the same command goes on");
    tw_text_print(&line, "; database %s", c->path);
    coordinator_say(tw_text_or(&line, ""));
    tw_text_free(&line);
    journal_close(c->journal, complete);
    c->journal = NULL;
    return complete;
}
