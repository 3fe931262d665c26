/* Which rank of a cluster has which problem. */
#include "tuner/cluster/schedule.h"

#include "tests/support/support.h"

static struct schedule *made(int problems, int ranks) {
    struct schedule *schedule;
    struct tw_error error;
    must(schedule_create(&schedule, problems, ranks, &error), error);
    return schedule;
}

static struct schedule *of_one_kind(int problems, int ranks) {
    struct schedule *schedule = made(problems, ranks);
    for (int i = 0; i < ranks; i++)
        schedule_join(schedule, i, schedule_kind(schedule, "gpu"));
    return schedule;
}

static void in_order_as_ranks_become_free(void **state) {
    (void)state;
    struct schedule *s = of_one_kind(3, 2);
    assert_int_equal(schedule_total(s), 3);
    assert_int_equal(schedule_next(s, 0), 0);
    assert_int_equal(schedule_next(s, 1), 1);
    /* One at a time. */
    assert_int_equal(schedule_next(s, 1), SCHEDULE_NONE);
    schedule_done(s, 0, 1);
    assert_int_equal(schedule_held(s, 1), SCHEDULE_NONE);
    assert_int_equal(schedule_next(s, 1), 2);
    schedule_done(s, 0, 2);
    assert_int_equal(schedule_next(s, 1), SCHEDULE_NONE);
    assert_false(schedule_over(s));
    schedule_done(s, 0, 0);
    assert_true(schedule_over(s));
    assert_int_equal(schedule_count_done(s), 3);
    schedule_free(s);
}

static void what_a_lost_rank_had(void **state) {
    (void)state;
    struct schedule *s = of_one_kind(1, 2);
    assert_int_equal(schedule_next(s, 1), 0);
    assert_int_equal(schedule_next(s, 0), SCHEDULE_NONE);
    schedule_leave(s, 1);
    assert_false(schedule_over(s));
    assert_int_equal(schedule_next(s, 1), SCHEDULE_NONE);
    assert_int_equal(schedule_next(s, 0), 0);
    /* It was not lost after all, and is through with what another has now. */
    schedule_join(s, 1, 0);
    schedule_done(s, 0, 0);
    assert_int_equal(schedule_held(s, 0), SCHEDULE_NONE);
    schedule_leave(s, 0);
    assert_true(schedule_over(s));
    assert_int_equal(schedule_count_done(s), 1);
    schedule_free(s);
}

static void who_has_a_part_of_it_goes_on(void **state) {
    (void)state;
    struct schedule *s = of_one_kind(3, 3);
    schedule_prefer(s, 1, 0);
    schedule_prefer(s, 2, 2);
    assert_int_equal(schedule_next(s, 0), 1);
    assert_int_equal(schedule_next(s, 2), 2);
    schedule_done(s, 0, 1);
    /* What is another's to go on with rather than nothing. */
    assert_int_equal(schedule_next(s, 0), 0);
    schedule_free(s);
}

static void failures(void **state) {
    (void)state;
    struct schedule *s = of_one_kind(1, 3);
    assert_int_equal(schedule_next(s, 0), 0);
    assert_true(schedule_failed(s, 0));
    assert_int_equal(schedule_next(s, 0), SCHEDULE_NONE);
    assert_int_equal(schedule_next(s, 2), 0);
    assert_false(schedule_failed(s, 2));
    assert_int_equal(schedule_next(s, 1), SCHEDULE_NONE);
    assert_true(schedule_over(s));
    assert_int_equal(schedule_count_failed(s), 1);
    schedule_free(s);
    /* Nobody else could try it. */
    s = of_one_kind(1, 1);
    assert_int_equal(schedule_next(s, 0), 0);
    assert_false(schedule_failed(s, 0));
    assert_true(schedule_over(s));
    schedule_free(s);
}

static void unlike_devices(void **state) {
    (void)state;
    struct schedule *s = made(2, 3);
    int gpu = schedule_kind(s, "gpu"), cpu = schedule_kind(s, "cpu");
    assert_int_equal(schedule_kind(s, "gpu"), gpu);
    assert_int_equal(schedule_kinds(s), 2);
    assert_string_equal(schedule_fingerprint(s, cpu), "cpu");
    schedule_join(s, 0, gpu);
    schedule_join(s, 1, cpu);
    assert_int_equal(schedule_total(s), 4);
    assert_int_equal(schedule_next(s, 0), 0);
    assert_int_equal(schedule_next(s, 1), 0);
    schedule_done(s, cpu, 0);
    assert_int_equal(schedule_held(s, 0), 0);
    schedule_done(s, gpu, 0);
    schedule_done(s, gpu, 1);
    /* The last rank with a CPU is gone, and one may yet come. */
    schedule_leave(s, 1);
    assert_false(schedule_over(s));
    schedule_leave(s, 2);
    assert_true(schedule_over(s));
    assert_int_equal(schedule_count_done(s), 3);
    schedule_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order_as_ranks_become_free),
        cmocka_unit_test(what_a_lost_rank_had),
        cmocka_unit_test(who_has_a_part_of_it_goes_on),
        cmocka_unit_test(failures),
        cmocka_unit_test(unlike_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
