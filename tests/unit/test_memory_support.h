/* What tests of failing allocations share that change databases: their rows as text, and files put
 * back as they were. */
#ifndef TW_TEST_MEMORY_SUPPORT_H
#define TW_TEST_MEMORY_SUPPORT_H

#include "test_db_support.h"

#include "tests/support/memory.h"

/* The file as it was, or none. */
SUPPORT void put_back(const char *path, const struct bytes *file) {
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char name[700];
        snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        unlink(name);
    }
    if (file->data != NULL)
        write_file(path, file->data, file->size);
}

SUPPORT int add_row(void *context, int count, char **values, char **names) {
    (void)names;
    for (int i = 0; i < count; i++)
        tw_text_print(context, "%s|", values[i] != NULL ? values[i] : "");
    tw_text_print(context, "\n");
    return 0;
}

struct rows {
    sqlite3 *sqlite;
    struct tw_text text;
};

SUPPORT int add_table(void *context, int count, char **values, char **names) {
    struct rows *rows = context;
    char sql[200];
    (void)count;
    (void)names;
    snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY 1, 2", values[0]);
    tw_text_print(&rows->text, "%s\n", values[0]);
    return sqlite3_exec(rows->sqlite, sql, add_row, &rows->text, NULL);
}

/* All that is stored, after a look for damage; "" of a file that is not there. The caller frees. */
SUPPORT char *rows_of(const char *path) {
    struct rows rows = {0};
    char sound[64];
    tw_text_add(&rows.text, "", 0);
    if (access(path, F_OK) != 0)
        return rows.text.data;
    assert_int_equal(sqlite3_open(path, &rows.sqlite), SQLITE_OK);
    read_sql(rows.sqlite, "PRAGMA integrity_check", sound, sizeof sound);
    assert_string_equal(sound, "ok");
    assert_int_equal(
        sqlite3_exec(rows.sqlite,
                     "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", add_table,
                     &rows, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(rows.sqlite), SQLITE_OK);
    assert_false(rows.text.failed);
    return rows.text.data;
}

#endif
