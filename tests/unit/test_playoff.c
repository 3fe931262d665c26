/* Medians, their intervals, and the playoff's decisions on simulated times. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tuner/search/rng.h"
#include "tuner/statistics/playoff.h"

static void medians(void **state) {
    (void)state;
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};
    statistics_sort(odd, 3);
    statistics_sort(even, 4);
    assert_true(odd[0] == 1 && odd[2] == 3);
    assert_true(statistics_median(odd, 3) == 2);
    assert_true(statistics_median(even, 4) == 2.5);
}

/* Binomial tails: of six values the extremes hold the median in all but 2 of 64 cases; five do not
 * reach 95%; of ten, the second and the ninth do (97.9%). */
static void intervals(void **state) {
    (void)state;
    const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    struct statistics_interval five = statistics_median_interval(values, 5, 0.95);
    struct statistics_interval six = statistics_median_interval(values, 6, 0.95);
    struct statistics_interval ten = statistics_median_interval(values, 10, 0.95);
    assert_true(five.confidence < 0.95 && five.low == 1 && five.high == 5);
    assert_true(fabs(six.confidence - 0.96875) < 1e-9 && six.low == 1 && six.high == 6);
    assert_true(ten.low == 2 && ten.high == 9 && ten.confidence >= 0.95);
    assert_int_equal(statistics_least_count(0.95), 6);
}

/* The interval keeps its promise: over many samples it holds the true median at least 95% of the
 * time. */
static void intervals_cover(void **state) {
    (void)state;
    struct rng rng = {1};
    int held = 0;
    enum { SAMPLES = 4000, SIZE = 15 };
    for (int s = 0; s < SAMPLES; s++) {
        double values[SIZE];
        for (int i = 0; i < SIZE; i++)
            values[i] = -log(1 - rng_unit(&rng)); /* skewed; median ln 2 */
        statistics_sort(values, SIZE);
        struct statistics_interval interval = statistics_median_interval(values, SIZE, 0.95);
        held += interval.low <= log(2) && log(2) <= interval.high;
    }
    assert_true(held >= SAMPLES * 0.95);
    assert_true(held < SAMPLES); /* nor is it endless */
}

/* Times with 1% noise that all candidates have of their own, and a drift of 10% that a round
 * shares. */
static enum playoff_end play(const double *true_times, size_t count, uint64_t seed, size_t rounds,
                             struct playoff **playoff) {
    const struct playoff_options options = {.rounds = rounds};
    struct rng rng = {seed};
    enum playoff_end end = PLAYOFF_RUNNING;
    assert_int_equal(playoff_create(playoff, count, &options, NULL), TW_OK);
    for (size_t round = 0; end == PLAYOFF_RUNNING; round++) {
        double times[8], drift = 1 + 0.1 * sin((double)round);
        for (size_t i = 0; i < count; i++)
            times[i] = true_times[i] * drift * (1 + 0.01 * (rng_unit(&rng) - 0.5));
        end = playoff_add(*playoff, times);
    }
    return end;
}

static void the_fastest_wins_despite_drift(void **state) {
    (void)state;
    const double times[] = {1.03, 1.00, 1.02, 1.10};
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct playoff *playoff;
        assert_int_equal(play(times, 4, seed, 200, &playoff), PLAYOFF_WON);
        assert_int_equal(playoff_winner(playoff), 1);
        assert_false(playoff_live(playoff, 0));
        struct playoff_standing winner = playoff_standing(playoff, 1);
        assert_true(winner.interval.low <= winner.median && winner.median <= winner.interval.high);
        assert_true(winner.interval.confidence >= 0.95);
        playoff_free(playoff);
    }
}

static void equals_tie(void **state) {
    (void)state;
    const double times[] = {1, 1, 1.2};
    int tied = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct playoff *playoff;
        enum playoff_end end = play(times, 3, seed, 200, &playoff);
        assert_int_not_equal(end, PLAYOFF_UNDECIDED);
        assert_int_not_equal(playoff_winner(playoff), 2);
        tied += end == PLAYOFF_TIED && playoff_live(playoff, 0) && playoff_live(playoff, 1);
        playoff_free(playoff);
    }
    /* Chance may separate equals now and then, and rarely. */
    assert_true(tied >= 40);
}

static void rounds_run_out(void **state) {
    (void)state;
    const double times[] = {1, 1.001};
    struct playoff *playoff;
    enum playoff_end end = play(times, 2, 7, 3, &playoff);
    assert_int_equal(end, PLAYOFF_UNDECIDED);
    const double more[] = {1, 1};
    assert_int_equal(playoff_add(playoff, more), PLAYOFF_UNDECIDED);
    assert_int_equal(playoff_standing(playoff, 0).rounds, 3);
    playoff_free(playoff);
}

static void one_alone_is_measured(void **state) {
    (void)state;
    const double times[] = {2};
    struct playoff *playoff;
    assert_int_equal(play(times, 1, 3, 60, &playoff), PLAYOFF_WON);
    assert_int_equal(playoff_standing(playoff, 0).rounds, 6);
    playoff_free(playoff);
}

static void a_failed_measurement_is_out(void **state) {
    (void)state;
    const struct playoff_options options = {.rounds = 10};
    struct playoff *playoff;
    assert_int_equal(playoff_create(&playoff, 2, &options, NULL), TW_OK);
    const double first[] = {NAN, 2}, second[] = {NAN, NAN};
    assert_int_equal(playoff_add(playoff, first), PLAYOFF_RUNNING);
    assert_false(playoff_live(playoff, 0));
    assert_int_equal(playoff_winner(playoff), 1);
    assert_int_equal(playoff_add(playoff, second), PLAYOFF_UNDECIDED);
    assert_true(playoff_winner(playoff) == PLAYOFF_NONE);
    playoff_free(playoff);
}

/* Ratios are of the same rounds, so that a drift which only one of them played through is not in
 * them; who retires keeps its rounds. */
static void ratios_and_retirement(void **state) {
    (void)state;
    const struct playoff_options options = {.rounds = 10};
    struct playoff *playoff;
    assert_int_equal(playoff_create(&playoff, 3, &options, NULL), TW_OK);
    assert_true(playoff_ratio(playoff, 1, 0) == 0);
    const double first[] = {1, 3, 1.5}, second[] = {2, 6, 3}, third[] = {8, NAN, 12};
    playoff_add(playoff, first);
    playoff_add(playoff, second);
    playoff_retire(playoff, 1);
    assert_false(playoff_live(playoff, 1));
    playoff_add(playoff, third);
    assert_true(playoff_standing(playoff, 0).median == 2);
    assert_true(playoff_standing(playoff, 1).median == 4.5);
    assert_true(playoff_ratio(playoff, 1, 0) == 3);
    assert_true(playoff_ratio(playoff, 0, 0) == 1);
    assert_true(playoff_ratio(playoff, 2, 0) == 1.5);
    assert_int_equal(playoff_winner(playoff), 0);
    playoff_free(playoff);
}

static void equal_medians_go_to_the_first(void **state) {
    (void)state;
    const struct playoff_options options = {.rounds = 1};
    struct playoff *playoff;
    const double times[] = {3, 2, 2};
    assert_int_equal(playoff_create(&playoff, 3, &options, NULL), TW_OK);
    playoff_add(playoff, times);
    assert_int_equal(playoff_winner(playoff), 1);
    playoff_free(playoff);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians),
        cmocka_unit_test(intervals),
        cmocka_unit_test(intervals_cover),
        cmocka_unit_test(the_fastest_wins_despite_drift),
        cmocka_unit_test(equals_tie),
        cmocka_unit_test(rounds_run_out),
        cmocka_unit_test(one_alone_is_measured),
        cmocka_unit_test(a_failed_measurement_is_out),
        cmocka_unit_test(ratios_and_retirement),
        cmocka_unit_test(equal_medians_go_to_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
