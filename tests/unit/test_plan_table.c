/* The table of plans: every request finds its own, also while others are added. Plans here are of
 * paper: the table never looks into them. */
#include <pthread.h>

#include "runtime/library/plan.h"
#include "runtime/library/plan_table.h"
#include "tests/support/support.h"

static tw_plan *paper_plan(int number) {
    tw_plan *plan = calloc(1, sizeof *plan);
    assert_non_null(plan);
    plan->explanation.workspace_bytes = (uint64_t)number;
    return plan;
}

static struct tw_plan_key key_of(const tw_request *request) {
    struct tw_plan_key key;
    assert_true(tw_plan_key_of(&key, request));
    return key;
}

static const tw_plan *find(struct tw_plan_table *plans, const tw_request *request) {
    const struct tw_plan_key key = key_of(request);
    return tw_plan_table_hold(plans, &key);
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
    struct tw_plan_table *plans;
    tw_error error;
    must(tw_plan_table_create(&plans, 0, &error), error);
    *state = plans;
    return 0;
}

static int tear_down(void **state) {
    tw_plan_table_free(*state);
    return 0;
}

static const tw_plan *add(struct tw_plan_table *plans, const tw_request *request, int number,
                          bool replace) {
    const struct tw_plan_key key = key_of(request);
    const tw_plan *kept;
    tw_error error;
    must(tw_plan_table_add(plans, &key, paper_plan(number), replace, &kept, &error), error);
    return kept;
}

static void every_request_finds_its_own(void **state) {
    struct tw_plan_table *plans = *state;
    enum { COUNT = 6000 };
    for (int i = 0; i < COUNT; i++) {
        const tw_request request = request_of(i);
        assert_null(find(plans, &request));
        assert_int_equal(add(plans, &request, i, false)->explanation.workspace_bytes, i);
    }
    for (int i = 0; i < COUNT; i++) {
        const tw_request request = request_of(i);
        assert_int_equal(find(plans, &request)->explanation.workspace_bytes, i);
    }
}

static void near_misses(void **state) {
    struct tw_plan_table *plans = *state;
    const tw_request known = {.kernel = "gemm", .attributes = "ab", .dimensions = {4, 5, 6}};
    add(plans, &known, 1, false);
    tw_request other = known;
    other.kernel = "gemma"; /* the two texts together are the same */
    other.attributes = "b";
    assert_null(find(plans, &other));
    other = known;
    other.attributes = NULL;
    assert_null(find(plans, &other));
    other = known;
    other.strides[5] = 1;
    assert_null(find(plans, &other));
    other = known;
    other.dimensions[0] += INT64_C(1) << 32; /* the low half is the same */
    struct tw_plan_key key;
    assert_false(tw_plan_key_of(&key, &other));
    other = known;
    other.strides[0] = -1;
    assert_false(tw_plan_key_of(&key, &other));
    /* Numbers alone are no key of a request with the same numbers. */
    key = key_of(&known);
    key.kernel = NULL;
    assert_null(tw_plan_table_hold(plans, &key));
    other = known;
    other.attributes = "";
    add(plans, &other, 3, false);
    other.attributes = NULL; /* absent and empty are the same */
    assert_int_equal(find(plans, &other)->explanation.workspace_bytes, 3);
}

/* Texts are compared, wherever they stand: at one address there may be another each time. */
static void texts_written_over_each_other(void **state) {
    struct tw_plan_table *plans = *state;
    static const char *const texts[] = {"dtype=f32", "dtype=f64", "dtype=f3", "dtype=f32,x=1", ""};
    enum { TEXTS = sizeof texts / sizeof *texts };
    char kernel[8] = "gemm", attributes[24];
    const tw_request request = {.kernel = kernel, .attributes = attributes, .dimensions = {4}};
    for (int i = 0; i < TEXTS; i++) {
        snprintf(attributes, sizeof attributes, "%s", texts[i]);
        assert_null(find(plans, &request));
        add(plans, &request, i, false);
    }
    for (int i = 0; i < 3 * TEXTS; i++) {
        snprintf(attributes, sizeof attributes, "%s", texts[i % TEXTS]);
        assert_int_equal(find(plans, &request)->explanation.workspace_bytes, i % TEXTS);
        const tw_request elsewhere = {
            .kernel = "gemm", .attributes = texts[i % TEXTS], .dimensions = {4}};
        assert_int_equal(find(plans, &elsewhere)->explanation.workspace_bytes, i % TEXTS);
        kernel[0] = 'h';
        assert_null(find(plans, &request));
        kernel[0] = 'g';
    }
}

static void the_first_stays_unless_replaced(void **state) {
    struct tw_plan_table *plans = *state;
    const tw_request request = request_of(5);
    const tw_plan *first = add(plans, &request, 1, false);
    assert_ptr_equal(add(plans, &request, 2, false), first);
    const tw_plan *second = add(plans, &request, 3, true);
    assert_int_equal(second->explanation.workspace_bytes, 3);
    assert_ptr_equal(find(plans, &request), second);
    assert_int_equal(first->explanation.workspace_bytes, 1); /* whoever holds it may go on */
}

static void several_keys_find_one_plan(void **state) {
    struct tw_plan_table *plans = *state;
    const tw_request requests[] = {request_of(1), request_of(2), request_of(3)};
    const struct tw_plan_key keys[] = {key_of(&requests[1]), key_of(&requests[2])};
    tw_error error;
    const tw_plan *first = add(plans, &requests[0], 1, false);
    must(tw_plan_table_alias(plans, &keys[0], first, &error), error);
    assert_ptr_equal(find(plans, &requests[1]), first);
    /* Replacing is seen by all, and a key that has a plan keeps it. */
    const tw_plan *second = add(plans, &requests[1], 2, true);
    assert_ptr_equal(find(plans, &requests[0]), second);
    const tw_plan *other = add(plans, &requests[2], 3, false);
    must(tw_plan_table_alias(plans, &keys[1], second, &error), error);
    assert_ptr_equal(find(plans, &requests[2]), other);
    /* Keys of numbers alone. */
    struct tw_plan_key numbers = {.words = {1, 2, 3}}, others = {.words = {1, 2, 4}};
    must(tw_plan_table_alias(plans, &numbers, other, &error), error);
    assert_ptr_equal(tw_plan_table_hold(plans, &numbers), other);
    assert_null(tw_plan_table_hold(plans, &others));
}

/* ---- With a limit ---- */

static struct tw_plan_table *limited(uint64_t limit) {
    struct tw_plan_table *plans;
    tw_error error;
    must(tw_plan_table_create(&plans, limit, &error), error);
    return plans;
}

static void drop(struct tw_plan_table *plans, const tw_plan *plan) {
    assert_non_null(plan);
    tw_plan_table_release(plans, plan);
}

static bool is_there(struct tw_plan_table *plans, int i) {
    const tw_request request = request_of(i);
    const tw_plan *plan = find(plans, &request);
    if (plan != NULL)
        tw_plan_table_release(plans, plan);
    return plan != NULL;
}

static void make(struct tw_plan_table *plans, int i) {
    const tw_request request = request_of(i);
    drop(plans, add(plans, &request, i, false));
}

static void the_least_recently_used_go(void **state) {
    (void)state;
    struct tw_plan_table *plans = limited(3);
    for (int i = 0; i < 3; i++)
        make(plans, i);
    assert_true(is_there(plans, 0)); /* and is used with that */
    make(plans, 3);                  /* while its maker holds it, it does not count */
    make(plans, 4);
    assert_true(is_there(plans, 0) && !is_there(plans, 1));
    assert_true(is_there(plans, 3) && is_there(plans, 4));
    tw_plan_table_free(plans);
}

static void who_is_held_stays(void **state) {
    (void)state;
    struct tw_plan_table *plans = limited(2);
    const tw_request request = request_of(0), alias = request_of(1), later = request_of(1000);
    const struct tw_plan_key other = key_of(&alias);
    tw_error error;
    const tw_plan *held = add(plans, &request, 0, false);
    must(tw_plan_table_alias(plans, &other, held, &error), error);
    for (int i = 2; i < 200; i++)
        make(plans, i);
    assert_ptr_equal(find(plans, &alias), held);
    assert_int_equal(held->explanation.workspace_bytes, 0);
    /* A plan that came in its place does not take it away either. */
    drop(plans, add(plans, &request, 7, true));
    for (int i = 200; i < 400; i++)
        make(plans, i);
    assert_int_equal(held->explanation.workspace_bytes, 0);
    drop(plans, held);
    drop(plans, held);
    for (int i = 400; i < 404; i++)
        make(plans, i);
    assert_null(find(plans, &request));
    assert_null(find(plans, &alias));
    drop(plans, add(plans, &later, 1, false));
    tw_plan_table_free(plans);
}

struct worker {
    struct tw_plan_table *plans;
    unsigned seed;
    int wrong;
};

enum { SHAPES = 120, IDLE = 30 };

/* Finds and makes plans of few shapes at random, and looks at what it holds: were it dropped, its
 * memory would be another plan's or nobody's. The other key of each needs more than a head. */
static void *find_or_make(void *context) {
    struct worker *worker = context;
    for (int turn = 0; turn < 20000; turn++) {
        int i = (int)(rand_r(&worker->seed) % SHAPES);
        const tw_request request = request_of(i);
        tw_request alias = request;
        alias.strides[6] = 5;
        const tw_plan *plan = find(worker->plans, turn % 2 == 0 ? &request : &alias);
        if (plan == NULL) {
            const struct tw_plan_key key = key_of(&alias);
            plan = add(worker->plans, &request, i, turn % 64 == 0);
            worker->wrong += tw_plan_table_alias(worker->plans, &key, plan, NULL) != TW_OK;
        }
        worker->wrong += plan->explanation.workspace_bytes != (uint64_t)i;
        tw_plan_table_release(worker->plans, plan);
    }
    return NULL;
}

static void users_beside_droppers(void **state) {
    (void)state;
    struct tw_plan_table *plans = limited(IDLE);
    struct worker workers[6];
    pthread_t threads[6];
    for (int i = 0; i < 6; i++) {
        workers[i] = (struct worker){.plans = plans, .seed = 1 + (unsigned)i};
        assert_int_equal(pthread_create(&threads[i], NULL, find_or_make, &workers[i]), 0);
    }
    for (int i = 0; i < 6; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].wrong, 0);
    }
    make(plans, 5000); /* all are idle now: so many are left, and this one */
    int left = 0;
    for (int i = 0; i < SHAPES; i++)
        left += is_there(plans, i);
    assert_int_equal(left, IDLE);
    tw_plan_table_free(plans);
}

/* ---- Without ---- */

struct reader {
    struct tw_plan_table *plans;
    int wrong;
};

/* What is found is right, and what was found once is found again. */
static void *read_all(void *context) {
    struct reader *reader = context;
    int seen = 0;
    while (seen < 4000) {
        for (int i = 0; i < 4000; i++) {
            const tw_request request = request_of(i);
            const tw_plan *plan = find(reader->plans, &request);
            reader->wrong += plan != NULL && plan->explanation.workspace_bytes != (uint64_t)i;
            reader->wrong += plan == NULL && i < seen;
            if (plan == NULL)
                break;
            seen = i + 1 > seen ? i + 1 : seen;
        }
    }
    return NULL;
}

static void readers_beside_a_writer(void **state) {
    struct tw_plan_table *plans = *state;
    struct reader readers[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        readers[i] = (struct reader){.plans = plans};
        assert_int_equal(pthread_create(&threads[i], NULL, read_all, &readers[i]), 0);
    }
    for (int i = 0; i < 4000; i++) {
        const tw_request request = request_of(i);
        add(plans, &request, i, false);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(readers[i].wrong, 0);
    }
}

#define PLANS_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        PLANS_TEST(every_request_finds_its_own),      PLANS_TEST(near_misses),
        PLANS_TEST(texts_written_over_each_other),    PLANS_TEST(the_first_stays_unless_replaced),
        PLANS_TEST(several_keys_find_one_plan),       PLANS_TEST(readers_beside_a_writer),
        cmocka_unit_test(the_least_recently_used_go), cmocka_unit_test(who_is_held_stays),
        cmocka_unit_test(users_beside_droppers),
    };
    return cmocka_run_group_tests_name("plans", tests, NULL, NULL);
}
