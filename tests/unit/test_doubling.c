/* What a doubling adds to how far predictions are off: found where it is there, and not where it is
 * not. */
#include "tuner/model/doubling.h"

#include <math.h>

#include "tests/support/support.h"

enum { MOST = 4000 };

static struct error_point points[MOST];
static uint64_t state_of_random;

/* From 0 to 1 (Marsaglia's xorshift). */
static double next_random(void) {
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 7;
    state_of_random ^= state_of_random << 17;
    return (double)(state_of_random >> 11) * 0x1p-53;
}

/* Of each problem so many, up to `far` doublings away, with a part that they share. */
static int lay(int problems, int each, double far, double slope, double shared) {
    int count = 0;
    for (int p = 0; p < problems; p++) {
        const double x = far * next_random(), alike = shared * (next_random() - 0.5);
        for (int i = 0; i < each; i++)
            points[count++] = (struct error_point){
                p, x, fabs(0.1 + slope * x + alike + 0.1 * (next_random() - 0.5))};
    }
    return count;
}

static double doubling_of(int count, int problems) {
    struct tw_error error;
    double doubling;
    must(model_doubling(points, count, problems, &doubling, &error), error);
    return doubling;
}

static void is_found_where_it_is(void **state) {
    (void)state;
    for (int seed = 1; seed <= 20; seed++) {
        state_of_random = (uint64_t)seed * 7919;
        const double found = doubling_of(lay(100, 8, 4, 0.1, 0.05), 100);
        assert_true(fabs(found - 0.1) < 0.03);
    }
}

/* Trials of a problem are off alike: thousands of them are no more than the problems are. */
static void chance_is_not_taken(void **state) {
    (void)state;
    static const int problems[] = {1, 5, 19, 40, 100};
    for (int i = 0; i < 5; i++) {
        int taken = 0;
        for (int seed = 1; seed <= 100; seed++) {
            state_of_random = (uint64_t)seed * 104729;
            taken += doubling_of(lay(problems[i], 40, 4, 0, 0.4), problems[i]) > 0;
        }
        assert_true(taken <= (problems[i] < 20 ? 0 : 8));
    }
}

static void too_little_tells_nothing(void **state) {
    (void)state;
    state_of_random = 1;
    assert_true(doubling_of(0, 0) == 0);
    assert_true(doubling_of(0, 50) == 0);
    /* All at the same place, or none far from it. */
    assert_true(doubling_of(lay(50, 4, 0, 0.1, 0.1), 50) == 0);
    assert_true(doubling_of(lay(50, 4, 0.5, 10, 0), 50) == 0);
    /* Too little to matter. */
    assert_true(doubling_of(lay(200, 10, 4, 0.01, 0), 200) == 0);
    /* However steep, models may say it. */
    assert_true(doubling_of(lay(100, 4, 4, 50, 0), 100) == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_found_where_it_is),
        cmocka_unit_test(chance_is_not_taken),
        cmocka_unit_test(too_little_tells_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
