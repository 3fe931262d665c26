/* Launches that variants share: by what they are known, and that what was made of them comes back
 * as it was. */
#include "tuner/workers/known_launches.h"

#include "tests/support/scale.h"

/* The kernel with a second launch of the same. */
static struct tw_description *of_two_launches(void) {
    static const char second[] =
        "\"launches\": [ { \"templates\": [\"scale/direct.cu\"], \"function\": \"scale_second\", "
        "\"block\": [\"32\"], \"grid\": [\"1\"], \"shared\": \"0\", "
        "\"pass\": [\"A\", \"B\", \"M\"] },";
    char *text = replaced(scale_text, "\"launches\": [", second);
    struct tw_description *d = read_description(text, NULL);
    free(text);
    return d;
}

/* What an executable borrows. */
struct variant {
    struct tw_configuration configuration;
    int64_t values[TW_MAX_SYMBOLS];
};

static struct tw_executable *executable_of(const struct tw_problem *problem, int64_t block,
                                           struct variant *v) {
    struct tw_executable *executable;
    struct tw_error error;
    *v = (struct variant){.configuration = {.implementation = 0, .values = {block, 0, 1}}};
    bind_problem(problem, &paper_gpu, v->values);
    must(tw_configuration_bind(problem->description, &v->configuration, v->values, &error), error);
    must(tw_executable_create(&executable, problem, &v->configuration, v->values, &paper_gpu,
                              &error),
         error);
    return executable;
}

static const char hashes[2][TW_HASH_SIZE] = {"0123", "4567"};

static struct launch_keys keys_of(const struct tw_executable *executable,
                                  const char given[][TW_HASH_SIZE]) {
    struct launch_keys keys;
    struct tw_error error;
    must(launch_keys_of(executable, given, &keys, &error), error);
    return keys;
}

static bool same(const struct launch_keys *a, const struct launch_keys *b, int launch) {
    return strcmp(a->of[launch], b->of[launch]) == 0;
}

static void by_what_they_are_known(void **state) {
    (void)state;
    static const char *const says[] = {"spilled", NULL};
    static const char others[2][TW_HASH_SIZE] = {"0123", "89ab"};
    struct tw_description *d = of_two_launches();
    struct tw_problem problem = parse_problem(d, "8x100");
    struct variant variants[2];
    struct tw_executable *small = executable_of(&problem, 32, &variants[0]),
                         *large = executable_of(&problem, 128, &variants[1]);
    struct launch_keys first = keys_of(small, hashes), second = keys_of(large, hashes);
    assert_int_equal(first.count, 2);
    /* More threads may be too many, of the launch that has them. */
    assert_true(same(&first, &second, 0));
    assert_false(same(&first, &second, 1));
    second = keys_of(small, others);
    assert_true(same(&first, &second, 0));
    assert_false(same(&first, &second, 1));
    small->launches[0].function = "scale_other";
    second = keys_of(small, hashes);
    assert_false(same(&first, &second, 0));
    small->disqualified_by = says;
    second = keys_of(small, hashes);
    assert_false(same(&first, &second, 1));
    /* Nothing is known of sources without hashes, and a single launch is shared as a build. */
    assert_int_equal(keys_of(small, NULL).count, 0);
    small->launch_count = 1;
    assert_int_equal(keys_of(small, hashes).count, 0);
    tw_executable_free(small);
    tw_executable_free(large);
    tw_description_free(d);
}

static struct compiled answer_of(enum tw_db_trial_status status, int number) {
    unsigned char first[] = "abc", second[] = "defgh";
    struct tw_binaries binaries = {
        .count = 2,
        .launches = {{.bytes = first, .size = 3},
                     {.bytes = second, .size = 5, .has_resources = true, .registers = number}}};
    struct compiled compiled = {.id = 1, .status = status};
    tw_text_print(&binaries.launches[1].log, "note %d", number);
    struct message message = compiled_pack(&compiled, &binaries);
    compiled_unpack(&message, &compiled);
    tw_text_free(&binaries.launches[1].log);
    return compiled;
}

static struct launch_keys numbered(int number) {
    struct launch_keys keys = {.count = 2};
    snprintf(keys.of[0], sizeof keys.of[0], "all");
    snprintf(keys.of[1], sizeof keys.of[1], "%d", number);
    return keys;
}

static void add(struct known_launches *known, int number, enum tw_db_trial_status status) {
    struct compiled compiled = answer_of(status, number);
    struct launch_keys keys = numbered(number);
    struct tw_error error;
    must(known_launches_add(known, &keys, &compiled, &error), error);
    compiled_free(&compiled);
}

static const struct tw_binary *find(struct known_launches *known, int number, int launch) {
    const struct tw_binary *binaries[TW_MAX_LAUNCHES];
    struct launch_keys keys = numbered(number);
    known_launches_find(known, &keys, binaries);
    assert_null(binaries[2]);
    return binaries[launch];
}

static void what_comes_back(void **state) {
    (void)state;
    struct known_launches known = {0};
    assert_null(find(&known, 7, 1));
    add(&known, 7, TW_DB_TRIAL_COMPILE_ERROR);
    assert_null(find(&known, 7, 1));
    add(&known, 7, TW_DB_TRIAL_OK);
    const struct tw_binary *binary = find(&known, 7, 1);
    assert_non_null(binary);
    assert_int_equal(binary->size, 5);
    assert_memory_equal(binary->bytes, "defgh", 5);
    assert_true(binary->has_resources);
    assert_int_equal(binary->registers, 7);
    assert_string_equal(binary->log.data, "note 7");
    binary = find(&known, 8, 0);
    assert_non_null(binary);
    assert_int_equal(binary->size, 3);
    assert_false(binary->has_resources);
    assert_null(find(&known, 8, 1));
    known_launches_free(&known);
}

/* Those that nobody asked for longest go; the one that all share stays. */
static void the_longest_unused_go(void **state) {
    (void)state;
    struct known_launches known = {0};
    for (int i = 0; i < KNOWN_LAUNCHES + 50; i++) {
        add(&known, i, TW_DB_TRIAL_OK);
        assert_non_null(find(&known, i, 0));
    }
    assert_int_equal(known.count, KNOWN_LAUNCHES);
    assert_null(find(&known, 50, 1));
    assert_non_null(find(&known, 51, 1));
    assert_non_null(find(&known, KNOWN_LAUNCHES + 49, 1));
    known_launches_free(&known);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_what_they_are_known),
        cmocka_unit_test(what_comes_back),
        cmocka_unit_test(the_longest_unused_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
