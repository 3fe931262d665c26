/* A run's coordinator, with workers that compile and measure nothing: allocations of its own fail
 * in turn. It ends in one line and leaves no worker, and what it stored is sound: no variant is
 * called anything but ok, and the same command completes the run.
 *
 * Compiling and measuring take turns, as on a CPU, so that runs allocate the same again. A run
 * takes long, so that only a sample fails. */
#include "runtime/description/configuration.h"
#include "tests/support/fake_workers.h"
#include "tests/support/memory.h"
#include "tests/support/scale.h"
#include "tuner/session/session.h"

enum { SAMPLE = 24, TRIALS = 3 };

struct house {
    struct scratch *scratch;
    struct tw_description *description;
    struct tw_problem problem;
    struct tw_device_info device;
    struct session_options options;
    char path[1024];
};

static volatile sig_atomic_t interrupted;

static int set_up(void **state) {
    static struct house house;
    void *scratch;
    char path[1024];
    if (scratch_make(&scratch) != 0)
        return -1;
    house = (struct house){.scratch = scratch, .device = paper_gpu};
    house.device.is_cpu = true;
    scratch_write(house.scratch, "scale/direct.cu", "/* the template */", path);
    scratch_write(house.scratch, "scale/reference.cu", "/* the reference */", path);
    house.description = read_description(scale_text, house.scratch->path);
    house.problem = parse_problem(house.description, "8x100");
    snprintf(house.path, sizeof house.path, "%s/tune.db", house.scratch->path);
    house.options =
        (struct session_options){.strategy = strategy_usual(strategy_find("random", NULL)),
                                 .seed = 1,
                                 .budget_trials = TRIALS,
                                 .jobs = 1,
                                 .cache = "cold",
                                 .trial_limit_s = 120,
                                 .compile_limit_s = 120,
                                 .interrupted = &interrupted};
    setenv(fake_home, house.scratch->path, 1);
    plan_faults(house.scratch->path, "");
    *state = &house;
    return 0;
}

static int tear_down(void **state) {
    struct house *house = *state;
    void *scratch = house->scratch;
    tw_description_free(house->description);
    return scratch_remove(&scratch);
}

/* The database is not what fails here: it is opened and closed while there is memory. */
static tw_status run_once(const struct house *house, struct session_result *result,
                          struct tw_error *error) {
    char message[TW_DB_MESSAGE_SIZE];
    tw_db *db;
    memory_pause();
    assert_int_equal(tw_db_open(&db, house->path, TW_DB_WRITE, message, sizeof message), TW_DB_OK);
    memory_resume();
    tw_status status = session_run(&house->options, &house->problem, &house->device, db,
                                   house->path, NULL, NULL, result, error);
    memory_pause();
    tw_db_close(db);
    memory_resume();
    return status;
}

static void see(const struct house *house, const struct session_result *result,
                struct tw_text *seen) {
    struct tw_text configuration = {0};
    memory_pause();
    assert_true(result->has_best != house->options.trials_only);
    if (result->has_best)
        tw_configuration_text(house->description, &result->best.configuration, &configuration);
    memory_resume();
    memory_see(seen, "%s of %lld, %lld of them ok, %d workers replaced",
               tw_text_or(&configuration, "none"), (long long)result->trials,
               (long long)result->counts[TW_DB_TRIAL_OK], result->replaced);
    memory_pause();
    tw_text_free(&configuration);
    memory_resume();
}

static tw_status run_and_store(void *context, struct tw_text *seen, struct tw_error *error) {
    struct session_result result;
    tw_status status = run_once(context, &result, error);
    if (status == TW_OK)
        see(context, &result, seen);
    return status;
}

static bool is_ok(void *context, const struct tw_db_trial_row *row) {
    (void)context;
    assert_int_equal(row->trial.status, TW_DB_TRIAL_OK);
    return true;
}

static void look_for_damage(const char *path) {
    sqlite3 *sqlite;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(path, &sqlite), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(sqlite, "PRAGMA integrity_check", -1, &statement, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_string_equal(sqlite3_column_text(statement, 0), "ok");
    sqlite3_finalize(statement);
    assert_int_equal(sqlite3_close(sqlite), SQLITE_OK);
}

static void remove_database(const char *path) {
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char file[1100];
        snprintf(file, sizeof file, "%s%s", path, suffixes[i]);
        unlink(file);
    }
}

static void look_and_go_on(void *context, bool worked) {
    const struct house *house = context;
    struct session_result result;
    struct tw_error error;
    char message[TW_DB_MESSAGE_SIZE];
    tw_db *db;
    look_for_damage(house->path);
    assert_int_equal(tw_db_open(&db, house->path, TW_DB_WRITE, message, sizeof message), TW_DB_OK);
    assert_int_equal(tw_db_trial_each(db, NULL, is_ok, NULL), TW_DB_OK);
    tw_db_close(db);
    if (!worked) {
        must(run_once(house, &result, &error), error);
        assert_true(result.has_best != house->options.trials_only);
        /* Or begins another: it may not have been able to say that it is over. */
        assert_true(result.trials >= TRIALS);
        assert_int_equal(result.counts[TW_DB_TRIAL_OK], result.trials);
    }
    remove_database(house->path);
}

static void a_run(void **state) {
    memory_fails_at_most(&(struct memory_scenario){"run", run_and_store, look_and_go_on, *state},
                         true, SAMPLE);
}

/* Whose best are measured again. */
static void a_record_of_trials(void **state) {
    struct house *house = *state;
    house->options.trials_only = true;
    memory_fails_at_most(&(struct memory_scenario){"record", run_and_store, look_and_go_on, house},
                         true, SAMPLE);
}

int main(int count, char **words) {
    fake_worker(count, words);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_record_of_trials, set_up, tear_down)};
    return cmocka_run_group_tests(tests, memory_start, NULL);
}
