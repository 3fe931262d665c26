#include "tuner/audit/asked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "runtime/description/json.h"

enum { VERSION = 1, LONGEST = 400 };

/* A line. Texts are in its JSON until they are kept. */
struct reader {
    struct asked_log *log;
    const char *path, *fingerprint, *cache;
    int room, line;
    bool *is_here; /* an entry a line that was read: on the device that is wanted */
    struct tw_error *error;
};

static const char *text_of(const struct tw_json *json, const char *key) {
    struct tw_json value = tw_json_member(json, key);
    const char *text = tw_json_string(&value);
    if (strlen(text) > LONGEST)
        tw_json_fail(&value, "is longer than %d bytes", LONGEST);
    return text;
}

static double time_of(const struct tw_json *json) {
    struct tw_json value = tw_json_optional(json, "expected_us");
    double time = value.item != NULL ? tw_json_number(&value) : 0;
    if (!(time >= 0 && time < 1e15))
        tw_json_fail(&value, "is no time");
    return time;
}

static int64_t count_of(const struct tw_json *json) {
    struct tw_json value = tw_json_member(json, "count");
    int64_t count = tw_json_integer(&value);
    if (count < 0)
        tw_json_fail(&value, "must not be negative");
    return count;
}

static bool make_room(struct reader *r) {
    struct asked_log *log = r->log;
    if (log->count < r->room)
        return true;
    int room = 2 * r->room + 64;
    struct asked *all = realloc(log->all, (size_t)room * sizeof *all);
    if (all != NULL)
        log->all = all;
    bool *is_here = all != NULL ? realloc(r->is_here, (size_t)room * sizeof *is_here) : NULL;
    if (is_here == NULL)
        return false;
    r->is_here = is_here;
    r->room = room;
    return true;
}

static tw_status keep(struct reader *r, const struct asked *read, bool is_here) {
    struct asked_log *log = r->log;
    if (!make_room(r))
        return tw_fail(r->error, TW_NO_MEMORY, "%s: out of memory", r->path);
    struct asked *kept = &log->all[log->count];
    *kept = *read;
    r->is_here[log->count++] = is_here;
    kept->kernel = strdup(read->kernel);
    kept->shape = strdup(read->shape);
    kept->attributes = strdup(read->attributes);
    return kept->kernel != NULL && kept->shape != NULL && kept->attributes != NULL
               ? TW_OK
               : tw_fail(r->error, TW_NO_MEMORY, "%s: out of memory", r->path);
}

static tw_status read_json(struct reader *r, const cJSON *item) {
    static const char *const keys[] = {
        "tilewise_shapes", "kernel", "shape", "attributes",  "strides", "alignment", "device",
        "fingerprint",     "cache",  "rule",  "expected_us", "count",   "at",        NULL};
    char where[600];
    snprintf(where, sizeof where, "%.500s:%d", r->path, r->line);
    struct tw_json_context context = {.origin = where, .error = r->error};
    struct tw_json json = tw_json_root(&context, item);
    tw_json_expect_object(&json);
    struct tw_json version = tw_json_member(&json, "tilewise_shapes");
    int64_t number = tw_json_integer(&version);
    if (context.status == TW_OK && number != VERSION)
        tw_json_fail(&version, "this program reads version %d", VERSION);
    tw_json_exact_keys(&json, keys);
    struct asked read = {.kernel = (char *)text_of(&json, "kernel"),
                         .shape = (char *)text_of(&json, "shape"),
                         .attributes = (char *)text_of(&json, "attributes"),
                         .expected_us = time_of(&json),
                         .line = r->line};
    int64_t count = count_of(&json);
    bool refused = strcmp(text_of(&json, "rule"), "none") == 0;
    bool is_here = strcmp(text_of(&json, "fingerprint"), r->fingerprint) == 0 &&
                   strcmp(text_of(&json, "cache"), r->cache) == 0;
    if (context.status != TW_OK)
        return context.status == TW_BAD_DESCRIPTION ? r->error->status = TW_INVALID
                                                    : context.status;
    *(refused ? &read.refused : &read.launches) = count;
    return keep(r, &read, is_here);
}

static tw_status read_line(struct reader *r, const char *line) {
    cJSON *item;
    if (line[strspn(line, " \t\r")] == '\0')
        return TW_OK;
    tw_status status = tw_json_parse(&item, line, r->path, r->error);
    if (status == TW_BAD_DESCRIPTION) {
        r->log->cut++;
        return TW_OK;
    }
    if (status == TW_OK)
        status = read_json(r, item);
    cJSON_Delete(item);
    return status;
}

/* ---- Adding up ---- */

static void free_one(struct asked *asked) {
    free(asked->kernel);
    free(asked->shape);
    free(asked->attributes);
}

static int same(const struct asked *one, const struct asked *other) {
    int order = strcmp(one->kernel, other->kernel);
    if (order == 0)
        order = strcmp(one->shape, other->shape);
    return order != 0 ? order : strcmp(one->attributes, other->attributes);
}

static int by_problem(const void *a, const void *b) {
    int order = same(a, b);
    return order != 0 ? order : ((const struct asked *)a)->line - ((const struct asked *)b)->line;
}

/* Only what was asked for here, if anything was. */
static void leave_out(struct reader *r) {
    struct asked_log *log = r->log;
    int kept = 0;
    log->elsewhere = true;
    for (int i = 0; i < log->count; i++)
        log->elsewhere = log->elsewhere && !r->is_here[i];
    for (int i = 0; i < log->count; i++) {
        if (log->elsewhere || r->is_here[i])
            log->all[kept++] = log->all[i];
        else
            free_one(&log->all[i]);
    }
    log->count = kept;
}

static void add_up(struct asked_log *log) {
    int kept = 0;
    if (log->count > 0)
        qsort(log->all, (size_t)log->count, sizeof *log->all, by_problem);
    for (int i = 0; i < log->count; i++) {
        struct asked *last = kept > 0 ? &log->all[kept - 1] : NULL;
        struct asked *next = &log->all[i];
        if (last == NULL || same(last, next) != 0) {
            log->all[kept++] = *next;
            continue;
        }
        last->launches += next->launches;
        last->refused += next->refused;
        if (next->expected_us > 0)
            last->expected_us = next->expected_us;
        free_one(next);
    }
    log->count = kept;
}

tw_status asked_is_log(const char *path, bool *is_log, struct tw_error *error) {
    static const char beginning[] = "{\"tilewise_shapes\"";
    struct tw_text text = {0};
    tw_status status = tw_file_read(&text, path, error);
    /* A library makes the file when it is opened, and writes when something is asked for. */
    *is_log = status == TW_OK &&
              (text.length == 0 || strncmp(text.data, beginning, sizeof beginning - 1) == 0);
    tw_text_free(&text);
    return status;
}

tw_status asked_read(struct asked_log *log, const char *path, const char *fingerprint,
                     const char *cache, struct tw_error *error) {
    struct reader r = {
        .log = log, .path = path, .fingerprint = fingerprint, .cache = cache, .error = error};
    struct tw_text text = {0};
    *log = (struct asked_log){0};
    tw_status status = tw_file_read(&text, path, error);
    if (status == TW_OK && text.length > 0 && strlen(text.data) != text.length)
        status = tw_fail(error, TW_INVALID, "%s: holds a zero byte; this is no log", path);
    char *rest = text.data;
    for (char *line; status == TW_OK && (line = strsep(&rest, "\n")) != NULL;) {
        r.line++;
        status = read_line(&r, line);
    }
    tw_text_free(&text);
    if (status == TW_OK && log->count == 0)
        status = tw_fail(error, TW_INVALID, "%s: has no shape that was asked for", path);
    if (status == TW_OK) {
        leave_out(&r);
        add_up(log);
    }
    free(r.is_here);
    return status;
}

void asked_free(struct asked_log *log) {
    for (int i = 0; i < log->count; i++)
        free_one(&log->all[i]);
    free(log->all);
    *log = (struct asked_log){0};
}
