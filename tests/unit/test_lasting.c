/* Of two that are predicted alike and would have to be compiled, that one is taken whose binary
 * does for more of the sizes that change. */
#include "tests/support/stored.h"

/* Of 96 columns blocks of 32 are whole, and of half of the other sizes; of 128 none ever are. */
static const char *const blocks[] = {"{\"BLOCK_X\":32,\"GROUP\":1,\"ORDER\":\"rows\"}",
                                     "{\"BLOCK_X\":128,\"GROUP\":1,\"ORDER\":\"rows\"}"};

static bool none_is_ready(void *context, const struct tw_configuration *configuration,
                          enum tw_ready where) {
    (void)context, (void)configuration, (void)where;
    return false;
}

static bool all_are_ready(void *context, const struct tw_configuration *configuration,
                          enum tw_ready where) {
    (void)context, (void)configuration, (void)where;
    return true;
}

static struct tw_selection chosen(struct house *house, unsigned changing, double tolerance,
                                  bool (*ready)(void *, const struct tw_configuration *,
                                                enum tw_ready)) {
    struct tw_selection selection;
    struct tw_error error;
    const struct tw_problem problem = parse_problem(house->description, "8x96");
    const struct tw_query query = {.catalogue = catalogue_of(house),
                                   .problem = &problem,
                                   .device = &paper_gpu,
                                   .cache = "cold",
                                   .ready = ready,
                                   .tolerance = tolerance,
                                   .changing = changing};
    must(tw_select(&query, &selection, &error), error);
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    return selection;
}

static void what_lasts_is_preferred(void **state) {
    struct house *house = *state;
    for (int i = 0; i < 2; i++) {
        struct row row = usual_row(house);
        row.key = i == 0 ? "M=8,N=112" : "M=8,N=80";
        row.n = i == 0 ? 112 : 80;
        row.configuration = blocks[i];
        row.time_us = i == 0 ? 5 : 7;
        store(house, &row);
    }
    struct tw_selection s = chosen(house, 0, 1, none_is_ready);
    assert_true(s.configuration.values[0] == 32 && !s.lasting && !s.ready);
    s = chosen(house, 2, 1, none_is_ready);
    assert_true(s.configuration.values[0] == 128 && s.lasting && !s.ready);
    /* Rows make no other binary, so the best lasts as long. */
    s = chosen(house, 1, 1, none_is_ready);
    assert_true(s.configuration.values[0] == 32 && !s.lasting);
    /* What is far from the best is not taken for that; and what is there needs no other. */
    s = chosen(house, 2, 0, none_is_ready);
    assert_true(s.configuration.values[0] == 32 && !s.lasting);
    s = chosen(house, 2, 1, all_are_ready);
    assert_true(s.configuration.values[0] == 32 && !s.lasting);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_lasts_is_preferred, set_up, tear_down)};
    return cmocka_run_group_tests_name("lasting", tests, NULL, NULL);
}
