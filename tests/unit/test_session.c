/* Sessions from their space to what is stored. */
#include "tests/unit/test_session_support.h"

static const char another[] =
    "\"implementations\": [ { \"name\": \"another\", \"summary\": \"\", \"parameters\": { \"X\": "
    "[1] "
    "}, \"launches\": [ { \"templates\": [\"scale/direct.cu\"], \"function\": \"f\", \"block\": "
    "[\"1\"], \"grid\": [\"1\"], \"pass\": [\"B\"] } ], \"presets\": { \"x\": { \"X\": 1 } } },";

static void an_ordinary_run(void **state) {
    struct house *house = *state;
    must(run(house, ""), house->error);
    assert_complete(house, 0);
    assert_int_equal(house->result.replaced, 0);
    assert_int_equal(house->result.tie_count, 1);
    /* Each source once, for its trials, what is stored of them and the playoff: GROUP is of the
     * launch. */
    assert_int_equal(house->result.trials_now, 12);
    assert_int_equal(house->result.rendered, 6);
    assert_int_equal(house->result.distinct, 6);
    assert_int_equal(house->result.again_now, 0); /* the budget is a number of trials */
    assert_int_equal(house->result.compiled, 6);
}

/* ---- Presets ---- */

static const struct session_preset *preset(const struct house *house, const char *name) {
    for (int i = 0; i < house->result.preset_count; i++)
        if (strcmp(house->result.presets[i].name, name) == 0)
            return &house->result.presets[i];
    fail_msg("there is no preset %s", name);
    return NULL;
}

static double times_in_baselines(const struct stored *stored, const char *name) {
    cJSON *json = cJSON_Parse(stored->baselines);
    double time = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(json, name));
    cJSON_Delete(json);
    return time;
}

/* The search saw everything three times as slow but the default, which it saw twice as fast as the
 * rest: what is told and stored of it comes from the playoff. */
static void presets_are_measured_beside_the_winner(void **state) {
    struct house *house = *state;
    must(run(house, "trial x0.9 1 \"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"\ntrial x3 99"),
         house->error);
    assert_complete(house, 0);
    struct stored stored = stored_in(house);
    const struct session_preset *usual = preset(house, "default"), *slow = preset(house, "slow");
    assert_true(usual->in_playoff && usual->trial.time_us == 11);
    assert_true(slow->in_playoff && slow->trial.time_us == 17.5);
    assert_true(times_in_baselines(&stored, "default") == 11);
    assert_true(times_in_baselines(&stored, "slow") == 17.5);
}

/* A preset that the search saw far behind wins when it is in truth the fastest. */
static void a_preset_may_win(void **state) {
    struct house *house = *state;
    must(run(house, "trial x9 1 \"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"\n"
                    "round x0.5 99 \"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\""),
         house->error);
    assert_true(house->result.best.time_us == 5.5);
    assert_string_equal(stored_in(house).configuration,
                        "{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"}");
}

/* Hours that nobody would wait for: in proportion to what the search saw. */
static void a_preset_too_slow_for_the_playoff(void **state) {
    struct house *house = *state;
    must(run(house, "trial x1000000 1 \"BLOCK_X\":128,\"GROUP\":4,\"ORDER\":\"columns\"\n"
                    "round 9 99 \"BLOCK_X\":128,\"GROUP\":4,\"ORDER\":\"columns\""),
         house->error);
    assert_complete(house, 0);
    assert_int_equal(house->result.replaced, 0);
    assert_false(preset(house, "slow")->in_playoff);
    assert_true(preset(house, "slow")->trial.time_us == 17.5e6);
}

/* ---- Calls that nobody tuned for ---- */

#define BEST "\"BLOCK_X\":32,\"GROUP\":1,\"ORDER\":\"rows\""

static bool count_without_time(void *context, const struct tw_db_trial_row *row) {
    *(int *)context += row->trial.status == TW_DB_TRIAL_WRONG && !row->trial.has_time &&
                       strstr(row->trial.message, "with padded strides: element 3") != NULL;
    return true;
}

/* The winner is wrong there: the next is stored, and the trial says so. */
static void wrong_for_other_calls(void **state) {
    struct house *house = *state;
    int found = 0;
    must(run(house, "verify wrong 1 " BEST), house->error);
    assert_true(house->result.best.time_us == 10.5);
    assert_int_equal(house->result.counts[TW_DB_TRIAL_OK], 11);
    assert_int_equal(house->result.counts[TW_DB_TRIAL_WRONG], 1);
    assert_int_equal(tw_db_trial_each(house->db, NULL, count_without_time, &found), TW_DB_OK);
    assert_int_equal(found, 1);
    struct stored stored = stored_in(house);
    assert_int_equal(stored.count, 1);
    assert_int_equal(stored.provisional, 0);
    assert_string_equal(stored.configuration, "{\"BLOCK_X\":32,\"GROUP\":4,\"ORDER\":\"rows\"}");
}

/* Not the best eight, nor a preset: nothing is stored. The same command goes on with the others. */
static void nothing_is_right_for_other_calls(void **state) {
    struct house *house = *state;
    assert_refuses(run(house, "verify wrong 99"), TW_WRONG, house->error,
                   "none of the best variants is right: with padded strides: element 3 is wrong");
    assert_int_equal(stored_in(house).count, 0);
    must(run(house, ""), house->error);
    assert_int_equal(house->result.trials_now, 0);
    assert_true(house->result.has_best && house->result.counts[TW_DB_TRIAL_OK] >= 3);
    assert_int_equal(stored_in(house).count, 1);
}

static void killed_while_it_verifies(void **state) {
    struct house *house = *state;
    must(run(house, "call 9 2\nverify 9 3"), house->error);
    assert_complete(house, 0);
    assert_int_equal(house->result.replaced, 5);
    assert_string_equal(house->result.unverified, "");
}

static void crashes_in_other_calls(void **state) {
    struct house *house = *state;
    must(run(house, "verify 11 99 " BEST), house->error);
    assert_int_equal(house->result.counts[TW_DB_TRIAL_CRASH], 1);
    assert_true(house->result.best.time_us == 10.5);
}

/* As where there is no room for the data. */
static void calls_that_cannot_be_tried(void **state) {
    struct house *house = *state;
    must(run(house, "call wrong 99"), house->error);
    assert_complete(house, 0);
    assert_string_equal(house->result.unverified,
                        "not with the least alignment: element 3 is wrong");
}

/* ---- Runs that are stopped ---- */

static void stop_after(void *context, const struct session_progress *progress) {
    interrupted = progress->trials >= *(const int *)context;
}

static void run_until(struct house *house, int trials) {
    must(session_run(&house->options, &house->problem, &paper_gpu, house->db, house->path,
                     stop_after, &trials, &house->result, &house->error),
         house->error);
    assert_true(house->result.interrupted);
    interrupted = 0;
}

static void an_interrupted_run_has_a_best(void **state) {
    struct house *house = *state;
    house->options.jobs = 1;
    run_until(house, 1);
    struct stored stored = stored_in(house);
    assert_int_equal(stored.count, 1);
    assert_int_equal(stored.provisional, 1);
    assert_true(stored.time_us == house->result.best.time_us);
    /* Later it is a better one, and there is still one row. */
    run_until(house, 8);
    assert_int_equal(stored_in(house).count, 1);
    assert_true(stored_in(house).time_us <= stored.time_us);
    must(run(house, ""), house->error);
    assert_true(house->result.resumed);
    assert_complete(house, 0);
}

/* Who was stopped as a loser is no best, however fast its few repeats were, once there is one that
 * was measured in full; and it stays in the trials for what it is. */
static void a_stopped_loser_is_never_the_best(void **state) {
    struct house *house = *state;
    house->options.jobs = 1;
    plan_faults(house->scratch->path,
                "trial out0.1 1 \"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"");
    run_until(house, 8);
    assert_int_equal(house->result.stopped_now, 1);
    assert_false(house->result.best.screened_out);
    assert_true(house->result.best.time_us >= 10);
    assert_true(stored_in(house).time_us >= 10);
    assert_int_equal(preset(house, "default")->trial.repeats, 3);
    assert_true(preset(house, "default")->trial.screened_out);
    must(run(house, ""), house->error);
    assert_complete(house, 0);
}

/* Puts down that BLOCK_X 32 won a playoff once, in place of what is there. */
static void store_winner(struct house *house) {
    struct tw_db_best best = {.cache_policy = "cold",
                              .configuration = "{\"BLOCK_X\":32,\"GROUP\":1,\"ORDER\":\"rows\"}",
                              .time_us = 10,
                              .ci_low_us = 10,
                              .ci_high_us = 10,
                              .repeats = 60,
                              .tie_set = "[]"};
    char key[TW_PROBLEM_KEY_SIZE], fingerprint[256], hash[TW_HASH_SIZE];
    tw_problem_key(&house->problem, key);
    tw_device_fingerprint(&paper_gpu, fingerprint);
    must(tw_identity_code(house->description, 0, "cuda", hash, &house->error), house->error);
    tw_db *db = house->db;
    assert_int_equal(tw_db_problem_find(db, "scale", key, &best.problem), TW_DB_OK);
    assert_int_equal(tw_db_device_find(db, fingerprint, &best.device), TW_DB_OK);
    assert_int_equal(tw_db_implementation_find(db, "scale", "direct", hash, &best.implementation),
                     TW_DB_OK);
    assert_int_equal(tw_db_best_put(db, &best), TW_DB_OK);
}

/* What won a playoff stays until another one says otherwise, and is in that one even when this time
 * the search saw it far behind. */
static void the_winner_of_before(void **state) {
    struct house *house = *state;
    must(run(house, "trial x3 1 \"BLOCK_X\":32,\"GROUP\":1,\"ORDER\":\"rows\""), house->error);
    assert_true(house->result.best.time_us == 10.5);
    store_winner(house);
    house->options.seed = 2;
    run_until(house, 0);
    assert_int_equal(stored_in(house).provisional, 0);
    assert_true(stored_in(house).time_us == 10);
    must(run(house, ""), house->error);
    assert_complete(house, 0);
    assert_true(stored_in(house).run == 2);
}

/* The row of an implementation that won before and does not now gets today's time: with that of
 * another day an application would take it for the faster. */
static void the_winner_of_before_is_of_another_implementation(void **state) {
    struct house *house = *state;
    char *text = replaced(scale_text, "\"implementations\": [", another);
    tw_description_free(house->description);
    house->description = read_description(text, house->scratch->path);
    house->problem = parse_problem(house->description, "8x100");
    house->options.budget_trials = 13;
    free(text);
    must(run(house, "round x0.5 999 \"X\":1"), house->error);
    assert_true(house->result.best.time_us == 6);
    assert_string_equal(stored_in(house).configuration, "{\"X\":1}");
    must(run(house, ""), house->error);
    assert_true(house->result.best.time_us == 10);
    struct stored stored = stored_in(house);
    assert_int_equal(stored.count, 2);
    assert_int_equal(stored.provisional, 0);
    assert_true(stored.time_us == 10); /* the faster of the two */
    assert_string_equal(stored.configuration, "{\"BLOCK_X\":32,\"GROUP\":1,\"ORDER\":\"rows\"}");
    assert_true(fabs(stored.slowest_us - 12) < 1e-9);
}

/* A kernel of many implementations has presets by the dozen, most of which do not fit a problem:
 * those that do are tried, wherever they stand. */
static void presets_behind_many(void **state) {
    struct house *house = *state;
    struct tw_text other = {0};
    tw_text_print(&other, "\"implementations\": [");
    for (int i = 0; i < 7; i++) {
        tw_text_print(&other,
                      "{ \"name\": \"other%d\", \"summary\": \"\", \"parameters\": { \"X\": [1] }, "
                      "\"constraints\": [\"N > 1000\"], \"launches\": [ { \"templates\": "
                      "[\"scale/direct.cu\"], \"function\": \"f\", \"block\": [\"1\"], \"grid\": "
                      "[\"1\"], \"pass\": [\"B\"] } ], \"presets\": {",
                      i);
        for (int p = 0; p < 10; p++)
            tw_text_print(&other, "%s \"x%d-%d\": { \"X\": 1 }", p > 0 ? "," : "", i, p);
        tw_text_print(&other, " } },");
    }
    char *text = replaced(scale_text, "\"implementations\": [", other.data);
    tw_description_free(house->description);
    house->description = read_description(text, house->scratch->path);
    house->problem = parse_problem(house->description, "8x100");
    free(text);
    tw_text_free(&other);
    must(run(house, ""), house->error);
    assert_int_equal(house->result.preset_count, 71);
    assert_true(preset(house, "default")->tried);
    assert_false(preset(house, "x6-9")->fits);
}

/* ---- Runs beside each other ---- */

/* Another run of this process, which is alive. */
static struct tw_db_trial trial_of_another(struct house *house, const char *implementation) {
    struct tw_db_trial trial = {.cache_policy = "cold",
                                .status = TW_DB_TRIAL_OK,
                                .has_time = true,
                                .time_us = 90,
                                .repeats = 7};
    char key[TW_PROBLEM_KEY_SIZE], fingerprint[256], hash[TW_HASH_SIZE];
    tw_problem_key(&house->problem, key);
    tw_device_fingerprint(&paper_gpu, fingerprint);
    must(tw_identity_code(house->description, 0, "cuda", hash, &house->error), house->error);
    tw_db *db = house->db;
    assert_int_equal(tw_db_problem_find(db, "scale", key, &trial.problem), TW_DB_OK);
    assert_int_equal(tw_db_device_find(db, fingerprint, &trial.device), TW_DB_OK);
    assert_int_equal(
        tw_db_implementation_find(db, "scale", implementation, hash, &trial.implementation),
        TW_DB_OK);
    const struct tw_db_run run = {.problem = trial.problem,
                                  .device = trial.device,
                                  .strategy = "random",
                                  .budget_kind = "trials",
                                  .budget_value = 12,
                                  .cache_policy = "cold"};
    assert_int_equal(tw_db_run_begin(db, &run, &trial.run), TW_DB_OK);
    return trial;
}

struct beside {
    struct house *house;
    struct tw_db_trial trial;
    bool done;
    int seen; /* other runs, at most */
};

/* Once the search is under way, the other one has tried all with GROUP 4. The trial that is running
 * then waits until they are heard of: more is known than the run has tried and knew at first. */
static void try_beside(void *context, const struct session_progress *progress) {
    struct beside *beside = context;
    const struct session_result *result = &beside->house->result;
    char path[1024];
    if (progress->other_runs > beside->seen)
        beside->seen = progress->other_runs;
    if (beside->done && result->trials > result->trials_now + 1)
        scratch_write(beside->house->scratch, "go", "", path);
    if (progress->trials == 0 || beside->done)
        return;
    beside->done = true;
    for (int i = 0; i < 6; i++) {
        char configuration[100];
        snprintf(configuration, sizeof configuration,
                 "{\"BLOCK_X\":%d,\"GROUP\":4,\"ORDER\":\"%s\"}", 32 << i / 2,
                 i % 2 == 0 ? "rows" : "columns");
        beside->trial.configuration = configuration;
        assert_int_equal(tw_db_trial_put(beside->house->db, &beside->trial, NULL), TW_DB_OK);
    }
}

static int logged(const struct house *house, const char *what) {
    char path[1024], line[600];
    int count = 0;
    snprintf(path, sizeof path, "%s/log", house->scratch->path);
    FILE *log = fopen(path, "r");
    while (log != NULL && fgets(line, sizeof line, log) != NULL)
        count += strncmp(line, what, strlen(what)) == 0;
    if (log != NULL)
        fclose(log);
    return count;
}

/* What another run tries meanwhile is not tried again, and no variant counts twice. */
static void a_run_beside_another(void **state) {
    struct house *house = *state;
    house->options.budget_trials = 1;
    must(run(house, ""), house->error);
    assert_int_equal(house->result.other_runs, 0);
    assert_int_equal(logged(house, "trial"), 1);
    struct beside beside = {.house = house, .trial = trial_of_another(house, "direct")};
    house->options.budget_trials = 30;
    plan_faults(house->scratch->path, "trial slow 1\ntrial await 99");
    must(session_run(&house->options, &house->problem, &paper_gpu, house->db, house->path,
                     try_beside, &beside, &house->result, &house->error),
         house->error);
    assert_true(beside.done);
    assert_int_equal(beside.seen, 1);
    assert_int_equal(house->result.other_runs, 1);
    assert_complete(house, 0);
    /* Five that the other did not try, and the two that had begun before it was heard of. */
    assert_in_range(logged(house, "trial"), 1 + 5, 1 + 5 + 2);
    assert_int_equal(logged(house, "trial"), 1 + house->result.trials_now);
}

int main(int count, char **words) {
    fake_worker(count, words);
    const struct CMUnitTest tests[] = {
        TEST(wrong_for_other_calls),
        TEST(nothing_is_right_for_other_calls),
        TEST(killed_while_it_verifies),
        TEST(crashes_in_other_calls),
        TEST(calls_that_cannot_be_tried),
        TEST(an_ordinary_run),
        TEST(presets_are_measured_beside_the_winner),
        TEST(a_preset_may_win),
        TEST(a_preset_too_slow_for_the_playoff),
        TEST(an_interrupted_run_has_a_best),
        TEST(a_stopped_loser_is_never_the_best),
        TEST(the_winner_of_before),
        TEST(the_winner_of_before_is_of_another_implementation),
        TEST(presets_behind_many),
        TEST(a_run_beside_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
