/* However short a run is, and whatever ends it: applications get nothing worse than without it. */
#include "tests/unit/test_session_support.h"

#define UNTUNED "\"BLOCK_X\":32,\"GROUP\":1,\"ORDER\":\"rows\""
#define DEFAULT "\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\""

static const char with_fallback[] =
    "\"fallback\": [ { \"when\": \"M == 8\", \"preset\": \"usual\" } ], \"implementations\": [";
static const char with_presets[] =
    "\"presets\": { \"slow\": { \"BLOCK_X\": 128, \"ORDER\": \"columns\", \"GROUP\": 4 }, "
    "\"usual\": { \"BLOCK_X\": 32, \"ORDER\": \"rows\", \"GROUP\": 1 }, ";

static const char with_many[] =
    "\"presets\": { \"usual\": { \"BLOCK_X\": 32, \"ORDER\": \"rows\", \"GROUP\": 1 }, "
    "\"other\": { \"BLOCK_X\": 32, \"ORDER\": \"columns\", \"GROUP\": 1 }, "
    "\"wide\": { \"BLOCK_X\": 128, \"ORDER\": \"rows\", \"GROUP\": 1 }, "
    "\"slow\": { \"BLOCK_X\": 128, \"ORDER\": \"columns\", \"GROUP\": 4 }, ";

static int set_up_with(void **state, const char *some_presets) {
    if (set_up(state) != 0)
        return -1;
    struct house *house = *state;
    char *presets = replaced(scale_text, "\"presets\": {", some_presets);
    char *text = replaced(presets, "\"implementations\": [", with_fallback);
    tw_description_free(house->description);
    house->description = read_description(text, house->scratch->path);
    free(presets);
    free(text);
    house->problem = parse_problem(house->description, "8x100");
    house->options.budget_trials = 0;
    house->options.budget_seconds = 1e-6;
    return 0;
}

static int set_up_with_fallback(void **state) {
    return set_up_with(state, with_presets);
}

static int set_up_with_many(void **state) {
    return set_up_with(state, with_many);
}

static void the_shortest_time(void **state) {
    struct house *house = *state;
    must(run(house, ""), house->error);
    const struct stored stored = stored_in(house);
    assert_true(house->result.has_best);
    assert_int_equal(house->result.trials_now, 2);
    assert_int_equal(stored.provisional, 0);
    assert_string_equal(stored.configuration, "{" UNTUNED "}");
}

/* It fails, and so does the default: what else is queued is tried until something is right. */
static void neither_is_right(void **state) {
    struct house *house = *state;
    must(run(house, "trial wrong 9 " UNTUNED "\ntrial wrong 9 " DEFAULT), house->error);
    assert_true(house->result.has_best);
    assert_int_equal(house->result.counts[TW_DB_TRIAL_WRONG], 2);
    assert_int_equal(house->result.counts[TW_DB_TRIAL_OK], 1);
    assert_string_equal(stored_in(house).configuration,
                        "{\"BLOCK_X\":128,\"GROUP\":4,\"ORDER\":\"columns\"}");
}

/* All take longer than a trial may: what is past its time does not go through the whole list. */
static void none_ends(void **state) {
    struct house *house = *state;
    house->options.trial_limit_s = 0.2;
    must(run(house, "trial hang 99"), house->error);
    assert_false(house->result.has_best);
    assert_int_equal(house->result.counts[TW_DB_TRIAL_TIMEOUT], 3);
    assert_int_equal(house->result.trials_now, 3);
    assert_int_equal(stored_in(house).count, 0);
}

static void stop_after_one(void *context, const struct session_progress *progress) {
    (void)context;
    interrupted = progress->trials > 0;
}

/* It is still being compiled when a slower one has a time. */
static void stopped_before_it(void **state) {
    struct house *house = *state;
    house->options.budget_seconds = 1000;
    plan_faults(house->scratch->path, "compile await 99 \"BLOCK_X\":32");
    must(session_run(&house->options, &house->problem, &paper_gpu, house->db, house->path,
                     stop_after_one, NULL, &house->result, &house->error),
         house->error);
    assert_true(house->result.interrupted && house->result.trials_now > 0);
    assert_false(house->result.has_best);
    assert_int_equal(stored_in(house).count, 0);
}

/* Somebody asks for a part of the space, of which it is none. */
static void pinned_elsewhere(void **state) {
    struct house *house = *state;
    struct pins pins;
    const char *const words[] = {"BLOCK_X=128"};
    must(pins_read(&pins, words, 1, house->description, &house->error), house->error);
    house->options.pins = &pins;
    must(run(house, ""), house->error);
    assert_string_equal(stored_in(house).configuration,
                        "{\"BLOCK_X\":128,\"GROUP\":4,\"ORDER\":\"columns\"}");
}

#define UNTUNED_TEST(function)                                                                     \
    cmocka_unit_test_setup_teardown(function, set_up_with_fallback, tear_down)

int main(int count, char **words) {
    fake_worker(count, words);
    const struct CMUnitTest tests[] = {
        UNTUNED_TEST(the_shortest_time),
        UNTUNED_TEST(neither_is_right),
        cmocka_unit_test_setup_teardown(none_ends, set_up_with_many, tear_down),
        UNTUNED_TEST(stopped_before_it),
        UNTUNED_TEST(pinned_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
