/* The table of plans: every request finds its own, also while others are added. Plans here are of
 * paper: the table never looks into them. */
#include <pthread.h>

#include "runtime/library/plan.h"
#include "tests/support/support.h"

static tw_plan *paper_plan(int number) {
    tw_plan *plan = calloc(1, sizeof *plan);
    assert_non_null(plan);
    plan->alignment = number;
    return plan;
}

static tw_request request_of(int i) {
    static const char *const kernels[] = {"gemm", "transpose", "a_kernel_of_a_longer_name"};
    static const char *const attributes[] = {NULL, "dtype=f32", "dtype=f32,trans=tn", "dtype=f64"};
    return (tw_request){.kernel = kernels[i % 3],
                        .attributes = attributes[i / 3 % 4],
                        .dimensions = {1 + i / 12 % 50, 1 + i / 600},
                        .strides = {i % 7}};
}

static int set_up(void **state) {
    struct tw_plans *plans;
    tw_error error;
    must(tw_plans_create(&plans, &error), error);
    *state = plans;
    return 0;
}

static int tear_down(void **state) {
    tw_plans_free(*state);
    return 0;
}

static const tw_plan *add(struct tw_plans *plans, const tw_request *request, int number,
                          int replace) {
    const tw_plan *kept;
    tw_error error;
    must(tw_plans_add(plans, request, paper_plan(number), replace, &kept, &error), error);
    return kept;
}

static void every_request_finds_its_own(void **state) {
    struct tw_plans *plans = *state;
    enum { COUNT = 6000 };
    for (int i = 0; i < COUNT; i++) {
        const tw_request request = request_of(i);
        assert_null(tw_plans_find(plans, &request));
        assert_int_equal(add(plans, &request, i, 0)->alignment, i);
    }
    for (int i = 0; i < COUNT; i++) {
        const tw_request request = request_of(i);
        assert_int_equal(tw_plans_find(plans, &request)->alignment, i);
    }
}

static void near_misses(void **state) {
    struct tw_plans *plans = *state;
    const tw_request known = {.kernel = "gemm", .attributes = "ab", .dimensions = {4, 5, 6}};
    add(plans, &known, 1, 0);
    tw_request other = known;
    other.kernel = "gemma"; /* the two texts together are the same */
    other.attributes = "b";
    assert_null(tw_plans_find(plans, &other));
    other = known;
    other.attributes = NULL;
    assert_null(tw_plans_find(plans, &other));
    other = known;
    other.strides[5] = 1;
    assert_null(tw_plans_find(plans, &other));
    other = known;
    other.dimensions[0] += INT64_C(1) << 32; /* the low half is the same */
    assert_null(tw_plans_find(plans, &other));
    tw_error error;
    const tw_plan *kept;
    assert_refuses(tw_plans_add(plans, &other, paper_plan(2), 0, &kept, &error), TW_INVALID, error,
                   "out of range");
    other = known;
    other.attributes = "";
    add(plans, &other, 3, 0);
    other.attributes = NULL; /* absent and empty are the same */
    assert_int_equal(tw_plans_find(plans, &other)->alignment, 3);
}

static void the_first_stays_unless_replaced(void **state) {
    struct tw_plans *plans = *state;
    const tw_request request = request_of(5);
    const tw_plan *first = add(plans, &request, 1, 0);
    assert_ptr_equal(add(plans, &request, 2, 0), first);
    const tw_plan *second = add(plans, &request, 3, 1);
    assert_int_equal(second->alignment, 3);
    assert_ptr_equal(tw_plans_find(plans, &request), second);
    assert_int_equal(first->alignment, 1); /* whoever holds it may go on */
}

struct reader {
    struct tw_plans *plans;
    int wrong;
};

/* What is found is right, and what was found once is found again. */
static void *read_all(void *context) {
    struct reader *reader = context;
    int seen = 0;
    while (seen < 4000) {
        for (int i = 0; i < 4000; i++) {
            const tw_request request = request_of(i);
            const tw_plan *plan = tw_plans_find(reader->plans, &request);
            reader->wrong += plan != NULL && plan->alignment != i;
            reader->wrong += plan == NULL && i < seen;
            if (plan == NULL)
                break;
            seen = i + 1 > seen ? i + 1 : seen;
        }
    }
    return NULL;
}

static void readers_beside_a_writer(void **state) {
    struct tw_plans *plans = *state;
    struct reader readers[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        readers[i] = (struct reader){.plans = plans};
        assert_int_equal(pthread_create(&threads[i], NULL, read_all, &readers[i]), 0);
    }
    for (int i = 0; i < 4000; i++) {
        const tw_request request = request_of(i);
        add(plans, &request, i, 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(readers[i].wrong, 0);
    }
}

#define PLANS_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        PLANS_TEST(every_request_finds_its_own),
        PLANS_TEST(near_misses),
        PLANS_TEST(the_first_stays_unless_replaced),
        PLANS_TEST(readers_beside_a_writer),
    };
    return cmocka_run_group_tests_name("plans", tests, NULL, NULL);
}
