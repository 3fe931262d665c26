/* Which measurements stop because the variant has lost, on planted times. */
#include <math.h>

#include "tests/support/support.h"
#include "tuner/measure/timing.h"
#include "tuner/statistics/race.h"

/* ---- The rule ---- */

static void looks(void **state) {
    (void)state;
    static const double lost[] = {1.2, 1.3, 1.11, 2, 1.2, 1.2, 1.2, 1.2};
    /* It is looked at after 3 repeats, and not in between. */
    assert_false(race_is_lost(lost, 2, 1.2, 1));
    assert_true(race_is_lost(lost, 3, 1.2, 1));
    assert_false(race_is_lost(lost, 4, 1.2, 1));
    assert_true(race_is_lost(lost, 5, 1.2, 1));
    assert_true(race_is_lost(lost, 8, 1.2, 1));
    /* One of three that is not a tenth behind proves nothing yet. */
    static const double close[] = {1.2, 1.09, 1.2, 1.2, 1.2};
    assert_false(race_is_lost(close, 3, 1.2, 1));
    assert_false(race_is_lost(close, 5, 1.2, 1));
    /* 11 of 12 do: less than one in 64 fair dozens has as many heads. */
    double many[12];
    for (int i = 0; i < 12; i++)
        many[i] = i == 4 ? 1 : 1.2;
    assert_true(race_is_lost(many, 12, 1.2, 1));
    many[7] = 1;
    assert_false(race_is_lost(many, 12, 1.2, 1));
    /* Nothing is lost to nobody. */
    assert_false(race_is_lost(lost, 3, 1.2, 0));
}

static void hopeless(void **state) {
    (void)state;
    static const double slow[] = {2.1, 2.1}, disturbed[] = {9, 1}, fair[] = {1.9, 2.1};
    assert_false(race_is_lost(slow, 1, 2.1, 1));
    assert_true(race_is_lost(slow, 2, 2.1, 1));
    assert_false(race_is_lost(slow, 2, 1.9, 1));
    assert_false(race_is_lost(disturbed, 2, 2.1, 1));
    assert_false(race_is_lost(fair, 2, 2.1, 1));
}

/* ---- Timing by a planted source ---- */

struct planted {
    double time_us, noise; /* the median, and how far repeats go to either side of it */
    uint64_t seed;
    int repeats;
};

static tw_status repeat(void *context, double *time_us, struct tw_error *error) {
    struct planted *planted = context;
    (void)error;
    planted->repeats++;
    planted->seed = planted->seed * 6364136223846793005u + 1442695040888963407u;
    double unit = (double)(planted->seed >> 11) / 9007199254740992.0;
    *time_us = planted->time_us * (1 + planted->noise * (2 * unit - 1));
    return TW_OK;
}

/* How many of so many measurements are stopped, and the repeats of all. */
static int stopped(double time_us, double noise, int *repeats) {
    int count = 0;
    *repeats = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct planted planted = {time_us, noise, seed * 7919, 0};
        const struct timing_source source = {repeat, &planted, time_us};
        struct timing timing;
        struct tw_error error;
        /* With so much time that none of it is left for chance. */
        must(timing_collect(&source, 1, 1e9, &timing, &error), error);
        assert_int_equal(timing.count, planted.repeats);
        assert_true(timing.screened_out || timing.count == TIMING_MAX_REPEATS);
        count += timing.screened_out;
        *repeats += timing.count;
    }
    return count;
}

static void winners_are_measured_in_full(void **state) {
    (void)state;
    int repeats;
    assert_int_equal(stopped(1, 0.02, &repeats), 0);
    assert_int_equal(repeats, 1000 * TIMING_MAX_REPEATS);
    assert_int_equal(stopped(0.9, 0.1, &repeats), 0);
    /* A tenth behind at most, whatever the noise: the rule's own error, 1/8 + 1/32 + 2/64. */
    assert_in_range(stopped(1.1, 0.3, &repeats), 1, 1000 * 3 / 16);
    /* As fast as the best, with repeats up to half as long again: 30% of them are a tenth behind.
     */
    assert_in_range(stopped(1, 0.5, &repeats), 1, 100);
}

static void losers_stop_soon(void **state) {
    (void)state;
    int repeats;
    assert_int_equal(stopped(1.3, 0.05, &repeats), 1000);
    assert_int_equal(repeats, 3000);
    assert_int_equal(stopped(3, 0.05, &repeats), 1000);
    assert_int_equal(repeats, 2000);
    /* Noise that reaches below the tenth costs more repeats, and most are stopped all the same. */
    assert_in_range(stopped(1.25, 0.15, &repeats), 700, 1000);
    assert_true(repeats > 3000 && repeats < 1000 * TIMING_MAX_REPEATS);
}

static tw_status repeat_slowly(void *context, double *time_us, struct tw_error *error) {
    usleep(1000);
    return repeat(context, time_us, error);
}

/* Its own time, for recordings: three repeats are enough once it is over. */
static void a_time_of_its_own(void **state) {
    (void)state;
    struct planted planted = {1, 0.01, 1, 0};
    const struct timing_source source = {repeat_slowly, &planted, 1};
    struct timing timing;
    struct tw_error error;
    must(timing_collect(&source, 0, 1e-6, &timing, &error), error);
    assert_int_equal(timing.count, 3);
    assert_false(timing.screened_out);
}

static tw_status break_down(void *context, double *time_us, struct tw_error *error) {
    (void)context, (void)time_us;
    return tw_fail(error, TW_DEVICE, "planted");
}

static void failures_come_through(void **state) {
    (void)state;
    const struct timing_source source = {break_down, NULL, 1};
    struct timing timing;
    struct tw_error error;
    assert_status(timing_collect(&source, 1, 0, &timing, &error), TW_DEVICE);
    assert_int_equal(timing.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks),
        cmocka_unit_test(hopeless),
        cmocka_unit_test(winners_are_measured_in_full),
        cmocka_unit_test(losers_stop_soon),
        cmocka_unit_test(a_time_of_its_own),
        cmocka_unit_test(failures_come_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
