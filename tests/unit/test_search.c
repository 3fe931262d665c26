/* The parts that strategies are made of: random numbers, the sampler, steps, the elite. What every
 * strategy must keep to is in tests/contract/test_strategies.c. */
#include <math.h>

#include "tests/support/uneven.h"
#include "tuner/search/elite.h"
#include "tuner/search/features.h"
#include "tuner/search/population.h"
#include "tuner/search/sampler.h"
#include "tuner/search/step.h"

static void rng_is_even(void **state) {
    (void)state;
    struct rng rng = {5};
    int counts[6] = {0};
    for (int i = 0; i < 60000; i++) {
        double unit = rng_unit(&rng);
        assert_true(unit >= 0 && unit < 1);
        counts[rng_below(&rng, 6)]++;
    }
    for (int i = 0; i < 6; i++)
        assert_in_range(counts[i], 9600, 10400); /* over four standard deviations */
}

/* The small implementation gets its share by bits, 3 of 3 + 12, and not by points, 1 of 586. */
static void random_is_fair_to_small_implementations(void **state) {
    const struct uneven *f = *state;
    size_t small = 0, point;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct strategy *strategy = start(f, "random", seed);
        assert_int_equal(strategy_ask(strategy, &point), STRATEGY_POINT);
        small += space_implementation(f->space, point) == 0;
        strategy_free(strategy);
    }
    assert_in_range(small, 150, 250);
}

/* First draws are spread over the whole of the large implementation. */
static void random_is_uniform_within_one(void **state) {
    const struct uneven *f = *state;
    int eighths[8] = {0}, drawn = 0;
    size_t point;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct strategy *strategy = start(f, "random", seed);
        strategy_ask(strategy, &point);
        if (point >= SMALL) {
            eighths[(point - SMALL) / (LARGE / 8)]++;
            drawn++;
        }
        strategy_free(strategy);
    }
    for (int i = 0; i < 8; i++)
        assert_in_range(eighths[i], drawn / 8 - 60, drawn / 8 + 60);
}

static void seeds_differ(void **state) {
    const struct uneven *f = *state;
    struct strategy *one = start(f, "random", 1), *two = start(f, "random", 2);
    int same = 0;
    for (int i = 0; i < 100; i++) {
        size_t a, b;
        strategy_ask(one, &a);
        strategy_ask(two, &b);
        same += a == b;
    }
    assert_true(same < 20);
    strategy_free(one);
    strategy_free(two);
}

static void exhaustive_keeps_the_order(void **state) {
    const struct uneven *f = *state;
    const struct strategy_outcome outcome = {.ok = true, .seconds = 1};
    struct strategy *strategy = start(f, "exhaustive", 1);
    size_t point;
    strategy_tell(strategy, 1, &outcome);
    for (size_t expected = 0; expected < space_size(f->space); expected++) {
        if (expected == 1)
            continue;
        assert_int_equal(strategy_ask(strategy, &point), STRATEGY_POINT);
        assert_int_equal(point, expected);
    }
    assert_int_equal(strategy_ask(strategy, &point), STRATEGY_EXHAUSTED);
    strategy_free(strategy);
}

static void unseen_points_are_counted(void **state) {
    const struct uneven *f = *state;
    const struct strategy_outcome outcome = {.ok = false};
    struct strategy *strategy = start(f, "exhaustive", 1);
    size_t point;
    assert_true(strategy_space(strategy) == f->space);
    assert_int_equal(strategy_unseen(strategy, 0), SMALL);
    strategy_ask(strategy, &point);
    assert_true(strategy_seen(strategy, point));
    assert_int_equal(strategy_unseen(strategy, 0), SMALL - 1);
    strategy_tell(strategy, point, &outcome); /* seen already */
    assert_int_equal(strategy_unseen(strategy, 0), SMALL - 1);
    assert_false(strategy_seen(strategy, SMALL));
    strategy_tell(strategy, SMALL, &outcome);
    assert_int_equal(strategy_unseen(strategy, 1), LARGE - 1);
    strategy_free(strategy);
}

/* Of 16, 32 and 48 the first two differ in rank alone from 32; 48 has fewer twos. */
static void features_tell_twos(void **state) {
    (void)state;
    const struct space_axis axes[] = {{.numeric = true, .count = 3, .values = {16, 32, 48}},
                                      {.numeric = true, .count = 3, .values = {1, 2, 4}},
                                      {.numeric = false, .count = 3}};
    unsigned char *rows = malloc(6);
    struct space *space;
    struct tw_error error;
    float x[FEATURES_MAX];
    assert_non_null(rows);
    memcpy(rows, (unsigned char[]){1, 0, 2, 2, 1, 0}, 6);
    must(space_create_listed(&space, axes, 3, rows, 2, &error), error);
    assert_int_equal(features_count(space, 0), 4);
    features_of(space, 0, x);
    assert_true(x[0] == 0.5F && x[1] == 0 && x[2] == 1 && x[3] == 1);
    features_of(space, 1, x);
    assert_true(x[0] == 1 && x[1] == 0.5F && x[2] == 0 && fabsf(x[3] - 0.8F) < 1e-6F);
    space_free(space);
}

static void take_point(void *context, size_t point) {
    unsigned char *taken = context;
    taken[point]++;
}

/* 8 x 2: its neighbours are those with another of either, and 4 x 4, 2 x 8 and 16 x 1. */
static void trades_keep_products(void **state) {
    (void)state;
    enum { AXIS = 5, POINTS = AXIS * AXIS };
    const struct space_axis axis = {.numeric = true, .count = AXIS, .values = {1, 2, 4, 8, 16}};
    const struct space_axis axes[] = {axis, axis};
    unsigned char *rows = malloc(2 * POINTS), taken[POINTS] = {0};
    struct space *space;
    struct tw_error error;
    assert_non_null(rows);
    for (int i = 0; i < POINTS; i++) {
        rows[2 * i] = (unsigned char)(i / AXIS);
        rows[2 * i + 1] = (unsigned char)(i % AXIS);
    }
    must(space_create_listed(&space, axes, 2, rows, POINTS, &error), error);
    step_neighbours(space, 3 * AXIS + 1, take_point, taken);
    for (int i = 0; i < POINTS; i++) {
        int x = i / AXIS, y = i % AXIS;
        bool traded = x + y == 4 && abs(x - 3) <= 2 && x != 3;
        assert_int_equal(taken[i], (x == 3) != (y == 1) || traded);
    }
    struct rng rng = {8};
    for (int i = 0; i < 200; i++) {
        size_t point = step_random(space, 3 * AXIS + 1, 1, &rng);
        assert_true(point == SPACE_NONE || taken[point] || point == 3 * AXIS + 1);
    }
    space_free(space);
}

static void a_population_keeps_the_fastest(void **state) {
    (void)state;
    struct population *population;
    struct tw_error error;
    must(population_create(&population, 3, &error), error);
    for (size_t i = 0; i < 6; i++)
        population_add(population, i, 10 - (double)i);
    assert_false(population_add(population, 9, 9));
    assert_int_equal(population_count(population), 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(population_member(population, i)->point, 5 - i);
    population_free(population);
}

/* ---- The elite ---- */

static size_t large_point(const struct space *space, int64_t b, int64_t c1, int64_t d, int64_t e) {
    struct tw_configuration c = {.implementation = 1, .values = {b, c1, d, e}};
    return space_find(space, &c);
}

static int drawn(const struct elite *elite, size_t point) {
    struct rng rng = {9};
    int count = 0;
    for (int i = 0; i < 10000; i++)
        count += elite_draw(elite, &rng) == point;
    return count;
}

static void the_elite_spreads(void **state) {
    const struct uneven *f = *state;
    struct elite *elite;
    struct tw_error error;
    must(elite_create(&elite, f->space, &error), error);
    size_t first = large_point(f->space, 1, 1, 1, 1), near = large_point(f->space, 1, 1, 8, 8),
           far = large_point(f->space, 1, 8, 8, 8);
    elite_add(elite, first, 2);
    assert_int_equal(drawn(elite, first), 10000);
    /* Only the faster of two that are near each other, whichever comes first. */
    elite_add(elite, near, 1);
    assert_int_equal(drawn(elite, first), 0);
    elite_add(elite, first, 1.5);
    assert_int_equal(drawn(elite, near), 10000);
    elite_free(elite);
    must(elite_create(&elite, f->space, &error), error);
    elite_add(elite, far, 3);
    elite_add(elite, first, 2);
    assert_in_range(drawn(elite, first), 6500, 7700); /* where u*u < 1/2 */
    assert_int_equal(drawn(elite, first) + drawn(elite, far), 10000);
    elite_free(elite);
}

/* However many good points another implementation has. */
static void the_elite_keeps_every_implementation(void **state) {
    const struct uneven *f = *state;
    struct elite *elite;
    struct tw_error error;
    struct rng rng = {4};
    must(elite_create(&elite, f->space, &error), error);
    elite_add(elite, 3, 1.1);
    for (size_t point = SMALL; point < SMALL + LARGE; point++)
        elite_add(elite, point, 1 + 1e-6 * (double)point);
    assert_in_range(drawn(elite, 3), 3100, 3900); /* 0.53 to 1, as 1.1^(1/0.15) is 1.89 */
    assert_int_equal(elite_draw_of(elite, 0, &rng), 3);
    assert_true(elite_draw_of(elite, 1, &rng) >= SMALL);
    elite_add(elite, SMALL, 0.1); /* eleven times as fast: the other is all but given up */
    assert_in_range(drawn(elite, 3), 0, 5);
    elite_free(elite);
}

/* ---- Names ---- */

static void settings_are_words_and_back(void **state) {
    (void)state;
    static const struct strategy_setting settings[] = {
        {"elite", 16, 1, 64, true, "places"}, {"share", 0.5, 0, 1, false, "a share"}, {0}};
    const struct strategy_kind kind = {.name = "mock", .settings = settings};
    struct strategy_choice choice = strategy_usual(&kind);
    struct tw_text text = {0};
    assert_true(choice.values[0] == 16 && choice.values[1] == 0.5);
    strategy_words(&choice, &text);
    assert_string_equal(text.data, "mock");
    choice.values[1] = 0.25;
    choice.values[0] = 8;
    tw_text_clear(&text);
    strategy_words(&choice, &text);
    assert_string_equal(text.data, "mock:elite=8,share=0.25");
    tw_text_free(&text);
}

static void settings_are_checked(void **state) {
    (void)state;
    struct strategy_choice choice;
    struct tw_error error;
    assert_refuses(strategy_choose(&choice, "random:elite=8", &error), TW_INVALID, error,
                   "random has no settings");
    assert_refuses(strategy_choose(&choice, "random:", &error), TW_INVALID, error,
                   "expected SETTING=NUMBER");
    must(strategy_choose(&choice, "exhaustive", &error), error);
    assert_string_equal(choice.kind->name, "exhaustive");
    must(strategy_choose(&choice, NULL, &error), error);
    assert_ptr_equal(choice.kind, strategy_kinds()[0]);
}

static void kinds_are_listed(void **state) {
    (void)state;
    struct tw_text text = {0};
    struct tw_error error;
    strategy_list(&text, true);
    for (const struct strategy_kind *const *kind = strategy_kinds(); *kind != NULL; kind++) {
        assert_says(text.data, (*kind)->name);
        assert_says(text.data, (*kind)->summary);
        assert_ptr_equal(strategy_find((*kind)->name, NULL), *kind);
    }
    assert_null(strategy_find("randon", &error));
    assert_int_equal(error.status, TW_NOT_FOUND);
    assert_says(error.message, "did you mean random?");
    assert_null(strategy_find("simulated-annealing-of-some-kind", &error));
    assert_says(
        error.message,
        "there are auto, vnd, bayesian, local, bestfirst, annealing, genetic, differential, "
        "random, exhaustive");
    tw_text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rng_is_even),
        WITH_SPACE(random_is_fair_to_small_implementations),
        WITH_SPACE(random_is_uniform_within_one),
        WITH_SPACE(seeds_differ),
        WITH_SPACE(exhaustive_keeps_the_order),
        WITH_SPACE(unseen_points_are_counted),
        cmocka_unit_test(features_tell_twos),
        cmocka_unit_test(trades_keep_products),
        cmocka_unit_test(a_population_keeps_the_fastest),
        WITH_SPACE(the_elite_spreads),
        WITH_SPACE(the_elite_keeps_every_implementation),
        cmocka_unit_test(settings_are_words_and_back),
        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(kinds_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
