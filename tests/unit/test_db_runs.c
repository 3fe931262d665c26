/* db/: runs. Begun, told about, ended, and resumed, but never taken from a process that lives. */
#include "test_db_support.h"

#include <signal.h>
#include <time.h>

static bool keep_row(void *context, const struct tw_db_run_row *row) {
    const struct tw_db_run *run = &row->run;
    struct tw_db_run_row *kept = context;
    *kept = *row;
    assert_string_equal(row->kernel, "gemm");
    assert_string_equal(row->problem_key, sample_problem.key);
    assert_string_equal(row->device_fingerprint, sample_device.fingerprint);
    assert_string_equal(row->device_name, sample_device.name);
    assert_string_equal(run->strategy, "anneal");
    assert_true(run->seed == UINT64_MAX - 4);
    assert_string_equal(run->budget_kind, "trials");
    assert_true(run->budget_value == 200);
    assert_string_equal(run->cache_policy, "cold");
    assert_string_equal(run->driver, "550.1");
    assert_string_equal(run->compiler, "NVRTC 13.0");
    assert_string_equal(run->tilewise_version, "0.1");
    assert_string_equal(run->protocol, "1");
    return true;
}

static struct tw_db_run_row latest(tw_db *db) {
    struct tw_db_run_row row = {0};
    const struct tw_db_run_filter filter = {.limit = 1};
    assert_status(tw_db_run_each(db, &filter, keep_row, &row), TW_DB_OK);
    return row;
}

static void run_goes_from_begin_to_end(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_run_row row = latest(db);
    assert_int_equal(row.id, ids.run);
    assert_int_equal(row.state, TW_DB_RUN_RUNNING);
    assert_true(row.owner_alive);
    assert_false(row.has_finished_at);
    assert_true(row.elapsed_s == 0);
    assert_true(row.started_at > 0);

    assert_status(tw_db_run_update(db, ids.run, 1.5, NULL), TW_DB_OK);
    assert_sql(db, "SELECT conditions FROM run", "{\"sm_mhz\":1980}");
    assert_status(tw_db_run_update(db, ids.run, 2.5, "{\"sm_mhz\":1200}"), TW_DB_OK);
    assert_sql(db, "SELECT conditions FROM run", "{\"sm_mhz\":1200}");
    struct tw_db_trial trial = sample_trial(ids, "{}");
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
    assert_status(tw_db_run_finish(db, ids.run, TW_DB_RUN_DONE, 3.5), TW_DB_OK);
    row = latest(db);
    assert_int_equal(row.state, TW_DB_RUN_DONE);
    assert_false(row.owner_alive);
    assert_true(row.has_finished_at && row.finished_at >= row.started_at);
    assert_true(row.elapsed_s == 3.5);
    assert_int_equal(row.trials, 1);

    assert_status(tw_db_run_finish(db, ids.run, TW_DB_RUN_RUNNING, 1), TW_DB_MISUSE);
    assert_status(tw_db_run_finish(db, ids.run + 1, TW_DB_RUN_DONE, 1), TW_DB_NOT_FOUND);
    assert_status(tw_db_run_update(db, ids.run + 1, 1, NULL), TW_DB_NOT_FOUND);
    assert_status(tw_db_run_update(db, ids.run, -1, NULL), TW_DB_CONSTRAINT);
    tw_db_close(db);
}

static bool add_id(void *context, const struct tw_db_run_row *row) {
    char *ids = context;
    snprintf(ids + strlen(ids), 8, "%d ", (int)row->id);
    return true;
}

static void assert_runs(tw_db *db, const struct tw_db_run_filter *filter, const char *expected) {
    char ids[64] = "";
    assert_status(tw_db_run_each(db, filter, add_id, ids), TW_DB_OK);
    assert_string_equal(ids, expected);
}

static void runs_are_listed_newest_first(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_run run = sample_run(ids);
    int64_t second = 0;
    assert_status(tw_db_run_begin(db, &run, &second), TW_DB_OK);
    assert_runs(db, NULL, "2 1 ");
    assert_runs(db, &(struct tw_db_run_filter){.limit = 1}, "2 ");
    assert_runs(db, &(struct tw_db_run_filter){.run = 1}, "1 ");
    assert_runs(db, &(struct tw_db_run_filter){.kernel = "copy"}, "");
    assert_runs(db,
                &(struct tw_db_run_filter){.kernel = "gemm",
                                           .problem_key = sample_problem.key,
                                           .device_fingerprint = sample_device.fingerprint},
                "2 1 ");
    run.problem = 99;
    assert_status(tw_db_run_begin(db, &run, &second), TW_DB_CONSTRAINT);
    assert_int_equal(second, 0);
    tw_db_close(db);
}

static void interrupted_run_is_resumed(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_trial trial = sample_trial(ids, "{}");
    struct tw_db_run wanted = sample_run(ids);
    struct tw_db_resumed resumed;
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);

    /* Not while it runs, which is here. */
    assert_status(tw_db_run_resume(db, &wanted, &resumed), TW_DB_NOT_FOUND);
    assert_int_equal(resumed.id, 0);
    assert_status(tw_db_run_finish(db, ids.run, TW_DB_RUN_INTERRUPTED, 7.5), TW_DB_OK);

    /* Not for another search. */
    struct tw_db_run other[7];
    for (int i = 0; i < 7; i++) {
        other[i] = wanted;
    }
    other[0].problem++;
    other[1].device++;
    other[2].strategy = "random";
    other[3].seed = 1;
    other[4].budget_kind = "seconds";
    other[5].budget_value = 201;
    other[6].cache_policy = "warm";
    for (int i = 0; i < 7; i++) {
        assert_status(tw_db_run_resume(db, &other[i], &resumed), TW_DB_NOT_FOUND);
    }

    wanted.driver = "560.2"; /* provenance does not count */
    assert_status(tw_db_run_resume(db, &wanted, &resumed), TW_DB_OK);
    assert_int_equal(resumed.id, ids.run);
    assert_true(resumed.elapsed_s == 7.5);
    assert_int_equal(resumed.trials, 1);
    struct tw_db_run_row row = latest(db);
    assert_int_equal(row.state, TW_DB_RUN_RUNNING);
    assert_false(row.has_finished_at);
    assert_status(tw_db_run_resume(db, &wanted, &resumed), TW_DB_NOT_FOUND);

    assert_status(tw_db_run_finish(db, ids.run, TW_DB_RUN_DONE, 9), TW_DB_OK);
    assert_status(tw_db_run_resume(db, &wanted, &resumed), TW_DB_NOT_FOUND);
    tw_db_close(db);
}

/* Begins a run in a child, which then waits to be killed. */
static pid_t start_owner(const char *path, struct ids ids) {
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tw_db *db = NULL;
        struct tw_db_run run = sample_run(ids);
        int64_t id = 0;
        char ok = tw_db_open(&db, path, TW_DB_WRITE, NULL, 0) == TW_DB_OK &&
                  tw_db_run_begin(db, &run, &id) == TW_DB_OK;
        if (write(ready[1], &ok, 1) == 1) {
            pause();
        }
        _exit(1);
    }
    char ok = 0;
    assert_int_equal(read(ready[0], &ok, 1), 1);
    assert_true(ok);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void run_of_a_killed_process_is_resumed(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    assert_status(tw_db_run_finish(db, ids.run, TW_DB_RUN_DONE, 1), TW_DB_OK);
    tw_db_close(db);
    pid_t owner = start_owner(fixture->path, ids);
    db = open_db(fixture->path, TW_DB_WRITE);
    struct tw_db_run wanted = sample_run(ids);
    struct tw_db_resumed resumed;
    assert_true(latest(db).owner_alive);
    assert_status(tw_db_run_resume(db, &wanted, &resumed), TW_DB_NOT_FOUND);

    /* Dead, though its zombie still has the pid. */
    assert_int_equal(kill(owner, SIGKILL), 0);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)owner, &info, WEXITED | WNOWAIT), 0);
    assert_false(latest(db).owner_alive);
    assert_int_equal(waitpid(owner, NULL, 0), owner);
    assert_false(latest(db).owner_alive);
    assert_status(tw_db_run_resume(db, &wanted, &resumed), TW_DB_OK);
    assert_int_equal(resumed.id, ids.run + 1);
    tw_db_close(db);
}

static void only_one_process_resumes_a_run(void **state) {
    struct fixture *fixture = *state;
    enum { PROCESSES = 4 };
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    assert_status(tw_db_run_finish(db, ids.run, TW_DB_RUN_INTERRUPTED, 1), TW_DB_OK);
    tw_db_close(db);
    pid_t children[PROCESSES];
    int hold[2];
    assert_int_equal(pipe(hold), 0);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            close(hold[1]);
            tw_db *mine = NULL;
            struct tw_db_run wanted = sample_run(ids);
            struct tw_db_resumed resumed;
            if (tw_db_open(&mine, fixture->path, TW_DB_WRITE, NULL, 0) != TW_DB_OK) {
                _exit(9);
            }
            enum tw_db_status status = tw_db_run_resume(mine, &wanted, &resumed);
            if (status != TW_DB_OK) {
                _exit(status == TW_DB_NOT_FOUND ? 0 : 9);
            }
            /* The winner lives until all have tried. */
            char byte;
            ssize_t got = read(hold[0], &byte, 1);
            _exit(got == 0 ? 1 : 9);
        }
    }
    close(hold[0]);
    int winners = 0;
    int losers = 0;
    while (winners + losers < PROCESSES) {
        if (losers == PROCESSES - 1) {
            close(hold[1]);
        }
        int status = 0;
        assert_true(wait(&status) > 0);
        assert_true(WIFEXITED(status));
        assert_in_range(WEXITSTATUS(status), 0, 1);
        winners += WEXITSTATUS(status) == 1;
        losers += WEXITSTATUS(status) == 0;
    }
    assert_int_equal(winners, 1);
}

static void owners_elsewhere_and_before_are_told_apart(void **state) {
    (void)state;
    struct tw_db_owner self;
    tw_db_owner_self(&self);
    const int64_t now = (int64_t)time(NULL);
    const int64_t long_ago = now - 3600;
    assert_true(self.pid == getpid());
    if (self.token[0] == '\0') {
        print_message("no /proc here\n");
        skip();
    }
    assert_true(tw_db_owner_alive(self.host, self.pid, self.token, long_ago));

    /* The pid has been given to another process since. */
    char other[200];
    snprintf(other, sizeof other, "%s0", self.token);
    assert_false(tw_db_owner_alive(self.host, self.pid, other, now));
    /* This machine has been restarted. */
    snprintf(other, sizeof other, "x%s", self.token);
    assert_false(tw_db_owner_alive(self.host, self.pid, other, now));
    /* Another machine: as long as it gives signs of life. */
    assert_true(tw_db_owner_alive("elsewhere", self.pid, other, now));
    assert_false(tw_db_owner_alive("elsewhere", self.pid, other, long_ago));
    /* Another container of this machine, by the same name. */
    snprintf(other, sizeof other, "%s", self.token);
    other[strcspn(other, " ") + 1] = 'x';
    assert_true(tw_db_owner_alive(self.host, self.pid, other, now));
    assert_false(tw_db_owner_alive(self.host, self.pid, other, long_ago));
    /* Where there was no /proc. */
    assert_true(tw_db_owner_alive(self.host, self.pid, "", now));
    assert_false(tw_db_owner_alive(self.host, self.pid, "", long_ago));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DB_TEST(run_goes_from_begin_to_end),
        DB_TEST(runs_are_listed_newest_first),
        DB_TEST(interrupted_run_is_resumed),
        DB_TEST(run_of_a_killed_process_is_resumed),
        DB_TEST(only_one_process_resumes_a_run),
        cmocka_unit_test(owners_elsewhere_and_before_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
