/* What boosted trees are grown to come nearer to. */
#include <math.h>

#include "tests/support/support.h"
#include "tuner/model/objectives.h"
#include "tuner/model/trees_for.h"

static void squares(void **state) {
    (void)state;
    const double wanted[] = {1, 2, 3}, weights[] = {1, 0.5, 2}, said[] = {0, 2.5, 3};
    const bool used[] = {true, true, false};
    double steps[3] = {7, 7, 7}, counts[3] = {7, 7, 7};
    struct squares s;
    squares_begin(&s, 3, wanted, weights);
    s.objective.aim(&s.objective, said, used, steps, counts);
    assert_true(steps[0] == 1 && steps[1] == -0.5 && counts[0] == 1 && counts[1] == 0.5);
    assert_true(steps[2] == 7 && counts[2] == 7);
    s.objective.aim(&s.objective, said, NULL, steps, counts);
    assert_true(steps[2] == 0 && counts[2] == 2);
}

/* Two problems, of which the samples do not lie together. */
static const int problems[] = {0, 1, 0, 1, 0, 2};
static const double longer[] = {0, 0.3, 0.1, 0, 2, 0};
enum { COUNT = 6, PROBLEMS = 3 };

static void what_is_in_order(void **state) {
    (void)state;
    struct tw_error error;
    struct order order;
    double said[COUNT], steps[COUNT], counts[COUNT];
    must(order_begin(&order, COUNT, problems, PROBLEMS, longer, &error), error);
    /* As it was measured, whatever is added to all of a problem: no step is wanted. */
    for (int i = 0; i < COUNT; i++)
        said[i] = longer[i] + 10 * problems[i];
    order.objective.aim(&order.objective, said, NULL, steps, counts);
    for (int i = 0; i < COUNT; i++)
        assert_true(fabs(counts[i] * steps[i]) < 1e-9 && counts[i] > 0);
    order_end(&order);
}

/* The loss, for its slope. */
static double loss(const double *said) {
    enum { SAMPLES = 3 };
    static const int of[SAMPLES] = {0, 2, 4};
    const double softness = 0.15;
    double measured = 0, by_said = 0, sum = 0;
    for (int k = 0; k < SAMPLES; k++) {
        measured += exp(-longer[of[k]] / softness);
        by_said += exp(-said[of[k]] / softness);
    }
    for (int k = 0; k < SAMPLES; k++)
        sum -=
            exp(-longer[of[k]] / softness) / measured * log(exp(-said[of[k]] / softness) / by_said);
    return sum;
}

static void what_is_not(void **state) {
    (void)state;
    struct tw_error error;
    struct order order;
    double said[COUNT] = {0.2, 0, 0.05, 0, 0.3, 5}, steps[COUNT], counts[COUNT];
    const bool used[COUNT] = {true, false, true, false, true, true};
    must(order_begin(&order, COUNT, problems, PROBLEMS, longer, &error), error);
    order.objective.aim(&order.objective, said, used, steps, counts);
    for (int i = 0; i < COUNT; i += 2) {
        const double by = 1e-5, here = said[i];
        said[i] = here + by;
        const double above = loss(said);
        said[i] = here - by;
        const double slope = (above - loss(said)) / (2 * by);
        said[i] = here;
        assert_true(fabs(counts[i] * steps[i] + slope) < 1e-6);
    }
    /* The best was said to take longer than the second, and one that is far away not long enough.
     */
    assert_true(steps[0] < 0 && steps[2] > 0 && steps[4] > 0);
    /* Alone there is no order. */
    assert_true(steps[5] == 0);
    order_end(&order);
}

/* Trees find which half of a problem's samples is faster, of problems that they do not know apart,
 * and by how much. */
static void trees_find_the_order(void **state) {
    (void)state;
    enum { OF_EACH = 8, MANY = 50 * OF_EACH };
    static double vectors[MANY], times[MANY];
    static int of[MANY];
    static bool used[MANY];
    struct tw_model model = {.feature_count = 1};
    struct tw_error error;
    struct order order;
    for (int i = 0; i < MANY; i++) {
        of[i] = i / OF_EACH;
        vectors[i] = i % OF_EACH;
        times[i] = i % OF_EACH < OF_EACH / 2 ? 0 : 0.2;
        used[i] = of[i] % 5 != 0;
    }
    const struct boost_options options = trees_for(MANY, false);
    must(order_begin(&order, MANY, of, MANY / OF_EACH, times, &error), error);
    must(boost_fit(&options, vectors, MANY, 1, &order.objective, used, &model, &error), error);
    const struct tw_estimate one = {.overhead = 1};
    double fast = 0, slow = OF_EACH - 1;
    const double apart =
        log(tw_model_predict(&model, 0, &slow, &one) / tw_model_predict(&model, 0, &fast, &one));
    if (fabs(apart - 0.2) > 0.02)
        fail_msg("%g apart, of 0.2", apart);
    order_end(&order);
    boost_free(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares),
        cmocka_unit_test(what_is_in_order),
        cmocka_unit_test(what_is_not),
        cmocka_unit_test(trees_find_the_order),
    };
    return cmocka_run_group_tests_name("objectives", tests, NULL, NULL);
}
