/* The command line: what options fill in, and what is said of those that are wrong. */
#include "tuner/commands/arguments.h"
#include "tuner/commands/resolve.h"

#include "tests/support/support.h"

enum { MOST_WORDS = 16 };

/* The words after the program's name. */
static tw_status parse(struct arguments *a, option_set allowed, struct tw_error *error,
                       const char *const *given) {
    static char command[] = "tune";
    char *words[MOST_WORDS + 2] = {command};
    int count = 1;
    for (; given[count - 1] != NULL; count++)
        words[count] = (char *)given[count - 1];
    return arguments_parse(a, count, words, allowed, error);
}
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const option_set ALL = (UINT64_C(1) << OPTION_COUNT) - 1;

static void every_option_has_a_row(void **state) {
    struct arguments a;
    struct tw_error error;
    (void)state;
    /* Without its row the option would have no name for getopt to compare. */
    assert_refuses(parse(&a, ALL, &error, WORDS("--no-such-option")), TW_INVALID, error,
                   "unknown option --no-such-option");
    arguments_free(&a);
}

static void options_fill_their_members(void **state) {
    struct arguments a;
    struct tw_error error;
    (void)state;
    must(parse(&a, ALL, &error,
               WORDS("gemm", "--shape", "8x8x8", "--dtype=f64", "--attr", "trans=nt", "--jobs", "3",
                     "--budget", "2m", "--run", "7", "-o", "out", "--json", "--cache", "warm")),
         error);
    assert_string_equal(a.kernel, "gemm");
    assert_int_equal(a.shape_count, 1);
    assert_string_equal(a.shapes[0].shape, "8x8x8");
    assert_int_equal(a.attribute_count, 2);
    assert_string_equal(a.attributes[0], "dtype=f64");
    assert_string_equal(a.attributes[1], "trans=nt");
    assert_int_equal(a.jobs, 3);
    assert_true(a.budget_seconds == 120 && a.budget_trials == 0);
    assert_int_equal(a.run, 7);
    assert_string_equal(a.output, "out");
    assert_string_equal(a.cache, "warm");
    assert_true(a.json && a.cache_given && !a.quiet && !a.help);
    arguments_free(&a);
    must(parse(&a, ALL, &error, WORDS("--budget", "500", "--help")), error);
    assert_true(a.budget_seconds == 0 && a.budget_trials == 500 && a.help);
    assert_true(a.seed == 1 && a.jobs > 0 && !a.cache_given && a.kernel == NULL);
    arguments_free(&a);
}

static void only_what_is_allowed(void **state) {
    struct arguments a;
    struct tw_error error;
    (void)state;
    assert_refuses(parse(&a, OPTION(DB), &error, WORDS("--run", "7")), TW_INVALID, error,
                   "unknown option --run");
    arguments_free(&a);
    assert_refuses(parse(&a, OPTION(DB), &error, WORDS("-o", "file")), TW_INVALID, error,
                   "unknown option -o");
    arguments_free(&a);
    assert_refuses(parse(&a, OPTION(DB), &error, WORDS("--db")), TW_INVALID, error,
                   "--db: needs a value");
    arguments_free(&a);
    assert_refuses(parse(&a, OPTION(JSON), &error, WORDS("--json=yes")), TW_INVALID, error,
                   "takes no value");
    arguments_free(&a);
}

static void plain_words(void **state) {
    struct arguments a;
    struct tw_error error;
    (void)state;
    must(parse(&a, OPTION(DB) | WORDS_ARE_FILES, &error, WORDS("a", "--db", "d", "b", "--", "--c")),
         error);
    assert_null(a.kernel);
    assert_int_equal(a.files.count, 3);
    assert_string_equal(a.files.words[1], "b");
    assert_string_equal(a.files.words[2], "--c");
    arguments_free(&a);
    assert_refuses(parse(&a, OPTION(DB), &error, WORDS("gemm", "--", "copy")), TW_INVALID, error,
                   "unexpected \"copy\"");
    arguments_free(&a);
}

/* ---- Several --config ---- */

static const char description[] =
    "{ \"kernel\": \"%s\", \"summary\": \"as it is\", \"problem\": { \"dimensions\": [\"N\"] },"
    " \"arguments\": [{ \"name\": \"A\", \"kind\": \"buffer\", \"type\": \"f32\","
    " \"access\": \"out\", \"rows\": \"1\", \"columns\": \"N\", \"stride\": \"lda\" },"
    " { \"name\": \"lda\", \"kind\": \"stride\", \"default\": \"N\" }],"
    " \"work\": { \"flops\": \"0\", \"bytes\": \"4*N\" }, \"tolerance\": { \"f32\": 1e-6 },"
    " \"reference\": { \"templates\": [\"a.cu\"], \"function\": \"a\", \"block\": [\"1\"],"
    " \"grid\": [\"1\"], \"pass\": [\"A\"] },"
    " \"implementations\": [{ \"name\": \"direct\", \"summary\": \"one\", \"parameters\": { "
    "\"BLOCK\": [32] },"
    " \"launches\": [{ \"templates\": [\"a.cu\"], \"function\": \"a\", \"block\": [\"BLOCK\"],"
    " \"grid\": [\"1\"], \"pass\": [\"A\"] }],"
    " \"presets\": { \"default\": { \"BLOCK\": 32 } } }] }";

static const char *plant(const struct scratch *scratch, const char *file, const char *kernel,
                         char path[600]) {
    snprintf(path, 600, "%s/%s", scratch->path, file);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, description, kernel);
    fclose(out);
    return path;
}

static void several_descriptions(void **state) {
    struct arguments a;
    struct tw_error error;
    struct tw_description *d;
    char first[600], second[600], same[600];
    plant(*state, "first.json", "first", first);
    plant(*state, "second.json", "second", second);
    plant(*state, "same.json", "first", same);
    const option_set allowed = OPTIONS_SUBJECT;
    must(parse(&a, allowed, &error, WORDS("second", "--config", first, "--config", second)), error);
    must(resolve_description(&a, &d, &error), error);
    assert_string_equal(d->kernel, "second");
    tw_description_free(d);
    arguments_free(&a);

    must(parse(&a, allowed, &error, WORDS("--config", first, "--config", second)), error);
    assert_refuses(resolve_description(&a, &d, &error), TW_INVALID, error,
                   "which kernel? name one of first, second");
    arguments_free(&a);

    must(parse(&a, allowed, &error, WORDS("gemm", "--config", first, "--config", second)), error);
    assert_refuses(resolve_description(&a, &d, &error), TW_INVALID, error,
                   "the files of --config describe first, second, not gemm");
    arguments_free(&a);

    must(parse(&a, allowed, &error, WORDS("first", "--config", first, "--config", same)), error);
    assert_refuses(resolve_description(&a, &d, &error), TW_INVALID, error,
                   "same.json describes the kernel first, and so does ");
    arguments_free(&a);

    must(parse(&a, allowed, &error, WORDS("--config", first)), error);
    must(resolve_description(&a, &d, &error), error);
    assert_string_equal(d->kernel, "first");
    tw_description_free(d);
    arguments_free(&a);
}

/* A folder stands for its descriptions, by name, and for nothing else in it. */
static void a_folder_of_descriptions(void **state) {
    struct arguments a;
    struct tw_error error;
    struct tw_description *d;
    const struct scratch *scratch = *state;
    char path[600], folder[600], empty[600], slashed[610];
    snprintf(folder, sizeof folder, "%s/folder", scratch->path);
    snprintf(empty, sizeof empty, "%s/empty", scratch->path);
    mkdir(folder, 0777);
    mkdir(empty, 0777);
    plant(scratch, "folder/second.json", "second", path);
    plant(scratch, "folder/first.json", "first", path);
    plant(scratch, "folder/notes.txt", "notes", path);
    plant(scratch, "folder/.hidden.json", "hidden", path);
    const option_set allowed = OPTIONS_SUBJECT;
    must(parse(&a, allowed, &error, WORDS("second", "--config", folder)), error);
    assert_int_equal(a.configs.count, 2);
    assert_says(a.configs.words[0], "/folder/first.json");
    must(resolve_description(&a, &d, &error), error);
    assert_string_equal(d->kernel, "second");
    tw_description_free(d);
    arguments_free(&a);
    snprintf(slashed, sizeof slashed, "%s/", folder);
    must(parse(&a, allowed, &error, WORDS("--config", slashed)), error);
    assert_says(a.configs.words[1], "/folder/second.json");
    assert_refuses(resolve_description(&a, &d, &error), TW_INVALID, error,
                   "which kernel? name one of first, second");
    arguments_free(&a);
    assert_refuses(parse(&a, allowed, &error, WORDS("--config", empty)), TW_INVALID, error,
                   "/empty: has no descriptions (files that end in .json)");
    arguments_free(&a);
}

static void an_unknown_kernel_may_be_ones_own(void **state) {
    struct arguments a;
    struct tw_error error;
    struct tw_description *d;
    (void)state;
    must(parse(&a, OPTIONS_SUBJECT, &error, WORDS("copi", "--shape", "8x8")), error);
    assert_refuses(resolve_description(&a, &d, &error), TW_INVALID, error, "did you mean copy?");
    assert_says(error.message, "--config FILE");
    arguments_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_has_a_row),
        cmocka_unit_test(options_fill_their_members),
        cmocka_unit_test(only_what_is_allowed),
        cmocka_unit_test(plain_words),
        cmocka_unit_test_setup_teardown(several_descriptions, scratch_make, scratch_remove),
        cmocka_unit_test_setup_teardown(a_folder_of_descriptions, scratch_make, scratch_remove),
        cmocka_unit_test(an_unknown_kernel_may_be_ones_own),
    };
    return cmocka_run_group_tests_name("arguments", tests, NULL, NULL);
}
