/* Sessions whose workers die: what is replaced, what is blamed on a variant, what ends the run. */
#include "tests/unit/test_session_support.h"

static void killed_while_it_prepares(void **state) {
    struct house *house = *state;
    must(run(house, "ready 9 3 device"), house->error);
    assert_complete(house, 0);
    assert_int_equal(house->result.replaced, 3);
}

static void killed_whenever_it_prepares(void **state) {
    struct house *house = *state;
    assert_refuses(run(house, "ready 9 999 device"), TW_DEVICE, house->error,
                   "killed by signal 9 (Killed) while it prepared, 50 times in a row");
    assert_refuses(run(house, "ready 11 999 device"), TW_DEVICE, house->error,
                   "while it prepared, 3 times in a row");
}

static void killed_over_trials(void **state) {
    struct house *house = *state;
    /* Three times over one, and over three others. */
    must(run(house, "trial 9 3 \"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"\n"
                    "trial 9 3 \"BLOCK_X\":128"),
         house->error);
    assert_complete(house, 0);
    assert_int_equal(house->result.replaced, 6);
}

static void a_crash_is_one_that_comes_again(void **state) {
    struct house *house = *state;
    must(run(house, "trial 11 1 \"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"\n"
                    "trial 6 99 \"BLOCK_X\":128,\"GROUP\":1,\"ORDER\":\"rows\""),
         house->error);
    assert_complete(house, 1);
    assert_says(house->result.first_failure, "killed by signal 6 (Aborted), 2 times");
}

/* A worker without memory says nothing of its variant; four of them say that it needs too much. */
static void without_memory(void **state) {
    struct house *house = *state;
    must(run(house, "trial memory 3 \"BLOCK_X\":64\ncompile memory 3 \"BLOCK_X\":128"),
         house->error);
    assert_complete(house, 0);
}

static void never_enough_memory(void **state) {
    struct house *house = *state;
    must(run(house, "trial memory 4 \"BLOCK_X\":64"), house->error);
    assert_int_equal(house->result.counts[TW_DB_TRIAL_RESOURCE], 1);
    assert_int_equal(house->result.counts[TW_DB_TRIAL_OK], 11);
    assert_says(house->result.first_failure, "ended for lack of memory, 4 times");
}

static void without_memory_in_the_playoff(void **state) {
    struct house *house = *state;
    must(run(house, "finalist memory 2\nround memory 1"), house->error);
    assert_complete(house, 0);
    assert_int_equal(house->result.replaced, 3);
}

/* It is not launched where it has no room, and stays what it was. */
static void without_memory_in_other_calls(void **state) {
    struct house *house = *state;
    must(run(house, "verify memory 4"), house->error);
    assert_complete(house, 0);
    assert_int_equal(house->result.replaced, 4);
}

/* What uses up the memory is killed every time. */
static void killed_every_time(void **state) {
    struct house *house = *state;
    must(run(house, "trial 9 99 \"BLOCK_X\":128,\"GROUP\":1,\"ORDER\":\"rows\""), house->error);
    assert_complete(house, 1);
    assert_int_equal(house->result.replaced, 4);
}

static void a_lost_context(void **state) {
    struct house *house = *state;
    must(run(house, "trial lost 1 \"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"\n"
                    "trial lost 99 \"BLOCK_X\":128,\"GROUP\":1,\"ORDER\":\"rows\""),
         house->error);
    assert_complete(house, 1);
    assert_says(house->result.first_failure, "the context is lost, 2 times");
}

static void a_variant_that_hangs(void **state) {
    struct house *house = *state;
    house->options.trial_limit_s = 4;
    must(run(house, "trial hang 99 \"BLOCK_X\":128,\"GROUP\":1,\"ORDER\":\"rows\""), house->error);
    assert_int_equal(house->result.counts[TW_DB_TRIAL_TIMEOUT], 1);
    assert_int_equal(house->result.replaced, 1);
}

static void killed_in_the_playoff(void **state) {
    struct house *house = *state;
    must(run(house,
             "finalist 9 2 \"GROUP\":4\nfinalist lost 1 \"BLOCK_X\":128\nround 9 3 \"BLOCK_X\":32\n"
             "round lost 1 \"BLOCK_X\":64"),
         house->error);
    assert_complete(house, 0);
    assert_int_equal(house->result.replaced, 7);
}

/* One that was fine in the search and never is again: the next best wins. */
static void a_finalist_that_crashes(void **state) {
    struct house *house = *state;
    must(run(house, "round 11 99 \"BLOCK_X\":32,\"GROUP\":1,\"ORDER\":\"rows\""), house->error);
    assert_true(house->result.best.time_us == 10.5);
    assert_int_equal(house->result.counts[TW_DB_TRIAL_OK], 12);
    assert_int_equal(stored_in(house).provisional, 0);
}

static void nothing_can_be_measured_again(void **state) {
    struct house *house = *state;
    assert_refuses(run(house, "finalist 11 999"), TW_DEVICE, house->error,
                   "none of the best variants could be measured again");
    /* What the search found is there all the same, and the same command goes on from it. */
    assert_int_equal(stored_in(house).provisional, 1);
    must(run(house, ""), house->error);
    assert_true(house->result.resumed);
    assert_complete(house, 0);
}

static void compilers_that_die(void **state) {
    struct house *house = *state;
    must(run(house, "compile 9 2 \"BLOCK_X\":64\ncompile 11 1 \"BLOCK_X\":32\nready 9 2 compile"),
         house->error);
    assert_complete(house, 0);
}

static void a_compiler_that_always_crashes(void **state) {
    struct house *house = *state;
    must(run(house, "compile 11 99 \"BLOCK_X\":128,\"GROUP\":1,\"ORDER\":\"rows\"\n"
                    "compile 11 99 \"BLOCK_X\":128,\"GROUP\":4,\"ORDER\":\"rows\""),
         house->error);
    /* The two are one source. */
    assert_complete(house, 2);
    assert_says(house->result.first_failure,
                "the compiler was killed by signal 11 (Segmentation fault), 2 times");
}

int main(int count, char **words) {
    fake_worker(count, words);
    const struct CMUnitTest tests[] = {
        TEST(without_memory),
        TEST(never_enough_memory),
        TEST(without_memory_in_the_playoff),
        TEST(without_memory_in_other_calls),
        TEST(killed_while_it_prepares),
        TEST(killed_whenever_it_prepares),
        TEST(killed_over_trials),
        TEST(a_crash_is_one_that_comes_again),
        TEST(killed_every_time),
        TEST(a_lost_context),
        TEST(a_variant_that_hangs),
        TEST(killed_in_the_playoff),
        TEST(a_finalist_that_crashes),
        TEST(nothing_can_be_measured_again),
        TEST(compilers_that_die),
        TEST(a_compiler_that_always_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
