/* tuner/exchange: checking and pruning databases. */
#include "test_exchange_support.h"

#include "db/merge.h"
#include "runtime/base/printable.h"
#include "tuner/exchange/check.h"
#include "tuner/exchange/merge.h"
#include "tuner/exchange/prune.h"

static struct known_kernels known;

static int start(void **state) {
    struct tw_error error;
    return known_kernels_open(&known, NULL, 0, &error) == TW_OK ? fixture_start(state) : -1;
}

static int end(void **state) {
    known_kernels_close(&known);
    return fixture_end(state);
}

struct findings {
    char text[8000];
};

static void collect(void *context, bool is_error, const char *line) {
    struct findings *findings = context;
    size_t length = strlen(findings->text);
    assert_true(tw_is_printable(line));
    snprintf(findings->text + length, sizeof findings->text - length, "%s: %s\n",
             is_error ? "error" : "note", line);
}

static struct checked check(const char *path, struct findings *findings) {
    struct checked checked;
    struct tw_error error;
    *findings = (struct findings){0};
    tw_db *db = open_db(path, TW_DB_READ);
    assert_fine(check_database(db, &known, collect, findings, &checked, &error), error);
    tw_db_close(db);
    return checked;
}

static void make(const char *path) {
    unlink(path);
    tw_db *db = open_db(path, TW_DB_WRITE);
    put_three(db, &known);
    tw_db_close(db);
}

static void clean_database_is_clean(void **state) {
    struct fixture *fixture = *state;
    struct findings findings;
    make(fixture->path);
    struct checked checked = check(fixture->path, &findings);
    assert_string_equal(findings.text, "");
    assert_int_equal(checked.errors + checked.notes, 0);
}

static void what_is_wrong_is_told_by_name(void **state) {
    struct fixture *fixture = *state;
    static const char *const harm[][2] = {
        {"UPDATE best SET configuration = '{\"BLOCK_X\":17,\"BLOCK_Y\":16}'"
         " WHERE configuration LIKE '%\"BLOCK_X\":16%'",
         "gemm M=64,N=32,K=16;dtype=f32,trans=nn on NVIDIA H200, cold cache, naive"},
        {"UPDATE best SET configuration = '{\"BLOCK_X\":8,\"BLOCK_Y\":1}'"
         " WHERE configuration LIKE '%\"BLOCK_X\":16%'",
         "constraint"},
        {"UPDATE best SET rate = rate * 2 WHERE rate_unit = 'GB/s'", "its rate"},
        {"UPDATE problem SET kernel = 'mine' WHERE kernel = 'copy'", "kernel mine: no such kernel"},
        {"UPDATE problem SET kernel = char(27) || '[2J' || char(10) || 'x' WHERE kernel = 'copy'",
         "kernel ?[2J?x"},
        {"UPDATE problem_dimension SET value = 3 WHERE name = 'K'", "its key should be"},
        {"UPDATE problem_attribute SET value = 'f16' WHERE name = 'dtype'", "f16"},
        {"UPDATE implementation SET name = 'gone' WHERE kernel = 'copy'", "gone"},
        {"UPDATE best SET run = 99 WHERE run IS NOT NULL", "run that is not there"},
        {"PRAGMA ignore_check_constraints = 1; UPDATE best SET ci_low_us = time_us + 1", "CHECK"},
        {"UPDATE device SET name = hex(zeroblob(3000000))", "device's name"},
        {"CREATE TRIGGER t AFTER DELETE ON best BEGIN SELECT 1; END", "trigger t"},
    };
    for (size_t i = 0; i < sizeof harm / sizeof *harm; i++) {
        struct findings findings;
        make(fixture->path);
        run_sql(fixture->path, harm[i][0]);
        struct checked checked = check(fixture->path, &findings);
        assert_true(checked.errors > 0);
        if (strstr(findings.text, harm[i][1]) == NULL)
            fail_msg("no \"%s\" in: %s", harm[i][1], findings.text);
    }
}

static void other_templates_are_a_note(void **state) {
    struct fixture *fixture = *state;
    struct findings findings;
    make(fixture->path);
    run_sql(fixture->path, "UPDATE implementation SET template_hash = 'old' WHERE name = 'naive'");
    struct checked checked = check(fixture->path, &findings);
    assert_int_equal(checked.errors, 0);
    assert_int_equal(checked.notes, 1);
    assert_string_equal(findings.text,
                        "note: gemm naive: 1 best row and 1 trial were measured with another "
                        "template (old) than today's: hints, not results\n");
}

/* Overwrites pieces of databases: refused or read, but no crash, and never written to. */
static void spoilt_databases_crash_nothing(void **state) {
    struct fixture *fixture = *state;
    char path[700];
    uint64_t random = 99;
    make(fixture->path);
    struct bytes bytes = read_file(fixture->path);
    snprintf(path, sizeof path, "%s/spoilt.db", fixture->directory);
    for (int round = 0; round < 150; round++) {
        unsigned char *copy = malloc(bytes.size);
        memcpy(copy, bytes.data, bytes.size);
        for (int i = 0; i < 1 + round % 8; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            copy[(random >> 20) % bytes.size] = (unsigned char)(random >> 56);
        }
        write_file(path, copy, bytes.size);
        free(copy);
        tw_db *db = NULL;
        if (tw_db_open(&db, path, TW_DB_READ, NULL, 0) != TW_DB_OK)
            continue;
        struct findings findings = {0};
        struct checked checked;
        struct tw_error error;
        struct tw_text text = {0};
        int64_t count;
        (void)check_database(db, &known, collect, &findings, &checked, &error);
        (void)export_best(db, NULL, &text, &count, &error);
        tw_text_free(&text);
        tw_db_close(db);
    }
    free(bytes.data);
}

static void merging_names_a_row_that_makes_no_sense(void **state) {
    struct fixture *fixture = *state;
    char other[700];
    snprintf(other, sizeof other, "%s/other.db", fixture->directory);
    make(other);
    run_sql(other, "UPDATE device SET name = 'x' || char(10) WHERE fingerprint = 'cuda:a'");
    tw_db *db = open_db(fixture->path, TW_DB_WRITE), *from = open_db(other, TW_DB_READ);
    struct tw_db_merged merged;
    struct tw_error error;
    assert_int_equal(merge_databases(db, &from, 1, &merged, &error), TW_INVALID);
    assert_non_null(strstr(error.message, "gemm M=64,N=32,K=16"));
    assert_sql(db, "SELECT count(*) FROM best", "0");
    tw_db_close(from);
    make(other);
    from = open_db(other, TW_DB_READ);
    tw_db *const twice[] = {from, from};
    assert_fine(merge_databases(db, twice, 2, &merged, &error), error);
    assert_int_equal(merged.added, 3);
    assert_int_equal(merged.kept, 3);
    tw_db_close(from);
    tw_db_close(db);
}

static void pruning_drops_what_is_of_no_use(void **state) {
    struct fixture *fixture = *state;
    struct pruned pruned;
    struct tw_error error;
    make(fixture->path);
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    assert_fine(prune_database(db, &known, &pruned, &error), error);
    assert_int_equal(pruned.trials + pruned.outdated + pruned.unusable, 0);
    assert_sql(db, "SELECT count(*) FROM best", "3");

    /* On cuda:b there is a result of today's; on cuda:c a hint is all there is. */
    put_tuned(db, &known, (struct tuned){"gemm", "64x32x16", "default", "cuda:b", "old", 2, true});
    put_tuned(db, &known, (struct tuned){"gemm", "64x32x16", "default", "cuda:c", "old", 2, true});
    tw_db_close(db);
    run_sql(fixture->path, "UPDATE best SET configuration = '{}' WHERE configuration LIKE"
                           " '%\"BLOCK_X\":16%'");
    db = open_db(fixture->path, TW_DB_WRITE);
    assert_fine(prune_database(db, &known, &pruned, &error), error);
    assert_int_equal(pruned.trials, 2);
    assert_int_equal(pruned.outdated, 1);
    assert_int_equal(pruned.unusable, 1);
    assert_int_equal(pruned.swept.runs, 1); /* that of the outdated row */
    assert_sql(db, "SELECT count(*) FROM best", "3");
    assert_sql(db, "SELECT count(*) FROM trial", "2");
    assert_sql(db, "PRAGMA integrity_check", "ok");
    assert_sql(db, "SELECT count(*) FROM pragma_foreign_key_check", "0");
    assert_fine(prune_database(db, &known, &pruned, &error), error);
    assert_int_equal(pruned.trials + pruned.outdated + pruned.unusable, 0);

    /* Not while somebody tunes. */
    struct ids ids = put_samples(db);
    (void)ids;
    assert_int_equal(prune_database(db, &known, &pruned, &error), TW_DATABASE);
    assert_non_null(strstr(error.message, "under way"));
    tw_db_close(db);
}

static void rows_of_unknown_kernels_are_left_alone(void **state) {
    struct fixture *fixture = *state;
    struct pruned pruned;
    struct tw_error error;
    make(fixture->path);
    run_sql(fixture->path, "UPDATE problem SET kernel = 'mine';"
                           "UPDATE implementation SET kernel = 'mine'");
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    assert_fine(prune_database(db, &known, &pruned, &error), error);
    assert_sql(db, "SELECT count(*) FROM best", "3");
    assert_sql(db, "SELECT count(*) FROM trial", "2");
    tw_db_close(db);
}

#define EXCHANGE_TEST(function) cmocka_unit_test_setup_teardown(function, start, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        EXCHANGE_TEST(clean_database_is_clean),
        EXCHANGE_TEST(what_is_wrong_is_told_by_name),
        EXCHANGE_TEST(other_templates_are_a_note),
        EXCHANGE_TEST(spoilt_databases_crash_nothing),
        EXCHANGE_TEST(merging_names_a_row_that_makes_no_sense),
        EXCHANGE_TEST(pruning_drops_what_is_of_no_use),
        EXCHANGE_TEST(rows_of_unknown_kernels_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
