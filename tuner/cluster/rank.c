#include "tuner/cluster/rank.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/backend/devices.h"
#include "runtime/base/clock.h"
#include "tuner/cluster/local.h"
#include "tuner/commands/device_list.h"
#include "tuner/json/json.h"

/* A tune that dies so often in a row with nothing new recorded is given up. */
enum { MOST_BARREN = 3, MOST_WORDS = 256 };
/* The second until rank 0 has said how long. */
static const double ALIVE_SECONDS = 1, SILENCE_SECONDS = 60;

void rank_begin(struct rank *rank, struct post *post) {
    *rank = (struct rank){.post = post,
                          .heard_at = tw_clock_now(),
                          .silence_s = SILENCE_SECONDS,
                          .child = {.out = -1, .err = -1}};
    if (gethostname(rank->host, sizeof rank->host - 1) != 0)
        strcpy(rank->host, "a machine");
}

void rank_end(struct rank *rank) {
    child_stop(&rank->child);
    tw_text_free(&rank->path);
    cJSON_Delete(rank->start);
    cJSON_Delete(rank->task);
}

static void tell(struct rank *rank, const char *line) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "line", line);
    post_json(rank->post, 0, POST_NOTE, json);
}

/* ---- Beginning ---- */

/* What is given by name, or the devices like the one that tune would take. */
static tw_status list_devices(const struct rank *rank, struct device_list *list,
                              struct tw_error *error) {
    const char *devices = post_text(rank->start, "devices", NULL);
    list->count = 1;
    tw_status status = devices != NULL ? device_list_find(list, devices, error)
                                       : tw_device_pick(post_text(rank->start, "device", NULL),
                                                        &list->devices[0], error);
    if (status != TW_OK || devices != NULL || post_text(rank->start, "device", NULL) != NULL)
        return status;
    const struct tw_device_info first = list->devices[0];
    status = device_list_find(list, first.backend, error);
    for (int i = 0; i < list->count && status == TW_OK; i++)
        if (strcmp(list->devices[i].id, first.id) == 0) {
            int count = device_list_alike(list, i);
            memmove(list->devices, &list->devices[i], (size_t)count * sizeof *list->devices);
            list->count = count;
        }
    return status;
}

/* As many compilers as cores fall to the rank: those it is bound to, or a part of the machine's. */
static void share_cores(struct rank *rank) {
    const struct post *post = rank->post;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t bound;
    struct tw_text line = {0};
    if (cores < 1)
        cores = 1;
    long own = cores / post->local_ranks > 0 ? cores / post->local_ranks : 1;
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(rank->start, "jobs")))
        return;
    rank->jobs = (int)own;
    if (sched_getaffinity(0, sizeof bound, &bound) != 0 || CPU_COUNT(&bound) >= cores)
        return;
    rank->jobs = CPU_COUNT(&bound);
    if (rank->jobs >= own || post->local_rank != 0)
        return;
    tw_text_print(&line,
                  "the ranks of %s are bound to %d of its %ld cores each, and compile on no more; "
                  "mpirun --bind-to none gives them all",
                  rank->host, rank->jobs, cores);
    tell(rank, tw_text_or(&line, ""));
    tw_text_free(&line);
}

static tw_status say_hello(struct rank *rank, struct tw_error *error) {
    const char *id = post_text(rank->start, "id", "");
    const cJSON *began = cJSON_GetObjectItemCaseSensitive(rank->start, "began_at");
    char fingerprint[256];
    cJSON *json = cJSON_CreateObject();
    tw_device_fingerprint(&rank->device, fingerprint);
    cJSON_AddStringToObject(json, "host", rank->host);
    cJSON_AddStringToObject(json, "device", rank->device.id);
    /* Numbers tell devices of a machine apart only where all ranks see the same. */
    cJSON_AddStringToObject(json, "place",
                            rank->device.bus[0] != '\0' ? rank->device.bus : rank->device.id);
    cJSON_AddStringToObject(json, "fingerprint", fingerprint);
    cJSON *exports = cJSON_AddArrayToObject(json, "exports");
    cJSON *unfinished = cJSON_AddArrayToObject(json, "unfinished");
    cJSON *finished = cJSON_AddArrayToObject(json, "finished");
    tw_status status = local_runs(rank->path.data, fingerprint,
                                  cJSON_IsNumber(began) ? (int64_t)began->valuedouble : 0, finished,
                                  unfinished, error);
    /* What nobody has been told of yet, of whatever rank of this machine. */
    if (status == TW_OK && rank->post->local_rank == 0)
        status = local_export_all(rank->path.data, id, exports, error);
    else if (status == TW_OK) {
        struct tw_text text = {0};
        status = local_export(rank->path.data, &text, error);
        if (status == TW_OK && text.length > 0)
            json_append(exports, cJSON_CreateString(text.data));
        tw_text_free(&text);
    }
    if (status == TW_OK)
        post_json(rank->post, 0, POST_HELLO, json);
    else
        cJSON_Delete(json);
    return status;
}

static void take_start(struct rank *rank, const char *text) {
    struct device_list *list = malloc(sizeof *list);
    struct tw_error error;
    rank->start = cJSON_Parse(text);
    const cJSON *silence = cJSON_GetObjectItemCaseSensitive(rank->start, "lost_after");
    if (cJSON_IsNumber(silence))
        rank->silence_s = silence->valuedouble;
    tw_status status = list != NULL && rank->start != NULL
                           ? list_devices(rank, list, &error)
                           : tw_fail(&error, TW_NO_MEMORY, "out of memory");
    if (status == TW_OK) {
        rank->device = list->devices[rank->post->local_rank % list->count];
        share_cores(rank);
        status =
            local_path(post_text(rank->start, "directory", NULL), post_text(rank->start, "id", ""),
                       rank->post->local_rank, &rank->path, &error);
    }
    if (status == TW_OK)
        status = say_hello(rank, &error);
    rank->activity = status == TW_OK ? RANK_IDLE : RANK_TAKES_NO_PART;
    if (status != TW_OK) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "host", rank->host);
        cJSON_AddStringToObject(json, "failed", error.message);
        post_json(rank->post, 0, POST_HELLO, json);
    }
    free(list);
}

/* ---- Tuning ---- */

static void drop_task(struct rank *rank) {
    child_stop(&rank->child);
    cJSON_Delete(rank->task);
    rank->task = NULL;
    rank->activity = RANK_IDLE;
    rank->alive_next = 0;
}

/* `failed` NULL: the report is in what tune said. */
static void send_result(struct rank *rank, const char *failed) {
    struct tw_text text = {0};
    struct tw_error error;
    cJSON *json = cJSON_CreateObject();
    cJSON *report = failed == NULL ? cJSON_Parse(tw_text_or(&rank->child.said, "")) : NULL;
    cJSON_AddNumberToObject(json, "problem", rank->problem);
    if (local_export(rank->path.data, &text, &error) != TW_OK)
        failed = error.message;
    else
        cJSON_AddStringToObject(json, "export", tw_text_or(&text, ""));
    if (failed == NULL && report == NULL)
        failed = "tune told nothing of what it found";
    if (failed != NULL)
        cJSON_AddStringToObject(json, "failed", failed);
    if (report != NULL)
        json_add(json, "report", report);
    post_json(rank->post, 0, POST_RESULT, json);
    tw_text_free(&text);
}

/* Words are borrowed from the documents that say them. */
static int add_words(char **words, int count, const cJSON *list) {
    const cJSON *word;
    cJSON_ArrayForEach(word, list) {
        if (cJSON_IsString(word) && count < MOST_WORDS)
            words[count++] = word->valuestring;
    }
    return count;
}

static tw_status start_tune(struct rank *rank, struct tw_error *error) {
    char *words[MOST_WORDS + 16], jobs[24];
    int count = 0;
    words[count++] = "tune";
    count = add_words(words, count, cJSON_GetObjectItemCaseSensitive(rank->start, "words"));
    count = add_words(words, count, cJSON_GetObjectItemCaseSensitive(rank->task, "words"));
    if (rank->jobs > 0) {
        snprintf(jobs, sizeof jobs, "%d", rank->jobs);
        words[count++] = "--jobs";
        words[count++] = jobs;
    }
    char *rest[] = {"--db",   rank->path.data, "--device", rank->device.id,
                    "--json", "--quiet",       NULL};
    memcpy(words + count, rest, sizeof rest);
    rank->trials_before = local_trials(rank->path.data);
    return child_start(&rank->child, words, error);
}

static void take_task(struct rank *rank, const char *text) {
    struct tw_error error;
    cJSON_Delete(rank->task);
    rank->task = cJSON_Parse(text);
    rank->problem = post_number(rank->task, "problem", -1);
    rank->barren = 0;
    rank->activity = RANK_BUSY;
    if (start_tune(rank, &error) != TW_OK) {
        send_result(rank, error.message);
        drop_task(rank);
    }
}

/* Trials that were recorded are not lost with it: the next goes on from them. */
static void tune_died(struct rank *rank, const char *how) {
    struct tw_text line = {0};
    struct tw_error error;
    rank->barren = local_trials(rank->path.data) > rank->trials_before ? 0 : rank->barren + 1;
    bool again = rank->barren < MOST_BARREN;
    tw_text_print(&line, "rank %d (%s of %s): tune %s over %s%s", rank->post->rank, rank->device.id,
                  rank->host, how, post_text(rank->task, "name", "a problem"),
                  again ? "; it goes on" : "");
    tell(rank, tw_text_or(&line, how));
    child_stop(&rank->child);
    if (again && start_tune(rank, &error) == TW_OK)
        again = true;
    else {
        send_result(rank, again ? error.message : tw_text_or(&line, how));
        drop_task(rank);
    }
    tw_text_free(&line);
}

static void watch_tune(struct rank *rank) {
    int end;
    if (!child_step(&rank->child, &end))
        return;
    if (WIFSIGNALED(end)) {
        char how[96];
        snprintf(how, sizeof how, "was killed by signal %d (%s)", WTERMSIG(end),
                 strsignal(WTERMSIG(end)));
        tune_died(rank, how);
        return;
    }
    char failed[TW_ERROR_SIZE + 64];
    bool said = rank->child.complaint[0] != '\0';
    snprintf(failed, sizeof failed, "%s",
             said ? rank->child.complaint : "tune ended without a word");
    send_result(rank, WEXITSTATUS(end) == 0 ? NULL : failed);
    drop_task(rank);
}

/* ---- Messages ---- */

void rank_take(struct rank *rank, int from, enum post_kind kind, const char *text) {
    if (from == 0)
        rank->heard_at = tw_clock_now();
    if (kind == POST_START && rank->activity == RANK_BEGINS) {
        take_start(rank, text);
    } else if (kind == POST_TASK && rank->activity == RANK_IDLE) {
        take_task(rank, text);
    } else if (kind == POST_OVER) {
        cJSON *json = cJSON_Parse(text);
        rank->lost = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "lost"));
        cJSON_Delete(json);
        child_stop(&rank->child);
        rank->activity = RANK_IS_OVER;
    }
}

void rank_step(struct rank *rank) {
    if (rank->activity == RANK_BUSY)
        watch_tune(rank);
    double now = tw_clock_now();
    if (rank->activity == RANK_IS_OVER || now < rank->alive_next)
        return;
    rank->alive_next = now + ALIVE_SECONDS;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddBoolToObject(json, "idle", rank->activity == RANK_IDLE);
    post_json(rank->post, 0, POST_ALIVE, json);
    if (rank->post->rank != 0 && now - rank->heard_at > rank->silence_s) {
        fprintf(stderr, "tune-mpi: rank %d has not heard of rank 0 for %g s, and ends\n",
                rank->post->rank, rank->silence_s);
        child_stop(&rank->child);
        rank->lost = true;
        rank->activity = RANK_IS_OVER;
    }
}
