/* Order statistics. The playoff, and that intervals cover the median, are in test_playoff.c. */
#include <math.h>

#include "tests/support/support.h"
#include "tuner/statistics/statistics.h"

static void one_value(void **state) {
    (void)state;
    const double value = 3;
    struct statistics_interval interval = statistics_median_interval(&value, 1, 0.95);
    assert_true(statistics_median(&value, 1) == 3);
    assert_true(statistics_spread(&value, 1) == 0);
    assert_true(interval.low == 3 && interval.high == 3);
    assert_true(interval.confidence == 0);
}

static void sorting(void **state) {
    (void)state;
    double values[] = {5, -1, 5, 0, 2e9, 1e-9};
    const double sorted[] = {-1, 0, 1e-9, 5, 5, 2e9};
    statistics_sort(values, 6);
    assert_memory_equal(values, sorted, sizeof sorted);
}

static void spreads(void **state) {
    (void)state;
    const double values[] = {8, 9, 10, 11, 12};
    assert_true(fabs(statistics_spread(values, 5) - 0.2) < 1e-12); /* quartiles 9 and 11 */
    const double outlier[] = {8, 9, 10, 11, 1000};
    assert_true(fabs(statistics_spread(outlier, 5) - 0.2) < 1e-12);
    const double same[] = {4, 4, 4};
    assert_true(statistics_spread(same, 3) == 0);
}

/* Ranks from published tables of the sign test's interval: n, the lower rank from 1, at 95% and
 * 99%. */
static void ranks_are_the_tables(void **state) {
    (void)state;
    static const struct {
        size_t count, at_95, at_99;
    } rows[] = {{8, 1, 1},  {12, 3, 2},  {15, 4, 3},  {20, 6, 4},
                {25, 8, 6}, {30, 10, 8}, {50, 18, 16}};
    double values[50];
    for (int i = 0; i < 50; i++)
        values[i] = i + 1; /* a value is its rank */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double count = (double)rows[i].count;
        struct statistics_interval wide = statistics_median_interval(values, rows[i].count, 0.99);
        struct statistics_interval usual = statistics_median_interval(values, rows[i].count, 0.95);
        assert_true(usual.low == (double)rows[i].at_95 && usual.high == count + 1 - usual.low);
        assert_true(wide.low == (double)rows[i].at_99 && wide.high == count + 1 - wide.low);
        assert_true(usual.confidence >= 0.95 && wide.confidence >= 0.99);
    }
}

/* 2^-5000 is no double; near 2500 +- 1.96 * sqrt(5000) / 2. */
static void many_values(void **state) {
    (void)state;
    enum { COUNT = 5000 };
    static double values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    struct statistics_interval interval = statistics_median_interval(values, COUNT, 0.95);
    assert_true(fabs(interval.low - 2430) < 3 && fabs(interval.high - 2569) < 3);
    assert_true(interval.confidence >= 0.95 && interval.confidence < 0.952);
}

static void least_counts(void **state) {
    (void)state;
    assert_int_equal(statistics_least_count(0.95), 6);
    assert_int_equal(statistics_least_count(0.99), 8);
    assert_int_equal(statistics_least_count(0.5), 2);
    const double values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_true(statistics_median_interval(values, 7, 0.99).confidence < 0.99);
    assert_true(statistics_median_interval(values, 8, 0.99).confidence >= 0.99);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_value),   cmocka_unit_test(sorting),
        cmocka_unit_test(spreads),     cmocka_unit_test(ranks_are_the_tables),
        cmocka_unit_test(many_values), cmocka_unit_test(least_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
