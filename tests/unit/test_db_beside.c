/* db/: what reading leaves beside a file, which is nothing. */
#include "test_db_support.h"

#include <dirent.h>

static bool count_device(void *context, const struct tw_db_device *device) {
    (void)device;
    ++*(int *)context;
    return true;
}

static int count_devices(tw_db *db) {
    int count = 0;
    assert_status(tw_db_device_each(db, count_device, &count), TW_DB_OK);
    return count;
}

/* How many files lie in the fixture's directory. */
static int count_files(const struct fixture *fixture) {
    DIR *directory = opendir(fixture->directory);
    int count = 0;
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void reading_leaves_nothing_beside(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    put_samples(db);
    tw_db_close(db);
    assert_int_equal(count_files(fixture), 1);
    struct bytes before = read_file(fixture->path);
    tw_db *first = open_db(fixture->path, TW_DB_READ), *second = open_db(fixture->path, TW_DB_READ);
    assert_int_equal(count_devices(first), count_devices(second));
    assert_status(tw_db_begin(first), TW_DB_MISUSE);
    /* The first to close does not take the log from the second. */
    tw_db_close(first);
    assert_true(count_devices(second) > 0);
    tw_db_close(second);
    assert_int_equal(count_files(fixture), 1);
    struct bytes after = read_file(fixture->path);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, before.size);
    free(before.data);
    free(after.data);
    /* A reader beside a writer sees what the writer has stored, and leaves its log alone. */
    tw_db *writer = open_db(fixture->path, TW_DB_WRITE);
    int64_t id;
    struct tw_db_device device = sample_device;
    device.fingerprint = "another";
    db = open_db(fixture->path, TW_DB_READ);
    int known = count_devices(db);
    assert_status(tw_db_device_put(writer, &device, &id), TW_DB_OK);
    assert_int_equal(count_devices(db), known + 1);
    tw_db_close(db);
    assert_status(tw_db_device_find(writer, "another", &id), TW_DB_OK);
    tw_db_close(writer);
    assert_int_equal(count_files(fixture), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DB_TEST(reading_leaves_nothing_beside),
    };
    return cmocka_run_group_tests_name("db beside", tests, NULL, NULL);
}
