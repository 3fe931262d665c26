/* db/: trials. Each once, valid, and found again. */
#include "db/upkeep.h"
#include "test_db_support.h"

#include <math.h>

static bool see_full_trial(void *context, const struct tw_db_trial_row *row) {
    const struct tw_db_trial *expected = context;
    const struct tw_db_trial *trial = &row->trial;
    assert_string_equal(row->kernel, "gemm");
    assert_string_equal(row->problem_key, sample_problem.key);
    assert_string_equal(row->implementation_name, "tiled");
    assert_string_equal(row->template_hash, "a1b2");
    assert_int_equal(trial->run, expected->run);
    assert_int_equal(trial->problem, expected->problem);
    assert_int_equal(trial->device, expected->device);
    assert_int_equal(trial->implementation, expected->implementation);
    assert_string_equal(trial->cache_policy, expected->cache_policy);
    assert_string_equal(trial->configuration, expected->configuration);
    assert_int_equal(trial->status, expected->status);
    assert_string_equal(trial->message, expected->message);
    assert_true(trial->has_time && trial->has_interval && trial->screened_out);
    assert_true(trial->time_us == expected->time_us);
    assert_int_equal(trial->repeats, expected->repeats);
    assert_true(trial->ci_low_us == expected->ci_low_us);
    assert_true(trial->ci_high_us == expected->ci_high_us);
    assert_true(trial->has_error && trial->max_rel_error == expected->max_rel_error);
    assert_true(trial->rms_rel_error == expected->rms_rel_error);
    assert_true(trial->has_hard == expected->has_hard);
    assert_true(trial->hard_max_error == expected->hard_max_error);
    assert_true(trial->hard_rms_error == expected->hard_rms_error);
    assert_true(trial->has_compile_ms && trial->compile_ms == expected->compile_ms);
    assert_true(trial->has_registers && trial->registers == expected->registers);
    assert_true(trial->has_spill_bytes && trial->spill_bytes == expected->spill_bytes);
    assert_true(trial->has_shared_bytes && trial->shared_bytes == expected->shared_bytes);
    assert_int_equal(trial->created_at, expected->created_at);
    return true;
}

static bool see_bare_trial(void *context, const struct tw_db_trial_row *row) {
    const struct tw_db_trial *trial = &row->trial;
    *(bool *)context = true;
    assert_int_equal(trial->status, TW_DB_TRIAL_CRASH);
    assert_null(trial->message);
    assert_false(trial->has_time || trial->has_interval || trial->has_error ||
                 trial->has_compile_ms || trial->has_registers || trial->has_spill_bytes ||
                 trial->has_shared_bytes || trial->screened_out);
    assert_true(trial->created_at > 0);
    return true;
}

static void trial_round_trips(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_trial full = sample_trial(ids, "{\"BM\":64,\"note\":\"it's\"}");
    full.message = "slow";
    full.has_interval = true;
    full.ci_low_us = 12;
    full.ci_high_us = 13;
    full.screened_out = true;
    full.has_error = true;
    full.max_rel_error = 1e-6;
    full.rms_rel_error = 1e-7;
    full.has_hard = true;
    full.hard_max_error = 3e-6;
    full.hard_rms_error = 3e-7;
    full.has_compile_ms = true;
    full.compile_ms = 312.5;
    full.has_registers = true;
    full.registers = 128;
    full.has_spill_bytes = true;
    full.spill_bytes = 0;
    full.has_shared_bytes = true;
    full.shared_bytes = 49152;
    full.created_at = 1700000000;
    bool inserted = false;
    assert_status(tw_db_trial_put(db, &full, &inserted), TW_DB_OK);
    assert_true(inserted);
    assert_status(tw_db_trial_each(db, NULL, see_full_trial, &full), TW_DB_OK);

    const struct tw_db_trial bare = {.run = ids.run,
                                     .problem = ids.problem,
                                     .device = ids.device,
                                     .implementation = ids.implementation,
                                     .cache_policy = "warm",
                                     .configuration = "{}",
                                     .status = TW_DB_TRIAL_CRASH};
    assert_status(tw_db_trial_put(db, &bare, NULL), TW_DB_OK);
    const struct tw_db_trial_filter warm = {.cache_policy = "warm"};
    bool seen = false;
    assert_status(tw_db_trial_each(db, &warm, see_bare_trial, &seen), TW_DB_OK);
    assert_true(seen);
    tw_db_close(db);
}

static void first_of_two_equal_trials_stays(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_trial trial = sample_trial(ids, "{}");
    bool inserted = false;
    assert_status(tw_db_trial_put(db, &trial, &inserted), TW_DB_OK);
    assert_true(inserted);
    trial.time_us = 1;
    assert_status(tw_db_trial_put(db, &trial, &inserted), TW_DB_OK);
    assert_false(inserted);
    assert_sql(db, "SELECT group_concat(time_us) FROM trial", "12.5");
    trial.cache_policy = "warm";
    assert_status(tw_db_trial_put(db, &trial, &inserted), TW_DB_OK);
    assert_true(inserted);
    tw_db_close(db);
}

static void invalid_trials_are_refused(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_trial bad[12];
    for (int i = 0; i < 12; i++) {
        bad[i] = sample_trial(ids, "{}");
    }
    bad[0].time_us = 0;
    bad[1].time_us = -1;
    bad[2].time_us = NAN;
    bad[3].has_time = false;
    bad[4].status = TW_DB_TRIAL_WRONG;
    bad[5].repeats = 0;
    bad[6].has_interval = true;
    bad[6].ci_low_us = 13;
    bad[6].ci_high_us = 14;
    bad[7].run = ids.run + 1;
    bad[8].implementation = 0;
    bad[9].configuration = NULL;
    bad[10].cache_policy = "";
    bad[11].status = TW_DB_TRIAL_TIMEOUT;
    bad[11].has_time = false;
    bad[11].screened_out = true;
    for (int i = 0; i < 12; i++) {
        bool inserted = true;
        assert_status(tw_db_trial_put(db, &bad[i], &inserted), TW_DB_CONSTRAINT);
        assert_false(inserted);
    }
    bad[0] = sample_trial(ids, "{}");
    bad[0].status = (enum tw_db_trial_status)99;
    assert_status(tw_db_trial_put(db, &bad[0], NULL), TW_DB_CONSTRAINT);
    assert_int_equal(count_trials(db, NULL), 0);
    tw_db_close(db);
}

static bool see_infinite_error(void *context, const struct tw_db_trial_row *row) {
    *(bool *)context =
        row->trial.has_error && isinf(row->trial.max_rel_error) && row->trial.rms_rel_error == 0.5;
    return true;
}

static void error_that_is_no_number_is_infinite(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct tw_db_trial trial = sample_trial(put_samples(db), "{}");
    trial.status = TW_DB_TRIAL_WRONG;
    trial.has_time = false;
    trial.has_error = true;
    trial.max_rel_error = NAN;
    trial.rms_rel_error = 0.5;
    assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
    bool infinite = false;
    assert_status(tw_db_trial_each(db, NULL, see_infinite_error, &infinite), TW_DB_OK);
    assert_true(infinite);
    tw_db_close(db);
}

static bool see_status(void *context, const struct tw_db_trial_row *row) {
    int *next = context;
    assert_int_equal(row->trial.status, *next);
    assert_string_equal(row->trial.configuration, tw_db_trial_status_text(row->trial.status));
    ++*next;
    return true;
}

static void every_status_is_known_to_the_schema(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    int count = 0;
#define X(name, text)                                                                              \
    {                                                                                              \
        struct tw_db_trial trial = sample_trial(ids, text);                                        \
        trial.status = TW_DB_TRIAL_##name;                                                         \
        trial.has_time = trial.status == TW_DB_TRIAL_OK;                                           \
        assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);                                \
        count++;                                                                                   \
    }
    TW_DB_TRIAL_STATUSES(X)
#undef X
    int seen = 0;
    assert_status(tw_db_trial_each(db, NULL, see_status, &seen), TW_DB_OK);
    assert_int_equal(seen, count);
    assert_string_equal(tw_db_trial_status_text((enum tw_db_trial_status)count), "unknown status");
    tw_db_close(db);
}

static bool stop_at_second(void *context, const struct tw_db_trial_row *row) {
    (void)row;
    return ++*(int *)context < 2;
}

static void trials_are_filtered(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_implementation other_implementation = sample_implementation;
    other_implementation.name = "split";
    struct tw_db_device other_device = sample_device;
    other_device.fingerprint = "opencl:cpu";
    struct ids other = ids;
    assert_status(tw_db_implementation_put(db, &other_implementation, &other.implementation),
                  TW_DB_OK);
    struct ids elsewhere = ids;
    assert_status(tw_db_device_put(db, &other_device, &elsewhere.device), TW_DB_OK);
    struct tw_db_run run = sample_run(elsewhere);
    assert_status(tw_db_run_begin(db, &run, &elsewhere.run), TW_DB_OK);

    static const char *const configurations[] = {"{\"BM\":1}", "{\"BM\":2}", "{\"BM\":3}"};
    for (int i = 0; i < 3; i++) {
        struct tw_db_trial trials[] = {sample_trial(ids, configurations[i]),
                                       sample_trial(other, configurations[i]),
                                       sample_trial(elsewhere, configurations[i])};
        trials[1].cache_policy = "warm";
        for (int j = 0; j < 3; j++) {
            assert_status(tw_db_trial_put(db, &trials[j], NULL), TW_DB_OK);
        }
    }
    assert_int_equal(count_trials(db, NULL), 9);
    struct tw_db_trial_filter filter = {.run = elsewhere.run};
    assert_int_equal(count_trials(db, &filter), 3);
    filter = (struct tw_db_trial_filter){.problem = ids.problem, .device = ids.device};
    assert_int_equal(count_trials(db, &filter), 6);
    filter.cache_policy = "cold";
    assert_int_equal(count_trials(db, &filter), 3);
    const int64_t both[] = {ids.implementation, other.implementation};
    filter = (struct tw_db_trial_filter){.implementations = both, .implementation_count = 2};
    assert_int_equal(count_trials(db, &filter), 9);
    filter.implementation_count = 1;
    assert_int_equal(count_trials(db, &filter), 6);
    filter.implementation_count = 0;
    assert_int_equal(count_trials(db, &filter), 0);
    int seen = 0;
    assert_status(tw_db_trial_each(db, NULL, stop_at_second, &seen), TW_DB_OK);
    assert_int_equal(seen, 2);
    tw_db_close(db);
}

/* Every filter takes away exactly what it lets see, and nothing else of the file. */
static void trials_are_removed_by_filter(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    const unsigned failures = TW_DB_TRIAL_FAILURES, crash = TW_DB_TRIAL_BIT(TW_DB_TRIAL_CRASH);
    const struct tw_db_trial_filter filters[] = {
        {.statuses = crash},
        {.statuses = failures},
        {.kernel = "gemm", .statuses = TW_DB_TRIAL_BIT(TW_DB_TRIAL_OK) | crash},
        {.problem_key = sample_problem.key},
        {.device_fingerprint = sample_device.fingerprint, .statuses = crash},
        {.run = ids.run, .problem = ids.problem, .device = ids.device, .cache_policy = "cold"},
        {.kernel = "transpose"},
        {.problem_key = "M=1"},
        {.device_fingerprint = "none"},
        {.cache_policy = "warm"},
    };
    const int64_t expected[] = {1, 7, 2, 8, 1, 8, 0, 0, 0, 0};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        int64_t removed = -1;
        for (int s = 0; s < TW_DB_TRIAL_STATUS_COUNT; s++) {
            const char *name = tw_db_trial_status_text((enum tw_db_trial_status)s);
            struct tw_db_trial trial = sample_trial(ids, name);
            trial.status = (enum tw_db_trial_status)s;
            trial.has_time = trial.status == TW_DB_TRIAL_OK;
            assert_status(tw_db_trial_put(db, &trial, NULL), TW_DB_OK);
        }
        assert_int_equal(count_trials(db, NULL), TW_DB_TRIAL_STATUS_COUNT);
        assert_int_equal(count_trials(db, &filters[i]), expected[i]);
        assert_status(tw_db_trials_remove(db, &filters[i], &removed), TW_DB_OK);
        assert_int_equal(removed, expected[i]);
        assert_int_equal(count_trials(db, &filters[i]), 0);
        assert_int_equal(count_trials(db, NULL), TW_DB_TRIAL_STATUS_COUNT - expected[i]);
    }
    assert_sql(db, "SELECT count(*) FROM run", "1");
    assert_sql(db, "SELECT count(*) FROM problem", "1");
    tw_db_close(db);
    db = open_db(fixture->path, TW_DB_READ);
    int64_t removed = -1;
    assert_status(tw_db_trials_remove(db, &filters[0], &removed), TW_DB_MISUSE);
    assert_int_equal(removed, 0);
    tw_db_close(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DB_TEST(trials_are_removed_by_filter),
        DB_TEST(trial_round_trips),
        DB_TEST(first_of_two_equal_trials_stays),
        DB_TEST(invalid_trials_are_refused),
        DB_TEST(error_that_is_no_number_is_infinite),
        DB_TEST(every_status_is_known_to_the_schema),
        DB_TEST(trials_are_filtered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
