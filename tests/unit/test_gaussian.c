/* What the surrogate is made of: covariances, the Gaussian process, and the candidates that follow
 * it. */
#include <math.h>

#include "tests/support/support.h"
#include "tuner/search/gaussian.h"
#include "tuner/search/panel.h"
#include "tuner/search/rng.h"

static double wave(const float *x) {
    return sin(5 * (double)x[0]) + 0.5 * (double)(x[1] * x[1]);
}

/* A smooth function of two of three coordinates from 120 samples. */
static void a_gaussian_learns_a_function(void **state) {
    (void)state;
    struct gaussian *gaussian;
    struct tw_error error;
    struct rng rng = {3};
    float x[3];
    double deviation, far_deviation, errors = 0;
    must(gaussian_create(&gaussian, 3, &error), error);
    assert_false(gaussian_fit(gaussian));
    for (int i = 0; i < 120; i++) {
        for (int j = 0; j < 3; j++)
            x[j] = (float)rng_unit(&rng);
        gaussian_add(gaussian, x, wave(x));
    }
    gaussian_tune(gaussian);
    assert_true(gaussian_fit(gaussian));
    for (int i = 0; i < 100; i++) {
        for (int j = 0; j < 3; j++)
            x[j] = (float)rng_unit(&rng);
        errors += fabs(gaussian_guess(gaussian, x, &deviation) - wave(x)) / 100;
        assert_true(deviation > 0);
    }
    assert_true(errors < 0.05);
    const float inside[] = {0.5F, 0.5F, 0.5F}, far[] = {9, 9, 9};
    gaussian_guess(gaussian, inside, &deviation);
    gaussian_guess(gaussian, far, &far_deviation);
    assert_true(far_deviation > 5 * deviation); /* it knows what it does not know */
    gaussian_free(gaussian);
}

/* Of values that have nothing to do with where they are, many in one region do not make the next
 * one there certain: it may be better than all of them. */
static void a_gaussian_expects_what_is_rough(void **state) {
    (void)state;
    struct gaussian *gaussian;
    struct tw_error error;
    struct rng rng = {6};
    const float x[] = {0.5F, 0.5F};
    double deviation;
    must(gaussian_create(&gaussian, 2, &error), error);
    for (int i = 0; i < 200; i++) {
        const float at[] = {(float)rng_unit(&rng), (float)rng_unit(&rng)};
        gaussian_add(gaussian, at, rng_unit(&rng) < 0.5 ? -0.1 : 0.1);
    }
    gaussian_tune(gaussian);
    assert_true(gaussian_fit(gaussian));
    assert_true(fabs(gaussian_guess(gaussian, x, &deviation)) < 0.08);
    assert_true(deviation > 0.07 && deviation < 0.14);
    gaussian_free(gaussian);
}

static void covariances_are_materns(void **state) {
    (void)state;
    float x[2][MATERN_BLOCK], out[MATERN_BLOCK];
    const float at[] = {0.25F, 0}, scales[] = {3, 0.5F};
    for (int c = 0; c < MATERN_BLOCK; c++) {
        x[0][c] = (float)c * 0.125F;
        x[1][c] = (float)(c * c);
    }
    x[1][2] = 0;
    matern_block(&x[0][0], MATERN_BLOCK, at, scales, 2, out);
    for (int c = 0; c < MATERN_BLOCK; c++) {
        double a = ((double)x[0][c] - 0.25) * 3, b = (double)x[1][c] * 0.5;
        double d = sqrt(5 * (a * a + b * b));
        double exact = (1 + d + d * d / 3) * exp(-d);
        assert_true(fabs((double)out[c] - exact) <= 2e-6 * exact + 1e-25);
    }
    assert_true(out[2] == 1);
}

/* The same value everywhere, and the same point twice: no variance, and a singular matrix but for
 * the noise. */
static void a_gaussian_bears_degenerate_samples(void **state) {
    (void)state;
    struct gaussian *gaussian;
    struct tw_error error;
    const float x[] = {0.5F, 0};
    double deviation;
    must(gaussian_create(&gaussian, 2, &error), error);
    for (int i = 0; i < GAUSSIAN_SAMPLES; i++)
        gaussian_add(gaussian, x, 4);
    gaussian_tune(gaussian);
    assert_true(gaussian_fit(gaussian));
    assert_true(fabs(gaussian_guess(gaussian, x, &deviation) - 4) < 1e-6);
    gaussian_clear(gaussian);
    assert_false(gaussian_fit(gaussian));
    gaussian_free(gaussian);
}

/* What is kept for candidates is what would be worked out anew, whenever they were put there. */
static void a_panel_follows(void **state) {
    (void)state;
    enum { CANDIDATES = 70 };
    struct gaussian *gaussian;
    struct panel *panel;
    struct tw_error error;
    struct rng rng = {4};
    float places[CANDIDATES][3];
    double deviation;
    must(gaussian_create(&gaussian, 3, &error), error);
    must(panel_create(&panel, CANDIDATES, 3, &error), error);
    for (int i = 0; i < CANDIDATES; i++) {
        for (int k = 0; k < 3; k++)
            places[i][k] = (float)rng_unit(&rng);
        panel_put(panel, i, places[i]);
    }
    for (int sample = 0; sample < 40; sample++) {
        float x[3] = {(float)rng_unit(&rng), (float)rng_unit(&rng), (float)rng_unit(&rng)};
        gaussian_add(gaussian, x, wave(x));
        if (sample == 25)
            gaussian_tune(gaussian);
        if (sample == 30)
            gaussian_correct(gaussian, 3, 0.5);
        /* A place a round has another candidate. */
        for (int k = 0; k < 3; k++)
            places[sample][k] = (float)rng_unit(&rng);
        panel_put(panel, sample, places[sample]);
        assert_true(gaussian_fit(gaussian));
        panel_follow(panel, gaussian);
        for (int i = 0; i < CANDIDATES; i++) {
            double mean = gaussian_guess(gaussian, places[i], &deviation);
            assert_true(fabs(panel_mean(panel, i) - mean) < 2e-3);
            assert_true(fabs(panel_deviation(panel, i) - deviation) < 2e-2);
        }
    }
    panel_free(panel);
    gaussian_free(gaussian);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gaussian_learns_a_function),
        cmocka_unit_test(a_gaussian_expects_what_is_rough),
        cmocka_unit_test(covariances_are_materns),
        cmocka_unit_test(a_gaussian_bears_degenerate_samples),
        cmocka_unit_test(a_panel_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
