/* What a search begins with, and what it puts off, before anything was measured. */
#include <math.h>

#include "runtime/backend/devices.h"
#include "runtime/description/builtin.h"
#include "tests/support/support.h"
#include "tuner/inspect/paper_device.h"
#include "runtime/base/file.h"
#include "tuner/search/prior.h"
#include "tuner/search/step.h"
#include "tuner/space/given.h"

struct bench {
    struct tw_description *description;
    struct tw_device_info device;
    struct tw_problem problem;
    int64_t values[TW_MAX_SYMBOLS];
    struct space *space;
};

static int open_bench(void **state) {
    struct bench *bench = calloc(1, sizeof *bench);
    struct tw_error error;
    int64_t slots[TW_DEVICE_SLOTS];
    must(tw_description_builtin(&bench->description, "transpose", &error), error);
    must(paper_device("sm_90", &bench->device, &error), error);
    must(tw_problem_parse(&bench->problem, bench->description, "4096x1024", &error), error);
    tw_device_values(&bench->device, slots);
    must(tw_problem_bind(&bench->problem, slots, NULL, bench->values, &error), error);
    must(space_create(&bench->space, &bench->problem, &bench->device, NULL, &error), error);
    *state = bench;
    return 0;
}

static int close_bench(void **state) {
    struct bench *bench = *state;
    space_free(bench->space);
    tw_description_free(bench->description);
    free(bench);
    return 0;
}

static struct prior *make(const struct bench *bench, uint64_t seed) {
    struct prior *prior;
    struct tw_error error;
    must(prior_create(&prior, &bench->problem, bench->values, &bench->device, bench->space, NULL,
                      seed, &error),
         error);
    return prior;
}

static double time_of(const struct bench *bench, struct prior *prior, size_t point) {
    struct tw_configuration configuration;
    space_configuration(bench->space, point, &configuration);
    return prior_time_us(prior, &configuration);
}

static void begins_with_the_fastest(void **state) {
    const struct bench *bench = *state;
    struct prior *prior = make(bench, 1);
    size_t points[PRIOR_FIRST], again[PRIOR_FIRST];
    int of[TW_MAX_IMPLEMENTATIONS] = {0};
    int count = prior_first(prior, points);
    assert_in_range(count, 2, PRIOR_FIRST);
    double least = INFINITY;
    for (size_t p = 0; p < space_size(bench->space); p += 7)
        least = fmin(least, time_of(bench, prior, p));
    for (int i = 0; i < count; i++) {
        double time_us = time_of(bench, prior, points[i]);
        int implementation = space_implementation(bench->space, points[i]);
        assert_true(isfinite(time_us) && time_us > 0);
        assert_true(i == 0 || time_us >= time_of(bench, prior, points[i - 1]));
        assert_in_range(++of[implementation], 1, PRIOR_FIRST / 2);
        /* No two that differ in nothing that it knows of. */
        for (int j = 0; j < i; j++)
            assert_false(space_implementation(bench->space, points[j]) == implementation &&
                         time_of(bench, prior, points[j]) == time_us);
    }
    /* A sample: as good as most of the space, if not its best. */
    assert_true(time_of(bench, prior, points[0]) <= 1.1 * least);
    prior_free(prior);
    prior = make(bench, 1);
    assert_int_equal(prior_first(prior, again), count);
    assert_memory_equal(points, again, (size_t)count * sizeof *points);
    prior_free(prior);
}

/* What should take more than four times as long as the best is doubted, and nothing else. */
static void doubts(void **state) {
    const struct bench *bench = *state;
    struct prior *prior = make(bench, 1);
    size_t points[PRIOR_FIRST];
    int doubted = 0, count = 0;
    assert_true(prior_first(prior, points) > 0);
    double best = time_of(bench, prior, points[0]);
    for (size_t p = 0; p < space_size(bench->space); p += 5) {
        assert_int_equal(prior_doubts(prior, p), time_of(bench, prior, p) > 4 * best);
        doubted += prior_doubts(prior, p);
        count++;
    }
    assert_true(doubted < count);
    prior_free(prior);
}

/* Blocks and their threads are what the grid is made of: of a transpose each covers some elements.
 */
static void traits_tell_points_apart(void **state) {
    const struct bench *bench = *state;
    struct prior *prior = make(bench, 1);
    double least[PRIOR_TRAITS], most[PRIOR_TRAITS];
    int varied = 0;
    for (int i = 0; i < PRIOR_TRAITS; i++) {
        least[i] = INFINITY;
        most[i] = -INFINITY;
    }
    for (size_t p = 0; p < space_size(bench->space); p += 11) {
        struct tw_configuration configuration;
        double traits[PRIOR_TRAITS];
        space_configuration(bench->space, p, &configuration);
        prior_traits(prior, &configuration, traits);
        for (int i = 0; i < PRIOR_TRAITS; i++) {
            assert_true(isfinite(traits[i]));
            least[i] = fmin(least[i], traits[i]);
            most[i] = fmax(most[i], traits[i]);
        }
        assert_true(exp(traits[0]) >= 1 && exp(traits[1]) <= 1024.5);
    }
    for (int i = 0; i < PRIOR_TRAITS; i++)
        varied += most[i] > least[i];
    assert_in_range(varied, 5, PRIOR_TRAITS);
    prior_free(prior);
}

static void no_model_of_it(void **state) {
    const struct bench *bench = *state;
    struct tw_catalogue *catalogue;
    const struct tw_model *model = (const struct tw_model *)bench;
    struct tw_error error;
    must(tw_catalogue_create(&catalogue, &error), error);
    must(prior_model(catalogue, &bench->problem, &bench->device, "cold", &model, &error), error);
    assert_null(model);
    tw_catalogue_free(catalogue);
}

struct neighbours {
    struct prior *prior;
    const struct bench *bench;
    int count;
    double least;
};

static void look_at(void *context, size_t point) {
    struct neighbours *neighbours = context;
    double time_us = time_of(neighbours->bench, neighbours->prior, point);
    neighbours->count++;
    neighbours->least = fmin(neighbours->least, time_us);
}

/* The best of a million points is in no sample of 2048: what a model prefers is climbed to. */
static void climbs_by_a_model(void **state) {
    struct bench gemm = {0};
    struct tw_model *model;
    struct tw_text text = {0};
    struct prior *prior;
    struct tw_error error;
    int64_t slots[TW_DEVICE_SLOTS];
    size_t points[PRIOR_FIRST];
    (void)state;
    must(tw_file_read(&text, MODEL, &error), error);
    must(tw_model_read(&model, text.data, MODEL, &error), error);
    must(tw_description_builtin(&gemm.description, "gemm", &error), error);
    must(paper_device("sm_90", &gemm.device, &error), error);
    must(tw_problem_parse(&gemm.problem, gemm.description, "4096x16x4096", &error), error);
    tw_device_values(&gemm.device, slots);
    must(tw_problem_bind(&gemm.problem, slots, NULL, gemm.values, &error), error);
    must(space_create(&gemm.space, &gemm.problem, &gemm.device, NULL, &error), error);
    must(prior_create(&prior, &gemm.problem, gemm.values, &gemm.device, gemm.space, model, 1,
                      &error),
         error);
    assert_int_equal(prior_first(prior, points), PRIOR_FIRST);
    struct neighbours neighbours = {prior, &gemm, 0, INFINITY};
    step_neighbours(gemm.space, points[0], look_at, &neighbours);
    assert_true(neighbours.count > 10);
    assert_true(neighbours.least >= time_of(&gemm, prior, points[0]));
    prior_free(prior);
    space_free(gemm.space);
    tw_model_free(model);
    tw_text_free(&text);
    tw_description_free(gemm.description);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, open_bench, close_bench)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(begins_with_the_fastest),       TEST(doubts),
        TEST(traits_tell_points_apart),      TEST(no_model_of_it),
        cmocka_unit_test(climbs_by_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
