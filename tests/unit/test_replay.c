/* Replayed searches and what is said of them, against what can be worked out by hand. */
#include <math.h>

#include "tests/support/support.h"
#include "tuner/replay/assessment.h"
#include "tuner/search/rng.h"

/* N points in a row; point i takes 1 + i seconds a call and 2 s to try; every `broken`th fails. */
static struct recording *line(int count, int broken) {
    struct tw_text text = {0};
    struct recording *recording;
    struct tw_error error;
    tw_text_print(&text, "{\"tune_params_keys\": [\"A\", \"B\"], \"cache\": {");
    for (int i = 0; i < count; i++) {
        tw_text_print(&text, "%s\"%d\": {\"A\": %d, \"B\": %d, \"compile_time\": 2000, \"time\": ",
                      i > 0 ? "," : "", i, i / 10, i % 10);
        if (broken != 0 && i % broken == broken - 1)
            tw_text_print(&text, "\"RuntimeFailedConfig\"}");
        else
            tw_text_print(&text, "%d}", (1 + i) * 1000);
    }
    tw_text_print(&text, "}}");
    must(recording_parse(&recording, text.data, text.length, "line", &error), error);
    tw_text_free(&text);
    return recording;
}

static struct strategy_choice chosen(const char *words) {
    struct strategy_choice choice;
    struct tw_error error;
    must(strategy_choose(&choice, words, &error), error);
    return choice;
}

static void a_search(void **state) {
    (void)state;
    struct recording *recording = line(40, 3);
    struct strategy_choice exhaustive = chosen("exhaustive");
    struct replay replay = {0};
    struct tw_error error;
    for (size_t outstanding = 1; outstanding < 60; outstanding += 29) {
        const struct replay_options options = {.trials = 100, .outstanding = outstanding};
        must(replay_run(&replay, recording, &exhaustive, 1, &options, &error), error);
        assert_int_equal(replay.count, 40);
        assert_true(replay.best[0] == 1 && replay.best[39] == 1);
        assert_true(replay.spent[0] == 2 && replay.spent[39] == 80);
        assert_int_equal(replay_reaches(&replay, 1), 1);
        assert_int_equal(replay_reaches(&replay, 0.99), 0);
    }
    const struct replay_options few = {.trials = 7, .outstanding = 5};
    must(replay_run(&replay, recording, &exhaustive, 1, &few, &error), error);
    assert_int_equal(replay.count, 7);
    replay_free(&replay);
    recording_free(recording);
}

/* Four compilers at 2 s a point: four every two seconds. */
static void the_clock(void **state) {
    (void)state;
    struct recording *recording = line(40, 0);
    struct strategy_choice exhaustive = chosen("exhaustive");
    struct replay replay = {0};
    struct tw_error error;
    struct replay_options options = {.trials = 40, .outstanding = 4};
    must(replay_run(&replay, recording, &exhaustive, 1, &options, &error), error);
    assert_true(replay.clock[0] == 2 && replay.clock[3] == 2 && replay.clock[39] == 20);
    assert_true(replay.spent[39] == 80);
    options.seconds = 7;
    must(replay_run(&replay, recording, &exhaustive, 1, &options, &error), error);
    assert_int_equal(replay.count, 12);
    /* The device is one, and takes 3 s: the second of two has to wait for it. */
    for (size_t point = 0; point < 40; point++)
        recording->points[point].running = 3;
    options = (struct replay_options){.trials = 4, .outstanding = 2};
    must(replay_run(&replay, recording, &exhaustive, 1, &options, &error), error);
    assert_true(replay.clock[0] == 5 && replay.clock[1] == 8 && replay.clock[2] == 11);
    replay_free(&replay);
    recording_free(recording);
}

/* What compiles sooner is known sooner, whenever it was asked for. */
static void in_the_order_of_compilers(void **state) {
    (void)state;
    struct recording *recording = line(4, 0);
    struct strategy_choice exhaustive = chosen("exhaustive");
    struct replay replay = {0};
    struct tw_error error;
    const struct replay_options options = {.trials = 4, .outstanding = 4};
    recording->points[0].compiling = 9;
    must(replay_run(&replay, recording, &exhaustive, 1, &options, &error), error);
    assert_true(replay.best[0] == 2 && replay.best[2] == 2 && replay.best[3] == 1);
    assert_true(replay.clock[2] == 2 && replay.clock[3] == 9);
    replay_free(&replay);
    recording_free(recording);
}

static void a_search_that_is_told(void **state) {
    (void)state;
    enum { COUNT = 400 };
    struct recording *recording = line(COUNT, 0);
    struct strategy_choice choice = chosen("bayesian");
    struct replay told = {0}, untold = {0};
    double expected[COUNT];
    struct tw_error error;
    for (size_t point = 0; point < COUNT; point++)
        expected[recording->points[point].entry] = recording->points[point].seconds;
    struct replay_options options = {.trials = 8, .outstanding = 8};
    must(replay_run(&untold, recording, &choice, 1, &options, &error), error);
    options.expected = expected;
    must(replay_run(&told, recording, &choice, 1, &options, &error), error);
    assert_true(told.best[0] < COUNT / 4 && told.best[7] < untold.best[7]);
    replay_free(&told);
    replay_free(&untold);
    recording_free(recording);
}

/* What is known of entries is told of their points, whose parameter says nothing here. */
static void a_search_that_is_told_traits(void **state) {
    (void)state;
    enum { COUNT = 400, TRIALS = 30 };
    struct recording *recording = line(COUNT, 0);
    struct strategy_choice choice = chosen("bayesian");
    struct replay told = {0}, untold = {0};
    double traits[COUNT];
    struct tw_error error;
    struct rng rng = {6};
    for (size_t point = 0; point < COUNT; point++) {
        struct recorded *one = &recording->points[point],
                        *other = &recording->points[rng_below(&rng, point + 1)];
        double seconds = one->seconds;
        one->seconds = other->seconds;
        other->seconds = seconds;
    }
    for (size_t point = 0; point < COUNT; point++)
        traits[recording->points[point].entry] = log(recording->points[point].seconds);
    struct replay_options options = {.trials = TRIALS, .outstanding = 1, .trait_count = 1};
    must(replay_run(&untold, recording, &choice, 1, &options, &error), error);
    options.traits = traits;
    must(replay_run(&told, recording, &choice, 1, &options, &error), error);
    assert_true(told.best[TRIALS - 1] == 1 && untold.best[TRIALS - 1] > 1);
    replay_free(&told);
    replay_free(&untold);
    recording_free(recording);
}

/* Until one of the points that work is drawn nothing is known. */
static void nothing_at_first(void **state) {
    (void)state;
    struct recording *recording = line(40, 2);
    struct strategy_choice random = chosen("random");
    const struct replay_options options = {.trials = 40, .outstanding = 1};
    struct replay replay = {0};
    struct tw_error error;
    bool unknown = false;
    for (uint64_t seed = 1; seed < 20; seed++) {
        must(replay_run(&replay, recording, &random, seed, &options, &error), error);
        unknown = unknown || isinf(replay.best[0]);
        assert_true(replay.best[39] == 1);
        for (size_t i = 1; i < replay.count; i++)
            assert_true(replay.best[i] <= replay.best[i - 1]);
    }
    assert_true(unknown);
    replay_free(&replay);
    recording_free(recording);
}

/* The mean of the least of k of 1..n is (n + 1) / (k + 1). */
static void the_baseline_is_that_of_order_statistics(void **state) {
    (void)state;
    struct recording *recording = line(99, 0);
    struct baseline baseline;
    struct tw_error error;
    must(baseline_of(&baseline, recording, &error), error);
    assert_true(baseline.trial_seconds == 2);
    /* 100 / (k + 1) <= 50 - 0.95 * 49 = 3.45 from k = 28 on. */
    assert_true(baseline.budget == 2 * 28);
    assert_true(fabs(baseline.best[BASELINE_MOMENTS - 1] - 100. / 29) < 1e-9);
    /* Half of it is 14 trials. */
    assert_true(fabs(baseline.best[BASELINE_MOMENTS / 2 - 1] - 100. / 15) < 1e-9);
    recording_free(recording);
}

static void chance(void **state) {
    (void)state;
    assert_true(baseline_reaches(100, 1, 0.5) == 50);
    assert_true(baseline_reaches(100, 100, 0.5) == 1);
    assert_true(baseline_reaches(100, 50, 0.5) == 1);
    assert_true(baseline_reaches(4, 2, 0.75) == 2); /* 1 - 2/4 * 1/3 = 0.83 */
    assert_true(baseline_reaches(10, 9, 1) == 2);
    assert_true(isinf(baseline_reaches(100, 0, 0.5)));
}

static void what_is_said(void **state) {
    (void)state;
    struct recording *recording = line(99, 0);
    struct baseline baseline;
    struct assessment a;
    struct tw_error error;
    must(baseline_of(&baseline, recording, &error), error);
    /* In order, the first is the best: 1 all the time. */
    struct strategy_choice exhaustive = chosen("exhaustive"), random = chosen("random");
    struct replay_options options = {.trials = 99, .outstanding = 1};
    must(assess(&a, recording, &baseline, &exhaustive, 3, &options, &error), error);
    /* The first trial ends after 2 s, and the first moment is at 1.12 s: as the baseline there. */
    assert_true(fabs(a.score - 49. / 50) < 1e-9);
    assert_true(a.trials[0].median == 1 && a.seconds[3].high == 2);
    assert_true(a.early.median == 0 && a.worst == 0);
    /* Points at random are worth nothing, and need what was worked out. */
    must(assess(&a, recording, &baseline, &random, 400, &options, &error), error);
    assert_true(fabs(a.score) < 0.15);
    assert_true(fabs(a.trials[3].median - baseline_reaches(99, 1, 0.5)) < 6);
    /* What is not reached is INFINITY; so is a gap of a search that found nothing. */
    options.trials = 20;
    must(assess(&a, recording, &baseline, &random, 100, &options, &error), error);
    assert_true(isinf(a.trials[3].median) && isinf(a.trials[3].high));
    assert_true(a.worst > 0 && a.late.median > 0);
    recording_free(recording);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search),
        cmocka_unit_test(the_clock),
        cmocka_unit_test(in_the_order_of_compilers),
        cmocka_unit_test(a_search_that_is_told),
        cmocka_unit_test(a_search_that_is_told_traits),
        cmocka_unit_test(nothing_at_first),
        cmocka_unit_test(the_baseline_is_that_of_order_statistics),
        cmocka_unit_test(chance),
        cmocka_unit_test(what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
