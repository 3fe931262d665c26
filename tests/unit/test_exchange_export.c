/* tuner/exchange: exports are the same bytes for the same rows, and come back whole. */
#include "test_exchange_support.h"

#include <math.h>

#include "db/merge.h"
#include "runtime/base/printable.h"
#include "tuner/exchange/canonical_json.h"

static struct known_kernels known;

static int start(void **state) {
    struct tw_error error;
    return known_kernels_open(&known, NULL, 0, &error) == TW_OK ? fixture_start(state) : -1;
}

static int end(void **state) {
    known_kernels_close(&known);
    return fixture_end(state);
}

static void export_comes_back_the_same(void **state) {
    struct fixture *fixture = *state;
    char other[700];
    snprintf(other, sizeof other, "%s/other.db", fixture->directory);
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    put_three(db, &known);
    tw_db_close(db);
    struct tw_text text = exported(fixture->path, NULL, 3);
    struct tw_text again = exported(fixture->path, NULL, 3);
    assert_string_equal(text.data, again.data);
    assert_int_equal(text.data[text.length - 1], '\n');
    tw_text_free(&again);

    struct tw_db_merged merged = import_text(other, &known, &text);
    assert_int_equal(merged.added, 3);
    again = exported(other, NULL, 3);
    assert_string_equal(text.data, again.data);
    tw_text_free(&again);
    merged = import_text(other, &known, &text);
    assert_int_equal(merged.kept, 3);
    again = exported(other, NULL, 3);
    assert_string_equal(text.data, again.data);
    tw_text_free(&again);
    /* Into where it came from: nothing new. */
    merged = import_text(fixture->path, &known, &text);
    assert_int_equal(merged.added, 0);
    again = exported(fixture->path, NULL, 3);
    assert_string_equal(text.data, again.data);
    tw_text_free(&again);
    tw_text_free(&text);
}

static void rows_are_sorted_and_one_kernel_can_be_had(void **state) {
    struct fixture *fixture = *state;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    put_three(db, &known);
    tw_db_close(db);
    struct tw_text text = exported(fixture->path, NULL, 3);
    const char *copy = strstr(text.data, "\"kernel\": \"copy\"");
    const char *a = strstr(text.data, "\"device\": \"cuda:a\"");
    const char *last = strstr(text.data, "\"implementation\": \"register_tiled\"");
    assert_true(copy != NULL && a != NULL && last != NULL && copy < a && a < last);
    assert_non_null(strstr(text.data, "\"naive\": 7992.968000000002"));
    assert_non_null(strstr(text.data, "\"time_us\": 3.3333333333333335\n"));
    assert_non_null(strstr(text.data, "\"seed\": \"18446744073709551611\""));
    tw_text_free(&text);
    text = exported(fixture->path, "copy", 1);
    assert_null(strstr(text.data, "gemm"));
    assert_null(strstr(text.data, "cuda:a"));
    tw_text_free(&text);
    text = exported(fixture->path, "nothing", 0);
    assert_string_equal(text.data, "{\n  \"best\": [],\n  \"devices\": [],\n  \"format\": "
                                   "\"tilewise\",\n  \"problems\": [],\n  \"version\": 2\n}\n");
    tw_text_free(&text);
}

static void rows_that_json_cannot_say_are_named(void **state) {
    struct fixture *fixture = *state;
    static const char *const harm[][2] = {
        {"UPDATE best SET ci_high_us = 9e999", "interval"},
        {"UPDATE best SET max_rel_error = 9e999", "errors"},
        {"UPDATE device SET name = 'a' || char(27) || '[31m' || char(10)", "name"},
        {"UPDATE device SET name = CAST(x'ff41' AS TEXT)", "name"},
        {"UPDATE best SET tie_set = '[1]'", "ties"},
        {"UPDATE best SET tie_set = '[{\"configuration\":{\"a\":\"f(x)\"},\"implementation\":\"x\","
         "\"time_us\":1}]'",
         "ties"},
        {"UPDATE best SET configuration = '{\"BM\": \"1;evil\"}'", "configuration"},
        {"UPDATE best SET configuration = 'BM'", "configuration"},
        {"UPDATE run SET conditions = '[[[[[[[[[[1]]]]]]]]]]'", "conditions"},
        {"UPDATE best SET cache_policy = 'hot'", "cache"},
        {"UPDATE device SET fingerprint = hex(zeroblob(1000000))", "fingerprint"},
    };
    for (size_t i = 0; i < sizeof harm / sizeof *harm; i++) {
        unlink(fixture->path);
        tw_db *db = open_db(fixture->path, TW_DB_WRITE);
        put_tuned(db, &known,
                  (struct tuned){"gemm", "64x32x16", "default", "cuda:b", NULL, 10, true});
        tw_db_close(db);
        run_sql(fixture->path, harm[i][0]);
        struct tw_text text = {0};
        struct tw_error error;
        int64_t count;
        db = open_db(fixture->path, TW_DB_READ);
        assert_int_equal(export_best(db, NULL, &text, &count, &error), TW_INVALID);
        assert_non_null(strstr(error.message, harm[i][1]));
        assert_non_null(strstr(error.message, "gemm M=64,N=32,K=16"));
        assert_null(strchr(error.message, '\n'));
        assert_null(strchr(error.message, '\x1b'));
        tw_text_free(&text);
        tw_db_close(db);
    }
}

static void numbers_are_the_shortest_that_read_back(void **state) {
    (void)state;
    static const struct {
        double number;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {1. / 3, "0.3333333333333333"},
                 {5e-324, "4.94065645841247e-324"},
                 {1e22, "1e+22"},
                 {12, "12"},
                 {0.1 + 0.2, "0.30000000000000004"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_text text = {0};
        canonical_number(&text, cases[i].number);
        assert_string_equal(text.data, cases[i].text);
        assert_true(strtod(text.data, NULL) == cases[i].number);
        tw_text_free(&text);
    }
}

static void plain_text_is_told_from_other(void **state) {
    (void)state;
    char out[16], large[2000];
    assert_true(tw_is_printable("NVIDIA H200 \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"));
    static const char *const bad[] = {
        "\x1b[31m", "a\nb",         "\x7f",         "\xC2\x85", "\xff",
        "\xC0\x80", "\xE2\x80\xAE", "\xED\xA0\x80", "\xE2\x82", "\xF5\x80\x80\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(tw_is_printable(bad[i]));
        assert_true(tw_is_printable(tw_printable_copy(bad[i], out, sizeof out)));
    }
    assert_string_equal(tw_printable_copy("a\x1b\nb\xff", out, sizeof out), "a??b?");
    assert_string_equal(tw_printable_copy("0123456789abcdef", out, sizeof out), "0123456789ab...");
    assert_string_equal(tw_printable_copy("0123456789a\xE2\x82\xAC", out, sizeof out),
                        "0123456789a...");
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    assert_false(tw_is_printable(large));
}

#define EXCHANGE_TEST(function) cmocka_unit_test_setup_teardown(function, start, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        EXCHANGE_TEST(export_comes_back_the_same),
        EXCHANGE_TEST(rows_are_sorted_and_one_kernel_can_be_had),
        EXCHANGE_TEST(rows_that_json_cannot_say_are_named),
        cmocka_unit_test(numbers_are_the_shortest_that_read_back),
        cmocka_unit_test(plain_text_is_told_from_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
