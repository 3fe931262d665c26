/* Which binaries are chosen for several sizes at once: as many as pay, beside those that are there,
 * and what pays is told by all of the sizes. */
#include "runtime/select/together.h"
#include "tests/support/stored.h"

static const char *const sizes[] = {"8x96", "8x200", "8x4000"};
enum { SIZES = 3 };

struct chosen {
    size_t count;
    struct tw_together_choice all[8];
};

static struct tw_selection select_one(struct house *house, const char *shape,
                                      const struct tw_query *as) {
    struct tw_selection selection;
    struct tw_error error;
    const struct tw_problem problem = parse_problem(house->description, shape);
    struct tw_query query = *as;
    query.catalogue = catalogue_of(house);
    query.problem = &problem;
    query.device = &paper_gpu;
    query.cache = "cold";
    must(tw_select(&query, &selection, &error), error);
    return selection;
}

static struct chosen choose_or_alone(struct house *house, double worth, double alone, size_t room,
                                     bool (*ready)(void *, const struct tw_configuration *,
                                                   enum tw_ready)) {
    struct chosen chosen = {0};
    struct tw_together *together = tw_together_create();
    assert_non_null(together);
    for (size_t i = 0; i < SIZES; i++) {
        const struct tw_query query = {
            .ready = ready, .together = together, .problem_index = 10 + i};
        select_one(house, sizes[i], &query);
    }
    chosen.count = tw_together_choose(together, worth, alone, chosen.all, room);
    tw_together_free(together);
    return chosen;
}

static struct chosen choose(struct house *house, double worth, size_t room,
                            bool (*ready)(void *, const struct tw_configuration *, enum tw_ready)) {
    return choose_or_alone(house, worth, 100, room, ready);
}

/* The best for each size by itself; returns how many binaries those are. */
static int best_of_each(struct house *house, int64_t *best) {
    int others = 0;
    for (size_t i = 0; i < SIZES; i++) {
        const struct tw_query query = {0};
        best[i] = select_one(house, sizes[i], &query).configuration.values[0];
        others += i == 0 || best[i] != best[0];
    }
    return others;
}

static void as_many_as_pay(void **state) {
    struct house *house = *state;
    int64_t best[SIZES];
    store_block_row(house, 8, 112, 32, 5);
    store_block_row(house, 8, 3000, 128, 5.2);
    store_block_row(house, 8, 400, 64, 5.6);
    assert_true(best_of_each(house, best) > 1);
    /* None is worth that much; one has to be there; for nothing each size has its best. */
    assert_int_equal(choose(house, 100, 8, none_is_ready).count, 0);
    struct chosen one = choose(house, 0.6, 8, none_is_ready);
    assert_int_equal(one.count, 1);
    assert_true(one.all[0].problem >= 10 && one.all[0].problem < 10 + SIZES);
    struct chosen all = choose(house, 1e-9, 8, none_is_ready);
    assert_true(all.count > 1 && all.count <= SIZES);
    for (size_t i = 0; i < SIZES; i++) {
        bool found = false;
        for (size_t k = 0; k < all.count; k++)
            found |= all.all[k].configuration.values[0] == best[i];
        assert_true(found);
    }
    assert_int_equal(choose(house, 1e-9, 1, none_is_ready).count, 1);
    /* What is there is not chosen again, and leaves less to be gained. */
    struct chosen beside = choose(house, 1e-9, 8, the_widest_is_ready);
    assert_int_equal(beside.count, all.count - 1);
    for (size_t k = 0; k < beside.count; k++)
        assert_true(beside.all[k].configuration.values[0] != 128);
    assert_int_equal(choose(house, 0.6, 8, the_widest_is_ready).count, 0);
}

/* What a size loses so much by that it will have a binary of its own counts as one: one that saves
 * less than it is worth is chosen, if a later compile is saved so. */
static void what_has_its_own_later_counts_as_one(void **state) {
    struct house *house = *state;
    store_block_row(house, 8, 112, 32, 5);
    store_block_row(house, 8, 3000, 128, 5.2);
    store_block_row(house, 8, 400, 64, 5.6);
    const double worth = 0.6;
    assert_int_equal(choose_or_alone(house, worth, 100, 8, none_is_ready).count, 1);
    assert_true(choose_or_alone(house, worth, 1e-6, 8, none_is_ready).count > 1);
}

/* A size that was tuned has its own binary, whatever the others have. */
static void tuned_sizes_are_left_out(void **state) {
    struct house *house = *state;
    for (size_t i = 0; i < SIZES; i++) {
        static const int n[SIZES] = {96, 200, 4000}, blocks[SIZES] = {32, 128, 64};
        store_block_row(house, 8, n[i], blocks[i], 5);
    }
    assert_int_equal(choose(house, 1e-9, 8, none_is_ready).count, 0);
}

/* What was chosen so is taken where it is four times further from the best than is tolerated. */
static void what_was_settled_is_taken(void **state) {
    struct house *house = *state;
    store_block_row(house, 8, 112, 32, 5);
    store_block_row(house, 8, 80, 128, 5.8);
    for (int settled = 0; settled < 2; settled++) {
        const struct tw_query query = {.ready = the_widest_is_ready,
                                       .tolerance = 0.05,
                                       .changing = 2,
                                       .settled = settled != 0};
        const struct tw_selection s = select_one(house, "8x96", &query);
        assert_int_equal(s.configuration.values[0], settled ? 128 : 32);
        assert_true(s.ready == (settled != 0));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(as_many_as_pay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_has_its_own_later_counts_as_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tuned_sizes_are_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_settled_is_taken, set_up, tear_down)};
    return cmocka_run_group_tests_name("together", tests, NULL, NULL);
}
