/* tuner/exchange: imports are refused with a line that names the place, and nothing crashes them.
 */
#include "test_exchange_support.h"
#include "test_spoil.h"

/* The export that all tests here spoil, and what it is checked against. */
static struct known_kernels known;
static struct tw_text sound;

static int start(void **state) {
    struct tw_error error;
    struct fixture *fixture;
    if (known_kernels_open(&known, NULL, 0, &error) != TW_OK ||
        fixture_start((void **)&fixture) != 0)
        return -1;
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    put_three(db, &known);
    tw_db_close(db);
    sound = exported(fixture->path, NULL, 3);
    (void)state;
    return fixture_end((void **)&fixture);
}

static int end(void **state) {
    (void)state;
    known_kernels_close(&known);
    tw_text_free(&sound);
    return 0;
}

static void assert_refused_text(const char *text, const char *const *says) {
    struct import *import = (struct import *)-1;
    struct tw_error error = {0};
    assert_int_not_equal(import_read(&import, text, strlen(text), "test.json", &known, &error),
                         TW_OK);
    assert_null(import);
    assert_null(strchr(error.message, '\n'));
    assert_non_null(strstr(error.message, "test.json"));
    for (; *says != NULL; says++)
        if (strstr(error.message, *says) == NULL)
            fail_msg("no \"%s\" in: %s", *says, error.message);
}

static void bad_files_are_refused_by_name(void **state) {
    (void)state;
    static const char row[] = "best[1], gemm M=64,N=32,K=16";
    static const struct {
        const char *after, *old, *with;
        const char *says[4];
    } cases[] = {
        {NULL, "\"version\": 2", "\"version\": 4", {"version", "newer"}},
        {NULL, "\"version\": 2", "\"version\": 0", {"version"}},
        {NULL, "\"format\": \"tilewise\"", "\"format\": \"else\"", {"format", "no export"}},
        {NULL, "\"format\": \"tilewise\"", "\"fromat\": \"tilewise\"", {"format", "missing"}},
        {NULL, "\"devices\": [", "\"devices\": {", {"test.json:"}},
        {NULL, "\"best\": [", "\"best\": [,", {"test.json:2:"}},
        {"cuda:a", "\"kernel\": \"gemm\"", "\"kernel\": \"gamm\"", {"best[1], gamm", "kernel"}},
        {"cuda:a", "\"kernel\": \"gemm\"", "\"kernel\": \"a\\u001b\\nb\"", {"best[1], a??b"}},
        {"cuda:a", "\"implementation\": \"naive\"", "\"implementation\": \"none\"", {row, "none"}},
        {"\"naive\"",
         "\"problem\": \"M=64",
         "\"problem\": \"M=65",
         {"best[1], gemm M=65", "key problem"}},
        {"cuda:b", "\"device\": \"cuda:b\"", "\"device\": \"cuda:c\"", {"best", "key device"}},
        {"100,N=7", "\"M\": 100", "\"M\": 101", {"copy M=100,N=7", "key problem", "M=101"}},
        {"\"problems\"", "\"M\": 100", "\"Q\": 100", {"copy M=100", "M is missing"}},
        {"\"problems\"", "\"M\": 100", "\"M\": 100, \"Q\": 1", {"copy M=100", "3 dimensions"}},
        {"\"problems\"", "\"M\": 100", "\"M\": -1", {"copy M=100", "M"}},
        {"\"problems\"", "\"M\": 100", "\"M\": 1e300", {"problems[0], copy", "dimensions.M"}},
        {"\"problems\"", "\"f32\"", "\"f16\"", {"copy M=100", "f16", "f32"}},
        {"\"problems\"", "\"dtype\": \"f32\"", "\"type\": \"f32\"", {"copy", "type"}},
        {"cuda:a", "time_us\": 25", "time_us\": 250", {row, "interval"}},
        {"cuda:a", "time_us\": 25", "time_us\": \"25\"", {row, "key time_us", "number"}},
        {"cuda:a", "time_us\": 25", "time_us\": 1e999", {row, "key time_us", "number"}},
        {"cuda:a", "\"repeats\": 40", "\"repeats\": 0", {row, "repeats"}},
        {"cuda:a", "\"repeats\": 40", "\"repeats\": 4.5", {row, "key repeats", "whole"}},
        {"cuda:a", "\"repeats\": 40", "\"repeat\": 40", {row, "repeat", "repeats"}},
        {"cuda:a", "\"repeats\": 40", "\"repeats\": 40, \"repeats\": 40", {row, "twice"}},
        {"cuda:a", "\"rate\": ", "\"rate\": -", {row, "rate"}},
        {"cuda:a", "\"rate_unit\"", "\"rate_units\"", {row, "rate_unit"}},
        {"cuda:a", "\"measured_at\": 1795227992", "\"measured_at\": 0", {row, "measured_at"}},
        {"cuda:a", "\"max_rel_error\": ", "\"max_rel_error\": -", {row, "errors"}},
        {"cuda:a", "\"seed\": \"1", "\"seed\": \"x1", {row, "key run.seed"}},
        {"cuda:a", "\"seed\": \"1", "\"seed\": \"99999999999999999991", {row, "key run.seed"}},
        {"cuda:a", "\"driver\": \"", "\"driver\": \"\\u0007", {row, "driver"}},
        {"cuda:a", "\"sm_mhz\": 1980", "\"sm_mhz\": \"\\u0007\"", {row, "conditions"}},
        {"cuda:a", "\"presets_us\": {", "\"presets_us\": {\"x\": -1, ", {row, "preset"}},
        {"cuda:a", "\"ties\": [", "\"ties\": [3, ", {row, "ties"}},
        {"\"devices\"", "\"compute_units\": 132", "\"compute_units\": -1", {"devices[0]", "units"}},
        {"\"devices\"",
         "\"fingerprint\": \"cuda:b\"",
         "\"fingerprint\": \"cuda:a\"",
         {"cuda:a", "twice"}},
        {"\"devices\"", "\"name\": \"NVIDIA", "\"name\": \"\\u202e", {"devices[0]", "name"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = replaced(sound.data, cases[i].after, cases[i].old, cases[i].with);
        assert_refused_text(text, cases[i].says);
        free(text);
    }
    assert_refused_text("", (const char *const[]){"test.json:1:1", NULL});
    assert_refused_text("[]", (const char *const[]){"object", NULL});
    assert_refused_text("{} {}", (const char *const[]){"test.json:1:4", NULL});
}

/* A value for a parameter that its list does not have, or free text. */
static void configurations_are_held_against_the_description(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"\"BLOCK_X\": 16", "\"BLOCK_X\": 17", "BLOCK_X"},
        {"\"BLOCK_X\": 16", "\"BLOCK_X\": \"16; evil()\"", "BLOCK_X"},
        {"\"BLOCK_X\": 16", "\"BLOCK_Z\": 16", "BLOCK_Z"},
        {"\"BLOCK_X\": 16, \"BLOCK_Y\": 16", "\"BLOCK_X\": 8, \"BLOCK_Y\": 1", "constraint"},
        {"{\"BLOCK_X\": 16, \"BLOCK_Y\": 16}", "7", "configuration"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *says[] = {"best[1], gemm", cases[i][2], NULL};
        char *text = replaced(sound.data, NULL, cases[i][0], cases[i][1]);
        assert_refused_text(text, says);
        free(text);
    }
}

static void zero_byte_is_refused(void **state) {
    (void)state;
    struct import *import;
    struct tw_error error;
    char *text = calloc(1, sound.length + 10);
    memcpy(text, sound.data, sound.length);
    assert_int_equal(import_read(&import, text, sound.length + 5, "test.json", &known, &error),
                     TW_INVALID);
    free(text);
}

static void stale_templates_are_counted(void **state) {
    (void)state;
    struct import *import;
    struct tw_error error;
    const char *after = strstr(sound.data, "\"template_hash\": \"");
    char hash[40];
    snprintf(hash, sizeof hash, "%.32s", after + strlen("\"template_hash\": \""));
    char *text = replaced(sound.data, NULL, hash, "0123");
    assert_fine(import_read(&import, text, strlen(text), "test.json", &known, &error), error);
    assert_int_equal(import_count(import), 3);
    assert_int_equal(import_stale(import), 1);
    import_close(import);
    free(text);
}

static bool ignore_row(void *context, const struct tw_db_best_row *row) {
    *(int64_t *)context += row->best.repeats;
    return true;
}

static void spoilt_files_crash_nothing(void **state) {
    (void)state;
    uint64_t random = UINT64_C(0x5eed);
    int taken = 0;
    for (int round = 0; round < 4000; round++) {
        size_t length = sound.length;
        char *text = spoilt(sound.data, &length, &random);
        struct import *import;
        struct tw_error error = {0};
        int64_t sum = 0;
        if (import_read(&import, text, length, "test.json", &known, &error) == TW_OK) {
            assert_int_equal(import_each(import, ignore_row, &sum, &error), TW_OK);
            taken++;
        } else {
            assert_null(import);
            assert_string_not_equal(error.message, "");
        }
        import_close(import);
        free(text);
    }
    /* Most digits of times may change without harm. */
    assert_in_range(taken, 1, 2000);
}

/* What a search has found so far stays where the search is. */
static void only_what_a_playoff_decided(void **state) {
    struct fixture *fixture = *state;
    struct import *import;
    struct tw_error error;
    struct tw_db_merged merged;
    char *text = strdup(sound.data), *ties = strstr(text, "\"ties\": [");
    assert_non_null(ties);
    char *end = strstr(ties, "],");
    memmove(ties, end + 2, strlen(end + 2) + 1);
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    assert_fine(import_read(&import, text, strlen(text), "test.json", &known, &error), error);
    assert_int_equal(import_count(import), 3);
    assert_fine(merge_decided(db, import, &merged, &error), error);
    assert_int_equal(merged.added, 2);
    import_close(import);
    tw_db_close(db);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_refused_by_name),
        cmocka_unit_test(configurations_are_held_against_the_description),
        cmocka_unit_test(zero_byte_is_refused),
        cmocka_unit_test(stale_templates_are_counted),
        cmocka_unit_test_setup_teardown(only_what_a_playoff_decided, fixture_start, fixture_end),
        cmocka_unit_test(spoilt_files_crash_nothing),
    };
    return cmocka_run_group_tests(tests, start, end);
}
