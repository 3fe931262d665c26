/* Where a search begins: what did well nearby, as far as this space has it. */
#include "runtime/variant/source.h"
#include "tests/support/stored.h"
#include "tuner/session/hints.h"

static void store_at(struct house *house, int64_t m, int64_t n, const char *device,
                     const char *configuration, const char *hash) {
    char key[64];
    struct row row = usual_row(house);
    snprintf(key, sizeof key, "M=%lld,N=%lld;dtype=f32", (long long)m, (long long)n);
    row.key = key;
    row.m = m;
    row.n = n;
    row.configuration = configuration;
    if (device != NULL)
        row.fingerprint = device;
    if (hash != NULL)
        row.hash = hash;
    store(house, &row);
}

static int find(struct house *house, struct space *space, size_t points[HINTS_MOST]) {
    int64_t values[TW_MAX_SYMBOLS];
    bind_problem(&house->problem, &paper_gpu, values);
    return hints_find(catalogue_of(house), &house->problem, &paper_gpu, values, space, points);
}

static int64_t block_x(const struct space *space, size_t point) {
    struct tw_configuration configuration;
    space_configuration(space, point, &configuration);
    return configuration.values[0];
}

/* The nearest first, this device before others of its architecture; nothing twice, nothing from
 * afar, nothing that the space has not. The problem is 8x100. */
static void the_nearest_first(void **state) {
    struct house *house = *state;
    struct space *space;
    struct tw_error error;
    size_t points[HINTS_MOST];
    must(space_create(&space, &house->problem, &paper_gpu, NULL, &error), error);
    assert_int_equal(find(house, space, points), 0);
    store_at(house, 8, 400, NULL, "{\"BLOCK_X\":128,\"GROUP\":4,\"ORDER\":\"rows\"}", NULL);
    store_at(house, 8, 200, NULL, "{\"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"rows\"}", NULL);
    store_at(house, 16, 200, NULL, "{\"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"rows\"}", NULL);
    /* A template that has changed is a hint all the same. */
    store_at(house, 8, 800, NULL, "{\"BLOCK_X\":32,\"GROUP\":1,\"ORDER\":\"rows\"}", "older");
    store_at(house, 8, 100, "cuda|Another|1 units",
             "{\"BLOCK_X\":32,\"GROUP\":4,\"ORDER\":\"rows\"}", NULL);
    store_at(house, 8, 100000, NULL, "{\"BLOCK_X\":128,\"GROUP\":1,\"ORDER\":\"rows\"}", NULL);
    store_at(house, 8, 300, NULL, "{\"BLOCK_X\":99,\"GROUP\":1,\"ORDER\":\"rows\"}", NULL);
    assert_int_equal(find(house, space, points), 4);
    assert_int_equal(block_x(space, points[0]), 64);
    assert_int_equal(block_x(space, points[1]), 128);
    assert_int_equal(block_x(space, points[2]), 32);
    assert_int_equal(block_x(space, points[3]), 32);
    assert_true(points[2] != points[3]);
    space_free(space);
}

static void other_kinds_of_problem(void **state) {
    struct house *house = *state;
    struct space *space;
    struct tw_error error;
    size_t points[HINTS_MOST];
    must(space_create(&space, &house->problem, &paper_gpu, NULL, &error), error);
    struct row row = usual_row(house);
    row.key = "M=8,N=100;dtype=f64";
    store(house, &row);
    row = usual_row(house);
    row.kernel = "copy";
    store(house, &row);
    row = usual_row(house);
    row.fingerprint = "cuda|Another|1 units";
    row.architecture = "sm_80";
    store(house, &row);
    assert_int_equal(find(house, space, points), 0);
    space_free(space);
}

/* Where there is one row only, the order by columns is redundant; that by rows stands for it. */
static void what_is_redundant_here(void **state) {
    struct house *house = *state;
    struct space *space;
    struct tw_error error;
    struct tw_configuration configuration;
    size_t points[HINTS_MOST];
    house->problem = parse_problem(house->description, "1x100");
    must(space_create(&space, &house->problem, &paper_gpu, NULL, &error), error);
    store_at(house, 2, 100, NULL, "{\"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"columns\"}", NULL);
    store_at(house, 4, 100, NULL, "{\"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"rows\"}", NULL);
    assert_int_equal(find(house, space, points), 1);
    space_configuration(space, points[0], &configuration);
    assert_int_equal(configuration.values[0], 64);
    assert_string_equal(
        house->description->implementations[0].symbols->words[configuration.values[1]], "rows");
    assert_int_equal(configuration.values[2], 4);
    space_free(space);
}

/* The description with an attribute that names a promise of errors. */
static struct tw_description *read_promising(const struct house *house) {
    static const char attributes[] = "\"attributes\": {", before[] = "\"implementations\":";
    char text[8192];
    const char *first = strstr(scale_text, attributes), *second = strstr(scale_text, before);
    assert_non_null(first);
    assert_non_null(second);
    first += strlen(attributes);
    snprintf(
        text, sizeof text,
        "%.*s \"compute\": { \"values\": [\"default\", \"split\", \"rough\"], \"default\": "
        "\"default\" },%.*s \"accuracy\": { \"plain\": { \"templates\": "
        "[\"scale/reference.cu\"], \"function\": \"right\", \"block\": [\"64\"], \"grid\": "
        "[\"1\"], \"pass\": [\"A\", \"B\"] }, \"inputs\": { \"uniform\": {} }, \"bounds\": "
        "[{ \"when\": \"compute == 'split'\", \"plain\": 1, \"promises\": \"no more\" }] }, %s",
        (int)(first - scale_text), scale_text, (int)(second - first), first, second);
    return read_description(text, house->scratch->path);
}

/* Plain results keep a promise of errors, so they are where a search under one begins too: after
 * its own, but before those of a problem that is more than twice as large. */
static void plain_arithmetic_under_a_promise(void **state) {
    struct house *house = *state;
    struct space *space;
    struct tw_error error;
    size_t points[HINTS_MOST];
    tw_description_free(house->description);
    house->description = read_promising(house);
    house->problem = parse_problem(house->description, "8x100");
    store_at(house, 8, 100, NULL, "{\"BLOCK_X\":32,\"GROUP\":1,\"ORDER\":\"rows\"}", NULL);
    struct row row = usual_row(house);
    row.key = "M=8,N=400;compute=split";
    row.n = 400;
    row.configuration = "{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"}";
    store(house, &row);
    row.key = "M=8,N=100;compute=split";
    row.n = 100;
    row.configuration = "{\"BLOCK_X\":128,\"GROUP\":1,\"ORDER\":\"rows\"}";
    store(house, &row);
    static const struct {
        const char *word;
        int count, first, second;
    } expected[] = {{"split", 3, 128, 32}, {"rough", 0, 0, 0}, {"default", 1, 32, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        must(tw_problem_set(&house->problem, "compute", expected[i].word, &error), error);
        must(space_create(&space, &house->problem, &paper_gpu, NULL, &error), error);
        assert_int_equal(find(house, space, points), expected[i].count);
        if (expected[i].count > 0)
            assert_int_equal(block_x(space, points[0]), expected[i].first);
        if (expected[i].count > 1)
            assert_int_equal(block_x(space, points[1]), expected[i].second);
        space_free(space);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HOUSE_TEST(the_nearest_first),
        HOUSE_TEST(other_kinds_of_problem),
        HOUSE_TEST(what_is_redundant_here),
        HOUSE_TEST(plain_arithmetic_under_a_promise),
    };
    return cmocka_run_group_tests_name("hints", tests, NULL, NULL);
}
