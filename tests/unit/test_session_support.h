/* A session from its space to what is stored, with workers that compile and time nothing and die as
 * planned. */
#ifndef TESTS_UNIT_TEST_SESSION_SUPPORT_H
#define TESTS_UNIT_TEST_SESSION_SUPPORT_H

#include <math.h>

#include "runtime/variant/identity.h"
#include "tests/support/fake_workers.h"
#include "tests/support/scale.h"
#include "tuner/search/strategy.h"
#include "tuner/session/session.h"

struct house {
    struct scratch *scratch;
    struct tw_description *description;
    struct tw_problem problem;
    char path[600];
    tw_db *db;
    struct session_options options;
    struct session_result result;
    struct tw_error error;
};

static volatile sig_atomic_t interrupted;

static const char slow_presets[] =
    "\"presets\": { \"slow\": { \"BLOCK_X\": 128, \"ORDER\": \"columns\", \"GROUP\": 4 }, ";

SUPPORT int set_up(void **state) {
    struct house *house = calloc(1, sizeof *house);
    void *scratch;
    char path[1024], message[TW_DB_MESSAGE_SIZE];
    if (house == NULL || scratch_make(&scratch) != 0)
        return -1;
    house->scratch = scratch;
    scratch_write(house->scratch, "scale/direct.cu", "/* the template */", path);
    scratch_write(house->scratch, "scale/reference.cu", "/* the reference */", path);
    char *text = replaced(scale_text, "\"presets\": {", slow_presets);
    house->description = read_description(text, house->scratch->path);
    free(text);
    house->problem = parse_problem(house->description, "8x100");
    snprintf(house->path, sizeof house->path, "%s/tune.db", house->scratch->path);
    assert_int_equal(tw_db_open(&house->db, house->path, TW_DB_WRITE, message, sizeof message),
                     TW_DB_OK);
    house->options =
        (struct session_options){.strategy = strategy_usual(strategy_find("random", NULL)),
                                 .seed = 1,
                                 .budget_trials = 12,
                                 .jobs = 2,
                                 .cache = "cold",
                                 .trial_limit_s = 300,
                                 .compile_limit_s = 300,
                                 .interrupted = &interrupted};
    interrupted = 0;
    setenv(fake_home, house->scratch->path, 1);
    plan_faults(house->scratch->path, "");
    *state = house;
    return 0;
}

SUPPORT int tear_down(void **state) {
    struct house *house = *state;
    void *scratch = house->scratch;
    tw_db_close(house->db);
    tw_description_free(house->description);
    free(house);
    return scratch_remove(&scratch);
}

SUPPORT tw_status run(struct house *house, const char *plan) {
    plan_faults(house->scratch->path, plan);
    return session_run(&house->options, &house->problem, &paper_gpu, house->db, house->path, NULL,
                       NULL, &house->result, &house->error);
}

/* ---- What is stored ---- */

struct stored {
    int count, provisional;
    char configuration[200], baselines[200];
    double time_us, slowest_us;
    int64_t run;
};

SUPPORT bool take_best(void *context, const struct tw_db_best_row *row) {
    struct stored *stored = context;
    if (stored->count++ == 0) {
        snprintf(stored->configuration, sizeof stored->configuration, "%s",
                 row->best.configuration);
        snprintf(stored->baselines, sizeof stored->baselines, "%s",
                 row->best.baselines != NULL ? row->best.baselines : "");
        stored->time_us = row->best.time_us;
        stored->run = row->best.run;
    }
    stored->slowest_us = row->best.time_us;
    stored->provisional += row->best.tie_set == NULL;
    return true;
}

SUPPORT struct stored stored_in(const struct house *house) {
    struct stored stored = {0};
    assert_int_equal(tw_db_best_each(house->db, NULL, take_best, &stored), TW_DB_OK);
    return stored;
}

/* All twelve variants were tried, and the fastest one won the playoff. */
SUPPORT void assert_complete(struct house *house, int crashes) {
    const struct session_result *r = &house->result;
    assert_true(r->has_best);
    assert_int_equal(r->trials, 12);
    assert_int_equal(r->counts[TW_DB_TRIAL_CRASH], crashes);
    assert_int_equal(r->counts[TW_DB_TRIAL_OK], 12 - crashes);
    assert_true(r->rounds >= 6 && r->decided);
    struct stored stored = stored_in(house);
    assert_int_equal(stored.count, 1);
    assert_int_equal(stored.provisional, 0);
    assert_string_equal(stored.configuration, "{\"BLOCK_X\":32,\"GROUP\":1,\"ORDER\":\"rows\"}");
    assert_true(stored.time_us == 10);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
