/* The surrogate: what it learns of configurations, of what is expected of them, and by their
 * traits. */
#include <math.h>

#include "tests/support/uneven.h"
#include "tuner/search/gaussian.h"
#include "tuner/search/rng.h"
#include "tuner/search/surrogate.h"
#include "tuner/search/traits.h"

static const struct surrogate_options usual_surrogate = {
    .seed = 1, .told_apart = 0.8, .candidates = 256};

/* The least at B = C1 = 5; D and E do not matter. */
static double seconds_of(const struct space *space, size_t point) {
    struct tw_configuration c;
    space_configuration(space, point, &c);
    double b = (double)c.values[0] - 5, c1 = (double)c.values[1] - 5;
    return 1e-3 * (1 + 0.1 * (b * b + c1 * c1));
}

static void teach(struct surrogate *surrogate, const struct space *space, size_t from, size_t to) {
    struct rng rng = {11};
    for (size_t i = 0; i < to; i++) {
        size_t point = SMALL + rng_below(&rng, LARGE);
        struct strategy_outcome outcome = {.ok = i % 7 != 0, .seconds = seconds_of(space, point)};
        if (i >= from)
            surrogate_learn(surrogate, point, &outcome);
    }
}

static void the_model_tells_good_from_bad(void **state) {
    const struct uneven *f = *state;
    struct surrogate *surrogate;
    struct tw_error error;
    struct tw_configuration c = {.implementation = 1, .values = {5, 5, 4, 4}};
    size_t best = space_find(f->space, &c);
    c.values[0] = c.values[1] = 1;
    size_t bad = space_find(f->space, &c);
    must(surrogate_create(&surrogate, f->space, &usual_surrogate, &error), error);
    assert_true(surrogate_improvement(surrogate, best) == 0);
    /* More than the gaussian takes, with failures among them. */
    for (size_t known = 0; known < 2 * GAUSSIAN_SAMPLES; known += 40) {
        teach(surrogate, f->space, known, known + 40);
        assert_true(surrogate_refresh(surrogate));
        assert_false(surrogate_refresh(surrogate)); /* nothing new */
    }
    assert_int_equal(surrogate_known(surrogate), 548); /* 640, less the 92 that failed */
    assert_true(surrogate_improvement(surrogate, best) > surrogate_improvement(surrogate, bad));
    assert_true(surrogate_improvement(surrogate, 0) == 0); /* nothing is known of the small one */
    surrogate_free(surrogate);
}

/* Less is expected of each where a little is no improvement. */
static void a_margin_is_no_improvement(void **state) {
    const struct uneven *f = *state;
    struct surrogate_options options = usual_surrogate;
    struct surrogate *any, *much;
    struct tw_error error;
    must(surrogate_create(&any, f->space, &options, &error), error);
    options.margin = 0.05;
    must(surrogate_create(&much, f->space, &options, &error), error);
    teach(any, f->space, 0, 60);
    teach(much, f->space, 0, 60);
    assert_true(surrogate_refresh(any) && surrogate_refresh(much));
    double of_any = 0, of_much = 0;
    for (size_t point = SMALL; point < SMALL + LARGE; point++) {
        of_any += surrogate_improvement(any, point);
        of_much += surrogate_improvement(much, point);
        assert_true(surrogate_improvement(much, point) <= surrogate_improvement(any, point));
    }
    assert_true(of_much > 0 && of_much < of_any);
    surrogate_free(any);
    surrogate_free(much);
}

static void a_model_of_failures_guesses_nothing(void **state) {
    const struct uneven *f = *state;
    const struct strategy_outcome failed = {.ok = false};
    struct surrogate *surrogate;
    struct tw_error error;
    must(surrogate_create(&surrogate, f->space, &usual_surrogate, &error), error);
    for (size_t point = 0; point < 50; point++)
        surrogate_learn(surrogate, point, &failed);
    assert_true(surrogate_refresh(surrogate));
    assert_int_equal(surrogate_known(surrogate), 0);
    assert_true(surrogate_improvement(surrogate, 3) == 0);
    assert_true(surrogate_improvement(surrogate, 30) == 0);
    surrogate_free(surrogate);
}

/* Where points fail nothing is known of the times, but less is expected than where they do not. */
static void little_is_expected_where_points_fail(void **state) {
    const struct uneven *f = *state;
    struct surrogate *surrogate;
    struct tw_error error;
    struct tw_configuration c;
    struct rng rng = {5};
    double failing = 0, working = 0;
    must(surrogate_create(&surrogate, f->space, &usual_surrogate, &error), error);
    for (int i = 0; i < 100; i++) {
        size_t point = SMALL + rng_below(&rng, LARGE);
        space_configuration(f->space, point, &c);
        struct strategy_outcome outcome = {.ok = c.values[1] <= 4,
                                           .seconds = 1e-3 * (double)c.values[0]};
        surrogate_learn(surrogate, point, &outcome);
    }
    assert_true(surrogate_refresh(surrogate));
    for (size_t point = SMALL; point < SMALL + LARGE; point++) {
        space_configuration(f->space, point, &c);
        *(c.values[1] <= 4 ? &working : &failing) += surrogate_improvement(surrogate, point);
    }
    assert_true(failing < working / 2);
    surrogate_free(surrogate);
}

/* ---- What is expected beforehand ---- */

/* Nothing that the coordinates tell. */
static double scattered(void *context, size_t point) {
    const double *power = context;
    return pow((double)(1 + point * 7919 % 4093), *power);
}

static struct surrogate *taught_scattered(const struct uneven *f,
                                          const struct strategy_expectation *expectation) {
    struct surrogate_options options = usual_surrogate;
    struct surrogate *surrogate;
    struct tw_error error;
    struct rng rng = {3};
    double power = 1;
    options.expectation = expectation;
    must(surrogate_create(&surrogate, f->space, &options, &error), error);
    for (int i = 0; i < 30; i++) {
        size_t point = SMALL + rng_below(&rng, LARGE);
        struct strategy_outcome outcome = {.ok = true, .seconds = scattered(&power, point)};
        surrogate_learn(surrogate, point, &outcome);
    }
    assert_true(surrogate_refresh(surrogate));
    return surrogate;
}

/* `with` expects much of the fastest point and little of the slowest, beside `without`. */
static void prefers_what_is_fast(struct surrogate *with, struct surrogate *without) {
    double power = 1;
    size_t best = SMALL, worst = SMALL;
    for (size_t point = SMALL; point < SMALL + LARGE; point++) {
        best = scattered(&power, point) < scattered(&power, best) ? point : best;
        worst = scattered(&power, point) > scattered(&power, worst) ? point : worst;
    }
    assert_true(surrogate_improvement(with, best) > 2 * surrogate_improvement(without, best));
    assert_true(surrogate_improvement(with, worst) < surrogate_improvement(without, worst));
}

static void the_model_follows_what_is_expected(void **state) {
    const struct uneven *f = *state;
    double right = 1, wrong = -1;
    const struct strategy_expectation expected = {.seconds = scattered, .context = &right},
                                      reversed = {.seconds = scattered, .context = &wrong};
    struct surrogate *with = taught_scattered(f, &expected), *without = taught_scattered(f, NULL),
                     *against = taught_scattered(f, &reversed);
    prefers_what_is_fast(with, without);
    /* What has it the wrong way round is not believed. */
    for (size_t point = SMALL; point < SMALL + 20; point++)
        assert_true(surrogate_improvement(against, point) == surrogate_improvement(without, point));
    surrogate_free(with);
    surrogate_free(without);
    surrogate_free(against);
}

/* What no parameter tells, and what is the same of all. */
static void scattered_traits(void *context, size_t point, double *values) {
    values[0] = 3;
    values[1] = log(scattered(context, point));
}

static void the_model_learns_by_traits(void **state) {
    const struct uneven *f = *state;
    double power = 1;
    const struct strategy_expectation told = {
        .context = &power, .trait_count = 2, .traits = scattered_traits};
    struct surrogate *with = taught_scattered(f, &told), *without = taught_scattered(f, NULL);
    prefers_what_is_fast(with, without);
    surrogate_free(with);
    surrogate_free(without);
}

static void traits_are_coordinates(void **state) {
    const struct uneven *f = *state;
    double power = 1;
    const struct strategy_expectation told = {
        .context = &power, .trait_count = 2, .traits = scattered_traits};
    struct traits *traits, *none;
    struct tw_error error;
    float x[STRATEGY_MAX_TRAITS] = {7, 7};
    must(traits_create(&traits, f->space, &told, &error), error);
    must(traits_create(&none, f->space, NULL, &error), error);
    assert_int_equal(traits_count(none, 1), 0);
    traits_of(none, SMALL, x);
    assert_true(x[0] == 7);
    /* The one that tells points apart, in order: of the small one, which is looked at as a whole,
     * from 0 to 1. */
    assert_int_equal(traits_count(traits, 0), 1);
    assert_int_equal(traits_count(traits, 1), 1);
    float least = 2, most = -1, before = -1;
    for (size_t point = 0; point < SMALL; point++) {
        traits_of(traits, point, x);
        least = fminf(least, x[0]);
        most = fmaxf(most, x[0]);
        assert_true(x[1] == 7);
    }
    assert_true(least == 0 && most == 1);
    for (size_t point = SMALL; point < SMALL + 200; point++) {
        traits_of(traits, point, x);
        assert_true(x[0] >= -0.5F && x[0] <= 1.5F);
        assert_true((x[0] > before) ==
                    (point == SMALL || scattered(&power, point) > scattered(&power, point - 1)));
        before = x[0];
    }
    traits_free(traits);
    traits_free(none);
}

/* Of each implementation. */
static void what_should_be_fast_is_tried_first(void **state) {
    const struct uneven *f = *state;
    double power = 1;
    const struct strategy_expectation expectation = {.seconds = scattered, .context = &power};
    const struct strategy_choice choice = strategy_usual(strategy_find("bayesian", NULL));
    struct strategy *strategy;
    struct tw_error error;
    must(strategy_create(&strategy, &choice, f->space, &expectation, 5, &error), error);
    for (int i = 0; i < 10; i++) {
        size_t point;
        assert_int_equal(strategy_ask(strategy, &point), STRATEGY_POINT);
        /* The best of 64 at random: behind the first quarter once in 1e8. */
        if (point >= SMALL)
            assert_true(scattered(&power, point) < LARGE / 4);
        strategy_tell(strategy, point, &(struct strategy_outcome){.ok = true, .seconds = 1});
    }
    strategy_free(strategy);
}

/* Those on offer are ranked by the improvement that each has by itself, and seen ones left out. */
static void candidates_are_ranked(void **state) {
    const struct uneven *f = *state;
    struct strategy *strategy = start(f, "exhaustive", 1);
    struct surrogate *surrogate;
    struct surrogate_candidate list[256];
    struct tw_error error;
    must(surrogate_create(&surrogate, f->space, &usual_surrogate, &error), error);
    teach(surrogate, f->space, 0, 60);
    for (size_t point = SMALL; point < SMALL + 300; point++)
        surrogate_offer(surrogate, point); /* there is room for 128 of an implementation */
    assert_true(surrogate_refresh(surrogate));
    size_t count = surrogate_rank(surrogate, strategy, -1, list);
    assert_in_range(count, 1, 128);
    for (size_t i = 0; i < count; i++) {
        assert_true(list[i].point >= SMALL + 172);
        assert_true(i == 0 || list[i].improvement <= list[i - 1].improvement);
        double improvement = surrogate_improvement(surrogate, list[i].point);
        assert_true(fabs(list[i].improvement - improvement) < 0.02 + 0.1 * improvement);
    }
    size_t first = list[0].point;
    strategy_avoid(strategy, first);
    surrogate_rank(surrogate, strategy, -1, list);
    assert_true(list[0].point != first);
    first = list[0].point;
    /* With room for 20 of an implementation the best 10 stay, the seen one among them. */
    assert_int_equal(surrogate_thin(surrogate, 40, list), 10);
    assert_in_range(surrogate_rank(surrogate, strategy, -1, list), 1, 9);
    assert_true(list[0].point == first);
    surrogate_free(surrogate);
    strategy_free(strategy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_SPACE(the_model_tells_good_from_bad),
        WITH_SPACE(a_margin_is_no_improvement),
        WITH_SPACE(a_model_of_failures_guesses_nothing),
        WITH_SPACE(little_is_expected_where_points_fail),
        WITH_SPACE(the_model_follows_what_is_expected),
        WITH_SPACE(the_model_learns_by_traits),
        WITH_SPACE(traits_are_coordinates),
        WITH_SPACE(what_should_be_fast_is_tried_first),
        WITH_SPACE(candidates_are_ranked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
