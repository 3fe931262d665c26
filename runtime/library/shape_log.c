#include "runtime/library/shape_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "runtime/backend/devices.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

enum { PERIOD_SECONDS = 5 };
/* How long another process is given to end its write. */
enum { LOCK_TRIES = 50, LOCK_WAIT_NS = 10000000 };

/* Every line says what it is. */
#define BEGINNING "{\"tilewise_shapes\":1,"

struct tw_shape_log {
    int file;
    pid_t process; /* whose thread it is: a child that was forked has none */
    struct tw_device_info device;
    char cache[8];
    pthread_t thread;
    bool has_thread;                      /* of `opened`'s lock, as what follows */
    struct tw_shape_log *later, *earlier; /* of those that are open */
    pthread_mutex_t lock;                 /* of what follows */
    pthread_cond_t wake;
    bool stopping, has_new;
    struct tw_asked *first;
    void *by_text; /* the same, as tsearch keeps them */
};

/* ---- Writing ---- */

static void add_changes(struct tw_asked *first, struct tw_text *lines) {
    for (struct tw_asked *asked = first; asked != NULL; asked = asked->next) {
        asked->pending = atomic_load_explicit(&asked->count, memory_order_relaxed) - asked->written;
        if (!asked->known || asked->pending > 0)
            tw_text_print(lines, "%s,\"count\":%" PRIu64 ",\"at\":%" PRId64 "}\n", asked->text,
                          asked->pending, (int64_t)time(NULL));
    }
}

static void note_written(struct tw_asked *first) {
    for (struct tw_asked *asked = first; asked != NULL; asked = asked->next) {
        asked->written += asked->pending;
        asked->known = true;
    }
}

/* The file is appended to, which alone keeps lines whole on most file systems; so where there is no
 * lock to be had, and where somebody sits on it, writing goes on without. */
static bool lock_file(int file) {
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = LOCK_WAIT_NS}, NULL);
    }
    return false;
}

static bool write_all(int file, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = write(file, bytes, length);
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0) {
            bytes += count;
            length -= (size_t)count;
        }
    }
    return true;
}

static void cut_back(int file, off_t size) {
    /* Where that fails too, the next line begins with an end of this one. */
    while (ftruncate(file, size) != 0 && errno == EINTR)
        ;
}

/* All lines or none: half a line that a full disk leaves is taken away again, and one that another
 * process left when it died is ended. */
static bool append(int file, const struct tw_text *lines) {
    struct stat before;
    char last = '\n';
    bool locked = lock_file(file);
    bool seen = fstat(file, &before) == 0;
    bool done = seen && (before.st_size == 0 || pread(file, &last, 1, before.st_size - 1) == 1) &&
                (last == '\n' || write_all(file, "\n", 1)) &&
                write_all(file, lines->data, lines->length);
    if (!done && locked && seen)
        cut_back(file, before.st_size);
    if (locked)
        flock(file, LOCK_UN);
    return done;
}

/* What cannot be written now is tried again with what comes next. */
static void write_changes(struct tw_shape_log *log, struct tw_asked *first) {
    struct tw_text lines = {0};
    add_changes(first, &lines);
    if (lines.length > 0 && !lines.failed && append(log->file, &lines))
        note_written(first);
    tw_text_free(&lines);
}

static void *work(void *argument) {
    struct tw_shape_log *log = argument;
    pthread_mutex_lock(&log->lock);
    for (bool stopping = false; !stopping;) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += PERIOD_SECONDS;
        int waited = 0;
        while (!log->stopping && !log->has_new && waited != ETIMEDOUT)
            waited = pthread_cond_timedwait(&log->wake, &log->lock, &until);
        stopping = log->stopping;
        log->has_new = false;
        /* Entries are added in front and never change places. */
        struct tw_asked *first = log->first;
        pthread_mutex_unlock(&log->lock);
        write_changes(log, first);
        pthread_mutex_lock(&log->lock);
    }
    pthread_mutex_unlock(&log->lock);
    return NULL;
}

/* ---- Opening and closing ---- */

/* Applications that end without closing their library, as programs in Python do, had their last
 * seconds counted too: what is open is written when the process ends in good order. */
static struct {
    pthread_mutex_t lock;
    struct tw_shape_log *last;
    pthread_once_t once;
    int refused; /* what promises said */
} opened = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

/* Has the thread write what is left, and ends it. */
static void end_thread(struct tw_shape_log *log) {
    if (!log->has_thread || log->process != getpid())
        return;
    pthread_mutex_lock(&log->lock);
    log->stopping = true;
    pthread_cond_signal(&log->wake);
    pthread_mutex_unlock(&log->lock);
    pthread_join(log->thread, NULL);
    log->has_thread = false;
}

static void end_threads(void) {
    pthread_mutex_lock(&opened.lock);
    for (struct tw_shape_log *log = opened.last; log != NULL; log = log->earlier)
        end_thread(log);
    pthread_mutex_unlock(&opened.lock);
}

/* An application that has no thread of its own may fork at any time, and does not know of ours: so
 * that no lock stays held in the child by a thread that is not there, whoever forks holds them. */
static void before_fork(void) {
    pthread_mutex_lock(&opened.lock);
    for (struct tw_shape_log *log = opened.last; log != NULL; log = log->earlier)
        pthread_mutex_lock(&log->lock);
}

static void after_fork(void) {
    for (struct tw_shape_log *log = opened.last; log != NULL; log = log->earlier)
        pthread_mutex_unlock(&log->lock);
    pthread_mutex_unlock(&opened.lock);
}

static void promise(void) {
    opened.refused = pthread_atfork(before_fork, after_fork, after_fork);
    /* Where there is no room for it, the last seconds are lost, as by a crash. */
    (void)atexit(end_threads);
}

static void add_opened(struct tw_shape_log *log) {
    pthread_mutex_lock(&opened.lock);
    log->earlier = opened.last;
    if (opened.last != NULL)
        opened.last->later = log;
    opened.last = log;
    pthread_mutex_unlock(&opened.lock);
}

static void remove_opened(struct tw_shape_log *log) {
    pthread_mutex_lock(&opened.lock);
    end_thread(log);
    if (log->later != NULL)
        log->later->earlier = log->earlier;
    else
        opened.last = log->earlier;
    if (log->earlier != NULL)
        log->earlier->later = log->later;
    pthread_mutex_unlock(&opened.lock);
}

static tw_status check_file(int file, const char *path, tw_error *error) {
    char there[sizeof BEGINNING] = "";
    struct stat stat;
    if (fstat(file, &stat) != 0)
        return tw_fail(error, TW_IO, "%s: %s", path, strerror(errno));
    ssize_t count = S_ISREG(stat.st_mode) ? pread(file, there, sizeof there - 1, 0) : -1;
    if (!S_ISREG(stat.st_mode) || (count > 0 && strncmp(there, BEGINNING, (size_t)count) != 0))
        return tw_fail(error, TW_INVALID,
                       "%s is no log of shapes; name a file that is not there yet, or such a log",
                       path);
    return count >= 0 ? TW_OK : tw_fail(error, TW_IO, "%s: %s", path, strerror(errno));
}

static int start(struct tw_shape_log *log) {
    pthread_condattr_t monotonic;
    sigset_t all, before;
    pthread_mutex_init(&log->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&log->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    /* The application's signal handlers are not to run in a thread that it knows nothing of. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(&log->thread, NULL, work, log);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

tw_status tw_shape_log_open(struct tw_shape_log **out, const char *path,
                            const struct tw_device_info *device, const char *cache,
                            tw_error *error) {
    *out = NULL;
    pthread_once(&opened.once, promise);
    if (opened.refused != 0)
        return tw_fail(error, TW_NO_MEMORY, "out of memory");
    /* Readable too, to see how it ends; and so that a pipe does not block. */
    int file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (file < 0)
        return tw_fail(error, TW_IO, "cannot write the log of shapes %s: %s", path,
                       strerror(errno));
    tw_status status = check_file(file, path, error);
    struct tw_shape_log *log = status == TW_OK ? calloc(1, sizeof *log) : NULL;
    if (status == TW_OK && log == NULL)
        status = tw_fail(error, TW_NO_MEMORY, "out of memory");
    if (status != TW_OK) {
        close(file);
        return status;
    }
    log->file = file;
    log->process = getpid();
    log->device = *device;
    strncpy(log->cache, cache, sizeof log->cache - 1);
    int result = start(log);
    if (result != 0) {
        close(file);
        free(log);
        return tw_fail(error, TW_NO_MEMORY, "no thread to write %s in: %s", path, strerror(result));
    }
    log->has_thread = true;
    add_opened(log);
    *out = log;
    return TW_OK;
}

static int by_text(const void *a, const void *b) {
    return strcmp(((const struct tw_asked *)a)->text, ((const struct tw_asked *)b)->text);
}

void tw_shape_log_close(struct tw_shape_log *log) {
    if (log == NULL)
        return;
    remove_opened(log);
    if (log->process == getpid()) {
        pthread_cond_destroy(&log->wake);
        pthread_mutex_destroy(&log->lock);
    }
    while (log->first != NULL) {
        struct tw_asked *next = log->first->next;
        tdelete(log->first, &log->by_text, by_text);
        free(log->first);
        log->first = next;
    }
    close(log->file);
    free(log);
}

/* ---- Entries ---- */

static bool add_text(cJSON *json, const char *name, const char *text) {
    return cJSON_AddStringToObject(json, name, text) != NULL;
}

static bool add_number(cJSON *json, const char *name, double number) {
    return cJSON_AddNumberToObject(json, name, number) != NULL;
}

/* Those that are not what they would be anyway. */
static bool add_strides(cJSON *json, const struct tw_asked_shape *shape) {
    const struct tw_description *d = shape->problem->description;
    cJSON *strides = NULL;
    bool whole = true;
    for (int i = 0; i < d->argument_count; i++) {
        if (shape->strides[i] == 0)
            continue;
        if (strides == NULL)
            strides = cJSON_AddObjectToObject(json, "strides");
        whole = whole && add_number(strides, d->arguments[i].name, (double)shape->strides[i]);
    }
    return whole;
}

/* The line but for its end, "{...}"; NULL when there is no memory. The caller gives it to
 * cJSON_free. */
static char *print_shape(const struct tw_shape_log *log, const struct tw_asked_shape *shape) {
    const struct tw_problem *problem = shape->problem;
    char dimensions[TW_PROBLEM_KEY_SIZE], text[TW_PROBLEM_KEY_SIZE], fingerprint[256];
    cJSON *json = cJSON_CreateObject();
    tw_problem_shape(problem, dimensions);
    tw_problem_text(problem, text);
    tw_device_fingerprint(&log->device, fingerprint);
    const char *attributes = strchr(text, ';');
    bool whole = add_number(json, "tilewise_shapes", 1) &&
                 add_text(json, "kernel", problem->description->kernel) &&
                 add_text(json, "shape", dimensions) &&
                 add_text(json, "attributes", attributes != NULL ? attributes + 1 : "") &&
                 add_strides(json, shape);
    if (problem->alignment != 0 && problem->alignment < TW_FULL_ALIGNMENT)
        whole = whole && add_number(json, "alignment", problem->alignment);
    whole = whole && add_text(json, "device", log->device.name) &&
            add_text(json, "fingerprint", fingerprint) && add_text(json, "cache", log->cache) &&
            add_text(json, "rule", shape->rule);
    if (shape->expected_us > 0)
        whole = whole && add_number(json, "expected_us", round(shape->expected_us * 1e3) * 1e-3);
    char *printed = whole ? cJSON_PrintUnformatted(json) : NULL;
    cJSON_Delete(json);
    return printed;
}

static struct tw_asked *create_entry(const struct tw_shape_log *log,
                                     const struct tw_asked_shape *shape) {
    char *printed = print_shape(log, shape);
    size_t length = printed != NULL ? strlen(printed) : 0;
    struct tw_asked *asked = printed != NULL ? calloc(1, sizeof *asked + length) : NULL;
    if (asked != NULL)
        memcpy(asked->text, printed, length - 1); /* without the brace that closes it */
    cJSON_free(printed);
    return asked;
}

struct tw_asked *tw_shape_log_entry(struct tw_shape_log *log, const struct tw_asked_shape *shape) {
    struct tw_asked *asked = create_entry(log, shape);
    if (asked == NULL)
        return NULL;
    pthread_mutex_lock(&log->lock);
    struct tw_asked **found = tsearch(asked, &log->by_text, by_text);
    struct tw_asked *known = found != NULL ? *found : NULL;
    if (known == asked) {
        asked->next = log->first;
        log->first = asked;
        log->has_new = true;
        /* In a child nobody waits, and the condition is the parent's. */
        if (log->process == getpid())
            pthread_cond_signal(&log->wake);
    }
    pthread_mutex_unlock(&log->lock);
    if (known != asked)
        free(asked);
    return known;
}
