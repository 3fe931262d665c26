/* What happens to selection when configurations are refused, and what a description falls back to.
 */
#include "runtime/variant/source.h"
#include "tests/support/stored.h"

/* Accepts one BLOCK_X only, and counts what it is offered. */
struct taste {
    int64_t block_x;
    int offers;
};

static tw_status accept(void *context, const struct tw_configuration *configuration,
                        struct tw_error *error) {
    struct taste *taste = context;
    taste->offers++;
    return configuration->values[0] == taste->block_x
               ? TW_OK
               : tw_fail(error, TW_COMPILE, "%lld is not to its taste",
                         (long long)configuration->values[0]);
}

static tw_status select_with(struct house *house, const struct tw_problem *problem,
                             struct taste *taste, struct tw_selection *selection,
                             struct tw_error *error) {
    const struct tw_query query = {.catalogue = catalogue_of(house),
                                   .problem = problem,
                                   .device = &paper_gpu,
                                   .cache = "cold",
                                   .accept = accept,
                                   .context = taste};
    return tw_select(&query, selection, error);
}

static void store_near(struct house *house, int64_t n, const char *configuration) {
    static char key[64];
    struct row row = usual_row(house);
    snprintf(key, sizeof key, "M=8,N=%lld;dtype=f32", (long long)n);
    row.key = key;
    row.n = n;
    row.configuration = configuration;
    store(house, &row);
}

/* The exact row is refused, the nearest too; the next is taken, and the first refusal told. */
static void refused_ones_are_passed_over(void **state) {
    struct house *house = *state;
    struct tw_selection selection;
    struct tw_error error;
    store_near(house, 100, "{\"BLOCK_X\":128,\"GROUP\":4,\"ORDER\":\"columns\"}");
    store_near(house, 200, "{\"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"columns\"}");
    store_near(house, 400, "{\"BLOCK_X\":32,\"GROUP\":4,\"ORDER\":\"columns\"}");
    struct taste taste = {.block_x = 32};
    must(select_with(house, &house->problem, &taste, &selection, &error), error);
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_int_equal(selection.configuration.values[0], 32);
    assert_true(selection.distance > 1.999999 && selection.distance < 2.000001);
    assert_string_equal(selection.refused->problem, "M=8,N=100;dtype=f32");
    assert_says(selection.refusal, "128 is not to its taste");
    assert_int_equal(taste.offers, 3);
}

static void the_default_may_be_refused_too(void **state) {
    struct house *house = *state;
    struct tw_selection selection;
    struct tw_error error;
    struct taste taste = {.block_x = 128};
    assert_refuses(select_with(house, &house->problem, &taste, &selection, &error), TW_COMPILE,
                   error, "the preset default: 64 is not to its taste");
}

/* What was refused for one row is not offered again for another. */
static void one_configuration_is_offered_once(void **state) {
    struct house *house = *state;
    struct tw_selection selection;
    struct tw_error error;
    for (int64_t n = 101; n < 110; n++)
        store_near(house, n, "{\"BLOCK_X\":128,\"GROUP\":4,\"ORDER\":\"columns\"}");
    struct taste taste = {.block_x = 64};
    must(select_with(house, &house->problem, &taste, &selection, &error), error);
    assert_int_equal(selection.rule, TW_SELECTED_DEFAULT);
    assert_int_equal(taste.offers, 2);
}

/* A compiler that fails at everything is not asked for ever. */
static void attempts_are_limited(void **state) {
    struct house *house = *state;
    struct tw_selection selection;
    struct tw_error error;
    enum { LEAST = 65, COUNT = 2 * TW_SELECT_ATTEMPTS - 5 }; /* values: with the others, 62 */
    struct tw_text list = {0};
    for (int i = 0; i < COUNT; i++)
        tw_text_print(&list, "%d, ", LEAST + i);
    tw_text_print(&list, "32, 64");
    char *text = replaced(scale_text, "32, 64, 128", list.data);
    struct tw_description *d = read_description(text, house->scratch->path);
    struct row row = usual_row(house);
    char hash[TW_HASH_SIZE], key[64], configuration[100];
    must(tw_identity_code(d, 0, "cuda", hash, &error), error);
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "M=8,N=%d", 101 + i);
        snprintf(configuration, sizeof configuration,
                 "{\"BLOCK_X\":%d,\"GROUP\":4,\"ORDER\":\"rows\"}", LEAST + i);
        row.hash = hash;
        row.key = key;
        row.n = 101 + i;
        row.configuration = configuration;
        store(house, &row);
    }
    const struct tw_problem problem = parse_problem(d, "8x100");
    struct taste taste = {.block_x = 64};
    must(select_with(house, &problem, &taste, &selection, &error), error);
    assert_int_equal(selection.rule, TW_SELECTED_DEFAULT);
    assert_in_range(taste.offers, TW_SELECT_ATTEMPTS, TW_SELECT_ATTEMPTS + 1);
    tw_text_free(&list);
    tw_description_free(d);
    free(text);
}

static const char rules[] =
    "\"fallback\": ["
    "{ \"when\": \"1 / (M - 8) == 5\", \"preset\": \"large\" }," /* cannot be evaluated for M = 8 */
    "{ \"when\": \"N > 1000 && ARCH >= 90\", \"preset\": \"large\" },"
    "{ \"when\": \"N > 500\", \"preset\": \"small\" } ],"
    "\"implementations\": [";
static const char presets[] =
    "\"presets\": { \"large\": { \"BLOCK_X\": 128, \"ORDER\": \"rows\", \"GROUP\": 4 },"
    "\"small\": { \"BLOCK_X\": 32, \"ORDER\": \"rows\", \"GROUP\": 1 },";

static void a_description_falls_back(void **state) {
    struct house *house = *state;
    char *with_rules = replaced(scale_text, "\"implementations\": [", rules);
    char *text = replaced(with_rules, "\"presets\": {", presets);
    struct tw_description *d = read_description(text, house->scratch->path);
    static const struct {
        const char *shape;
        enum tw_selection_rule rule;
        int64_t block_x;
    } cases[] = {{"8x2000", TW_SELECTED_FALLBACK, 128},
                 {"8x600", TW_SELECTED_FALLBACK, 32},
                 {"8x500", TW_SELECTED_DEFAULT, 64}};
    for (int i = 0; i < 3; i++) {
        const struct tw_problem problem = parse_problem(d, cases[i].shape);
        struct tw_selection selection = selected_for(house, &problem, &paper_gpu, "cold");
        assert_int_equal(selection.rule, cases[i].rule);
        assert_int_equal(selection.configuration.values[0], cases[i].block_x);
    }
    /* One that does not fit or is refused leaves it to the next rule, and to the default. */
    const struct tw_problem problem = parse_problem(d, "8x2000");
    struct tw_device_info device = paper_gpu;
    device.max_threads = 64;
    assert_int_equal(selected_for(house, &problem, &device, "cold").configuration.values[0], 32);
    struct tw_selection selection;
    struct tw_error error;
    struct taste taste = {.block_x = 64};
    must(select_with(house, &problem, &taste, &selection, &error), error);
    assert_int_equal(selection.rule, TW_SELECTED_DEFAULT);
    /* A stored result counts for more. */
    struct row row = usual_row(house);
    char hash[TW_HASH_SIZE];
    must(tw_identity_code(d, 0, "cuda", hash, &error), error);
    row.hash = hash;
    store(house, &row);
    assert_int_equal(selected_for(house, &problem, &paper_gpu, "cold").rule, TW_SELECTED_NEAREST);
    tw_description_free(d);
    free(text);
    free(with_rules);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HOUSE_TEST(refused_ones_are_passed_over),      HOUSE_TEST(the_default_may_be_refused_too),
        HOUSE_TEST(one_configuration_is_offered_once), HOUSE_TEST(attempts_are_limited),
        HOUSE_TEST(a_description_falls_back),
    };
    return cmocka_run_group_tests_name("accept", tests, NULL, NULL);
}
