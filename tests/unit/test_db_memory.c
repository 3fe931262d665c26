/* db/: when memory runs out, at every place where SQLite asks for some. */
#include "test_db_support.h"

#include <limits.h>

/* After so many more allocations each one fails. */
static sqlite3_mem_methods real_memory;
static int allocations_left = INT_MAX;

static bool memory_is_out(void) {
    if (allocations_left == INT_MAX) {
        return false;
    }
    return allocations_left == 0 || --allocations_left == 0;
}

static void *faulty_malloc(int size) {
    return memory_is_out() ? NULL : real_memory.xMalloc(size);
}

static void *faulty_realloc(void *memory, int size) {
    return memory_is_out() ? NULL : real_memory.xRealloc(memory, size);
}

static int install_faults(void **state) {
    (void)state;
    sqlite3_mem_methods memory;
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory);
    memory = real_memory;
    memory.xMalloc = faulty_malloc;
    memory.xRealloc = faulty_realloc;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &memory);
}

static bool look_at_best(void *context, const struct tw_db_best_row *row) {
    (void)context;
    assert_int_equal(row->problem.dimension_count, 3);
    assert_int_equal(row->problem.attribute_count, 2);
    assert_string_equal(row->best.configuration, "{\"BM\":128}");
    return true;
}

static enum tw_db_status use_database(const char *path, enum tw_db_mode mode, struct ids ids) {
    tw_db *db = NULL;
    char message[TW_DB_MESSAGE_SIZE];
    enum tw_db_status status = tw_db_open(&db, path, mode, message, sizeof message);
    if (status != TW_DB_OK) {
        assert_null(db);
        assert_string_not_equal(message, "");
        return status;
    }
    struct tw_db_trial trial = sample_trial(ids, "{}");
    if (mode == TW_DB_WRITE) {
        status = tw_db_trial_put(db, &trial, NULL);
    }
    int count = 0;
    if (status == TW_DB_OK) {
        status = tw_db_trial_each(db, NULL, count_trial, &count);
    }
    if (status == TW_DB_OK) {
        assert_int_equal(count, 1);
        status = tw_db_best_each(db, NULL, look_at_best, NULL);
    }
    if (status != TW_DB_OK) {
        assert_string_not_equal(tw_db_message(db), "");
    }
    tw_db_close(db);
    return status;
}

static void lack_of_memory_is_told_wherever_it_shows(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    struct ids ids = put_samples(db);
    struct tw_db_best best = sample_best(ids);
    assert_status(tw_db_best_put(db, &best), TW_DB_OK);
    tw_db_close(db);
    static const enum tw_db_mode modes[] = {TW_DB_WRITE, TW_DB_READ};
    for (int i = 0; i < 2; i++) {
        enum tw_db_status status = TW_DB_NO_MEMORY;
        int allocations = 0;
        /* Some failed allocations SQLite can do without. */
        for (bool ran_out = true; ran_out; allocations++) {
            allocations_left = allocations;
            status = use_database(fixture->path, modes[i], ids);
            ran_out = allocations_left == 0;
            allocations_left = INT_MAX;
            if (status != TW_DB_OK) {
                assert_status(status, TW_DB_NO_MEMORY);
            }
        }
        assert_status(status, TW_DB_OK);
        assert_true(allocations > 50);
    }
    db = open_db(fixture->path, TW_DB_READ);
    assert_sql(db, "PRAGMA integrity_check", "ok");
    tw_db_close(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DB_TEST(lack_of_memory_is_told_wherever_it_shows),
    };
    return cmocka_run_group_tests(tests, install_faults, NULL);
}
