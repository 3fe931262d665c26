/* Of those that are predicted alike and would have to be compiled, that one is taken whose binary
 * leaves least to be desired at other sizes, beside the binaries that are there. */
#include "tests/support/stored.h"

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

/* Of 96 columns blocks of 32 are whole, and of few other sizes; of 128 hardly ever any are. */
static void what_lasts_is_preferred(void **state) {
    struct house *house = *state;
    store_block_row(house, 8, 112, 32, 5);
    store_block_row(house, 8, 80, 128, 5.5);
    struct tw_selection s = chosen(house, 0, 0.15, none_is_ready);
    assert_true(s.configuration.values[0] == 32 && !s.lasting && !s.ready);
    s = chosen(house, 2, 0.075, none_is_ready);
    assert_true(s.configuration.values[0] == 128 && s.lasting && !s.ready);
    /* Rows make no other binary, so the best lasts as long. */
    s = chosen(house, 1, 0.075, none_is_ready);
    assert_true(s.configuration.values[0] == 32 && !s.lasting);
    /* What is far from the best is not taken for that; and what is there needs no other. */
    s = chosen(house, 2, 0, none_is_ready);
    assert_true(s.configuration.values[0] == 32 && !s.lasting);
    s = chosen(house, 2, 0.075, all_are_ready);
    assert_true(s.configuration.values[0] == 32 && !s.lasting);
    /* Where sizes change what is there may be twice as far from the best. */
    s = chosen(house, 0, 0.075, the_widest_is_ready);
    assert_true(s.configuration.values[0] == 32 && !s.ready);
    s = chosen(house, 2, 0.075, the_widest_is_ready);
    assert_true(s.configuration.values[0] == 128 && s.ready);
}

/* Blocks of 128 are there and too slow for this size; for the others they are hardly slower than
 * those of 64, which then are not worth a compiler. */
static void what_is_there_does_for_other_sizes(void **state) {
    struct house *house = *state;
    store_block_row(house, 8, 112, 32, 5);
    store_block_row(house, 8, 80, 64, 5.2);
    store_block_row(house, 8, 128, 128, 5.7);
    struct tw_selection s = chosen(house, 2, 0.05, none_is_ready);
    assert_true(s.configuration.values[0] == 64 && s.lasting && !s.ready);
    s = chosen(house, 2, 0.05, the_widest_is_ready);
    assert_true(s.configuration.values[0] == 32 && !s.lasting && !s.ready);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_lasts_is_preferred, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_there_does_for_other_sizes, set_up, tear_down)};
    return cmocka_run_group_tests_name("lasting", tests, NULL, NULL);
}
