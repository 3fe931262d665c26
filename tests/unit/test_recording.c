/* Recorded spaces: what is read of a file, and what is refused. */
#include <math.h>

#include <zlib.h>

#include "tests/support/support.h"
#include "tuner/formats/packed_file.h"
#include "tuner/formats/recording.h"

/* Values come in any order, of all the kinds that Kernel Tuner writes; FIXED is no axis. */
static const char file_text[] =
    "{\"device_name\": \"A GPU\", \"kernel_name\": \"mm\","
    " \"tune_params_keys\": [\"BLOCK\", \"WAY\", \"FIXED\", \"SHARE\"],"
    " \"tune_params\": {\"BLOCK\": [16, 32, 64]}, \"cache\": {"
    "\"a\": {\"BLOCK\": 32, \"WAY\": \"rows\", \"FIXED\": 1, \"SHARE\": 0.5, \"time\": 2.0,"
    " \"compile_time\": 100, \"verification_time\": 20, \"benchmark_time\": 3, \"times\": [2, 2]},"
    "\"b\": {\"BLOCK\": 16, \"WAY\": \"rows\", \"FIXED\": 1, \"SHARE\": 0.25, \"time\": 1.5},"
    "\"c\": {\"BLOCK\": 32, \"WAY\": \"columns\", \"FIXED\": 1, \"SHARE\": 0.25,"
    " \"time\": \"CompilationFailedConfig\", \"compile_time\": 70},"
    "\"d\": {\"BLOCK\": 16, \"WAY\": \"columns\", \"FIXED\": 1, \"SHARE\": 0.25, \"time\": 1e20}}}";

static void check(const struct recording *r) {
    assert_string_equal(r->kernel, "mm");
    assert_string_equal(r->device, "A GPU");
    assert_int_equal(space_size(r->space), 4);
    assert_int_equal(space_implementations(r->space), 1);
    assert_int_equal(space_axes(r->space, 0), 3);
    const struct space_axis *block = space_axis(r->space, 0, 0);
    assert_true(block->numeric && block->count == 2);
    assert_true(block->values[0] == 16 && block->values[1] == 32);
    assert_false(space_axis(r->space, 0, 1)->numeric);
    assert_false(space_axis(r->space, 0, 2)->numeric); /* fractions are not kept */
    assert_int_equal(r->ok, 2);
    assert_true(fabs(r->best - 1.5e-3) < 1e-12);
    /* a: 32, the first word, the second share; b: 16, the first word, the first share. */
    size_t a = space_locate(r->space, 0, (unsigned char[]){1, 0, 1});
    size_t b = space_locate(r->space, 0, (unsigned char[]){0, 0, 0});
    size_t c = space_locate(r->space, 0, (unsigned char[]){1, 1, 0});
    assert_true(a != SPACE_NONE && b != SPACE_NONE && c != SPACE_NONE);
    assert_true(r->points[a].ok && fabs(r->points[a].seconds - 2e-3) < 1e-12);
    assert_true(fabs(r->points[a].compiling + r->points[a].running - 0.123) < 1e-12);
    assert_true(r->points[b].ok && r->points[b].compiling + r->points[b].running == 0);
    assert_true(!r->points[c].ok &&
                fabs(r->points[c].compiling + r->points[c].running - 0.07) < 1e-12);
    assert_true(r->points[a].entry == 0 && r->points[b].entry == 1 && r->points[c].entry == 2);
    assert_int_equal(space_locate(r->space, 0, (unsigned char[]){1, 1, 1}), SPACE_NONE);
}

static void what_is_listed(void **state) {
    (void)state;
    struct recording *recording;
    struct tw_error error;
    must(recording_parse(&recording, file_text, strlen(file_text), "mm.json", &error), error);
    check(recording);
    recording_free(recording);
}

static void packed_or_not(void **state) {
    const char *folder = ((const struct scratch *)*state)->path;
    char plain[600], packed[600];
    struct tw_text text = {0};
    struct tw_error error;
    struct recording *recording;
    snprintf(plain, sizeof plain, "%s/plain.json", folder);
    snprintf(packed, sizeof packed, "%s/packed.json.gz", folder);
    FILE *file = fopen(plain, "w");
    assert_non_null(file);
    fputs(file_text, file);
    fclose(file);
    tw_text_print(&text, "%s", file_text);
    must(packed_file_write(&text, packed, &error), error);
    for (int i = 0; i < 2; i++) {
        must(recording_read(&recording, i == 0 ? plain : packed, &error), error);
        check(recording);
        recording_free(recording);
    }
    struct stat info;
    assert_int_equal(stat(packed, &info), 0);
    assert_true((size_t)info.st_size < strlen(file_text));
    /* Cut off in the middle. */
    assert_int_equal(truncate(packed, info.st_size / 2), 0);
    assert_refuses(recording_read(&recording, packed, &error), TW_INVALID, error, "cut off");
    assert_null(recording);
    assert_refuses(recording_read(&recording, folder, &error), TW_INVALID, error, "is a folder");
    snprintf(plain, sizeof plain, "%s/none.json", folder);
    assert_refuses(recording_read(&recording, plain, &error), TW_NOT_FOUND, error, "none.json");
    /* A folder that is not there: nothing is left behind, and the name is said. */
    snprintf(plain, sizeof plain, "%s/none/x.gz", folder);
    assert_refuses(packed_file_write(&text, plain, &error), TW_INVALID, error, "none/x.gz");
    tw_text_free(&text);
}

/* Replaces the first `old`; the caller frees it. */
static char *edited(const char *old, const char *new) {
    struct tw_text text = {0};
    const char *at = strstr(file_text, old);
    assert_non_null(at);
    tw_text_add(&text, file_text, (size_t)(at - file_text));
    tw_text_print(&text, "%s%s", new, at + strlen(old));
    return text.data;
}

static void what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *old, *new, *says;
        tw_status status;
    } rows[] = {
        {"\"BLOCK\": 32, ", "", "lacks BLOCK", TW_INVALID},
        {"\"BLOCK\": 32, ", "\"BLOCK\": [], ", "neither a number nor a word", TW_INVALID},
        {"\"time\": 2.0", "\"time\": -1", "cache \"a\"", TW_BAD_DESCRIPTION},
        {"\"BLOCK\": 32, \"WAY\": \"rows\", \"FIXED\": 1, \"SHARE\": 0.5",
         "\"BLOCK\": 16, \"WAY\": \"rows\", \"FIXED\": 1, \"SHARE\": 0.25", "there twice",
         TW_INVALID},
        {"\"cache\"", "\"cash\"", "no Kernel Tuner cache", TW_INVALID},
        {"[\"BLOCK\", ", "[7, ", "expected names", TW_INVALID},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct recording *recording;
        struct tw_error error;
        char *text = edited(rows[i].old, rows[i].new);
        assert_refuses(recording_parse(&recording, text, strlen(text), "mm.json", &error),
                       rows[i].status, error, rows[i].says);
        assert_says(error.message, "mm.json");
        assert_null(recording);
        free(text);
    }
    static const char none[] = "{\"tune_params_keys\": [\"A\"], \"cache\": {\"1\": {\"A\": 1,"
                               " \"time\": \"InvalidConfig\"}}}";
    struct recording *recording;
    struct tw_error error;
    assert_refuses(recording_parse(&recording, none, strlen(none), "none.json", &error), TW_INVALID,
                   error, "no configuration in it worked");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_listed),
        cmocka_unit_test_setup_teardown(packed_or_not, scratch_make, scratch_remove),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
