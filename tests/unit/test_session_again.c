/* Compilers and devices that need not wait for each other: presets are compiled ahead, and what
 * shares a binary with the best of a search is tried, and those are measured again. */
#include "tests/unit/test_session_support.h"
#include "tuner/session/state.h"

#define DEFAULT "\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\""

#define FASTEST "\"BLOCK_X\":32,\"GROUP\":1,\"ORDER\":\"rows\""

/* Some variants are not compiled before there is a file "go". */
#define COMPILERS_WAIT "compile await 99 \"BLOCK_X\":128\n"

/* How often the plan's fault of this line has come. */
static long used(const struct house *house, int line) {
    char path[1024];
    struct stat file;
    snprintf(path, sizeof path, "%s/used%d", house->scratch->path, line);
    return stat(path, &file) == 0 ? (long)file.st_size : 0;
}

static tw_status run_while(struct house *house, const char *plan,
                           void (*look)(void *, const struct session_progress *)) {
    house->options.budget_trials = 0;
    house->options.budget_seconds = 1000;
    plan_faults(house->scratch->path, plan);
    return session_run(&house->options, &house->problem, &paper_gpu, house->db, house->path, look,
                       house, &house->result, &house->error);
}

/* Sources that compilers were given before the space was listed are not given to them again. */
static void presets_are_compiled_ahead(void **state) {
    struct house *house = *state;
    must(run_while(house, "", NULL), house->error);
    assert_complete(house, 0);
    assert_int_equal(house->result.trials_now, 12);
    assert_int_equal(house->result.compiled, 6);
    assert_int_equal(house->result.rendered, 6);
}

static bool tried_before_go;

static void let_go_once_tried(void *context, const struct session_progress *progress) {
    const struct house *house = context;
    char path[1024];
    (void)progress;
    tried_before_go = used(house, 1) > 0;
    if (tried_before_go || used(house, 2) >= 5)
        scratch_write(house->scratch, "go", "", path);
}

/* The only compiler is at work, and the strategy was asked for nothing yet. */
static void what_shares_a_binary_needs_no_compiler(void **state) {
    struct house *house = *state;
    house->options.jobs = 1;
    must(run_while(house,
                   COMPILERS_WAIT "trial x1 99 \"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"rows\"\n"
                                  "trial x1 99 " DEFAULT,
                   let_go_once_tried),
         house->error);
    assert_true(tried_before_go);
    assert_true(house->result.siblings_now >= 1);
    assert_complete(house, 0); /* each of the twelve once */
    assert_int_equal(house->result.trials_now, 12);
    assert_int_equal(house->result.compiled, 6);
}

/* The prior expects little of it, and it was tried while the only compiler was at work. */
static void what_was_tried_is_not_put_off(void **state) {
    struct house *house = *state;
    struct tw_description *before = house->description;
    char *groups = replaced(scale_text, "[1, 4]", "[1, 2, 3, 4, 5, 6, 7, 8]");
    char *text = replaced(groups, "\"workspace\": \"0\"",
                          "\"workspace\": \"0\", \"flops\": \"GROUP >= 4 ? 1000000000 : 1\"");
    house->description = read_description(text, house->scratch->path);
    house->problem = parse_problem(house->description, "8x100");
    house->options.strategy = strategy_usual(strategy_find("auto", NULL));
    house->options.jobs = 1;
    must(run_while(house,
                   COMPILERS_WAIT "trial x1 99 \"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"rows\"\n"
                                  "trial x1 99 " DEFAULT,
                   let_go_once_tried),
         house->error);
    assert_true(tried_before_go);
    assert_true(house->result.siblings_now >= 1);
    assert_true(house->result.prior.used && house->result.prior.put_off >= 1);
    assert_int_equal(house->result.trials_now, 48);
    tw_description_free(before);
    free(groups);
    free(text);
}

/* One that fails is a trial like any other. */
static void a_wrong_one_that_shares_a_binary(void **state) {
    struct house *house = *state;
    house->options.jobs = 1;
    must(run_while(house,
                   COMPILERS_WAIT "trial wrong 99 \"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"rows\"\n"
                                  "trial x1 99 " DEFAULT,
                   let_go_once_tried),
         house->error);
    assert_true(tried_before_go);
    assert_int_equal(house->result.counts[TW_DB_TRIAL_WRONG], 1);
    assert_int_equal(house->result.trials_now, 12);
    assert_true(stored_in(house).time_us == 10);
}

static void let_go_once_wrong(void *context, const struct session_progress *progress) {
    const struct house *house = context;
    char path[1024];
    (void)progress;
    if (used(house, 2) > 0)
        scratch_write(house->scratch, "go", "", path);
}

static bool count_wrong(void *context, const struct tw_db_trial_row *row) {
    *(int *)context += row->trial.status == TW_DB_TRIAL_WRONG && !row->trial.has_time &&
                       strcmp(row->trial.message, "measured again: element 3 is wrong") == 0;
    return true;
}

/* It was right four times. */
static void wrong_now_and_then(void **state) {
    struct house *house = *state;
    int found = 0;
    must(run_while(house,
                   COMPILERS_WAIT "trial x1 4 " DEFAULT "\n"
                                  "trial wrong 1 " DEFAULT,
                   let_go_once_wrong),
         house->error);
    assert_true(house->result.again_now >= 4);
    assert_int_equal(house->result.trials_now, 12);
    assert_int_equal(house->result.counts[TW_DB_TRIAL_WRONG], 1);
    assert_int_equal(house->result.counts[TW_DB_TRIAL_OK], 11);
    assert_int_equal(tw_db_trial_each(house->db, NULL, count_wrong, &found), TW_DB_OK);
    assert_int_equal(found, 1);
    assert_true(stored_in(house).time_us == 10);
}

static void let_go_once_crashed(void *context, const struct session_progress *progress) {
    const struct house *house = context;
    char path[1024];
    (void)progress;
    if (used(house, 2) >= 2)
        scratch_write(house->scratch, "go", "", path);
}

static void crashes_now_and_then(void **state) {
    struct house *house = *state;
    must(run_while(house,
                   COMPILERS_WAIT "trial x1 1 " DEFAULT "\n"
                                  "trial 11 2 " DEFAULT,
                   let_go_once_crashed),
         house->error);
    assert_int_equal(house->result.replaced, 2);
    assert_int_equal(house->result.counts[TW_DB_TRIAL_CRASH], 1);
    assert_int_equal(house->result.trials_now, 12);
    assert_true(stored_in(house).time_us == 10);
}

static void stop_once_known_well(void *context, const struct session_progress *progress) {
    (void)progress;
    interrupted = used(context, 2) >= 4;
}

/* The search saw it twice as fast as it is, once. */
static void luck_does_not_last(void **state) {
    struct house *house = *state;
    must(run_while(house,
                   COMPILERS_WAIT "trial x0.5 1 " DEFAULT "\n"
                                  "trial x1 9 " DEFAULT,
                   stop_once_known_well),
         house->error);
    assert_true(house->result.interrupted);
    assert_true(house->result.best.time_us >= 10);
    assert_true(stored_in(house).time_us >= 10);
    assert_int_equal(stored_in(house).count, 1);
}

/* What a long budget need not keep for the playoff is told by how long the leader's repeats took.
 */
static void what_a_playoff_needs(void **state) {
    (void)state;
    struct session *s = calloc(1, sizeof *s);
    assert_non_null(s);
    assert_true(isinf(finals_needed(s)));
    s->contender_count = 4;
    s->contenders[0].trial.repeats = 20;
    assert_true(isinf(finals_needed(s))); /* known from an earlier run */
    s->contenders[0].trial.measure_s = 0.01;
    double four = finals_needed(s);
    assert_true(four > 1 + 60 * 4 * 0.0005 && four < 6);
    s->contenders[0].trial.repeats = 40;
    s->contender_count = 8;
    assert_true(fabs(finals_needed(s) - four) < 1e-9);
    s->contenders[0].trial.measure_s = 4;
    assert_true(finals_needed(s) > 60 * 8 * 0.1);
    free(s);
}

/* ---- A record of trials, whose best are measured again ---- */

struct recorded {
    int count, screened_out;
    double fastest_us, default_us, slow_us, near_us;
};

static bool take_recorded(void *context, const struct tw_db_trial_row *row) {
    struct recorded *r = context;
    const struct tw_db_trial *trial = &row->trial;
    r->count++;
    r->screened_out += trial->screened_out;
    if (strstr(trial->configuration, FASTEST) != NULL)
        r->fastest_us = trial->time_us;
    if (strstr(trial->configuration, DEFAULT) != NULL)
        r->default_us = trial->time_us;
    if (strstr(trial->configuration, "\"BLOCK_X\":32,\"GROUP\":1,\"ORDER\":\"columns\"") != NULL)
        r->slow_us = trial->time_us;
    if (strstr(trial->configuration, "\"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"rows\"") != NULL)
        r->near_us = trial->time_us;
    return true;
}

static struct recorded record(struct house *house, const char *plan) {
    struct recorded recorded = {0};
    house->options.trials_only = true;
    must(run_while(house, plan, NULL), house->error);
    assert_int_equal(tw_db_trial_each(house->db, NULL, take_recorded, &recorded), TW_DB_OK);
    assert_int_equal(recorded.count, 12);
    return recorded;
}

/* All others would be told in proportion to it. */
static void a_lucky_moment_is_not_recorded(void **state) {
    struct recorded r = record(*state, "trial x0.2 1 " DEFAULT "\n");
    assert_true(r.default_us == 11 && r.fastest_us == 10);
}

/* One that lost against a lucky one is no loser for that: it plays, and then it is known in full.
 */
static void who_lost_against_luck_plays(void **state) {
    struct recorded r = record(*state, "trial x0.2 1 " DEFAULT "\n"
                                       "trial out1.05 1 " FASTEST "\n");
    assert_true(r.default_us == 11 && r.fastest_us == 10 && r.screened_out == 0);
}

/* Six lucky ones leave no place for others who are near the fastest, and who play after them. By
 * then the device takes twice as long, as which it is known in the end, and not by whom. */
static void who_comes_near_plays_next(void **state) {
    struct house *house = *state;
    struct recorded r = record(house, "trial x0.5 99 columns\n"
                                      "round x1 6 " FASTEST "\n"
                                      "round x2 99 " FASTEST "\n"
                                      "round x2 99 rows\n");
    assert_int_equal(used(house, 1), 6);
    assert_true(fabs(r.default_us / r.fastest_us - 1.1) < 1e-9);
    assert_true(fabs(r.near_us / r.fastest_us - 1.15) < 1e-9);
    assert_true(fabs(r.slow_us / r.fastest_us - 1.5) < 1e-9);
    assert_true(r.fastest_us == 20);
}

int main(int count, char **words) {
    fake_worker(count, words);
    const struct CMUnitTest tests[] = {
        TEST(presets_are_compiled_ahead),
        TEST(what_shares_a_binary_needs_no_compiler),
        TEST(what_was_tried_is_not_put_off),
        TEST(a_wrong_one_that_shares_a_binary),
        TEST(wrong_now_and_then),
        TEST(crashes_now_and_then),
        TEST(luck_does_not_last),
        TEST(what_a_playoff_needs),
        TEST(a_lucky_moment_is_not_recorded),
        TEST(who_lost_against_luck_plays),
        TEST(who_comes_near_plays_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
