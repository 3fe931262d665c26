/* db/: what goes in comes out, and what must be unique or valid is. */
#include "test_db_support.h"

static bool see_device(void *context, const struct tw_db_device *device) {
    const struct tw_db_device *expected = context;
    assert_string_equal(device->fingerprint, expected->fingerprint);
    assert_string_equal(device->backend, expected->backend);
    assert_string_equal(device->name, expected->name);
    assert_int_equal(device->compute_units, expected->compute_units);
    assert_int_equal(device->memory_bytes, expected->memory_bytes);
    if (expected->vendor == NULL) {
        assert_null(device->vendor);
        assert_null(device->architecture);
        assert_null(device->properties);
    } else {
        assert_string_equal(device->vendor, expected->vendor);
        assert_string_equal(device->architecture, expected->architecture);
        assert_string_equal(device->properties, expected->properties);
    }
    return true;
}

static void device_is_put_found_and_updated(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct tw_db_device device = sample_device;
    int64_t id = 0;
    int64_t again = 0;
    assert_status(tw_db_device_find(db, device.fingerprint, &id), TW_DB_NOT_FOUND);
    assert_int_equal(id, 0);
    assert_status(tw_db_device_put(db, &device, &id), TW_DB_OK);
    assert_true(id > 0);
    assert_status(tw_db_device_each(db, see_device, &device), TW_DB_OK);

    device.name = "renamed";
    device.vendor = NULL;
    device.architecture = NULL;
    device.properties = NULL;
    assert_status(tw_db_device_put(db, &device, &again), TW_DB_OK);
    assert_int_equal(again, id);
    assert_status(tw_db_device_each(db, see_device, &device), TW_DB_OK);
    assert_status(tw_db_device_find(db, device.fingerprint, &again), TW_DB_OK);
    assert_int_equal(again, id);

    device.backend = NULL;
    assert_status(tw_db_device_put(db, &device, &again), TW_DB_CONSTRAINT);
    assert_non_null(strstr(tw_db_message(db), "tune.db"));
    tw_db_close(db);
}

static bool see_problem(void *context, const struct tw_db_problem *problem) {
    ++*(int *)context;
    if (strcmp(problem->kernel, "copy") == 0) {
        assert_int_equal(problem->attribute_count, 0);
        assert_int_equal(problem->dimension_count, 0);
        return true;
    }
    assert_string_equal(problem->key, sample_problem.key);
    assert_int_equal(problem->dimension_count, 3);
    assert_int_equal(problem->attribute_count, 2);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(problem->dimensions[i].name, sample_dimensions[i].name);
        assert_int_equal(problem->dimensions[i].value, sample_dimensions[i].value);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(problem->attributes[i].name, sample_attributes[i].name);
        assert_string_equal(problem->attributes[i].value, sample_attributes[i].value);
    }
    return true;
}

static void problem_keeps_its_dimensions_in_order(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    const struct tw_db_problem other = {.kernel = "copy", .key = sample_problem.key};
    int64_t first = 0;
    int64_t second = 0;
    int64_t again = 0;
    assert_status(tw_db_problem_put(db, &sample_problem, &first), TW_DB_OK);
    assert_status(tw_db_problem_put(db, &other, &second), TW_DB_OK);
    assert_int_not_equal(first, second);
    assert_status(tw_db_problem_put(db, &sample_problem, &again), TW_DB_OK);
    assert_int_equal(again, first);
    assert_status(tw_db_problem_find(db, "gemm", sample_problem.key, &again), TW_DB_OK);
    assert_int_equal(again, first);
    assert_status(tw_db_problem_find(db, "gemm", "M=1", &again), TW_DB_NOT_FOUND);
    int seen = 0;
    assert_status(tw_db_problem_each(db, NULL, see_problem, &seen), TW_DB_OK);
    assert_int_equal(seen, 2);
    assert_status(tw_db_problem_each(db, "gemm", see_problem, &seen), TW_DB_OK);
    assert_int_equal(seen, 3);
    tw_db_close(db);
}

static void bad_dimension_leaves_no_problem_behind(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    const struct tw_db_dimension bad[] = {{"M", 1}, {"N", 0}};
    const struct tw_db_problem problem = {
        .kernel = "gemm", .key = "M=1,N=0", .dimensions = bad, .dimension_count = 2};
    int64_t id = 0;
    assert_status(tw_db_problem_put(db, &problem, &id), TW_DB_CONSTRAINT);
    assert_status(tw_db_problem_find(db, "gemm", "M=1,N=0", &id), TW_DB_NOT_FOUND);

    /* Nor inside a transaction, whose other writes stay. */
    assert_status(tw_db_begin(db), TW_DB_OK);
    assert_status(tw_db_device_put(db, &sample_device, &id), TW_DB_OK);
    assert_status(tw_db_problem_put(db, &problem, &id), TW_DB_CONSTRAINT);
    assert_status(tw_db_commit(db), TW_DB_OK);
    assert_status(tw_db_problem_find(db, "gemm", "M=1,N=0", &id), TW_DB_NOT_FOUND);
    assert_status(tw_db_device_find(db, sample_device.fingerprint, &id), TW_DB_OK);
    tw_db_close(db);
}

static bool see_implementation(void *context, const struct tw_db_implementation *row) {
    char *seen = context;
    strcat(seen, row->template_hash);
    strcat(seen, "=");
    strcat(seen, row->description);
    strcat(seen, " ");
    return true;
}

static void implementation_is_unique_with_its_hash(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct tw_db_implementation row = sample_implementation;
    int64_t old = 0;
    int64_t new = 0;
    int64_t again = 0;
    row.description = "old";
    assert_status(tw_db_implementation_put(db, &row, &old), TW_DB_OK);
    row.template_hash = "c3d4";
    assert_status(tw_db_implementation_put(db, &row, &new), TW_DB_OK);
    assert_int_not_equal(old, new);
    row.description = "new";
    assert_status(tw_db_implementation_put(db, &row, &again), TW_DB_OK);
    assert_int_equal(again, new);
    assert_status(tw_db_implementation_find(db, "gemm", "tiled", "a1b2", &again), TW_DB_OK);
    assert_int_equal(again, old);
    assert_status(tw_db_implementation_find(db, "gemm", "tiled", "", &again), TW_DB_NOT_FOUND);
    char seen[64] = "";
    assert_status(tw_db_implementation_each(db, "gemm", see_implementation, seen), TW_DB_OK);
    assert_string_equal(seen, "c3d4=new a1b2=old ");
    seen[0] = '\0';
    assert_status(tw_db_implementation_each(db, "copy", see_implementation, seen), TW_DB_OK);
    assert_string_equal(seen, "");
    tw_db_close(db);
}

struct seen_best {
    int rows;
    char configurations[128];
};

static bool see_best(void *context, const struct tw_db_best_row *row) {
    struct seen_best *seen = context;
    seen->rows++;
    strcat(seen->configurations, row->best.configuration);
    assert_string_equal(row->problem.kernel, "gemm");
    assert_int_equal(row->problem.dimension_count, 3);
    assert_string_equal(row->problem.dimensions[1].name, "N");
    assert_int_equal(row->problem.dimensions[1].value, 512);
    assert_string_equal(row->problem.attributes[0].value, "f32");
    assert_string_equal(row->device.architecture, "sm_90");
    return true;
}

static bool see_full_best(void *context, const struct tw_db_best_row *row) {
    const struct tw_db_best *expected = context;
    const struct tw_db_best *best = &row->best;
    assert_string_equal(row->implementation_name, "tiled");
    assert_string_equal(row->template_hash, "a1b2");
    assert_string_equal(row->device.fingerprint, sample_device.fingerprint);
    assert_int_equal(best->problem, expected->problem);
    assert_int_equal(best->device, expected->device);
    assert_int_equal(best->implementation, expected->implementation);
    assert_string_equal(best->cache_policy, "cold");
    assert_string_equal(best->configuration, expected->configuration);
    assert_true(best->time_us == expected->time_us);
    assert_true(best->ci_low_us == expected->ci_low_us);
    assert_true(best->ci_high_us == expected->ci_high_us);
    assert_int_equal(best->repeats, expected->repeats);
    assert_string_equal(best->rate_unit, expected->rate_unit);
    assert_true(best->rate == expected->rate);
    assert_true(best->has_error);
    assert_true(best->max_rel_error == expected->max_rel_error);
    assert_true(best->rms_rel_error == expected->rms_rel_error);
    assert_true(best->has_hard == expected->has_hard);
    assert_true(best->hard_max_error == expected->hard_max_error);
    assert_true(best->hard_rms_error == expected->hard_rms_error);
    assert_string_equal(best->tie_set, expected->tie_set);
    assert_string_equal(best->baselines, expected->baselines);
    assert_int_equal(best->run, expected->run);
    assert_int_equal(best->measured_at, expected->measured_at);
    return true;
}

static void best_round_trips_and_is_replaced(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_best best = sample_best(ids);
    best.run = 0;
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);
    assert_sql(db, "SELECT count(*) FROM best WHERE run IS NULL AND rate IS NULL", "1");
    best.configuration = "{\"BM\":256}";
    best.time_us = 11;
    best.ci_low_us = 10.5;
    best.ci_high_us = 11.5;
    best.repeats = 100;
    best.rate_unit = "TFLOP/s";
    best.rate = 51.5;
    best.has_error = true;
    best.max_rel_error = 2e-6;
    best.rms_rel_error = 1e-7;
    best.has_hard = true;
    best.hard_max_error = 4e-6;
    best.hard_rms_error = 4e-7;
    best.tie_set = "[{\"BM\":64}]";
    best.baselines = "{\"naive\":900}";
    best.run = ids.run;
    best.measured_at = 1700000001;
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);
    assert_sql(db, "SELECT count(*) FROM best", "1");
    assert_status(tw_db_best_each(db, NULL, see_full_best, &best), TW_DB_OK);

    best.ci_low_us = 12;
    assert_status(tw_db_best_put(db, &best), TW_DB_CONSTRAINT);
    best = sample_best(ids);
    best.rate_unit = "GB/s"; /* without a rate */
    assert_status(tw_db_best_put(db, &best), TW_DB_CONSTRAINT);
    best = sample_best(ids);
    best.device = 0;
    assert_status(tw_db_best_put(db, &best), TW_DB_CONSTRAINT);
    assert_sql(db, "SELECT configuration FROM best", "{\"BM\":256}");
    tw_db_close(db);
}

/* What a search has found so far: there is one row of it at most, the fastest, and none beside what
 * a playoff decided for one of the implementations. */
static void provisional_best_gives_way(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_implementation more = sample_implementation;
    int64_t own[2] = {ids.implementation, 0}, elsewhere = 0;
    more.name = "another";
    assert_status(tw_db_implementation_put(db, &more, &own[1]), TW_DB_OK);
    more.template_hash = "of yesterday";
    assert_status(tw_db_implementation_put(db, &more, &elsewhere), TW_DB_OK);
    static const char all[] = "SELECT group_concat(time_us || configuration, ' ') FROM"
                              " (SELECT * FROM best ORDER BY time_us)";
    struct tw_db_best best = sample_best(ids);
    best.ci_low_us = 1;
    best.ci_high_us = 99;
    const struct {
        double time_us;
        int64_t implementation;
        const char *then;
    } steps[] = {{12, own[0], "12.0x"},
                 {13, own[1], "12.0x"},
                 {11, own[1], "11.0x"},
                 {11, own[0], "11.0x"},
                 {10, own[0], "10.0x"}};
    best.configuration = "x";
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        best.time_us = steps[i].time_us;
        best.implementation = steps[i].implementation;
        assert_status(tw_db_best_put_provisional(db, &best, own, 2), TW_DB_OK);
        assert_sql(db, all, steps[i].then);
    }
    /* Another policy's is another row, and a winner of another template is none of ours. */
    best.cache_policy = "warm";
    best.time_us = 20;
    assert_status(tw_db_best_put_provisional(db, &best, own, 2), TW_DB_OK);
    best.cache_policy = "cold";
    best.implementation = elsewhere;
    best.configuration = "old";
    best.tie_set = "[]";
    best.time_us = 2;
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);
    best.configuration = "y";
    best.implementation = own[1];
    best.tie_set = NULL;
    best.time_us = 9;
    assert_status(tw_db_best_put_provisional(db, &best, own, 2), TW_DB_OK);
    assert_sql(db, all, "2.0old 9.0y 20.0x");

    /* A winner stays whatever a search believes. */
    best.configuration = "won";
    best.tie_set = "[]";
    best.time_us = 15;
    assert_status(tw_db_best_remove_provisional(db, ids.problem, ids.device, "cold"), TW_DB_OK);
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);
    best.configuration = "z";
    best.tie_set = NULL;
    best.time_us = 3;
    best.implementation = own[0];
    assert_status(tw_db_best_put_provisional(db, &best, own, 2), TW_DB_OK);
    assert_sql(db, all, "2.0old 15.0won 20.0x");
    best.tie_set = "[]";
    assert_status(tw_db_best_put_provisional(db, &best, own, 2), TW_DB_MISUSE);
    best.tie_set = NULL;
    best.device = 99;
    assert_status(tw_db_best_put_provisional(db, &best, own, 2), TW_DB_CONSTRAINT);
    assert_sql(db, all, "2.0old 15.0won 20.0x");
    tw_db_close(db);
}

static void best_is_looked_up_exactly_and_listed(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_best best = sample_best(ids);
    best.configuration = "b";
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);
    struct tw_db_implementation changed = sample_implementation;
    changed.template_hash = "changed";
    assert_status(tw_db_implementation_put(db, &changed, &best.implementation), TW_DB_OK);
    best.configuration = "a";
    best.time_us = best.ci_low_us = best.ci_high_us = 5;
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);
    best.configuration = "c";
    best.cache_policy = "warm";
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);

    struct seen_best seen = {0};
    assert_status(tw_db_best_each(db, NULL, see_best, &seen), TW_DB_OK);
    assert_string_equal(seen.configurations, "abc");
    memset(&seen, 0, sizeof seen);
    struct tw_db_best_filter filter = {.kernel = "gemm",
                                       .problem_key = sample_problem.key,
                                       .device_fingerprint = sample_device.fingerprint,
                                       .cache_policy = "cold"};
    assert_status(tw_db_best_each(db, &filter, see_best, &seen), TW_DB_OK);
    assert_string_equal(seen.configurations, "ab");
    filter.implementation_name = "split";
    memset(&seen, 0, sizeof seen);
    assert_status(tw_db_best_each(db, &filter, see_best, &seen), TW_DB_OK);
    assert_int_equal(seen.rows, 0);
    tw_db_close(db);

    /* The runtime reads the same through a handle that cannot write. */
    db = open_db(fixture->path, TW_DB_READ);
    assert_status(tw_db_best_each(db, NULL, see_best, &seen), TW_DB_OK);
    assert_int_equal(seen.rows, 3);
    assert_status(tw_db_best_put(db, &best), TW_DB_MISUSE);
    assert_non_null(strstr(tw_db_message(db), "reading only"));
    tw_db_close(db);
}

static void transaction_keeps_all_or_nothing(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_trial first = sample_trial(ids, "1");
    struct tw_db_trial second = sample_trial(ids, "2");
    assert_status(tw_db_commit(db), TW_DB_MISUSE);
    tw_db_rollback(db);

    assert_status(tw_db_begin(db), TW_DB_OK);
    assert_status(tw_db_begin(db), TW_DB_MISUSE);
    assert_status(tw_db_trial_put(db, &first, NULL), TW_DB_OK);
    tw_db_rollback(db);
    assert_int_equal(count_trials(db, NULL), 0);

    assert_status(tw_db_begin(db), TW_DB_OK);
    assert_status(tw_db_trial_put(db, &first, NULL), TW_DB_OK);
    assert_status(tw_db_trial_put(db, &second, NULL), TW_DB_OK);
    assert_status(tw_db_commit(db), TW_DB_OK);
    assert_int_equal(count_trials(db, NULL), 2);

    assert_status(tw_db_begin(db), TW_DB_OK);
    struct tw_db_trial third = sample_trial(ids, "3");
    assert_status(tw_db_trial_put(db, &third, NULL), TW_DB_OK);
    tw_db_close(db);
    db = open_db(fixture->path, TW_DB_READ);
    assert_int_equal(count_trials(db, NULL), 2);
    tw_db_close(db);
}

struct writing_visitor {
    tw_db *db;
    struct tw_db_trial trial;
    int inner;
};

static bool write_while_visiting(void *context, const struct tw_db_trial_row *row) {
    struct writing_visitor *visitor = context;
    (void)row;
    assert_status(tw_db_trial_put(visitor->db, &visitor->trial, NULL), TW_DB_MISUSE);
    assert_status(tw_db_begin(visitor->db), TW_DB_MISUSE);
    visitor->inner += count_trials(visitor->db, NULL);
    return true;
}

static void visitor_may_read_but_not_write(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct writing_visitor visitor = {.db = db, .trial = sample_trial(ids, "{}")};
    assert_status(tw_db_trial_put(db, &visitor.trial, NULL), TW_DB_OK);
    assert_status(tw_db_trial_each(db, NULL, write_while_visiting, &visitor), TW_DB_OK);
    assert_int_equal(visitor.inner, 1);
    visitor.trial.configuration = "after";
    assert_status(tw_db_trial_put(db, &visitor.trial, NULL), TW_DB_OK);
    tw_db_close(db);
}

static void statuses_have_words(void **state) {
    (void)state;
    assert_string_equal(tw_db_status_text(TW_DB_OK), "ok");
    assert_string_equal(tw_db_status_text((enum tw_db_status)99), "unknown status");
    assert_string_equal(tw_db_run_state_text(TW_DB_RUN_INTERRUPTED), "interrupted");
    assert_string_equal(tw_db_run_state_text((enum tw_db_run_state)99), "unknown state");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DB_TEST(device_is_put_found_and_updated),
        DB_TEST(problem_keeps_its_dimensions_in_order),
        DB_TEST(bad_dimension_leaves_no_problem_behind),
        DB_TEST(implementation_is_unique_with_its_hash),
        DB_TEST(best_round_trips_and_is_replaced),
        DB_TEST(provisional_best_gives_way),
        DB_TEST(best_is_looked_up_exactly_and_listed),
        DB_TEST(transaction_keeps_all_or_nothing),
        DB_TEST(visitor_may_read_but_not_write),
        cmocka_unit_test(statuses_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
