/* Rank correlation, against values that can be worked out by hand. */
#include <math.h>

#include "tests/support/support.h"
#include "tuner/statistics/correlation.h"

static void assert_correlation(const double *x, const double *y, size_t count, double expected) {
    double room[30];
    assert_true(fabs(correlation_ranks(x, y, count, room) - expected) < 1e-12);
    assert_true(fabs(correlation_ranks(y, x, count, room) - expected) < 1e-12);
}

static void orders(void **state) {
    (void)state;
    static const double x[] = {1, 2, 3, 4, 5}, up[] = {-3, 0, 1e-9, 7, 1e9},
                        down[] = {5, 4, 3, 2, 1}, swapped[] = {2, 1, 4, 3, 5};
    assert_correlation(x, up, 5, 1); /* the order counts, and not how far apart */
    assert_correlation(x, down, 5, -1);
    assert_correlation(x, swapped, 5, 0.8); /* 1 - 6 * 4 / (5 * 24) */
}

static void ties(void **state) {
    (void)state;
    /* Ranks 1.5 1.5 3 4 and 1 2 3.5 3.5: Pearson's of these. */
    static const double x[] = {1, 1, 2, 3}, y[] = {10, 20, 30, 30};
    assert_correlation(x, y, 4, (-1 * -1.5 + -1 * -0.5 + 0.5 * 1 + 1.5 * 1) / sqrt(4.5 * 4.5));
    static const double same[] = {7, 7, 7, 7};
    assert_correlation(x, same, 4, 0);
    assert_correlation(x, x, 4, 1);
}

static void too_few(void **state) {
    (void)state;
    static const double x[] = {1};
    assert_correlation(x, x, 1, 0);
    assert_correlation(x, x, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders),
        cmocka_unit_test(ties),
        cmocka_unit_test(too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
