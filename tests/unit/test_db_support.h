/* What the tests of db/ share: a directory of their own, a database in it, rows to put in. */
#ifndef TW_TEST_DB_SUPPORT_H
#define TW_TEST_DB_SUPPORT_H

#ifndef _GNU_SOURCE
#define _XOPEN_SOURCE 700 /* nftw, mkdtemp, fork, kill */
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/internal.h"

#define SUPPORT __attribute__((unused)) static

/* A zeroed one is ready for use by fixture_start. */
struct fixture {
    char directory[512];
    char path[600]; /* of the database in it, which is not made yet */
};

SUPPORT int fixture_start(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    const char *parent = getenv("TMPDIR");
    snprintf(fixture->directory, sizeof fixture->directory, "%s/tw_db_XXXXXX",
             parent != NULL ? parent : "/tmp");
    if (mkdtemp(fixture->directory) == NULL) {
        free(fixture);
        return -1;
    }
    snprintf(fixture->path, sizeof fixture->path, "%s/tune.db", fixture->directory);
    *state = fixture;
    return 0;
}

SUPPORT int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where) {
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

SUPPORT int fixture_end(void **state) {
    struct fixture *fixture = *state;
    int result = nftw(fixture->directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(fixture);
    return result;
}

#define DB_TEST(function) cmocka_unit_test_setup_teardown(function, fixture_start, fixture_end)

#define assert_status(call, expected)                                                              \
    assert_string_equal(tw_db_status_text(call), tw_db_status_text(expected))

SUPPORT tw_db *open_db(const char *path, enum tw_db_mode mode) {
    tw_db *db = NULL;
    char message[TW_DB_MESSAGE_SIZE];
    enum tw_db_status status = tw_db_open(&db, path, mode, message, sizeof message);
    if (status != TW_DB_OK) {
        fail_msg("%s", message);
    }
    assert_string_equal(message, "");
    return db;
}

/* Opens in vain; the message must be one line that names the file and says `word`. */
SUPPORT void assert_refused(const char *path, enum tw_db_mode mode, enum tw_db_status expected,
                            const char *word) {
    tw_db *db = (tw_db *)-1;
    char message[TW_DB_MESSAGE_SIZE];
    assert_status(tw_db_open(&db, path, mode, message, sizeof message), expected);
    assert_null(db);
    const char *slash = strrchr(path, '/');
    assert_non_null(strstr(message, slash != NULL ? slash + 1 : path));
    if (strstr(message, word) == NULL) {
        fail_msg("no \"%s\" in: %s", word, message);
    }
    assert_null(strchr(message, '\n'));
}

SUPPORT void run_sql(const char *path, const char *sql) {
    sqlite3 *sqlite = NULL;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &sqlite), SQLITE_OK);
    sqlite3_exec(sqlite, sql, NULL, NULL, &message);
    if (message != NULL) {
        fail_msg("%s: %s", sql, message);
    }
    assert_int_equal(sqlite3_close(sqlite), SQLITE_OK);
}

/* The first column of the first row. */
SUPPORT void read_sql(sqlite3 *sqlite, const char *sql, char *text, size_t size) {
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_prepare_v2(sqlite, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    snprintf(text, size, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
}

SUPPORT void assert_sql(const tw_db *db, const char *sql, const char *expected) {
    char text[256];
    read_sql(db->sqlite, sql, text, sizeof text);
    assert_string_equal(text, expected);
}

struct bytes {
    unsigned char *data;
    size_t size;
};

SUPPORT struct bytes read_file(const char *path) {
    struct bytes bytes = {NULL, 0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    bytes.size = (size_t)ftell(file);
    rewind(file);
    bytes.data = malloc(bytes.size + 1);
    assert_int_equal(fread(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
    return bytes;
}

SUPPORT void write_file(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

SUPPORT void write_at(const char *path, long offset, const void *data, size_t size) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, offset, SEEK_SET), 0);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The file has not changed, nor has anything been left beside it. */
SUPPORT void assert_untouched(const char *path, struct bytes before) {
    struct bytes after = read_file(path);
    assert_int_equal(after.size, before.size);
    assert_memory_equal(after.data, before.data, before.size);
    free(after.data);
    static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char beside[700];
        snprintf(beside, sizeof beside, "%s%s", path, suffixes[i]);
        assert_int_equal(access(beside, F_OK), -1);
    }
}

struct ids {
    int64_t device;
    int64_t problem;
    int64_t implementation;
    int64_t run;
};

static const struct tw_db_device sample_device = {
    .fingerprint = "cuda:h200",
    .backend = "cuda",
    .name = "NVIDIA H200",
    .vendor = "NVIDIA",
    .architecture = "sm_90",
    .compute_units = 132,
    .memory_bytes = INT64_C(150754820096),
    .properties = "{\"warp\":32}",
};
static const struct tw_db_dimension sample_dimensions[] = {{"M", 4096}, {"N", 512}, {"K", 1024}};
static const struct tw_db_attribute sample_attributes[] = {{"dtype", "f32"}, {"trans", "nn"}};
static const struct tw_db_problem sample_problem = {
    .kernel = "gemm",
    .key = "M=4096,N=512,K=1024;dtype=f32,trans=nn",
    .dimensions = sample_dimensions,
    .dimension_count = 3,
    .attributes = sample_attributes,
    .attribute_count = 2,
};
static const struct tw_db_implementation sample_implementation = {
    .kernel = "gemm",
    .name = "tiled",
    .template_hash = "a1b2",
    .description = "{\"parameters\":{}}",
};

SUPPORT struct tw_db_run sample_run(struct ids ids) {
    return (struct tw_db_run){
        .problem = ids.problem,
        .device = ids.device,
        .strategy = "anneal",
        .seed = UINT64_MAX - 4,
        .budget_kind = "trials",
        .budget_value = 200,
        .cache_policy = "cold",
        .tilewise_version = "0.1",
        .driver = "550.1",
        .compiler = "NVRTC 13.0",
        .conditions = "{\"sm_mhz\":1980}",
        .protocol = "1",
    };
}

SUPPORT struct tw_db_trial sample_trial(struct ids ids, const char *configuration) {
    return (struct tw_db_trial){
        .run = ids.run,
        .problem = ids.problem,
        .device = ids.device,
        .implementation = ids.implementation,
        .cache_policy = "cold",
        .configuration = configuration,
        .status = TW_DB_TRIAL_OK,
        .has_time = true,
        .time_us = 12.5,
        .repeats = 20,
    };
}

SUPPORT struct tw_db_best sample_best(struct ids ids) {
    return (struct tw_db_best){
        .problem = ids.problem,
        .device = ids.device,
        .implementation = ids.implementation,
        .cache_policy = "cold",
        .configuration = "{\"BM\":128}",
        .time_us = 12.5,
        .ci_low_us = 12.25,
        .ci_high_us = 12.75,
        .repeats = 40,
        .run = ids.run,
    };
}

/* One of each row that trials and best rows refer to. */
SUPPORT struct ids put_samples(tw_db *db) {
    struct ids ids = {0};
    assert_status(tw_db_device_put(db, &sample_device, &ids.device), TW_DB_OK);
    assert_status(tw_db_problem_put(db, &sample_problem, &ids.problem), TW_DB_OK);
    assert_status(tw_db_implementation_put(db, &sample_implementation, &ids.implementation),
                  TW_DB_OK);
    struct tw_db_run run = sample_run(ids);
    assert_status(tw_db_run_begin(db, &run, &ids.run), TW_DB_OK);
    return ids;
}

SUPPORT bool count_trial(void *context, const struct tw_db_trial_row *row) {
    (void)row;
    ++*(int *)context;
    return true;
}

SUPPORT int count_trials(tw_db *db, const struct tw_db_trial_filter *filter) {
    int count = 0;
    assert_status(tw_db_trial_each(db, filter, count_trial, &count), TW_DB_OK);
    return count;
}

/* Waits for a child that must have exited with 0. */
SUPPORT void assert_child_succeeds(pid_t child) {
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#endif
