/* db/: several processes at once, and processes that are killed. */
#include "test_db_support.h"

#include <signal.h>
#include <time.h>

enum { WRITERS = 8, TRIALS = 60, PATIENT_MS = 300000 };

/* Puts trials numbered from `first`, telling each on `told` once it is stored. */
static int write_trials(const char *path, struct ids ids, int first, int count, int told) {
    tw_db *db = NULL;
    char message[TW_DB_MESSAGE_SIZE];
    if (tw_db_open(&db, path, TW_DB_WRITE, message, sizeof message) != TW_DB_OK) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    /* Who waits looks only now and then, and among so many it may never be his turn for long. */
    tw_db_set_busy_timeout(db, PATIENT_MS);
    for (int i = first; count < 0 || i < first + count; i++) {
        char configuration[64];
        snprintf(configuration, sizeof configuration, "{\"BM\":%d}", i);
        struct tw_db_trial trial = sample_trial(ids, configuration);
        bool inserted = false;
        if (tw_db_trial_put(db, &trial, &inserted) != TW_DB_OK || !inserted) {
            fprintf(stderr, "%s\n", tw_db_message(db));
            return 2;
        }
        if (told >= 0 && write(told, &i, sizeof i) != (ssize_t)sizeof i) {
            return 3;
        }
    }
    tw_db_close(db);
    return 0;
}

static void concurrent_writers_lose_nothing(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    tw_db_close(db);
    pid_t writers[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        assert_true(writers[i] >= 0);
        if (writers[i] == 0) {
            _exit(write_trials(fixture->path, ids, i * TRIALS, TRIALS, -1));
        }
    }
    /* A reader among them is never turned away. */
    db = open_db(fixture->path, TW_DB_READ);
    tw_db_set_busy_timeout(db, 0);
    int before = 0;
    for (int i = 0; i < 50; i++) {
        int now = count_trials(db, NULL);
        assert_true(now >= before);
        before = now;
    }
    for (int i = 0; i < WRITERS; i++) {
        assert_child_succeeds(writers[i]);
    }
    assert_int_equal(count_trials(db, NULL), WRITERS * TRIALS);
    assert_sql(db, "PRAGMA integrity_check", "ok");
    tw_db_close(db);
}

static int make_everything(const char *path) {
    tw_db *db = NULL;
    char message[TW_DB_MESSAGE_SIZE];
    struct ids ids = {0};
    if (tw_db_open(&db, path, TW_DB_WRITE, message, sizeof message) != TW_DB_OK) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    if (tw_db_device_put(db, &sample_device, &ids.device) != TW_DB_OK ||
        tw_db_problem_put(db, &sample_problem, &ids.problem) != TW_DB_OK ||
        tw_db_implementation_put(db, &sample_implementation, &ids.implementation) != TW_DB_OK) {
        fprintf(stderr, "%s\n", tw_db_message(db));
        return 2;
    }
    tw_db_close(db);
    return 0;
}

static void concurrent_creators_make_one_database(void **state) {
    struct fixture *fixture = *state;
    for (int round = 0; round < 10; round++) {
        char path[700];
        snprintf(path, sizeof path, "%s/%d/tune.db", fixture->directory, round);
        pid_t creators[WRITERS];
        for (int i = 0; i < WRITERS; i++) {
            creators[i] = fork();
            assert_true(creators[i] >= 0);
            if (creators[i] == 0) {
                _exit(make_everything(path));
            }
        }
        for (int i = 0; i < WRITERS; i++) {
            assert_child_succeeds(creators[i]);
        }
        tw_db *db = open_db(path, TW_DB_READ);
        assert_sql(db, "SELECT count(*) FROM device", "1");
        assert_sql(db, "SELECT count(*) FROM problem_dimension", "3");
        assert_sql(db, "SELECT count(*) FROM implementation", "1");
        tw_db_close(db);
    }
}

static void killed_writer_loses_only_what_is_in_flight(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    tw_db_close(db);
    int stored = 0;
    for (int round = 0; round < 12; round++) {
        int told[2];
        assert_int_equal(pipe(told), 0);
        pid_t writer = fork();
        assert_true(writer >= 0);
        if (writer == 0) {
            close(told[0]);
            /* Beyond what an earlier one may have stored without being able to tell. */
            _exit(write_trials(fixture->path, ids, round * 100000, -1, told[1]));
        }
        close(told[1]);
        int number = 0;
        int heard = 0;
        while (heard < 5 + round && read(told[0], &number, sizeof number) > 0) {
            heard++;
        }
        assert_int_equal(heard, 5 + round);
        assert_int_equal(kill(writer, SIGKILL), 0);
        assert_int_equal(waitpid(writer, NULL, 0), writer);
        while (read(told[0], &number, sizeof number) > 0) {
            heard++;
        }
        close(told[0]);

        db = open_db(fixture->path, TW_DB_READ);
        assert_sql(db, "PRAGMA integrity_check", "ok");
        int now = count_trials(db, NULL);
        assert_in_range(now - stored, heard, heard + 1);
        stored = now;
        tw_db_close(db);
    }
    /* And the next writer goes on. */
    db = open_db(fixture->path, TW_DB_WRITE);
    struct tw_db_trial trial = sample_trial(ids, "{\"BM\":\"after\"}");
    bool inserted = false;
    assert_status(tw_db_trial_put(db, &trial, &inserted), TW_DB_OK);
    assert_true(inserted);
    tw_db_close(db);
}

/* A writer and the pipe on which it tells what it has stored. */
struct writer {
    pid_t pid;
    int told;
};

static struct writer start_writer(const char *path, struct ids ids, int first, int count) {
    int told[2];
    assert_int_equal(pipe(told), 0);
    struct writer writer = {.pid = fork(), .told = told[0]};
    assert_true(writer.pid >= 0);
    if (writer.pid == 0) {
        close(told[0]);
        _exit(write_trials(path, ids, first, count, told[1]));
    }
    close(told[1]);
    return writer;
}

/* Reads until told to stop; never turned away, never sees trials vanish. */
static int keep_reading(const char *path, int stop) {
    int before = 0;
    char byte = 0;
    tw_db *db = open_db(path, TW_DB_READ);
    tw_db_set_busy_timeout(db, 0);
    while (read(stop, &byte, 1) < 0 && errno == EAGAIN) {
        int now = 0;
        if (tw_db_trial_each(db, NULL, count_trial, &now) != TW_DB_OK || now < before) {
            fprintf(stderr, "%d after %d: %s\n", now, before, tw_db_message(db));
            return 1;
        }
        before = now;
        nanosleep(&(struct timespec){0, 5000000L}, NULL);
    }
    tw_db_close(db);
    return 0;
}

/* Eight writers and a reader at once; half of the writers are killed and others come for them. */
static void killed_writers_take_nothing_of_the_others_along(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    tw_db_close(db);
    int stop[2];
    assert_int_equal(pipe(stop), 0);
    assert_int_equal(fcntl(stop[0], F_SETFL, O_NONBLOCK), 0);
    pid_t reader = fork();
    assert_true(reader >= 0);
    if (reader == 0) {
        close(stop[1]);
        _exit(keep_reading(fixture->path, stop[0]));
    }

    enum { KILLED = WRITERS / 2, ROUNDS = 4 };
    struct writer writers[WRITERS];
    int heard = 0, kills = 0, number = 0;
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = start_writer(fixture->path, ids, i * 1000000, i < KILLED ? -1 : TRIALS);
    }
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < KILLED; i++) {
            /* In the middle of its work. */
            for (int told = 0; told < 1 + i + round; told++) {
                assert_int_equal(read(writers[i].told, &number, sizeof number), sizeof number);
                heard++;
            }
            assert_int_equal(kill(writers[i].pid, SIGKILL), 0);
            assert_int_equal(waitpid(writers[i].pid, NULL, 0), writers[i].pid);
            kills++;
            while (read(writers[i].told, &number, sizeof number) > 0) {
                heard++;
            }
            close(writers[i].told);
            if (round < ROUNDS) {
                writers[i] = start_writer(fixture->path, ids, i * 1000000 + round * 100000, -1);
            }
        }
    }
    for (int i = KILLED; i < WRITERS; i++) {
        while (read(writers[i].told, &number, sizeof number) > 0) {
            heard++;
        }
        close(writers[i].told);
        assert_child_succeeds(writers[i].pid);
    }
    close(stop[1]);
    assert_child_succeeds(reader);
    close(stop[0]);

    assert_true(heard >= (WRITERS - KILLED) * TRIALS);
    db = open_db(fixture->path, TW_DB_READ);
    assert_sql(db, "PRAGMA integrity_check", "ok");
    assert_sql(db, "SELECT count(*) FROM pragma_foreign_key_check", "0");
    /* A killed one may have stored a trial that it could not tell of any more. */
    assert_in_range(count_trials(db, NULL), heard, heard + kills);
    tw_db_close(db);
}

static void killed_creator_leaves_a_file_that_opens(void **state) {
    struct fixture *fixture = *state;
    for (int round = 0; round < 20; round++) {
        char path[700];
        snprintf(path, sizeof path, "%s/%d.db", fixture->directory, round);
        pid_t creator = fork();
        assert_true(creator >= 0);
        if (creator == 0) {
            _exit(make_everything(path));
        }
        /* Spread over the time that creating takes; wherever it hits, the file must do. */
        nanosleep(&(struct timespec){0, round * 400000L}, NULL);
        kill(creator, SIGKILL);
        assert_int_equal(waitpid(creator, NULL, 0), creator);
        assert_int_equal(make_everything(path), 0);
        tw_db *db = open_db(path, TW_DB_READ);
        assert_sql(db, "PRAGMA integrity_check", "ok");
        assert_sql(db, "SELECT count(*) FROM problem_dimension", "3");
        tw_db_close(db);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DB_TEST(concurrent_writers_lose_nothing),
        DB_TEST(concurrent_creators_make_one_database),
        DB_TEST(killed_writer_loses_only_what_is_in_flight),
        DB_TEST(killed_writers_take_nothing_of_the_others_along),
        DB_TEST(killed_creator_leaves_a_file_that_opens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
