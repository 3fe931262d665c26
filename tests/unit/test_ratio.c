/* Ratios of times that were measured in turns. */
#include <math.h>

#include "tests/support/support.h"
#include "tuner/statistics/ratio.h"

enum { ROUNDS = 31, PROBLEMS = 3 };

/* A clock that wanders by half from round to round changes both sides' times and not their ratio.
 */
static void what_rounds_share_drops_out(void **state) {
    (void)state;
    double slow[ROUNDS], fast[ROUNDS], room[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double clock = 1 + 0.5 * (i * 7 % ROUNDS) / ROUNDS;
        fast[i] = 10 * clock;
        slow[i] = 10.2 * clock;
    }
    struct ratio ratio = ratio_of(slow, fast, ROUNDS, room);
    assert_int_equal(ratio.rounds, ROUNDS);
    assert_true(fabs(ratio.median - 1.02) < 1e-12);
    assert_true(fabs(ratio.interval.low - 1.02) < 1e-12);
    assert_true(ratio.interval.confidence >= STATISTICS_CONFIDENCE);
    assert_int_equal(ratio_verdict(&ratio), RATIO_MORE);
    ratio = ratio_of(fast, slow, ROUNDS, room);
    assert_true(fabs(ratio.median * 1.02 - 1) < 1e-12);
    assert_int_equal(ratio_verdict(&ratio), RATIO_LESS);
}

static void a_round_that_one_missed_does_not_count(void **state) {
    (void)state;
    double a[] = {2, NAN, 4, 6, 8, 2, 2, 2}, b[] = {1, 1, 2, 3, 4, NAN, 1, 1}, room[8];
    struct ratio ratio = ratio_of(a, b, 8, room);
    assert_int_equal(ratio.rounds, 6);
    assert_true(ratio.median == 2 && ratio.interval.low == 2 && ratio.interval.high == 2);
    const double none[] = {NAN, NAN};
    ratio = ratio_of(none, b, 2, room);
    assert_int_equal(ratio.rounds, 0);
    assert_int_equal(ratio_verdict(&ratio), RATIO_UNKNOWN);
}

/* What is the same, what cannot be told, and that few rounds say nothing however far apart. */
static void verdicts(void **state) {
    (void)state;
    double a[ROUNDS], b[ROUNDS], room[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        b[i] = 1;
        a[i] = 1 + (i % 2 == 0 ? 0.003 : -0.003);
    }
    struct ratio ratio = ratio_of(a, b, ROUNDS, room);
    assert_int_equal(ratio_verdict(&ratio), RATIO_EQUAL);
    for (int i = 0; i < ROUNDS; i++)
        a[i] = 1 + (i % 2 == 0 ? 0.03 : -0.03);
    ratio = ratio_of(a, b, ROUNDS, room);
    assert_int_equal(ratio_verdict(&ratio), RATIO_UNKNOWN);
    for (int i = 0; i < 5; i++)
        a[i] = 2;
    ratio = ratio_of(a, b, 5, room);
    assert_true(ratio.median == 2);
    assert_int_equal(ratio_verdict(&ratio), RATIO_UNKNOWN);
}

/* Twice as long on one problem, half on another, and 8 times on a third: the mean is 2. */
static void means_are_geometric(void **state) {
    (void)state;
    static const double ratios[PROBLEMS] = {2, 0.5, 8};
    double times[PROBLEMS][ROUNDS], others[PROBLEMS][ROUNDS], room[ROUNDS];
    struct ratio_pair pairs[PROBLEMS];
    for (int p = 0; p < PROBLEMS; p++) {
        for (int i = 0; i < ROUNDS; i++) {
            others[p][i] = (p + 1) * (1 + 0.1 * (i % 5));
            times[p][i] = ratios[p] * others[p][i];
        }
        /* The rounds that every problem has: the shortest has the first 20. */
        pairs[p] = (struct ratio_pair){times[p], others[p], p == 1 ? 20 : ROUNDS};
    }
    struct ratio mean = ratio_mean(pairs, PROBLEMS, room);
    assert_int_equal(mean.rounds, 20);
    assert_true(fabs(mean.median - 2) < 1e-9);
    assert_true(fabs(mean.interval.high - 2) < 1e-9);
    mean = ratio_mean(pairs, 0, room);
    assert_int_equal(mean.rounds, 0);
}

/* An interval of 95% misses the true ratio, 1, in 1 of 20 sets at most, give or take what chance
 * does in 400 sets: 5% and three deviations. */
static void intervals_hold_what_they_say(void **state) {
    (void)state;
    enum { SETS = 400 };
    int missed = 0;
    uint64_t seed = 1;
    for (int s = 0; s < SETS; s++) {
        double a[ROUNDS], b[ROUNDS], room[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            double noise[2];
            for (int k = 0; k < 2; k++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                noise[k] = (double)(seed >> 11) / 9007199254740992.0;
            }
            a[i] = 1 + 0.1 * noise[0] * noise[0];
            b[i] = 1 + 0.1 * noise[1] * noise[1];
        }
        struct ratio ratio = ratio_of(a, b, ROUNDS, room);
        missed += ratio.interval.low > 1 || ratio.interval.high < 1;
    }
    assert_in_range(missed, 1, SETS / 20 + 3 * 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_rounds_share_drops_out),
        cmocka_unit_test(a_round_that_one_missed_does_not_count),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(means_are_geometric),
        cmocka_unit_test(intervals_hold_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
