/* Of how many cuts a value is above, however they lie, is what counting says. */
#include <math.h>

#include "runtime/predict/model_cuts.h"
#include "tests/support/support.h"
#include "tuner/search/rng.h"

enum { MOST = 3000 };

static int counted(const struct tw_model_cuts *cuts, double value) {
    int above = 0;
    for (int i = 0; i < cuts->count; i++)
        above += cuts->values[i] < value;
    return above;
}

/* Takes over the values, which ascend. */
static void all_are_counted(double *values, int count, bool have_cells) {
    struct tw_model *model = calloc(1, sizeof *model);
    assert_non_null(model);
    struct tw_model_cuts *cuts = &model->cuts[0];
    model->feature_count = 1;
    *cuts = (struct tw_model_cuts){.count = count, .values = values};
    assert_true(tw_model_divide_cuts(model));
    assert_int_equal(cuts->cells != NULL, have_cells);
    for (int i = 0; i < count; i += 1 + count / MOST) {
        const double between = i > 0 ? (values[i - 1] + values[i]) / 2 : values[i] / 2;
        const double asked[] = {values[i], nextafter(values[i], INFINITY),
                                nextafter(values[i], -INFINITY), between, -values[i]};
        for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
            assert_int_equal(tw_model_above(cuts, asked[k]), counted(cuts, asked[k]));
    }
    const double others[] = {0, -0.0, -1, 1, 1e-320, 1e300, INFINITY, -INFINITY, NAN};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        assert_int_equal(tw_model_above(cuts, others[k]), counted(cuts, others[k]));
    tw_model_free_cuts(model);
    free(model);
}

static double *drawn(int count, double from, double to, bool by_doublings, uint64_t seed) {
    struct rng rng = {.state = seed};
    double *values = malloc((size_t)count * sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < count; i++) {
        /* One of each share of the whole, so that they ascend. */
        const double at = (i + 0.9 * rng_unit(&rng)) / count;
        values[i] = by_doublings ? from * pow(to / from, at) : from + (to - from) * at;
    }
    return values;
}

static void values_above_zero(void **state) {
    (void)state;
    all_are_counted(drawn(700, 1e6, 1e12, true, 1), 700, true);
    all_are_counted(drawn(MOST, 0.5, 1, false, 2), MOST, true);
    all_are_counted(drawn(9, 1e-3, 2, true, 3), 9, true);
    all_are_counted(drawn(500, 1, 1e30, true, 4), 500, true);
}

/* These are looked for from the beginning. */
static void others(void **state) {
    (void)state;
    all_are_counted(drawn(300, -5, 5, false, 5), 300, false);
    all_are_counted(drawn(8, 1, 2, false, 6), 8, false);
    all_are_counted(drawn(1, 1, 2, false, 7), 1, false);
    all_are_counted(drawn(400, 1e-100, 1e100, true, 8), 400, false); /* more cells than that */
    all_are_counted(drawn(70000, 1, 2, false, 9), 70000, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_above_zero),
        cmocka_unit_test(others),
    };
    return cmocka_run_group_tests_name("model cuts", tests, NULL, NULL);
}
