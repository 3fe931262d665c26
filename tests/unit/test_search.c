/* The parts that strategies are made of: random numbers, the sampler, the surrogate. What every
 * strategy must keep to is in tests/contract/test_strategies.c. */
#include <math.h>

#include "tests/support/scale.h"
#include "tuner/search/elite.h"
#include "tuner/search/features.h"
#include "tuner/search/gaussian.h"
#include "tuner/search/population.h"
#include "tuner/search/sampler.h"
#include "tuner/search/step.h"
#include "tuner/search/surrogate.h"
#include "tuner/search/traits.h"

/* clang-format off */
static const char uneven_text[] = SCALE_JSON({
  "kernel": "uneven",
  "summary": "a small and a large implementation",
  "problem": { "dimensions": ["M", "N"] },
  "arguments": [
    { "name": "C", "kind": "buffer", "type": "f32", "access": "out", "rows": "M", "columns": "N" }
  ],
  "work": { "flops": "0", "bytes": "4*M*N" },
  "tolerance": { "f32": 1e-6 },
  "reference": { "templates": ["none.cu"], "function": "f", "block": ["64"], "grid": ["M"],
                 "pass": ["C"] },
  "implementations": [
    {
      "name": "small", "summary": "7 points", "parameters": { "A": [1, 2, 3, 4, 5, 6, 7] },
      "launches": [ { "templates": ["none.cu"], "function": "f", "block": ["32"], "grid": ["M"],
                      "pass": ["C"] } ],
      "presets": { "default": { "A": 1 } }
    },
    {
      "name": "large", "summary": "4096 points",
      "parameters": { "B": [1, 2, 3, 4, 5, 6, 7, 8], "C1": [1, 2, 3, 4, 5, 6, 7, 8],
                      "D": [1, 2, 3, 4, 5, 6, 7, 8], "E": [1, 2, 3, 4, 5, 6, 7, 8] },
      "launches": [ { "templates": ["none.cu"], "function": "f", "block": ["32"], "grid": ["M"],
                      "pass": ["C"] } ]
    }
  ]
});
/* clang-format on */

enum { SMALL = 7, LARGE = 4096 };

struct fixture {
    struct tw_description *description;
    struct tw_problem problem;
    struct space *space;
};

static int make(void **state) {
    static struct fixture f;
    struct tw_error error;
    f.description = read_description(uneven_text, NULL);
    f.problem = parse_problem(f.description, "64x64");
    must(space_create(&f.space, &f.problem, &paper_gpu, NULL, &error), error);
    assert_int_equal(space_size(f.space), SMALL + LARGE);
    *state = &f;
    return 0;
}

static int destroy(void **state) {
    struct fixture *f = *state;
    space_free(f->space);
    tw_description_free(f->description);
    return 0;
}

#define WITH_SPACE(test) cmocka_unit_test_setup_teardown(test, make, destroy)

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

static struct strategy *start(const struct fixture *f, const char *name, uint64_t seed) {
    struct strategy *strategy;
    struct tw_error error;
    const struct strategy_choice choice = strategy_usual(strategy_find(name, NULL));
    must(strategy_create(&strategy, &choice, f->space, NULL, seed, &error), error);
    return strategy;
}

/* The small implementation gets its share by bits, 3 of 3 + 12, and not by points, 1 of 586. */
static void random_is_fair_to_small_implementations(void **state) {
    const struct fixture *f = *state;
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
    const struct fixture *f = *state;
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
    const struct fixture *f = *state;
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
    const struct fixture *f = *state;
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
    const struct fixture *f = *state;
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

/* ---- The model ---- */

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
    const struct fixture *f = *state;
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
    const struct fixture *f = *state;
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
    for (size_t point = SMALL; point < SMALL + 100; point++) {
        of_any += surrogate_improvement(any, point);
        of_much += surrogate_improvement(much, point);
        assert_true(surrogate_improvement(much, point) <= surrogate_improvement(any, point));
    }
    assert_true(of_much > 0 && of_much < of_any);
    surrogate_free(any);
    surrogate_free(much);
}

static void a_model_of_failures_guesses_nothing(void **state) {
    const struct fixture *f = *state;
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

/* ---- What is expected beforehand ---- */

/* Nothing that the coordinates tell. */
static double scattered(void *context, size_t point) {
    const double *power = context;
    return pow((double)(1 + point * 7919 % 4093), *power);
}

static struct surrogate *taught_scattered(const struct fixture *f,
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

static void the_model_follows_what_is_expected(void **state) {
    const struct fixture *f = *state;
    double right = 1, wrong = -1;
    const struct strategy_expectation expected = {.seconds = scattered, .context = &right},
                                      reversed = {.seconds = scattered, .context = &wrong};
    struct surrogate *with = taught_scattered(f, &expected), *without = taught_scattered(f, NULL),
                     *against = taught_scattered(f, &reversed);
    size_t best = SMALL, worst = SMALL;
    for (size_t point = SMALL; point < SMALL + LARGE; point++) {
        best = scattered(&right, point) < scattered(&right, best) ? point : best;
        worst = scattered(&right, point) > scattered(&right, worst) ? point : worst;
    }
    assert_true(surrogate_improvement(with, best) > 2 * surrogate_improvement(without, best));
    assert_true(surrogate_improvement(with, worst) < surrogate_improvement(without, worst));
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
    const struct fixture *f = *state;
    double power = 1;
    const struct strategy_expectation told = {
        .context = &power, .trait_count = 2, .traits = scattered_traits};
    struct surrogate *with = taught_scattered(f, &told), *without = taught_scattered(f, NULL);
    size_t best = SMALL, worst = SMALL;
    for (size_t point = SMALL; point < SMALL + LARGE; point++) {
        best = scattered(&power, point) < scattered(&power, best) ? point : best;
        worst = scattered(&power, point) > scattered(&power, worst) ? point : worst;
    }
    assert_true(surrogate_improvement(with, best) > 2 * surrogate_improvement(without, best));
    assert_true(surrogate_improvement(with, worst) < surrogate_improvement(without, worst));
    surrogate_free(with);
    surrogate_free(without);
}

static void traits_are_coordinates(void **state) {
    const struct fixture *f = *state;
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
    const struct fixture *f = *state;
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
    const struct fixture *f = *state;
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
    const struct fixture *f = *state;
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
    const struct fixture *f = *state;
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
        WITH_SPACE(the_model_tells_good_from_bad),
        WITH_SPACE(a_model_of_failures_guesses_nothing),
        WITH_SPACE(a_margin_is_no_improvement),
        WITH_SPACE(the_model_follows_what_is_expected),
        WITH_SPACE(the_model_learns_by_traits),
        WITH_SPACE(traits_are_coordinates),
        WITH_SPACE(what_should_be_fast_is_tried_first),
        WITH_SPACE(candidates_are_ranked),
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
