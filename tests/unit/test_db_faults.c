/* db/: when the disk is full, fails or cannot share memory, and when a writer
 * dies half way. The faults come from a layer between SQLite and the real files. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* unshare, mount */
#endif
#include "test_db_support.h"

#ifdef __linux__
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

static bool on_network;

/* In place of libc's. */
int statfs(const char *path, struct statfs *info) {
    int result = (int)syscall(SYS_statfs, path, info);
    if (on_network) {
        info->f_type = 0x6969; /* NFS */
    }
    return result;
}
#endif

static enum {
    NO_FAULT,
    NO_SHARED_MEMORY, /* as on a network mount */
    DISK_FULL,
    DISK_ERROR,
    READ_ERROR,
    DEATH /* at the first write to the database itself, its journal being complete */
} fault;

static sqlite3_vfs faulty;
static sqlite3_vfs *real;
static sqlite3_file *database; /* the one opened last */

/* The real layer has different methods for a database and for its logs. */
static struct {
    const sqlite3_io_methods *real;
    sqlite3_io_methods faulty;
} kinds[4];

static const sqlite3_io_methods *real_methods(const sqlite3_file *file) {
    size_t kind = 0;
    while (file->pMethods != &kinds[kind].faulty) {
        kind++;
    }
    return kinds[kind].real;
}

static int faulty_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 offset) {
    if (fault == DISK_FULL) {
        return SQLITE_FULL;
    }
    if (fault == DISK_ERROR) {
        return SQLITE_IOERR_WRITE;
    }
    if (fault == DEATH && file == database) {
        _exit(0);
    }
    return real_methods(file)->xWrite(file, data, size, offset);
}

static int faulty_read(sqlite3_file *file, void *data, int size, sqlite3_int64 offset) {
    return fault == READ_ERROR ? SQLITE_IOERR_READ
                               : real_methods(file)->xRead(file, data, size, offset);
}

static int faulty_map(sqlite3_file *file, int page, int size, int extend, void volatile **map) {
    return fault == NO_SHARED_MEMORY ? SQLITE_IOERR_SHMMAP
                                     : real_methods(file)->xShmMap(file, page, size, extend, map);
}

static int faulty_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                       int *out_flags) {
    int code = real->xOpen(vfs, name, file, flags, out_flags);
    if (file->pMethods == NULL) {
        return code;
    }
    size_t kind = 0;
    while (kinds[kind].real != NULL && kinds[kind].real != file->pMethods) {
        kind++;
        assert_true(kind < sizeof kinds / sizeof *kinds);
    }
    if (kinds[kind].real == NULL) {
        kinds[kind].real = file->pMethods;
        kinds[kind].faulty = *file->pMethods;
        kinds[kind].faulty.xWrite = faulty_write;
        kinds[kind].faulty.xRead = faulty_read;
        kinds[kind].faulty.xShmMap = faulty_map;
    }
    file->pMethods = &kinds[kind].faulty;
    if ((flags & SQLITE_OPEN_MAIN_DB) != 0) {
        database = file;
    }
    return code;
}

static int install_faults(void **state) {
    (void)state;
    real = sqlite3_vfs_find(NULL);
    faulty = *real;
    faulty.zName = "faulty";
    faulty.xOpen = faulty_open;
    return sqlite3_vfs_register(&faulty, 1);
}

static int remove_faults(void **state) {
    (void)state;
    return sqlite3_vfs_unregister(&faulty);
}

static int end_without_fault(void **state) {
    fault = NO_FAULT;
    return fixture_end(state);
}

static void assert_sound(const char *path) {
    tw_db *db = open_db(path, TW_DB_READ);
    assert_sql(db, "PRAGMA integrity_check", "ok");
    tw_db_close(db);
}

static void without_shared_memory_a_rollback_journal_serves(void **state) {
    struct fixture *fixture = *state;
    fault = NO_SHARED_MEMORY;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    assert_sql(db, "PRAGMA journal_mode", "delete");
    assert_sql(db, "PRAGMA synchronous", "2");
    struct ids ids = put_samples(db);
    struct tw_db_trial trial = sample_trial(ids, "{}");
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);

    /* A second writer, and a reader, on the same file. */
    tw_db *second = open_db(fixture->path, TW_DB_WRITE);
    trial.configuration = "{\"BM\":1}";
    assert_status(tw_db_trial_put(second, &trial, NULL), TW_DB_OK);
    tw_db *reader = open_db(fixture->path, TW_DB_READ);
    assert_int_equal(count_trials(reader, NULL), 2);
    tw_db_close(reader);
    tw_db_close(second);
    tw_db_close(db);
}

static void wal_database_moves_to_where_no_wal_can_be(void **state) {
    struct fixture *fixture = *state;
    char copy[700];
    char log[800];
    char log_copy[800];
    snprintf(copy, sizeof copy, "%s/copy.db", fixture->directory);
    snprintf(log, sizeof log, "%s-wal", fixture->path);
    snprintf(log_copy, sizeof log_copy, "%s-wal", copy);
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_trial trial = sample_trial(ids, "{}");
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
    struct bytes bytes = read_file(fixture->path);
    struct bytes log_bytes = read_file(log);
    write_file(copy, bytes.data, bytes.size);
    write_file(log_copy, log_bytes.data, log_bytes.size);
    free(bytes.data);
    free(log_bytes.data);
    tw_db_close(db);

    fault = NO_SHARED_MEMORY;
    db = open_db(fixture->path, TW_DB_READ);
    assert_int_equal(count_trials(db, NULL), 1);
    tw_db_close(db);
    /* The trial of the copy is in its log, which can be read only by writing it back. */
    assert_refused(copy, TW_DB_READ, TW_DB_CANNOT_OPEN, "-wal");
    db = open_db(copy, TW_DB_WRITE);
    assert_sql(db, "PRAGMA journal_mode", "delete");
    assert_int_equal(count_trials(db, NULL), 1);
    trial.configuration = "{\"BM\":1}";
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
    tw_db_close(db);
    assert_sound(copy);
}

#ifdef __linux__
static void network_mount_gets_a_rollback_journal(void **state) {
    struct fixture *fixture = *state;
    char path[700];
    snprintf(path, sizeof path, "%s/new.db", fixture->directory);
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    assert_sql(db, "PRAGMA journal_mode", "wal");
    struct ids ids = put_samples(db);
    tw_db_close(db);
    on_network = true;
    db = open_db(fixture->path, TW_DB_WRITE);
    assert_sql(db, "PRAGMA journal_mode", "delete");
    assert_sql(db, "PRAGMA synchronous", "2");
    struct tw_db_trial trial = sample_trial(ids, "{}");
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
    tw_db_close(db);
    db = open_db(path, TW_DB_WRITE);
    assert_sql(db, "PRAGMA journal_mode", "delete");
    tw_db_close(db);
    on_network = false;
    db = open_db(fixture->path, TW_DB_WRITE);
    assert_sql(db, "PRAGMA journal_mode", "wal");
    assert_int_equal(count_trials(db, NULL), 1);
    tw_db_close(db);
}
#endif

static void files_without_wal_get_a_rollback_journal(void **state) {
    struct fixture *fixture = *state;
    sqlite3_vfs *dotfile = sqlite3_vfs_find("unix-dotfile");
    assert_non_null(dotfile);
    sqlite3_vfs_register(dotfile, 1);
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    sqlite3_vfs_register(&faulty, 1);
    assert_sql(db, "PRAGMA journal_mode", "delete");
    put_samples(db);
    tw_db_close(db);
    assert_sound(fixture->path);
}

static void full_disk_is_told_and_survived(void **state) {
    struct fixture *fixture = *state;
    fault = DISK_FULL;
    assert_refused(fixture->path, TW_DB_WRITE, TW_DB_FULL, "free some space");
    fault = NO_FAULT;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_trial trial = sample_trial(ids, "{}");

    fault = DISK_FULL;
    bool inserted = true;
    assert_status(tw_db_trial_put(db, &trial, &inserted), TW_DB_FULL);
    assert_false(inserted);
    assert_non_null(strstr(tw_db_message(db), "free some space"));
    fault = NO_FAULT;
    assert_int_equal(count_trials(db, NULL), 0);
    assert_status(tw_db_trial_put(db, &trial, &inserted), TW_DB_OK);
    assert_true(inserted);
    tw_db_close(db);
    assert_sound(fixture->path);
}

static void failing_disk_is_told(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct tw_db_trial trial = sample_trial(put_samples(db), "{}");
    fault = DISK_ERROR;
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_IO);
    assert_non_null(strstr(tw_db_message(db), "check the disk"));
    fault = NO_FAULT;
    tw_db_close(db);
    fault = READ_ERROR;
    assert_refused(fixture->path, TW_DB_READ, TW_DB_IO, "check the disk");
    fault = NO_FAULT;
    assert_sound(fixture->path);
}

static void transaction_undone_by_a_full_disk_stays_undone(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    char huge[8192];
    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    assert_status(tw_db_begin(db), TW_DB_OK);
    struct tw_db_trial trial = sample_trial(ids, "first");
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);

    /* The database's own limit, reached in the middle of the transaction. */
    char limit[64];
    char pages[32];
    read_sql(db->sqlite, "PRAGMA page_count", pages, sizeof pages);
    snprintf(limit, sizeof limit, "PRAGMA max_page_count = %s", pages);
    assert_int_equal(sqlite3_exec(db->sqlite, limit, NULL, NULL, NULL), SQLITE_OK);
    trial.configuration = huge;
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_FULL);
    trial.configuration = "third";
    if (sqlite3_get_autocommit(db->sqlite) != 0) {
        assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_MISUSE);
        assert_status(tw_db_commit(db), TW_DB_MISUSE);
    }
    tw_db_rollback(db);
    assert_int_equal(count_trials(db, NULL), 0);
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
    tw_db_close(db);
    assert_sound(fixture->path);
}

/* 0: as it should be; 2: not allowed here. */
static int fill_a_real_disk(const struct fixture *fixture) {
#ifdef __linux__
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", "", MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", fixture->directory, "tmpfs", 0, "size=512k") != 0) {
        return 2;
    }
    tw_db *db = NULL;
    struct ids ids = {0};
    if (tw_db_open(&db, fixture->path, TW_DB_WRITE, NULL, 0) != TW_DB_OK ||
        tw_db_device_put(db, &sample_device, &ids.device) != TW_DB_OK ||
        tw_db_problem_put(db, &sample_problem, &ids.problem) != TW_DB_OK ||
        tw_db_implementation_put(db, &sample_implementation, &ids.implementation) != TW_DB_OK) {
        return 3;
    }
    struct tw_db_run run = sample_run(ids);
    if (tw_db_run_begin(db, &run, &ids.run) != TW_DB_OK) {
        return 3;
    }
    enum tw_db_status status = TW_DB_OK;
    int stored = 0;
    while (status == TW_DB_OK && stored < 100000) {
        char configuration[64];
        snprintf(configuration, sizeof configuration, "{\"BM\":%d}", stored);
        struct tw_db_trial trial = sample_trial(ids, configuration);
        status = tw_db_trial_put(db, &trial, NULL);
        stored += status == TW_DB_OK;
    }
    if (status != TW_DB_FULL || strstr(tw_db_message(db), "free some space") == NULL) {
        fprintf(stderr, "%s\n", tw_db_message(db));
        return 4;
    }
    tw_db_close(db);
    int seen = 0;
    if (tw_db_open(&db, fixture->path, TW_DB_READ, NULL, 0) != TW_DB_OK ||
        tw_db_trial_each(db, NULL, count_trial, &seen) != TW_DB_OK || seen != stored) {
        return 5;
    }
    tw_db_close(db);
    return 0;
#else
    (void)fixture;
    return 2;
#endif
}

static void really_full_disk_loses_nothing_stored(void **state) {
    struct fixture *fixture = *state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(fill_a_real_disk(fixture));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2) {
        print_message("no right to mount a small disk\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void writer_waits_and_then_says_busy(void **state) {
    struct fixture *fixture = *state;
    tw_db *first = open_db(fixture->path, TW_DB_WRITE);
    tw_db *second = open_db(fixture->path, TW_DB_WRITE);
    tw_db *reader = open_db(fixture->path, TW_DB_READ);
    struct ids ids = put_samples(first);
    struct tw_db_trial trial = sample_trial(ids, "{}");
    assert_status(tw_db_begin(first), TW_DB_OK);
    assert_status(tw_db_trial_put(first, &trial, NULL), TW_DB_OK);
    tw_db_set_busy_timeout(second, 20);
    assert_status(tw_db_trial_put(second, &trial, NULL), TW_DB_BUSY);
    assert_status(tw_db_begin(second), TW_DB_BUSY);
    assert_non_null(strstr(tw_db_message(second), "other process"));
    assert_int_equal(count_trials(reader, NULL), 0);
    /* What is there already needs no lock. */
    int64_t id = 0;
    assert_status(tw_db_device_put(second, &sample_device, &id), TW_DB_OK);
    assert_status(tw_db_commit(first), TW_DB_OK);
    bool inserted = true;
    assert_status(tw_db_trial_put(second, &trial, &inserted), TW_DB_OK);
    assert_false(inserted);
    assert_int_equal(count_trials(reader, NULL), 1);
    tw_db_close(reader);
    tw_db_close(second);
    tw_db_close(first);
}

static void reader_finishes_what_a_dead_writer_left(void **state) {
    struct fixture *fixture = *state;
    char journal[700];
    snprintf(journal, sizeof journal, "%s-journal", fixture->path);
    fault = NO_SHARED_MEMORY;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_trial trial = sample_trial(ids, "{}");
    tw_db_close(db);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tw_db *mine = NULL;
        if (tw_db_open(&mine, fixture->path, TW_DB_WRITE, NULL, 0) == TW_DB_OK) {
            fault = DEATH;
            tw_db_trial_put(mine, &trial, NULL);
        }
        _exit(1);
    }
    assert_child_succeeds(child);
    assert_int_equal(access(journal, F_OK), 0);
    fault = NO_FAULT;
    db = open_db(fixture->path, TW_DB_READ);
    assert_int_equal(access(journal, F_OK), -1);
    assert_int_equal(count_trials(db, NULL), 0);
    assert_sql(db, "PRAGMA integrity_check", "ok");
    tw_db_close(db);
}

#define FAULT_TEST(function)                                                                       \
    cmocka_unit_test_setup_teardown(function, fixture_start, end_without_fault)

int main(void) {
    const struct CMUnitTest tests[] = {
        FAULT_TEST(without_shared_memory_a_rollback_journal_serves),
        FAULT_TEST(wal_database_moves_to_where_no_wal_can_be),
#ifdef __linux__
        FAULT_TEST(network_mount_gets_a_rollback_journal),
#endif
        FAULT_TEST(files_without_wal_get_a_rollback_journal),
        FAULT_TEST(full_disk_is_told_and_survived),
        FAULT_TEST(failing_disk_is_told),
        FAULT_TEST(transaction_undone_by_a_full_disk_stays_undone),
        FAULT_TEST(really_full_disk_loses_nothing_stored),
        FAULT_TEST(writer_waits_and_then_says_busy),
        FAULT_TEST(reader_finishes_what_a_dead_writer_left),
    };
    return cmocka_run_group_tests(tests, install_faults, remove_faults);
}
