/* Configurations: canonical text, and what is refused when it comes back from a database. */
#include "runtime/description/configuration.h"

#include "tests/support/scale.h"

static tw_status parse(const char *text, struct tw_configuration *configuration,
                       struct tw_error *error) {
    return tw_configuration_parse(configuration, scale, 0, text, error);
}

static struct tw_configuration configuration_of(const char *text) {
    struct tw_configuration configuration;
    struct tw_error error;
    must(parse(text, &configuration, &error), error);
    return configuration;
}

static void assert_text(const struct tw_description *d, const struct tw_configuration *c,
                        const char *expected) {
    struct tw_text text = {0};
    tw_configuration_text(d, c, &text);
    assert_string_equal(text.data, expected);
    tw_text_free(&text);
}

static void text_is_canonical(void **state) {
    (void)state;
    struct tw_configuration c = configuration_of("{\"ORDER\":\"columns\",\"GROUP\":4,"
                                                 "\"BLOCK_X\":128}");
    assert_int_equal(c.implementation, 0);
    assert_int_equal(c.values[0], 128);
    assert_int_equal(c.values[2], 4);
    assert_text(scale, &c, "{\"BLOCK_X\":128,\"GROUP\":4,\"ORDER\":\"columns\"}");

    /* Spaces, order and the way a number is written do not matter. */
    struct tw_configuration same =
        configuration_of(" { \"GROUP\" : 4.0 ,\n \"BLOCK_X\":1.28e2, \"ORDER\":\"columns\" } ");
    assert_true(tw_configuration_equal(scale, &c, &same));
    same = configuration_of("{\"ORDER\":\"colu\\u006dns\",\"GROUP\":4,\"BLOCK_X\":128}");
    assert_true(tw_configuration_equal(scale, &c, &same));
    same.values[1] = c.values[1] + 1;
    assert_false(tw_configuration_equal(scale, &c, &same));
    same = c;
    same.implementation = 1;
    assert_false(tw_configuration_equal(scale, &c, &same));
}

/* By bytes, as strcmp does: capitals before _ before small letters. */
static void names_are_sorted(void **state) {
    (void)state;
    char *text = replaced(scale_text, "\"BLOCK_X\": [32, 64, 128],",
                          "\"b\": [1], \"BLOCK_X\": [32, 64, 128], \"_\": [-7], \"BLOCK\": [2], "
                          "\"a9\": [3], \"a10\": [4],");
    char *whole = replaced(text, "\"default\": {",
                           "\"default\": { \"b\": 1, \"_\": -7, \"BLOCK\": 2, \"a9\": 3, "
                           "\"a10\": 4,");
    struct tw_description *d = read_description(whole, NULL);
    struct tw_configuration c = {0};
    memcpy(c.values, d->implementations[0].presets[0].values, sizeof c.values);
    const char *expected = "{\"BLOCK\":2,\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\",\"_\":-7,"
                           "\"a10\":4,\"a9\":3,\"b\":1}";
    assert_text(d, &c, expected);
    struct tw_configuration back;
    struct tw_error error;
    must(tw_configuration_parse(&back, d, 0, expected, &error), error);
    assert_true(tw_configuration_equal(d, &c, &back));
    tw_description_free(d);
    free(whole);
    free(text);
}

static void every_value_comes_back(void **state) {
    (void)state;
    const struct tw_implementation *in = &scale->implementations[0];
    for (int i = 0; i < 3 * 2 * 2; i++) {
        struct tw_configuration c = {.values = {in->parameters[0].values[i % 3],
                                                in->parameters[1].values[i / 3 % 2],
                                                in->parameters[2].values[i / 6]}};
        struct tw_text text = {0};
        tw_configuration_text(scale, &c, &text);
        struct tw_configuration back = configuration_of(text.data);
        assert_true(tw_configuration_equal(scale, &c, &back));
        tw_text_free(&text);
    }
}

static void no_parameters(void **state) {
    (void)state;
    char *text = replaced(scale_text,
                          "\"BLOCK_X\": [32, 64, 128], \"ORDER\": [\"rows\", \"columns\"], "
                          "\"GROUP\": { \"values\": [1, 4], \"launch\": true }",
                          "");
    static const char *const changes[][2] = {
        {"\"BLOCK_X\": 64, \"ORDER\": \"rows\", \"GROUP\": 1", ""},
        {"BLOCK_X <= MAX_THREADS", "1"},
        {" && ORDER == 'columns'", ""},
        {"N % BLOCK_X", "N % 64"},
        {"[\"BLOCK_X\"]", "[\"64\"]"},
        {"ceil_div(N, BLOCK_X)", "ceil_div(N, 64)"},
        {", \"GROUP\"]", "]"}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *changed = replaced(text, changes[i][0], changes[i][1]);
        free(text);
        text = changed;
    }
    struct tw_description *d = read_description(text, NULL);
    struct tw_configuration c;
    struct tw_error error;
    must(tw_configuration_parse(&c, d, 0, "{}", &error), error);
    assert_text(d, &c, "{}");
    tw_description_free(d);
    free(text);
}

/* A parameter that came later: what does not name it means what there was before. */
static void a_parameter_that_is_new(void **state) {
    (void)state;
    char *text = replaced(scale_text, "\"GROUP\": { \"values\": [1, 4], \"launch\": true }",
                          "\"GROUP\": { \"values\": [1, 4], \"launch\": true, \"absent\": 4 }");
    char *other = replaced(text, "\"ORDER\": \"rows\", \"GROUP\": 1", "\"ORDER\": \"rows\"");
    struct tw_description *d = read_description(other, NULL);
    static const char *const written[] = {"{\"BLOCK_X\":32,\"ORDER\":\"rows\"}",
                                          "{ \"ORDER\": \"rows\", \"BLOCK_X\": 32 }",
                                          "{\"BLOCK_X\":32,\"GROUP\":4,\"ORDER\":\"rows\"}"};
    struct tw_configuration c;
    struct tw_error error;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        must(tw_configuration_parse(&c, d, 0, written[i], &error), error);
        assert_text(d, &c, "{\"BLOCK_X\":32,\"GROUP\":4,\"ORDER\":\"rows\"}");
    }
    must(tw_configuration_preset(&c, d, 0, &d->implementations[0].presets[0], &error), error);
    assert_text(d, &c, "{\"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"rows\"}");
    assert_int_not_equal(tw_configuration_parse(&c, d, 0, "{\"BLOCK_X\":32,\"GROUP\":4}", &error),
                         TW_OK);
    assert_says(error.message, "ORDER");
    tw_description_free(d);
    free(other);
    free(text);
}

static void refuses_what_is_not_listed(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "configuration:1:1: not valid JSON"},
        {"[]", "expected an object"},
        {"7", "expected an object"},
        {"null", "expected an object"},
        {"{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"", "configuration:1:"},
        {"{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"} {}", "configuration:1:"},
        {"{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"}}", "configuration:1:"},
        {"{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows", "configuration:1:"},
        {"{\"BLOCK_X\":,\"GROUP\":1,\"ORDER\":\"rows\"}", "configuration:1:"},
        {"{\"BLOCK_X\":-,\"GROUP\":1,\"ORDER\":\"rows\"}", "configuration:1:"},
        {"{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"row\"}", "key ORDER: is not among"},
        {"{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rowss\"}", "key ORDER: is not among"},
        {"{\"BLOCK_X\":64,\"ORDER\":\"rows\"}", "key GROUP: missing"},
        {"{}", "missing"},
        {"{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\",\"BLOCK_Y\":1}",
         "unknown key \"BLOCK_Y\"; did you mean \"BLOCK_X\"?"},
        {"{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\",\"BLOCK_X\":32}", "given twice"},
        {"{\"BLOCK_X\":65,\"GROUP\":1,\"ORDER\":\"rows\"}", "key BLOCK_X: is not among"},
        {"{\"BLOCK_X\":64.5,\"GROUP\":1,\"ORDER\":\"rows\"}", "key BLOCK_X: expected a whole"},
        {"{\"BLOCK_X\":1e300,\"GROUP\":1,\"ORDER\":\"rows\"}", "key BLOCK_X: expected a whole"},
        {"{\"BLOCK_X\":-64,\"GROUP\":1,\"ORDER\":\"rows\"}", "key BLOCK_X: is not among"},
        {"{\"BLOCK_X\":\"64\",\"GROUP\":1,\"ORDER\":\"rows\"}", "key BLOCK_X: expected a number"},
        {"{\"BLOCK_X\":true,\"GROUP\":1,\"ORDER\":\"rows\"}", "key BLOCK_X: expected a number"},
        {"{\"BLOCK_X\":null,\"GROUP\":1,\"ORDER\":\"rows\"}", "key BLOCK_X: expected a number"},
        {"{\"BLOCK_X\":[64],\"GROUP\":1,\"ORDER\":\"rows\"}", "key BLOCK_X: expected a number"},
        /* A word that exists, but is another parameter's or an attribute's. */
        {"{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"f32\"}", "key ORDER: is not among"},
        {"{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"ROWS\"}", "key ORDER: is not among"},
        {"{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"\"}", "key ORDER: is not among"},
        {"{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":2}", "key ORDER: expected a string"},
        /* Attempts to get text through to a compiler. */
        {"{\"BLOCK_X\":\"64\\n#include \\\"/etc/passwd\\\"\",\"GROUP\":1,\"ORDER\":\"rows\"}",
         "key BLOCK_X: expected a number"},
        {"{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\\n#define TW_KERNEL(x) evil\"}",
         "key ORDER: is not among"},
        {"{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows; asm(\\\"trap\\\")\"}",
         "key ORDER: is not among"},
        {"{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\",\"X 1\\n#define M\":1}", "unknown key"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_configuration c;
        struct tw_error error;
        tw_status status = parse(cases[i].text, &c, &error);
        if (status != TW_BAD_DESCRIPTION) {
            fail_msg("%s gives %s", cases[i].text, tw_status_text(status));
        }
        assert_says(error.message, cases[i].says);
        assert_true(strncmp(error.message, "configuration:", 14) == 0);
    }
}

static void binds_parameters_and_defines(void **state) {
    (void)state;
    const struct tw_implementation *in = &scale->implementations[0];
    struct tw_problem problem = parse_problem(scale, "8x100");
    struct tw_configuration c =
        configuration_of("{\"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"columns\"}");
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_error error;
    bind_problem(&problem, &paper_gpu, values);
    must(tw_configuration_bind(scale, &c, values, &error), error);
    assert_int_equal(values[in->parameters[0].slot], 64);
    assert_int_equal(values[in->parameters[2].slot], 4);
    assert_int_equal(values[in->defines[0].slot], 1); /* 100 % 64 != 0 */
    must(tw_configuration_check(scale, &c, values, &error), error);
    assert_false(tw_configuration_redundant(scale, &c, values));

    problem = parse_problem(scale, "1x128");
    bind_problem(&problem, &paper_gpu, values);
    must(tw_configuration_bind(scale, &c, values, &error), error);
    assert_int_equal(values[in->defines[0].slot], 0);
    assert_true(tw_configuration_redundant(scale, &c, values));

    struct tw_device_info small = paper_gpu;
    small.max_threads = 63;
    bind_problem(&problem, &small, values);
    must(tw_configuration_bind(scale, &c, values, &error), error);
    assert_refuses(tw_configuration_check(scale, &c, values, &error), TW_INVALID, error,
                   "direct does not allow it: the constraint \"BLOCK_X <= MAX_THREADS\" does not "
                   "hold");
}

/* What is known to hold is not asked again; what sizes may change is never known so. */
static void what_holds_is_not_asked(void **state) {
    (void)state;
    struct tw_device_info small = paper_gpu;
    struct tw_problem problem = parse_problem(scale, "8x100");
    struct tw_configuration c =
        configuration_of("{\"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"columns\"}");
    int64_t values[TW_MAX_SYMBOLS], bound[TW_MAX_SYMBOLS];
    struct tw_error error;
    small.max_threads = 63;
    bind_problem(&problem, &small, values);
    assert_int_equal(scale->implementations[0].sized_constraints, 0);
    assert_refuses(tw_configuration_allow(scale, &c, 0, values, &error), TW_INVALID, error,
                   "\"BLOCK_X <= MAX_THREADS\" does not hold");
    must(tw_configuration_allow(scale, &c, 1, values, &error), error);
    bind_problem(&problem, &small, bound);
    must(tw_configuration_bind(scale, &c, bound, &error), error);
    for (int i = 0; i < scale->implementations[0].symbols->count; i++)
        assert_int_equal(values[i], bound[i]);

    static const char *const sized[] = {"BLOCK_X <= MAX_THREADS + 0*M", "BLOCK_X <= ALIGNMENT*99",
                                        "lda % BLOCK_X == 0 || BLOCK_X < 9"};
    for (size_t i = 0; i < sizeof sized / sizeof *sized; i++) {
        char *text = replaced(scale_text, "BLOCK_X <= MAX_THREADS", sized[i]);
        struct tw_description *d = read_description(text, NULL);
        assert_int_equal(d->implementations[0].sized_constraints, 1);
        tw_description_free(d);
        free(text);
    }
}

/* What cannot be evaluated is refused, not taken as 0; a redundancy that cannot be holds for
 * nothing. */
static void what_cannot_be_evaluated(void **state) {
    (void)state;
    static const char *const changes[][2] = {{"N % BLOCK_X != 0", "M / (N - 100)"},
                                             {"BLOCK_X <= MAX_THREADS", "1 / (N - 100) == 0"},
                                             {"M == 1 && ORDER == 'columns'", "1 / (N - 100)"}};
    for (int i = 0; i < 3; i++) {
        char *text = replaced(scale_text, changes[i][0], changes[i][1]);
        struct tw_description *d = read_description(text, NULL);
        struct tw_problem problem = parse_problem(d, "8x100");
        struct tw_configuration c;
        int64_t values[TW_MAX_SYMBOLS];
        struct tw_error error;
        must(tw_configuration_parse(&c, d, 0, "{\"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"rows\"}",
                                    &error),
             error);
        bind_problem(&problem, &paper_gpu, values);
        if (i == 0) {
            assert_refuses(tw_configuration_bind(d, &c, values, &error), TW_INVALID, error,
                           "scale.json: implementation direct: define RAGGED, \"M / (N - 100)\", "
                           "divides by zero");
        } else {
            must(tw_configuration_bind(d, &c, values, &error), error);
            assert_false(tw_configuration_redundant(d, &c, values));
        }
        if (i == 1) {
            assert_refuses(tw_configuration_check(d, &c, values, &error), TW_INVALID, error,
                           "divides by zero");
        }
        tw_description_free(d);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_canonical),
        cmocka_unit_test(names_are_sorted),
        cmocka_unit_test(every_value_comes_back),
        cmocka_unit_test(no_parameters),
        cmocka_unit_test(a_parameter_that_is_new),
        cmocka_unit_test(refuses_what_is_not_listed),
        cmocka_unit_test(binds_parameters_and_defines),
        cmocka_unit_test(what_holds_is_not_asked),
        cmocka_unit_test(what_cannot_be_evaluated),
    };
    return cmocka_run_group_tests_name("configuration", tests, read_scale, free_scale);
}
