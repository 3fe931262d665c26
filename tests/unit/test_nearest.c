/* For a problem that was never tuned: what the nearest one was given. */
#include "tests/support/stored.h"

/* A row for M x N with BLOCK_X of its own, so that it can be told. */
static void store_near(const struct house *house, int m, int n, int block, double time_us) {
    char key[100], configuration[100];
    struct row row = usual_row(house);
    snprintf(key, sizeof key, "M=%d,N=%d;dtype=f32", m, n);
    snprintf(configuration, sizeof configuration, "{\"BLOCK_X\":%d,\"GROUP\":4,\"ORDER\":\"rows\"}",
             block);
    row.key = key;
    row.m = m;
    row.n = n;
    row.configuration = configuration;
    row.time_us = time_us;
    store(house, &row);
}

/* Ratios count, not differences: 16 is nearer to 8 than 3 is. */
static void nearest(void **state) {
    struct house *house = *state;
    store_near(house, 3, 100, 32, 1);
    store_near(house, 16, 100, 128, 1);
    store_near(house, 8, 1000, 64, 1);
    struct tw_selection selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_int_equal(selection.configuration.values[0], 128);
    assert_true(selection.distance == 1);
    assert_string_equal(selection.row->problem, "M=16,N=100;dtype=f32");
    assert_null(selection.refused);

    struct tw_problem far = parse_problem(house->description, "2x400");
    selection = selected_for(house, &far, &paper_gpu, "cold");
    /* From 3x100 it is log2(1.5) and 2; from 8x1000 2 and log2(2.5). */
    assert_int_equal(selection.configuration.values[0], 32);
    assert_true(selection.distance > 2.083 && selection.distance < 2.084);

    struct tw_error error;
    must(tw_problem_set(&far, "dtype", "f64", &error), error);
    assert_int_equal(selected_for(house, &far, &paper_gpu, "cold").rule, TW_SELECTED_DEFAULT);
    assert_int_equal(selected(house, "warm").rule, TW_SELECTED_DEFAULT);
}

static void nearest_that_can_be_used(void **state) {
    struct house *house = *state;
    store_near(house, 8, 101, 96, 1); /* 96 is no value any more */
    store_near(house, 8, 150, 128, 1);
    struct tw_selection selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_int_equal(selection.configuration.values[0], 128);
    assert_string_equal(selection.refused->problem, "M=8,N=101;dtype=f32");
    assert_says(selection.refusal, "BLOCK_X");
    /* One for this very problem that cannot be used gives way to a near one, and is named. */
    store_near(house, 8, 100, 33, 1);
    selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_string_equal(selection.refused->problem, "M=8,N=100;dtype=f32");
}

/* As near as each other, the order in which they were stored must not decide. */
static void ties_are_settled(void **state) {
    struct house *house = *state;
    store_near(house, 16, 100, 32, 3);
    store_near(house, 4, 100, 128, 2);
    store_near(house, 8, 200, 64, 2);
    struct tw_selection selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_int_equal(selection.configuration.values[0], 128); /* "M=4..." < "M=8..." */
}

/* This device's own, however far, before another's, however near. */
static void this_device_first(void **state) {
    struct house *house = *state;
    struct row row = usual_row(house);
    row.fingerprint = "cuda|Another GPU|114 units|sm_90|80 GiB";
    store(house, &row);
    struct tw_selection selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_ARCHITECTURE);
    assert_true(selection.distance == 0);
    assert_string_equal(selection.row->device, row.fingerprint);
    store_near(house, 8000, 1, 32, 1);
    selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_int_equal(selection.configuration.values[0], 32);
}

/* What a later database says of the same row holds. */
static void later_databases_override(void **state) {
    struct house *house = *state;
    struct tw_selection selection;
    struct tw_error error;
    struct row row = usual_row(house);
    tw_db *first = house->db;
    char path[1024], message[TW_DB_MESSAGE_SIZE];
    snprintf(path, sizeof path, "%s/second.db", house->scratch->path);
    store(house, &row);
    assert_int_equal(tw_db_open(&house->db, path, TW_DB_WRITE, message, sizeof message), TW_DB_OK);
    row.configuration = "{\"BLOCK_X\":32,\"GROUP\":1,\"ORDER\":\"rows\"}";
    row.time_us = 99; /* slower, but the user's own */
    store(house, &row);
    for (int i = 0; i < 2; i++) {
        tw_catalogue_free(house->catalogue);
        must(tw_catalogue_create(&house->catalogue, &error), error);
        must(tw_catalogue_add(house->catalogue, i == 0 ? first : house->db, &error), error);
        must(tw_catalogue_add(house->catalogue, i == 0 ? house->db : first, &error), error);
        assert_int_equal(tw_catalogue_size(house->catalogue), 1);
        const struct tw_query query = {.catalogue = house->catalogue,
                                       .problem = &house->problem,
                                       .device = &paper_gpu,
                                       .cache = "cold"};
        must(tw_select(&query, &selection, &error), error);
        assert_int_equal(selection.configuration.values[0], i == 0 ? 32 : 128);
    }
    tw_db_close(first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HOUSE_TEST(nearest),
        HOUSE_TEST(nearest_that_can_be_used),
        HOUSE_TEST(ties_are_settled),
        HOUSE_TEST(this_device_first),
        HOUSE_TEST(later_databases_override),
    };
    return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
