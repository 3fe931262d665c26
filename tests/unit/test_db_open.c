/* db/: opening. What is not ours, or damaged, or newer, is told apart and never changed. */
#include "test_db_support.h"

#include <sys/stat.h>

/* The schema's version as text, and the one after it. */
#define OURS "6"
#define NEXT "7"
_Static_assert(TW_DB_SCHEMA_VERSION == 6, "OURS and NEXT follow the schema");

enum { NOBODY = 65534 };

static void make_database(const char *path) {
    tw_db *db = open_db(path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_best best = sample_best(ids);
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);
    tw_db_close(db);
}

static bool count_best(void *context, const struct tw_db_best_row *row) {
    (void)row;
    ++*(int *)context;
    return true;
}

static void new_database_is_made_with_its_directories(void **state) {
    struct fixture *fixture = *state;
    char path[700];
    snprintf(path, sizeof path, "%s/a//b/c/tune.db", fixture->directory);
    tw_db *db = open_db(path, TW_DB_WRITE);
    assert_sql(db, "PRAGMA application_id", "1415005250");
    assert_sql(db, "PRAGMA user_version", OURS);
    assert_sql(db, "PRAGMA journal_mode", "wal");
    assert_sql(db, "PRAGMA foreign_keys", "1");
    assert_sql(db, "PRAGMA synchronous", "1");
    assert_sql(db, "PRAGMA busy_timeout", "10000");
    assert_string_equal(tw_db_message(db), "");
    tw_db_close(db);
    db = open_db(path, TW_DB_WRITE);
    tw_db_close(db);
    tw_db_close(NULL);
}

static void names_that_sqlite_reads_otherwise_are_plain_files(void **state) {
    struct fixture *fixture = *state;
    char before[1024];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(fixture->directory), 0);
    static const char *const names[] = {":memory:", "file:x?mode=memory", "plain%41 #1?.db"};
    for (size_t i = 0; i < 3; i++) {
        make_database(names[i]);
        assert_int_equal(access(names[i], F_OK), 0);
    }
    assert_int_equal(chdir(before), 0);
}

static void a_name_is_needed(void **state) {
    (void)state;
    tw_db *db = NULL;
    char message[TW_DB_MESSAGE_SIZE];
    assert_status(tw_db_open(&db, "", TW_DB_WRITE, message, sizeof message), TW_DB_MISUSE);
    assert_string_not_equal(message, "");
    assert_status(tw_db_open(&db, NULL, TW_DB_READ, NULL, 0), TW_DB_MISUSE);
    assert_status(tw_db_open(NULL, "x", TW_DB_READ, NULL, 0), TW_DB_MISUSE);
}

static void what_cannot_be_a_database_is_refused(void **state) {
    struct fixture *fixture = *state;
    char path[700];
    assert_refused(fixture->directory, TW_DB_WRITE, TW_DB_CANNOT_OPEN, "directory");
    assert_refused(fixture->directory, TW_DB_READ, TW_DB_CANNOT_OPEN, "directory");
    assert_refused(fixture->path, TW_DB_READ, TW_DB_NOT_FOUND, "does not exist");
    snprintf(path, sizeof path, "%s/fifo", fixture->directory);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(path, TW_DB_WRITE, TW_DB_CANNOT_OPEN, "regular");
    assert_refused("/dev/full", TW_DB_WRITE, TW_DB_CANNOT_OPEN, "regular");
    write_file(fixture->path, "x", 1);
    snprintf(path, sizeof path, "%s/below.db", fixture->path);
    assert_refused(path, TW_DB_WRITE, TW_DB_CANNOT_OPEN, "directory");
    snprintf(path, sizeof path, "%s/below/below.db", fixture->path);
    assert_refused(path, TW_DB_WRITE, TW_DB_CANNOT_OPEN, "directory");
}

static void empty_file_is_a_new_database(void **state) {
    struct fixture *fixture = *state;
    write_file(fixture->path, "", 0);
    assert_refused(fixture->path, TW_DB_READ, TW_DB_NOT_FOUND, "is empty");
    make_database(fixture->path);

    char blank[700];
    snprintf(blank, sizeof blank, "%s/blank.db", fixture->directory);
    run_sql(blank, "CREATE TABLE t(x); DROP TABLE t; VACUUM");
    assert_refused(blank, TW_DB_READ, TW_DB_NOT_FOUND, "is empty");
    make_database(blank);
}

static void assert_refused_untouched(const char *path, enum tw_db_status expected,
                                     const char *word) {
    struct bytes before = read_file(path);
    assert_refused(path, TW_DB_READ, expected, word);
    assert_untouched(path, before);
    assert_refused(path, TW_DB_WRITE, expected, word);
    assert_untouched(path, before);
    free(before.data);
}

static void file_of_another_kind_is_foreign(void **state) {
    struct fixture *fixture = *state;
    write_file(fixture->path, "no", 2);
    assert_refused_untouched(fixture->path, TW_DB_FOREIGN, "not an SQLite");
    char text[5000];
    memset(text, 'x', sizeof text);
    write_file(fixture->path, text, sizeof text);
    assert_refused_untouched(fixture->path, TW_DB_FOREIGN, "not an SQLite");
}

static void database_of_another_application_is_foreign(void **state) {
    struct fixture *fixture = *state;
    run_sql(fixture->path, "CREATE TABLE theirs(x)");
    assert_refused_untouched(fixture->path, TW_DB_FOREIGN, "another application");
    run_sql(fixture->path, "PRAGMA user_version = 1; PRAGMA application_id = 42");
    assert_refused_untouched(fixture->path, TW_DB_FOREIGN, "another application");
    run_sql(fixture->path, "DROP TABLE theirs");
    assert_refused_untouched(fixture->path, TW_DB_FOREIGN, "another application");
    run_sql(fixture->path, "PRAGMA journal_mode = WAL");
    assert_refused_untouched(fixture->path, TW_DB_FOREIGN, "another application");
}

static void copy_file(const char *from, const char *to) {
    struct bytes bytes = read_file(from);
    write_file(to, bytes.data, bytes.size);
    free(bytes.data);
}

/* A copy of a database in use, with what is in its log only. */
static void copy_with_log(const char *from, const char *to) {
    char from_log[800];
    char to_log[800];
    snprintf(from_log, sizeof from_log, "%s-wal", from);
    snprintf(to_log, sizeof to_log, "%s-wal", to);
    copy_file(from, to);
    copy_file(from_log, to_log);
}

static void log_of_a_foreign_database_is_left_alone(void **state) {
    struct fixture *fixture = *state;
    char path[700];
    char log[800];
    snprintf(path, sizeof path, "%s/copy.db", fixture->directory);
    snprintf(log, sizeof log, "%s-wal", path);
    static const char *const tables_where[] = {
        "CREATE TABLE theirs(x); PRAGMA journal_mode = WAL; INSERT INTO theirs VALUES (1)",
        /* Only in the log: the file itself looks blank. */
        "PRAGMA journal_mode = WAL; CREATE TABLE theirs(x); PRAGMA user_version = 1",
    };
    for (size_t i = 0; i < 2; i++) {
        sqlite3 *theirs = NULL;
        unlink(fixture->path);
        assert_int_equal(sqlite3_open(fixture->path, &theirs), SQLITE_OK);
        assert_int_equal(sqlite3_exec(theirs, tables_where[i], NULL, NULL, NULL), SQLITE_OK);
        copy_with_log(fixture->path, path);
        sqlite3_close(theirs);
        struct bytes before = read_file(path);
        struct bytes log_before = read_file(log);
        assert_true(log_before.size > 0);
        assert_refused(path, TW_DB_WRITE, TW_DB_FOREIGN, "another application");
        struct bytes after = read_file(path);
        struct bytes log_after = read_file(log);
        assert_int_equal(after.size, before.size);
        assert_memory_equal(after.data, before.data, before.size);
        assert_int_equal(log_after.size, log_before.size);
        assert_memory_equal(log_after.data, log_before.data, log_before.size);
        free(before.data);
        free(after.data);
        free(log_before.data);
        free(log_after.data);
    }
}

static void newer_database_is_refused(void **state) {
    struct fixture *fixture = *state;
    make_database(fixture->path);
    run_sql(fixture->path, "PRAGMA user_version = " NEXT);
    assert_refused_untouched(fixture->path, TW_DB_NEWER, "newer");
    run_sql(fixture->path, "PRAGMA user_version = -1");
    assert_refused_untouched(fixture->path, TW_DB_NEWER, "newer");
}

static void newer_version_in_the_log_is_refused(void **state) {
    struct fixture *fixture = *state;
    make_database(fixture->path);
    sqlite3 *newer = NULL;
    assert_int_equal(sqlite3_open(fixture->path, &newer), SQLITE_OK);
    assert_int_equal(sqlite3_exec(newer, "PRAGMA user_version = " NEXT, NULL, NULL, NULL),
                     SQLITE_OK);
    assert_refused(fixture->path, TW_DB_WRITE, TW_DB_NEWER, "schema version " NEXT);
    assert_refused(fixture->path, TW_DB_READ, TW_DB_NEWER, "schema version " NEXT);
    sqlite3_close(newer);
}

static void fill(const char *path) {
    tw_db *db = open_db(path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    assert_status(tw_db_begin(db), TW_DB_OK);
    for (int i = 0; i < 500; i++) {
        char configuration[64];
        snprintf(configuration, sizeof configuration, "{\"BM\":%d}", i);
        struct tw_db_trial trial = sample_trial(ids, configuration);
        assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
    }
    assert_status(tw_db_commit(db), TW_DB_OK);
    tw_db_close(db);
}

static void damaged_pages_are_found(void **state) {
    struct fixture *fixture = *state;
    fill(fixture->path);
    char noise[8 * 4096];
    memset(noise, 0xA5, sizeof noise);
    struct bytes whole = read_file(fixture->path);
    assert_true(whole.size > 30 * 4096);
    write_at(fixture->path, 20 * 4096, noise, sizeof noise);

    struct bytes before = read_file(fixture->path);
    assert_refused(fixture->path, TW_DB_WRITE, TW_DB_CORRUPT, "restore it");
    assert_untouched(fixture->path, before);
    tw_db *db = open_db(fixture->path, TW_DB_READ);
    int count = 0;
    assert_status(tw_db_trial_each(db, NULL, count_trial, &count), TW_DB_CORRUPT);
    assert_non_null(strstr(tw_db_message(db), "tune.db"));
    tw_db_close(db);

    /* Cut short. */
    write_file(fixture->path, whole.data, whole.size / 2);
    assert_refused(fixture->path, TW_DB_WRITE, TW_DB_CORRUPT, "restore it");
    write_file(fixture->path, whole.data, 50);
    assert_refused(fixture->path, TW_DB_WRITE, TW_DB_FOREIGN, "SQLite");
    /* The schema itself. */
    write_file(fixture->path, whole.data, whole.size);
    write_at(fixture->path, 100, noise, 4096 - 100);
    assert_refused(fixture->path, TW_DB_WRITE, TW_DB_CORRUPT, "restore it");
    assert_refused(fixture->path, TW_DB_READ, TW_DB_CORRUPT, "restore it");
    free(before.data);
    free(whole.data);
}

static void missing_table_is_damage(void **state) {
    struct fixture *fixture = *state;
    make_database(fixture->path);
    run_sql(fixture->path, "DROP TABLE best");
    tw_db *db = open_db(fixture->path, TW_DB_READ);
    int count = 0;
    assert_status(tw_db_best_each(db, NULL, count_best, &count), TW_DB_CORRUPT);
    tw_db_close(db);
}

static void database_brings_no_code_along(void **state) {
    struct fixture *fixture = *state;
    make_database(fixture->path);
    run_sql(fixture->path, "CREATE TRIGGER evil AFTER INSERT ON trial BEGIN DELETE FROM best; END;"
                           "ALTER TABLE problem RENAME TO hidden;"
                           "CREATE VIEW problem AS SELECT * FROM hidden");
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    int64_t id = 0;
    assert_status(tw_db_problem_find(db, "gemm", sample_problem.key, &id), TW_DB_CORRUPT);
    assert_sql(db, "SELECT count(*) FROM best", "1");
    tw_db_close(db);
    run_sql(fixture->path, "DROP VIEW problem; ALTER TABLE hidden RENAME TO problem");
    db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = {.device = 1, .problem = 1, .implementation = 1, .run = 1};
    struct tw_db_trial trial = sample_trial(ids, "{}");
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
    assert_sql(db, "SELECT count(*) FROM best", "1");
    tw_db_close(db);
}

static void wrong_words_and_absent_texts_are_damage(void **state) {
    struct fixture *fixture = *state;
    make_database(fixture->path);
    run_sql(fixture->path, "PRAGMA ignore_check_constraints = 1; UPDATE run SET state = 'asleep'");
    tw_db *db = open_db(fixture->path, TW_DB_READ);
    assert_status(tw_db_run_each(db, NULL, NULL, NULL), TW_DB_CORRUPT);
    assert_non_null(strstr(tw_db_message(db), "asleep"));
    tw_db_close(db);
    run_sql(fixture->path, "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql ="
                           " replace(sql, 'fingerprint TEXT NOT NULL', 'fingerprint TEXT');");
    run_sql(fixture->path, "UPDATE device SET fingerprint = NULL");
    db = open_db(fixture->path, TW_DB_READ);
    assert_status(tw_db_device_each(db, NULL, NULL), TW_DB_CORRUPT);
    assert_non_null(strstr(tw_db_message(db), "fingerprint"));
    int count = 0;
    assert_status(tw_db_best_each(db, NULL, count_best, &count), TW_DB_CORRUPT);
    assert_int_equal(count, 0);
    tw_db_close(db);
}

/* A version such as may come. */
struct next_schema {
    const char *steps[TW_DB_SCHEMA_VERSION + 1];
    struct tw_db_schema schema;
};

static const struct tw_db_schema *next_schema(struct next_schema *next, const char *step) {
    for (int i = 0; i < TW_DB_SCHEMA_VERSION; i++) {
        next->steps[i] = tw_db_schema.steps[i];
    }
    next->steps[TW_DB_SCHEMA_VERSION] = step;
    next->schema = (struct tw_db_schema){next->steps, TW_DB_SCHEMA_VERSION + 1};
    return &next->schema;
}

static const char add_column[] = "ALTER TABLE device ADD COLUMN clock_mhz INTEGER;"
                                 "UPDATE device SET clock_mhz = 1980";

static void older_database_is_upgraded(void **state) {
    struct fixture *fixture = *state;
    make_database(fixture->path);
    struct next_schema good;
    struct next_schema bad;
    const struct tw_db_schema *next = next_schema(&good, add_column);
    const struct tw_db_schema *broken = next_schema(
        &bad, "ALTER TABLE device ADD COLUMN lost INTEGER; INSERT INTO nowhere VALUES (1)");
    char message[TW_DB_MESSAGE_SIZE];
    tw_db *db = NULL;

    /* Read: in memory only. */
    struct bytes before = read_file(fixture->path);
    assert_status(tw_db_open_schema(&db, fixture->path, TW_DB_READ, next, message, sizeof message),
                  TW_DB_OK);
    assert_sql(db, "SELECT clock_mhz FROM device", "1980");
    int count = 0;
    assert_status(tw_db_best_each(db, NULL, count_best, &count), TW_DB_OK);
    assert_int_equal(count, 1);
    tw_db_close(db);
    struct bytes after = read_file(fixture->path);
    assert_int_equal(after.size, before.size);
    assert_memory_equal(after.data, before.data, before.size);
    free(before.data);
    free(after.data);

    /* A step that fails takes nothing along, and the file stays usable as it was. */
    assert_status(
        tw_db_open_schema(&db, fixture->path, TW_DB_WRITE, broken, message, sizeof message),
        TW_DB_CORRUPT);
    db = open_db(fixture->path, TW_DB_WRITE);
    assert_sql(db, "SELECT count(*) FROM pragma_table_info('device') WHERE name = 'lost'", "0");
    assert_sql(db, "PRAGMA user_version", OURS);
    tw_db_close(db);

    assert_status(tw_db_open_schema(&db, fixture->path, TW_DB_WRITE, next, message, sizeof message),
                  TW_DB_OK);
    assert_sql(db, "SELECT clock_mhz FROM device", "1980");
    assert_sql(db, "PRAGMA user_version", NEXT);
    tw_db_close(db);
    assert_refused(fixture->path, TW_DB_READ, TW_DB_NEWER, "newer");

    /* A new file takes every step. */
    char path[700];
    snprintf(path, sizeof path, "%s/new.db", fixture->directory);
    assert_status(tw_db_open_schema(&db, path, TW_DB_WRITE, next, message, sizeof message),
                  TW_DB_OK);
    assert_sql(db, "PRAGMA user_version", NEXT);
    tw_db_close(db);
}

/* Runs of a version 1 file get the same uid in every copy of it. */
static void version_1_gets_run_uids(void **state) {
    struct fixture *fixture = *state;
    const struct tw_db_schema first = {tw_db_schema.steps, 1};
    char message[TW_DB_MESSAGE_SIZE], copy[700], uid[64], other[64];
    tw_db *db = NULL;
    assert_status(
        tw_db_open_schema(&db, fixture->path, TW_DB_WRITE, &first, message, sizeof message),
        TW_DB_OK);
    tw_db_close(db);
    run_sql(fixture->path,
            "INSERT INTO device VALUES (1, 'f', 'b', 'n', NULL, NULL, 1, 1, NULL);"
            "INSERT INTO problem VALUES (1, 'k', 'x');"
            "INSERT INTO run VALUES (7, 1, 1, 's', 1, 'trials', 5, 'cold', 'done', 256, 257, 258,"
            " 1, 'host', 16, 'token', NULL, NULL, NULL, NULL, NULL),"
            " (8, 1, 1, 's', 1, 'trials', 5, 'cold', 'interrupted', 256, 257, 258,"
            " 1, 'host', 16, 'token', NULL, NULL, NULL, NULL, NULL)");
    snprintf(copy, sizeof copy, "%s/copy.db", fixture->directory);
    struct bytes bytes = read_file(fixture->path);
    write_file(copy, bytes.data, bytes.size);

    /* Read: the file stays a version 1. */
    db = open_db(copy, TW_DB_READ);
    assert_int_equal(tw_db_file_version(db), 1);
    read_sql(db->sqlite, "SELECT uid FROM run WHERE id = 7", uid, sizeof uid);
    assert_string_equal(uid, "00000100000000100000000000000007");
    tw_db_close(db);
    struct bytes after = read_file(copy);
    assert_int_equal(after.size, bytes.size);
    assert_memory_equal(after.data, bytes.data, bytes.size);
    free(after.data);
    free(bytes.data);

    db = open_db(fixture->path, TW_DB_WRITE);
    assert_int_equal(tw_db_file_version(db), TW_DB_SCHEMA_VERSION);
    read_sql(db->sqlite, "SELECT uid FROM run WHERE id = 7", other, sizeof other);
    assert_string_equal(other, uid);
    assert_sql(db, "SELECT count(DISTINCT uid) FROM run", "2");
    assert_sql(db, "SELECT sum(merged) FROM run", "0");
    /* New ones are random. */
    struct ids ids = put_samples(db);
    ids = put_samples(db);
    assert_true(ids.run > 8);
    assert_sql(db, "SELECT count(DISTINCT uid) FROM run", "4");
    assert_sql(db, "SELECT min(length(uid)) FROM run", "32");
    tw_db_close(db);
}

static void message_fits_a_long_path(void **state) {
    struct fixture *fixture = *state;
    char path[3000];
    int start = snprintf(path, sizeof path, "%s/", fixture->directory);
    for (size_t i = (size_t)start; i < sizeof path - 1; i++) {
        path[i] = i % 200 == 0 ? '/' : 'p';
    }
    snprintf(path + sizeof path - 20, 20, "/a\nlong/tune.db");
    tw_db *db = NULL;
    char message[TW_DB_MESSAGE_SIZE];
    assert_status(tw_db_open(&db, path, TW_DB_READ, message, sizeof message), TW_DB_NOT_FOUND);
    assert_non_null(strstr(message, "tune.db: does not exist; tune"));
    assert_null(strchr(message, '\n'));
    char small[16];
    assert_status(tw_db_open(&db, path, TW_DB_READ, small, sizeof small), TW_DB_NOT_FOUND);
    assert_int_equal(strlen(small), 15);
}

/* Runs `body` as a user without rights, in a child: nothing is forbidden to root. It returns 0, or
 * the number of the line that failed. */
static void as_nobody(int (*body)(const char *path), const char *path) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (getuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) {
            _exit(255);
        }
        _exit(body(path) & 0xff);
    }
    assert_child_succeeds(child);
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            return __LINE__ % 255 + 1;                                                             \
        }                                                                                          \
    } while (0)

static enum tw_db_status try_open(const char *path, enum tw_db_mode mode, const char *word) {
    tw_db *db = NULL;
    char message[TW_DB_MESSAGE_SIZE];
    enum tw_db_status status = tw_db_open(&db, path, mode, message, sizeof message);
    tw_db_close(db);
    if (strstr(message, word) == NULL) {
        fprintf(stderr, "no \"%s\" in: %s\n", word, message);
        return TW_DB_MISUSE;
    }
    return status;
}

static int only_reading_works(const char *path) {
    CHECK(try_open(path, TW_DB_WRITE, "make the file and its directory writable") ==
          TW_DB_READONLY);
    tw_db *db = NULL;
    CHECK(tw_db_open(&db, path, TW_DB_READ, NULL, 0) == TW_DB_OK);
    int count = 0;
    CHECK(tw_db_best_each(db, NULL, count_best, &count) == TW_DB_OK);
    CHECK(count == 1);
    tw_db_close(db);
    return 0;
}

static int nothing_works(const char *path) {
    CHECK(try_open(path, TW_DB_WRITE, "denied") == TW_DB_READONLY);
    CHECK(try_open(path, TW_DB_READ, "denied") == TW_DB_CANNOT_OPEN);
    return 0;
}

static int cannot_create(const char *path) {
    CHECK(try_open(path, TW_DB_WRITE, "writable") == TW_DB_READONLY);
    char below[1024];
    snprintf(below, sizeof below, "%s/deeper/tune.db", path);
    CHECK(try_open(below, TW_DB_WRITE, "directory") == TW_DB_READONLY);
    return 0;
}

static int log_is_needed(const char *path) {
    CHECK(try_open(path, TW_DB_READ, "-wal") == TW_DB_CANNOT_OPEN);
    return 0;
}

static void read_only_files_can_be_read(void **state) {
    struct fixture *fixture = *state;
    char path[700];
    snprintf(path, sizeof path, "%s/t\xC3\xBCne %%41 #1?.db", fixture->directory);
    make_database(path);
    assert_int_equal(chmod(path, 0444), 0);
    /* In a directory that cannot be written, where a WAL has no place for its files. */
    assert_int_equal(chmod(fixture->directory, 0555), 0);
    as_nobody(only_reading_works, path);
    /* The file may be written but its directory not. */
    assert_int_equal(chmod(path, 0666), 0);
    as_nobody(only_reading_works, path);
    as_nobody(cannot_create, fixture->path);
    /* In one that can be. */
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(fixture->directory, 0777), 0);
    as_nobody(only_reading_works, path);
    assert_int_equal(chmod(path, 0), 0);
    as_nobody(nothing_works, path);
    assert_int_equal(chmod(fixture->directory, 0700), 0);
}

static void log_in_a_read_only_directory_is_not_passed_over(void **state) {
    struct fixture *fixture = *state;
    char path[700];
    snprintf(path, sizeof path, "%s/copy.db", fixture->directory);
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    put_samples(db);
    copy_with_log(fixture->path, path);
    tw_db_close(db);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(fixture->directory, 0555), 0);
    as_nobody(log_is_needed, path);
    assert_int_equal(chmod(fixture->directory, 0700), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DB_TEST(new_database_is_made_with_its_directories),
        DB_TEST(names_that_sqlite_reads_otherwise_are_plain_files),
        cmocka_unit_test(a_name_is_needed),
        DB_TEST(what_cannot_be_a_database_is_refused),
        DB_TEST(empty_file_is_a_new_database),
        DB_TEST(file_of_another_kind_is_foreign),
        DB_TEST(database_of_another_application_is_foreign),
        DB_TEST(log_of_a_foreign_database_is_left_alone),
        DB_TEST(newer_database_is_refused),
        DB_TEST(newer_version_in_the_log_is_refused),
        DB_TEST(damaged_pages_are_found),
        DB_TEST(missing_table_is_damage),
        DB_TEST(database_brings_no_code_along),
        DB_TEST(wrong_words_and_absent_texts_are_damage),
        DB_TEST(older_database_is_upgraded),
        DB_TEST(version_1_gets_run_uids),
        DB_TEST(message_fits_a_long_path),
        DB_TEST(read_only_files_can_be_read),
        DB_TEST(log_in_a_read_only_directory_is_not_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
