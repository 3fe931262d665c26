/* Allocations that fail in turn. A scenario runs once while every allocation of our own code, of
 * cJSON and of SQLite is counted, and then again and again, with one of them failing each time. It
 * must tell so, in one line, and leave no memory behind; whoever succeeds in spite of it must have
 * done the same; and with memory for all, it must work again.
 *
 * A program that includes this is linked with --wrap for the functions below
 * (tests/CMakeLists.txt), so that allocations of other libraries never fail. An allocation is known
 * by our calls that led to it: of those that many share, as in a loop, four at most fail. */
#ifndef TESTS_SUPPORT_MEMORY_H
#define TESTS_SUPPORT_MEMORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <glob.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <sqlite3.h>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/base/text.h"
#include "tuner/json/json.h"

#define SUPPORT __attribute__((unused)) static

enum { MEMORY_FRAMES = 24, MEMORY_LIVE = 1 << 18 };

/* One that was made while a scenario ran and not freed yet. */
struct memory_block {
    void *address;
    int64_t number;
};

static struct {
    pthread_mutex_t lock;
    bool watching, recording, failed;
    int pauses;
    int64_t count, fail_at, room;
    bool go_on;      /* all after that one fail too */
    uint64_t *calls; /* of each allocation, when recording */
    size_t live;
    void *frames[MEMORY_FRAMES]; /* of the one that failed */
    int frame_count;
    struct memory_block blocks[MEMORY_LIVE];
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
int __real_vasprintf(char **out, const char *format, va_list arguments);
FILE *__real_fopen(const char *path, const char *mode);
DIR *__real_opendir(const char *path);
int __real_glob(const char *pattern, int flags, int (*fail)(const char *, int), glob_t *found);

/* The calls that led here, but for those inside of other libraries, by their places in the program:
 * where it is loaded differs, and which allocations fail must not. */
SUPPORT int memory_calls(ptrdiff_t places[MEMORY_FRAMES]) {
    extern const char __executable_start[], etext[];
    void *frames[MEMORY_FRAMES];
    int count = backtrace(frames, MEMORY_FRAMES), own = 0;
    for (int i = 0; i < count; i++)
        if ((const char *)frames[i] >= __executable_start && (const char *)frames[i] < etext)
            places[own++] = (const char *)frames[i] - __executable_start;
    return own;
}

/* Whether the next allocation fails. */
SUPPORT bool memory_is_out(void) {
    pthread_mutex_lock(&memory.lock);
    bool out = false;
    if (memory.watching && memory.pauses == 0) {
        int64_t number = ++memory.count;
        if (memory.recording) {
            ptrdiff_t places[MEMORY_FRAMES];
            int count = memory_calls(places);
            if (number >= memory.room) {
                memory.room = memory.room > 0 ? 2 * memory.room : 4096;
                memory.calls = __real_realloc(memory.calls, (size_t)memory.room * sizeof(uint64_t));
            }
            memory.calls[number] = tw_hash64(places, (size_t)count * sizeof *places);
        }
        out = number == memory.fail_at ||
              (memory.go_on && memory.fail_at > 0 && number > memory.fail_at);
        if (number == memory.fail_at)
            memory.frame_count = backtrace(memory.frames, MEMORY_FRAMES);
        memory.failed = memory.failed || out;
    }
    pthread_mutex_unlock(&memory.lock);
    if (out)
        errno = ENOMEM;
    return out;
}

SUPPORT struct memory_block *memory_slot(const void *block) {
    size_t at = (size_t)((uint64_t)(uintptr_t)block * UINT64_C(0x9E3779B97F4A7C15) >> 32);
    while (memory.blocks[at % MEMORY_LIVE].address != NULL &&
           memory.blocks[at % MEMORY_LIVE].address != block)
        at++;
    return &memory.blocks[at % MEMORY_LIVE];
}

SUPPORT void *memory_made(void *block) {
    pthread_mutex_lock(&memory.lock);
    if (block != NULL && memory.watching && memory.pauses == 0) {
        assert_true(memory.live < MEMORY_LIVE / 2);
        *memory_slot(block) = (struct memory_block){block, memory.count};
        memory.live++;
    }
    pthread_mutex_unlock(&memory.lock);
    return block;
}

SUPPORT void memory_gone(const void *block) {
    pthread_mutex_lock(&memory.lock);
    struct memory_block *slot = block != NULL ? memory_slot(block) : NULL;
    if (slot != NULL && slot->address != NULL) {
        memory.live--;
        slot->address = NULL;
        /* Those behind it move up, as long as they are found no sooner than where they belong. */
        for (size_t i = (size_t)(slot - memory.blocks) + 1;; i++) {
            struct memory_block moving = memory.blocks[i % MEMORY_LIVE];
            if (moving.address == NULL)
                break;
            memory.blocks[i % MEMORY_LIVE].address = NULL;
            *memory_slot(moving.address) = moving;
        }
    }
    pthread_mutex_unlock(&memory.lock);
}

void *__wrap_malloc(size_t size) {
    return memory_is_out() ? NULL : memory_made(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return memory_is_out() ? NULL : memory_made(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size) {
    if (memory_is_out())
        return NULL;
    memory_gone(block);
    return memory_made(__real_realloc(block, size));
}

void __wrap_free(void *block) {
    memory_gone(block);
    __real_free(block);
}

char *__wrap_strdup(const char *text) {
    return memory_is_out() ? NULL : memory_made(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t length) {
    return memory_is_out() ? NULL : memory_made(__real_strndup(text, length));
}

int __wrap_vasprintf(char **out, const char *format, va_list arguments) {
    if (memory_is_out())
        return -1;
    int length = __real_vasprintf(out, format, arguments);
    if (length >= 0)
        memory_made(*out);
    return length;
}

/* What these allocate is the C library's to free. */
FILE *__wrap_fopen(const char *path, const char *mode) {
    return memory_is_out() ? NULL : __real_fopen(path, mode);
}

DIR *__wrap_opendir(const char *path) {
    return memory_is_out() ? NULL : __real_opendir(path);
}

int __wrap_glob(const char *pattern, int flags, int (*fail)(const char *, int), glob_t *found) {
    return memory_is_out() ? GLOB_NOSPACE : __real_glob(pattern, flags, fail, found);
}

/* SQLite's own blocks, which only SQLite frees. */
static sqlite3_mem_methods memory_of_sqlite;

SUPPORT void *memory_sqlite_malloc(int size) {
    return memory_is_out() ? NULL : memory_made(memory_of_sqlite.xMalloc(size));
}

SUPPORT void *memory_sqlite_realloc(void *block, int size) {
    if (memory_is_out())
        return NULL;
    memory_gone(block);
    return memory_made(memory_of_sqlite.xRealloc(block, size));
}

SUPPORT void memory_sqlite_free(void *block) {
    memory_gone(block);
    memory_of_sqlite.xFree(block);
}

/* cmocka's set-up of a group: before anything uses SQLite or cJSON. */
SUPPORT int memory_start(void **state) {
    (void)state;
    json_watch_memory(); /* as tune does, through the malloc above */
    /* Files are written thousands of times, and need not outlive the test. */
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0);
    sqlite3_mem_methods methods;
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory_of_sqlite) != SQLITE_OK)
        return -1;
    methods = memory_of_sqlite;
    methods.xMalloc = memory_sqlite_malloc;
    methods.xRealloc = memory_sqlite_realloc;
    methods.xFree = memory_sqlite_free;
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK)
        return -1;
    return sqlite3_initialize();
}

/* What is allocated in between is the test's own. They nest. */
SUPPORT void memory_pause(void) {
    memory.pauses++;
}

SUPPORT void memory_resume(void) {
    memory.pauses--;
}

/* ---- Scenarios ---- */

struct memory_scenario {
    const char *name;
    /* Does it, and frees all it made. What comes of it goes to `seen`, by memory_see. */
    tw_status (*run)(void *context, struct tw_text *seen, struct tw_error *error);
    /* After each run: checks what is left, and puts back what the next one starts from. May be
     * NULL. */
    void (*after)(void *context, bool worked);
    void *context;
};

SUPPORT __attribute__((format(printf, 2, 3))) void memory_see(struct tw_text *seen,
                                                              const char *format, ...) {
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memory_pause();
    tw_text_add(seen, text, strlen(text));
    memory_resume();
}

SUPPORT void memory_forget_blocks(void) {
    for (size_t i = 0; i < MEMORY_LIVE; i++)
        memory.blocks[i].address = NULL;
    memory.live = 0;
}

/* Runs with the allocation of this number failing; 0: none. */
SUPPORT tw_status memory_run(const struct memory_scenario *scenario, int64_t fail_at, bool go_on,
                             struct tw_text *seen, struct tw_error *error) {
    *error = (struct tw_error){0};
    tw_text_clear(seen);
    memory.count = 0;
    memory.fail_at = fail_at;
    memory.go_on = go_on;
    memory.failed = false;
    memory.pauses = 0;
    memory.watching = true;
    tw_status status = scenario->run(scenario->context, seen, error);
    memory.watching = false;
    return status;
}

#define memory_fail(scenario, ...)                                                                 \
    do {                                                                                           \
        fprintf(stderr, "%s: allocation %lld fails%s:\n", (scenario)->name,                        \
                (long long)memory.fail_at, memory.go_on ? ", and all after it" : "");              \
        backtrace_symbols_fd(memory.frames, memory.frame_count, 2);                                \
        fail_msg(__VA_ARGS__);                                                                     \
    } while (0)

SUPPORT void memory_check(const struct memory_scenario *scenario, int64_t fail_at, bool go_on,
                          const char *expected) {
    struct tw_text seen = {0};
    struct tw_error error;
    tw_status status = memory_run(scenario, fail_at, go_on, &seen, &error);
    const char *message = error.message;
    bool told = status == TW_NO_MEMORY || strstr(message, strerror(ENOMEM)) != NULL ||
                strstr(message, "out of memory") != NULL;
    if (status != TW_OK && (!told || message[0] == '\0' || strchr(message, '\n') != NULL))
        memory_fail(scenario, "%s: %s", tw_status_text(status), message);
    if (status != TW_OK && error.status != status)
        memory_fail(scenario, "%s, and the error says %s", tw_status_text(status),
                    tw_status_text(error.status));
    if (status == TW_OK && strcmp(seen.data != NULL ? seen.data : "", expected) != 0)
        memory_fail(scenario, "this came of it:\n%s\nin place of:\n%s",
                    seen.data != NULL ? seen.data : "", expected);
    for (size_t i = 0; memory.live > 0 && i < MEMORY_LIVE; i++)
        if (memory.blocks[i].address != NULL)
            memory_fail(scenario, "%zu left, the one of allocation %lld with them", memory.live,
                        (long long)memory.blocks[i].number);
    if (scenario->after != NULL)
        scenario->after(scenario->context, status == TW_OK);
    tw_text_free(&seen);
}

/* A number of an allocation, by what led to it. */
struct memory_place {
    uint64_t calls;
    int64_t number;
};

SUPPORT int memory_order(const void *left, const void *right) {
    const struct memory_place *a = left, *b = right;
    if (a->calls != b->calls)
        return a->calls < b->calls ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Of `count` places in order, keeps those that fail; returns how many. */
SUPPORT int64_t memory_choose(struct memory_place *places, int64_t count, bool brief) {
    int64_t chosen = 0, end = 0;
    for (int64_t start = 0; start < count; start = end) {
        while (end < count && places[end].calls == places[start].calls)
            end++;
        int64_t last = end - start - 1, before = -1;
        const int64_t picked[] = {0, 1, last / 2, last};
        for (size_t i = 0; i < sizeof picked / sizeof *picked; i++) {
            if (picked[i] <= before || picked[i] > last || (brief && i > 0))
                continue;
            before = picked[i];
            places[chosen++] = places[start + before];
        }
    }
    return chosen;
}

/* `brief`: of allocations that share what led to them one fails, by itself or with all after it.
 * `most`: of those that would fail so many do, spread evenly. */
SUPPORT void memory_fails_at_most(const struct memory_scenario *scenario, bool brief,
                                  int64_t most) {
    struct tw_text expected = {0};
    struct tw_error error;
    memory_forget_blocks();
    /* The first run may set up what stays, such as the C library's buffers. */
    if (memory_run(scenario, 0, false, &expected, &error) != TW_OK)
        fail_msg("%s: %s", scenario->name, error.message);
    if (scenario->after != NULL)
        scenario->after(scenario->context, true);
    memory_forget_blocks();
    memory.recording = true;
    assert_int_equal(memory_run(scenario, 0, false, &expected, &error), TW_OK);
    memory.recording = false;
    assert_int_equal(memory.live, 0);
    if (scenario->after != NULL)
        scenario->after(scenario->context, true);
    int64_t all = memory.count;
    struct memory_place *places = malloc((size_t)(all + 1) * sizeof *places);
    assert_non_null(places);
    for (int64_t i = 0; i < all; i++)
        places[i] = (struct memory_place){memory.calls[i + 1], i + 1};
    qsort(places, (size_t)all, sizeof *places, memory_order);
    int64_t chosen = memory_choose(places, all, brief);
    const char *text = expected.data != NULL ? expected.data : "";
    for (int64_t i = 0; i < most && most < chosen; i++)
        places[i] = places[i * chosen / most];
    chosen = chosen < most ? chosen : most;
    for (int64_t i = 0; i < chosen; i++) {
        if (!brief || i % 2 == 0)
            memory_check(scenario, places[i].number, false, text);
        if (brief ? i % 2 == 1 : all < 4000 || i % 4 == 0)
            memory_check(scenario, places[i].number, true, text);
    }
    memory_check(scenario, 0, false, text);
    free(places);
    tw_text_free(&expected);
    print_message("%s: %lld allocations, %lld failed in turn\n", scenario->name, (long long)all,
                  (long long)chosen);
}

SUPPORT void memory_fails(const struct memory_scenario *scenario, bool brief) {
    memory_fails_at_most(scenario, brief, INT64_MAX);
}

SUPPORT void memory_fails_everywhere(const struct memory_scenario *scenario) {
    memory_fails(scenario, false);
}

#endif
