/* What results belong to: what changes each of the three hashes, and what does not. */
#include "runtime/variant/identity.h"

#include "runtime/description/builtin.h"
#include "tests/support/scale.h"

static const char direct[] = "void direct(void);";
static const char right[] = "void right(void);";

static void write_templates(const struct scratch *scratch) {
    char path[1024];
    scratch_write(scratch, "scale/direct.cu", direct, path);
    scratch_write(scratch, "scale/reference.cu", right, path);
}

/* ---- Code ---- */

static void hash_with(const struct scratch *scratch, const char *from, const char *to,
                      char hash[TW_HASH_SIZE]) {
    char *text = replaced(scale_text, from, to);
    struct tw_description *d = read_description(text, scratch->path);
    struct tw_error error;
    must(tw_identity_code(d, 0, "cuda", hash, &error), error);
    assert_int_equal(strlen(hash), 32);
    tw_description_free(d);
    free(text);
}

static void code_is_of_what_results_depend_on(void **state) {
    const struct scratch *scratch = *state;
    static const char *const changing[][2] = {
        {"\"block\": [\"BLOCK_X\"]", "\"block\": [\"BLOCK_X\", \"1\"]"},
        {"\"grid\": [\"ceil_div(N, BLOCK_X)\", \"M\"]", "\"grid\": [\"N\", \"M\"]"},
        {"\"shared\": \"0\"", "\"shared\": \"4\""},
        {"\"min_blocks\": \"1\"", "\"min_blocks\": \"2\""},
        {"\"min_blocks\": \"1\"", "\"min_blocks\": \"1\", \"early\": \"0\""},
        {"\"function\": \"scale_direct\"", "\"function\": \"other\""},
        {"\"alpha\", \"GROUP\"]", "\"alpha\"]"},
        {"N % BLOCK_X != 0", "1"},
        {"\"workspace\": \"0\"", "\"workspace\": \"1\""},
        {"\"workspace\": \"0\"", "\"workspace\": \"0\", \"counters\": \"4\""},
        {"\"name\": \"direct\"", "\"name\": \"other\""},
        {"\"f64\": 1e-15", "\"f64\": 1e-14"},
        {"\"growth\": \"1\"", "\"growth\": \"2\""},
        {"\"alpha\": -0.25", "\"alpha\": -0.5"},
        {"\"seed\": 1", "\"seed\": 2"},
        {"\"function\": \"scale_reference\"", "\"function\": \"other\""},
        {"\"default\": \"f32\"", "\"default\": \"f64\""},
    };
    static const char *const keeping[][2] = {
        {"\"summary\": \"one thread an element\"", "\"summary\": \"other words\""},
        {"[32, 64, 128]", "[32, 64, 128, 256]"},
        {"\"presets\": {",
         "\"presets\": { \"more\": { \"BLOCK_X\": 32, \"ORDER\": \"rows\", \"GROUP\": 4 },"},
        {"\"default\": { \"BLOCK_X\": 64", "\"default\": { \"BLOCK_X\": 128"},
        {"M == 1 && ORDER == 'columns'", "0"},
        {"\"summary\": \"B = alpha*A", "\"summary\": \"B = A*alpha"},
        {"\"reference\": { ", "\"reference\": {   "},
        {"\"values\": [\"f32\", \"f64\"]", "\"values\": [\"i32\", \"f32\", \"u8\", \"f64\"]"},
        {"N % BLOCK_X != 0", "(N % BLOCK_X) != (0)"},
    };
    char path[1024], hash[TW_HASH_SIZE], other[TW_HASH_SIZE];
    write_templates(scratch);
    hash_with(scratch, "", "", hash);
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) {
        hash_with(scratch, changing[i][0], changing[i][1], other);
        if (strcmp(hash, other) == 0) {
            fail_msg("%s does not change the hash", changing[i][1]);
        }
    }
    for (size_t i = 0; i < sizeof keeping / sizeof *keeping; i++) {
        hash_with(scratch, keeping[i][0], keeping[i][1], other);
        if (strcmp(hash, other) != 0) {
            fail_msg("%s changes the hash", keeping[i][1]);
        }
    }
    static const char *const files[] = {"scale/direct.cu", "scale/reference.cu"};
    for (int i = 0; i < 2; i++) {
        scratch_write(scratch, files[i], "void another(void);", path);
        hash_with(scratch, "", "", other);
        assert_string_not_equal(hash, other);
        scratch_write(scratch, files[i], i == 0 ? direct : right, path);
        hash_with(scratch, "", "", other);
        assert_string_equal(hash, other);
    }
    scratch_write(scratch, "scale/direct.cu", "// what it does\n\nvoid direct(void); /* so */\n",
                  path);
    hash_with(scratch, "", "", other);
    assert_string_equal(hash, other);
}

/* A let or a stride's meaning reaches the source through defines and sizes. */
static void code_is_of_lets_and_arguments(void **state) {
    const struct scratch *scratch = *state;
    static const char *const changing[][2] = {
        {"dtype == 'f64' ? 8 : 4", "dtype == 'f64' ? 4 : 8"},
        {"\"rows\": \"M\", \"columns\": \"N\", \"stride\": \"lda\"",
         "\"rows\": \"N\", \"columns\": \"M\""},
        {"\"name\": \"alpha\", \"kind\": \"scalar\", \"type\": \"dtype\"",
         "\"name\": \"alpha\", \"kind\": \"scalar\", \"type\": \"f64\""},
    };
    char hash[TW_HASH_SIZE], other[TW_HASH_SIZE];
    write_templates(scratch);
    hash_with(scratch, "", "", hash);
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) {
        hash_with(scratch, changing[i][0], changing[i][1], other);
        if (strcmp(hash, other) == 0) {
            fail_msg("%s does not change the hash", changing[i][1]);
        }
    }
}

static void codes_of_implementations_differ(void **state) {
    (void)state;
    struct tw_description *gemm;
    struct tw_error error;
    char hashes[8][TW_HASH_SIZE];
    must(tw_description_builtin(&gemm, "gemm", &error), error);
    for (int i = 0; i < gemm->implementation_count && i < 8; i++) {
        must(tw_identity_code(gemm, i, "cuda", hashes[i], &error), error);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(hashes[i], hashes[j]);
    }
    tw_description_free(gemm);
}

static void no_template_no_code(void **state) {
    const struct scratch *scratch = *state;
    char hash[TW_HASH_SIZE];
    struct tw_error error;
    struct tw_description *d = read_description(scale_text, scratch->path);
    assert_refuses(tw_identity_code(d, 0, "cuda", hash, &error), TW_NOT_FOUND, error,
                   "scale/direct.cu");
    tw_description_free(d);
}

/* ---- One problem ---- */

struct hashes {
    char source[TW_HASH_SIZE], judge[TW_HASH_SIZE];
};

/* Of 8x100 in f32, BLOCK_X 32, ORDER columns, GROUP 4. */
static struct hashes hashes_with(const struct scratch *scratch, const char *from, const char *to) {
    char *text = replaced(scale_text, from, to);
    struct tw_description *d = read_description(text, scratch->path);
    struct tw_problem problem = parse_problem(d, "8x100");
    struct tw_configuration c;
    struct tw_error error;
    struct hashes hashes;
    int64_t slots[TW_DEVICE_SLOTS];
    tw_device_values(&paper_gpu, slots);
    must(tw_problem_set(&problem, "dtype", "f32", &error), error);
    must(tw_configuration_parse(&c, d, 0, "{\"BLOCK_X\":32,\"GROUP\":4,\"ORDER\":\"columns\"}",
                                &error),
         error);
    must(tw_identity_source(&problem, &c, "cuda", slots, hashes.source, &error), error);
    must(tw_identity_judge(&problem, "cuda", slots, hashes.judge, &error), error);
    tw_description_free(d);
    free(text);
    return hashes;
}

static const char used[] = "#if DTYPE == DTYPE_f32\nint a = RAGGED + ORDER + BLOCK_X;\n"
                           "#else\nlong a;\n#endif\n";

static void a_problem_is_what_it_needs(void **state) {
    const struct scratch *scratch = *state;
    static const struct {
        const char *from, *to;
        bool source, judge; /* change */
    } changes[] = {
        {"N % BLOCK_X != 0", "N % BLOCK_X > 0", false, false},
        {"N % BLOCK_X != 0", "0", true, false},
        {"\"ESIZE\": \"dtype == 'f64' ? 8 : 4\"", "\"ESIZE\": \"dtype == 'f64' ? 16 : 4\"", false,
         false},
        {"[\"f32\", \"f64\"]", "[\"u8\", \"f32\", \"i32\", \"f64\"]", false, false},
        {"\"attributes\": {",
         "\"attributes\": { \"after\": { \"values\": [\"none\", \"relu\"], \"default\": \"none\" "
         "},",
         false, false},
        {"\"default\": \"f32\"", "\"default\": \"f64\"", false, false},
        {"[\"rows\", \"columns\"]", "[\"tiles\", \"rows\", \"columns\"]", false, false},
        {"\"f64\": 1e-15", "\"f64\": 1e-14", false, false},
        {"\"f32\": 1e-6", "\"f32\": 1e-5", false, true},
        {"\"growth\": \"1\"", "\"growth\": \"M/8\"", false, false},
        {"\"growth\": \"1\"", "\"growth\": \"M\"", false, true},
        {"\"alpha\": -0.25", "\"alpha\": -0.5", false, true},
        {"\"cases\": [ {},", "\"cases\": [", false, true},
        {"\"low\": -1", "\"low\": 0", false, true},
        {"\"seed\": 1", "\"seed\": 2", false, true},
        {"\"function\": \"scale_reference\"", "\"function\": \"other\"", false, true},
        {"\"block\": [\"64\"]", "\"block\": [\"32\"]", false, true},
        {"\"block\": [\"BLOCK_X\"]", "\"block\": [\"BLOCK_X\", \"2\"]", true, false},
        {"\"shared\": \"0\"", "\"shared\": \"4\"", true, false},
        {"\"min_blocks\": \"1\"", "\"min_blocks\": \"1\", \"early\": \"0\"", false, false},
        {"\"min_blocks\": \"1\"", "\"min_blocks\": \"1\", \"early\": \"1\"", true, false},
        {"\"workspace\": \"0\"", "\"workspace\": \"4*N\"", true, false},
        {"\"workspace\": \"0\"", "\"workspace\": \"0\", \"counters\": \"4*N\"", true, false},
        {"\"alpha\", \"GROUP\"]", "\"GROUP\", \"alpha\"]", true, false},
        {"\"alpha\", \"GROUP\"]", "\"alpha\"]", true, false},
    };
    char path[1024];
    write_templates(scratch);
    scratch_write(scratch, "scale/direct.cu", used, path);
    const struct hashes before = hashes_with(scratch, "", "");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const struct hashes after = hashes_with(scratch, changes[i].from, changes[i].to);
        if ((strcmp(before.source, after.source) != 0) != changes[i].source) {
            fail_msg("%s: the source's hash", changes[i].to);
        }
        if ((strcmp(before.judge, after.judge) != 0) != changes[i].judge) {
            fail_msg("%s: the judge's hash", changes[i].to);
        }
    }
}

static void templates_count_where_they_are_used(void **state) {
    const struct scratch *scratch = *state;
    char path[1024], text[400];
    write_templates(scratch);
    scratch_write(scratch, "scale/direct.cu", used, path);
    const struct hashes before = hashes_with(scratch, "", "");
    /* What f64 has, comments, macros that nobody uses. */
    snprintf(text, sizeof text,
             "/* more */\n#define MORE 1\n%s#if DTYPE == DTYPE_f64\nf();\n#endif\n", used);
    scratch_write(scratch, "scale/direct.cu", text, path);
    struct hashes after = hashes_with(scratch, "", "");
    assert_string_equal(before.source, after.source);
    assert_string_equal(before.judge, after.judge);
    snprintf(text, sizeof text, "%s#if DTYPE == DTYPE_f32\nf();\n#endif\n", used);
    scratch_write(scratch, "scale/direct.cu", text, path);
    after = hashes_with(scratch, "", "");
    assert_string_not_equal(before.source, after.source);
    assert_string_equal(before.judge, after.judge);
    scratch_write(scratch, "scale/direct.cu", used, path);
    scratch_write(scratch, "scale/reference.cu", "void wrong(void);", path);
    after = hashes_with(scratch, "", "");
    assert_string_equal(before.source, after.source);
    assert_string_not_equal(before.judge, after.judge);
}

/* A promise belongs to the judge of the problems that it is for, and of no other. */
static void promises_count_where_they_hold(void **state) {
    const struct scratch *scratch = *state;
    static const char with[] =
        "\"accuracy\": { \"plain\": { \"templates\": [\"scale/reference.cu\"], \"function\": "
        "\"right\", \"block\": [\"64\"], \"grid\": [\"M\"], \"pass\": [\"A\", \"B\"] }, "
        "\"inputs\": { \"%s\": { \"A\": { \"exponents\": [0, %d] } } }, \"bounds\": [{ \"when\": "
        "\"dtype == '%s'\", \"plain\": %d, \"promises\": \"%s\" }] }, \"cases\"";
    static const struct {
        const char *family;
        int most;
        const char *dtype;
        int plain;
        const char *words;
        bool judge; /* as that of the first */
    } promises[] = {{"wide", 9, "f32", 1, "much", true},   {"wide", 9, "f32", 1, "more", true},
                    {"wide", 9, "f32", 2, "much", false},  {"wide", 8, "f32", 1, "much", false},
                    {"other", 9, "f32", 1, "much", false}, {"wide", 9, "f64", 1, "much", false}};
    char path[1024], text[800];
    struct hashes first = {0};
    write_templates(scratch);
    scratch_write(scratch, "scale/direct.cu", used, path);
    const struct hashes before = hashes_with(scratch, "", "");
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        snprintf(text, sizeof text, with, promises[i].family, promises[i].most, promises[i].dtype,
                 promises[i].plain, promises[i].words);
        const struct hashes after = hashes_with(scratch, "\"cases\"", text);
        first = i == 0 ? after : first;
        assert_string_equal(before.source, after.source);
        assert_int_equal(strcmp(first.judge, after.judge) == 0, promises[i].judge);
        assert_int_equal(strcmp(before.judge, after.judge) == 0,
                         strcmp(promises[i].dtype, "f64") == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(promises_count_where_they_hold),
        SCRATCH_TEST(code_is_of_what_results_depend_on),
        SCRATCH_TEST(code_is_of_lets_and_arguments),
        cmocka_unit_test(codes_of_implementations_differ),
        SCRATCH_TEST(no_template_no_code),
        SCRATCH_TEST(a_problem_is_what_it_needs),
        SCRATCH_TEST(templates_count_where_they_are_used),
    };
    return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
