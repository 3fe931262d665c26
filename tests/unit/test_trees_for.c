/* How many trees are grown of so many trials, and how deep they are. */
#include "tuner/model/trees_for.h"

#include "tests/support/support.h"

static void of_few_trials_there_are_some(void **state) {
    (void)state;
    for (int trials = 0; trials <= 5000; trials += 1000) {
        const struct boost_options options = trees_for(trials, false);
        assert_int_equal(options.trees, 160);
        assert_int_equal(options.depth, 6);
    }
}

static void of_more_there_are_more_up_to_a_bound(void **state) {
    (void)state;
    assert_int_equal(trees_for(9600, false).trees, 300);
    assert_int_equal(trees_for(12800, false).trees, 400);
    assert_int_equal(trees_for(49999, false).trees, 400);
    assert_int_equal(trees_for(49999, false).depth, 6);
}

static void of_many_they_are_deeper(void **state) {
    (void)state;
    assert_false(trials_are_many(49999));
    assert_true(trials_are_many(50000));
    const struct boost_options options = trees_for(50000, false);
    assert_int_equal(options.trees, 400);
    assert_int_equal(options.depth, 8);
    /* Deep trees would have leaves of few samples. */
    assert_true(options.least > trees_for(49999, false).least);
}

/* Every selection walks down them too. */
static void an_earlier_model_gets_fewer(void **state) {
    (void)state;
    assert_int_equal(trees_for(100, true).trees, 80);
    assert_int_equal(trees_for(49999, true).trees, 80);
    assert_int_equal(trees_for(49999, true).depth, 6);
    assert_int_equal(trees_for(50000, true).trees, 160);
    assert_int_equal(trees_for(50000, true).depth, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_few_trials_there_are_some),
        cmocka_unit_test(of_more_there_are_more_up_to_a_bound),
        cmocka_unit_test(of_many_they_are_deeper),
        cmocka_unit_test(an_earlier_model_gets_fewer),
    };
    return cmocka_run_group_tests_name("trees_for", tests, NULL, NULL);
}
