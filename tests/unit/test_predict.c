/* What descriptions tell of how long configurations take. */
#include <math.h>

#include "runtime/predict/estimate.h"
#include "tests/support/scale.h"

static struct tw_device_info device(void) {
    struct tw_device_info device = paper_gpu;
    device.unit_threads = 2048;
    device.unit_blocks = 32;
    device.unit_registers = 65536;
    device.unit_shared = 233472;
    device.reserved_shared = 1024;
    return device;
}

/* Features of a preset of a built-in kernel. */
static struct tw_features features_of(const struct tw_description *d, const char *shape,
                                      const char *preset, int64_t registers) {
    struct tw_problem problem = parse_problem(d, shape);
    struct tw_configuration configuration;
    const struct tw_preset *values;
    int64_t slots[TW_DEVICE_SLOTS], bound[TW_MAX_SYMBOLS];
    struct tw_features features;
    struct tw_error error;
    const struct tw_device_info gpu = device();
    assert_true(tw_description_preset(d, preset, &configuration.implementation, &values));
    memcpy(configuration.values, values->values, sizeof configuration.values);
    tw_device_values(&gpu, slots);
    must(tw_problem_bind(&problem, slots, NULL, bound, &error), error);
    must(tw_configuration_bind(d, &configuration, bound, &error), error);
    must(tw_features_of(&problem, &configuration, bound, &gpu, registers, &features, &error),
         error);
    return features;
}

static struct tw_description *builtin(const char *kernel) {
    struct tw_description *d;
    struct tw_error error;
    must(tw_description_builtin(&d, kernel, &error), error);
    return d;
}

static void assert_near(double got, double wanted) {
    if (fabs(got - wanted) > 1e-6 * fabs(wanted))
        fail_msg("%g, not %g", got, wanted);
}

static void blocks_and_what_is_beyond_the_edges(void **state) {
    (void)state;
    struct tw_description *d = builtin("gemm");
    /* Tiles of 64 x 128, K in steps of 32. */
    struct tw_features f = features_of(d, "640x640x640", "sliced", 0);
    assert_near(f.blocks, 50);
    assert_near(f.use, 1);
    assert_near(f.per_unit, 1);
    assert_near(f.balance, 50.0 / 132);
    assert_near(f.flops, 2.0 * 640 * 640 * 640);
    assert_near(f.width, 4); /* 16 bytes */
    f = features_of(d, "65x130x33", "sliced", 0);
    assert_near(f.blocks, 4);
    assert_near(f.use, 65.0 / 128 * (130.0 / 256) * (33.0 / 64));
    /* Rows of A end anywhere, those of B and C with two elements. */
    assert_near(f.width, (2 + 3 + 3) / 3.0);
    tw_description_free(d);
}

/* The sizes are as different as the ways in which they are cut. */
static void what_each_dimension_is_cut_into(void **state) {
    (void)state;
    struct tw_description *d = builtin("gemm");
    /* Tiles of 64 x 128, K in steps of 32. */
    struct tw_features f = features_of(d, "65x130x33", "sliced", 0);
    const double pieces[] = {2, 2, 2}, filled[] = {65.0 / 128, 130.0 / 256, 33.0 / 64};
    for (int i = 0; i < 3; i++) {
        assert_near(f.pieces[i], pieces[i]);
        assert_near(f.filled[i], filled[i]);
    }
    /* Equal sizes are cut one after the other. */
    f = features_of(d, "640x640x640", "sliced", 0);
    const double square[] = {10, 5, 20};
    for (int i = 0; i < 3; i++)
        assert_near(f.pieces[i], square[i]);
    tw_description_free(d);
}

static void widths_of_each_buffer(void **state) {
    (void)state;
    struct tw_description *d = builtin("gemm");
    /* Rows of A end anywhere, those of B and C with two elements; there is no bias. */
    const struct tw_features f = features_of(d, "65x130x33", "sliced", 0);
    const double widths[] = {2, 3, 3};
    for (int i = 0; i < 3; i++)
        assert_near(f.widths[i], widths[i]);
    for (int i = 0; i < d->argument_count; i++)
        if (strcmp(d->arguments[i].name, "biases") == 0)
            assert_near(f.widths[i], -1);
    tw_description_free(d);
}

/* A line of 128 bytes at most; strides count, and not where a row ends. */
static void pitches_of_each_buffer(void **state) {
    (void)state;
    struct tw_description *d = builtin("gemm");
    const struct tw_features f = features_of(d, "64x72x1000", "sliced", 0);
    const double pitches[] = {5, 5, 5}, lines[] = {7, 6, 6};
    for (int i = 0; i < 3; i++)
        assert_near(f.pitches[i], pitches[i]);
    const struct tw_features longer = features_of(d, "64x80x1024", "sliced", 0);
    for (int i = 0; i < 3; i++)
        assert_near(longer.pitches[i], lines[i]);
    for (int i = 0; i < d->argument_count; i++)
        if (strcmp(d->arguments[i].name, "biases") == 0)
            assert_near(f.pitches[i], -1);
    tw_description_free(d);
}

static void launches_and_workspace(void **state) {
    (void)state;
    struct tw_description *d = builtin("gemm");
    struct tw_features f = features_of(d, "64x64x65536", "split-k-deep", 0);
    assert_near(f.launches, 2);
    assert_near(f.blocks, 256); /* of the product, not of the sum */
    assert_near(f.workspace, 256.0 * 64 * 64 * 4);
    f = features_of(d, "4096x4096x4096", "default", 0);
    assert_near(f.launches, 1);
    assert_near(f.workspace, 0);
    tw_description_free(d);
}

/* The products of Winograd's convolution are of 36 points for 16 results of nine terms each. */
static void an_implementation_that_multiplies_less(void **state) {
    (void)state;
    struct tw_description *d = builtin("conv2d");
    struct tw_features f = features_of(d, "32x64x58x58x64x3x3", "precomputed-stages", 0);
    assert_near(f.flops, 2.0 * 32 * 56 * 56 * 64 * 64 * 9);
    f = features_of(d, "32x64x58x58x64x3x3", "winograd", 0);
    assert_near(f.flops, 2.0 * 36 * 64 * 64 * (32 * 14 * 14));
    tw_description_free(d);
}

static void what_a_unit_holds(void **state) {
    (void)state;
    struct tw_description *d = builtin("gemm");
    double at_most = features_of(d, "4096x4096x4096", "default", 0).resident;
    struct tw_features f = features_of(d, "4096x4096x4096", "default", 255);
    assert_true(f.resident >= 1 && f.resident < at_most);
    assert_near(f.resident, floor(65536.0 / 255 / f.threads));
    tw_description_free(d);
}

static void estimates_follow_the_work(void **state) {
    (void)state;
    struct tw_description *d = builtin("gemm");
    struct tw_estimate one, four, waves;
    const struct tw_device_info gpu = device();
    struct tw_features f = features_of(d, "2048x2048x2048", "large-tiles", 0);
    tw_estimate_of(&f, &gpu, &one);
    f = features_of(d, "4096x4096x2048", "large-tiles", 0);
    tw_estimate_of(&f, &gpu, &four);
    /* 128 blocks are one to each unit, 512 are four to the busiest. */
    assert_true(four.compute > 3.5 * one.compute && four.compute <= 4 * one.compute);
    /* One more row of blocks, 136, and nearly all units wait for four of them. */
    f = features_of(d, "2049x2048x2048", "large-tiles", 0);
    tw_estimate_of(&f, &gpu, &waves);
    assert_true(waves.compute > 1.7 * one.compute);
    /* In proportion to what was measured. */
    assert_near(tw_estimate_scaled(300, &one, &one), 300);
    assert_true(tw_estimate_scaled(300, &one, &four) > 1000);
    assert_true(tw_estimate_scaled(300, &one, &four) < 1300);
    /* What was ten times as fast as was thought possible is so elsewhere. */
    double fast = tw_estimate_total(&one) / 10;
    assert_true(tw_estimate_scaled(fast, &one, &four) < 5 * fast);
    tw_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_what_is_beyond_the_edges),
        cmocka_unit_test(what_each_dimension_is_cut_into),
        cmocka_unit_test(widths_of_each_buffer),
        cmocka_unit_test(pitches_of_each_buffer),
        cmocka_unit_test(launches_and_workspace),
        cmocka_unit_test(an_implementation_that_multiplies_less),
        cmocka_unit_test(what_a_unit_holds),
        cmocka_unit_test(estimates_follow_the_work),
    };
    return cmocka_run_group_tests_name("predict", tests, NULL, NULL);
}
