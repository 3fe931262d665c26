#include "tuner/cluster/local.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/store.h"
#include "tuner/exchange/export.h"
#include "tuner/json/json.h"

tw_status local_path(const char *directory, const char *id, int local_rank, struct tw_text *path,
                     struct tw_error *error) {
    const char *temporary = getenv("TMPDIR");
    struct tw_text own = {0};
    if (directory != NULL)
        tw_text_print(&own, "%s", directory);
    else
        tw_text_print(&own, "%s/tilewise-mpi-%ld",
                      temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp",
                      (long)getuid());
    tw_status status = TW_OK;
    /* Nobody else is to put results there. */
    if (!own.failed && mkdir(own.data, 0700) != 0 && errno != EEXIST)
        status = tw_fail(error, TW_IO, "%s: %s; name a folder of this machine's disk with --local",
                         own.data, strerror(errno));
    struct stat info;
    if (status == TW_OK && !own.failed &&
        (stat(own.data, &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != getuid()))
        status =
            tw_fail(error, TW_IO, "%s: is no folder of yours; name one with --local", own.data);
    tw_text_print(path, "%s/%s-%d.db", tw_text_or(&own, ""), id, local_rank);
    if (own.failed || path->failed)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    tw_text_free(&own);
    return status;
}

/* *db is NULL when there is no such file. */
static tw_status open_it(const char *path, tw_db **db, struct tw_error *error) {
    char message[TW_DB_MESSAGE_SIZE];
    *db = NULL;
    enum tw_db_status status = tw_db_open(db, path, TW_DB_READ, message, sizeof message);
    if (status == TW_DB_OK || status == TW_DB_NOT_FOUND)
        return TW_OK;
    return tw_fail(error, TW_DATABASE, "%s", message);
}

tw_status local_export(const char *path, struct tw_text *text, struct tw_error *error) {
    tw_db *db;
    int64_t count = 0;
    tw_status status = open_it(path, &db, error);
    if (status == TW_OK && db != NULL)
        status = export_best(db, NULL, text, &count, error);
    tw_db_close(db);
    return status;
}

tw_status local_export_all(const char *path, const char *id, cJSON *array, struct tw_error *error) {
    const char *slash = strrchr(path, '/');
    struct tw_text pattern = {0};
    glob_t found = {0};
    tw_text_print(&pattern, "%.*s/%s-*.db", (int)(slash - path), path, id);
    tw_status status = pattern.failed ? tw_fail(error, TW_NO_MEMORY, "out of memory") : TW_OK;
    if (status == TW_OK && glob(pattern.data, 0, NULL, &found) == GLOB_NOSPACE)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    for (size_t i = 0; status == TW_OK && i < found.gl_pathc; i++) {
        struct tw_text text = {0};
        status = local_export(found.gl_pathv[i], &text, error);
        if (status == TW_OK && text.length > 0)
            json_append(array, cJSON_CreateString(text.data));
        tw_text_free(&text);
    }
    globfree(&found);
    tw_text_free(&pattern);
    return status;
}

static bool add_trials(void *context, const struct tw_db_run_row *row) {
    *(int64_t *)context += row->trials;
    return true;
}

int64_t local_trials(const char *path) {
    struct tw_error error;
    tw_db *db;
    int64_t count = 0;
    if (open_it(path, &db, &error) != TW_OK || db == NULL)
        return 0;
    if (tw_db_run_each(db, NULL, add_trials, &count) != TW_DB_OK)
        count = 0;
    tw_db_close(db);
    return count;
}

struct runs {
    int64_t began_at;
    cJSON *finished, *unfinished;
};

static bool visit_run(void *context, const struct tw_db_run_row *row) {
    const struct runs *runs = context;
    if (row->state != TW_DB_RUN_DONE)
        json_append(runs->unfinished, cJSON_CreateString(row->problem_key));
    else if (row->started_at >= runs->began_at)
        json_append(runs->finished, cJSON_CreateString(row->problem_key));
    return true;
}

tw_status local_runs(const char *path, const char *fingerprint, int64_t began_at, cJSON *finished,
                     cJSON *unfinished, struct tw_error *error) {
    tw_db *db;
    struct runs runs = {began_at, finished, unfinished};
    const struct tw_db_run_filter filter = {.device_fingerprint = fingerprint, .made_here = true};
    tw_status status = open_it(path, &db, error);
    if (status == TW_OK && db != NULL && tw_db_run_each(db, &filter, visit_run, &runs) != TW_DB_OK)
        status = tw_fail(error, TW_DATABASE, "%s", tw_db_message(db));
    tw_db_close(db);
    return status;
}
