/* Logs of shapes: what is added up, what is passed over, what is refused. */
#include "tests/support/support.h"
#include "tuner/audit/asked.h"

#define LINE(kernel, shape, attributes, print, cache, rule, more, count)                           \
    "{\"tilewise_shapes\":1,\"kernel\":\"" kernel "\",\"shape\":\"" shape                          \
    "\",\"attributes\":\"" attributes "\",\"device\":\"D\",\"fingerprint\":\"" print               \
    "\",\"cache\":\"" cache "\",\"rule\":\"" rule "\"" more ",\"count\":" count ",\"at\":5}\n"

static void lines_add_up(void **state) {
    static const char text[] = LINE("gemm", "8x8x8", "dtype=f32", "here", "cold", "default", "",
                                    "3") LINE("copy", "8x8", "", "here", "cold", "none", "", "2")
        LINE("gemm", "8x8x8", "dtype=f32", "here", "cold", "predicted", ",\"expected_us\":9.5", "4")
            LINE("gemm", "8x8x8", "dtype=f64", "here", "cold", "default", "", "1")
                LINE("gemm", "8x8x8", "dtype=f32", "there", "cold", "default", "", "100")
                    LINE("gemm", "8x8x8", "dtype=f32", "here", "warm", "default", "",
                         "100") "\n" LINE("gemm", "8x8x8", "dtype=f32", "here", "cold", "none",
                                          ",\"strides\":{\"lda\":9},\"alignment\":4",
                                          "5") "{\"tilewise_shapes\":1,\"ker";
    struct asked_log log;
    tw_error error;
    char path[1024];
    bool is_log;
    scratch_write(*state, "shapes", text, path);
    must(asked_is_log(path, &is_log, &error), error);
    assert_true(is_log);
    must(asked_read(&log, path, "here", "cold", &error), error);
    assert_int_equal(log.count, 3);
    assert_int_equal(log.cut, 1);
    assert_false(log.elsewhere);
    const struct asked *copy = &log.all[0], *f32 = &log.all[1], *f64 = &log.all[2];
    assert_string_equal(copy->kernel, "copy");
    assert_true(copy->launches == 0 && copy->refused == 2 && copy->line == 2);
    assert_string_equal(f32->attributes, "dtype=f32");
    assert_true(f32->launches == 7 && f32->refused == 5 && f32->expected_us == 9.5);
    assert_true(f64->launches == 1 && f64->expected_us == 0);
    asked_free(&log);
    /* Where nothing was asked for, all counts. */
    must(asked_read(&log, path, "nowhere", "cold", &error), error);
    assert_true(log.elsewhere && log.count == 3);
    assert_int_equal(log.all[1].launches, 207);
    asked_free(&log);
}

static void what_is_refused(void **state) {
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "has no shape that was asked for"},
        {"{\"tilewise_shapes\":1,\"ker", "has no shape that was asked for"},
        {"{\"tilewise_shapes\":2}\n",
         "shapes:1: key tilewise_shapes: this program reads version 1"},
        {"{\"some\":\"thing\"}\n", "shapes:1: key tilewise_shapes"},
        {LINE("gemm", "8x8x8", "", "h", "cold", "exact", "", "1")
             LINE("gemm", "8x8x8", "", "h", "cold", "exact", "", "-1"),
         "shapes:2: key count: must not be negative"},
        {LINE("gemm", "8x8x8", "", "h", "cold", "exact", ",\"expected_us\":-1", "1"),
         "shapes:1: key expected_us: is no time"},
        {LINE("gemm", "8x8x8", "", "h", "cold", "exact", ",\"more\":1", "1"), "unknown key"},
        {"[1]\n", "shapes:1: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct asked_log log;
        tw_error error;
        char path[1024];
        scratch_write(*state, "shapes", cases[i].text, path);
        assert_refuses(asked_read(&log, path, "h", "cold", &error), TW_INVALID, error,
                       cases[i].says);
        asked_free(&log);
    }
}

static void lists_are_no_logs(void **state) {
    char path[1024], missing[1200];
    bool is_log = true;
    tw_error error;
    scratch_write(*state, "list", "64x32 dtype=f64\n", path);
    must(asked_is_log(path, &is_log, &error), error);
    assert_false(is_log);
    snprintf(missing, sizeof missing, "%s.none", path);
    assert_int_not_equal(asked_is_log(missing, &is_log, &error), TW_OK);
    assert_says(error.message, "list.none");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(lines_add_up),
        SCRATCH_TEST(what_is_refused),
        SCRATCH_TEST(lists_are_no_logs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
