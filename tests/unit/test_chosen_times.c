/* What predictions choose, and what one choice gains over another. */
#include "tuner/model/chosen_times.h"

#include <math.h>

#include "tests/support/support.h"

enum { PROBLEMS = 4, EACH = 3, SAMPLES = PROBLEMS * EACH };

/* Of each problem configurations that take 10, 20 and 40 us; an earlier model says the second is
 * the fastest. */
struct house {
    struct sample all[SAMPLES];
    struct sampled_problem problems[PROBLEMS];
    struct model_samples samples;
    bool chosen[SAMPLES], before[SAMPLES];
    double predicted[SAMPLES];
};

static void move_in(struct house *h) {
    static const double times[EACH] = {10, 20, 40}, said[EACH] = {30, 15, 50};
    *h = (struct house){.samples = {.count = SAMPLES, .problem_count = PROBLEMS}};
    for (int i = 0; i < SAMPLES; i++) {
        h->all[i] = (struct sample){.problem = i / EACH,
                                    .configuration = i % EACH,
                                    .time_us = times[i % EACH],
                                    .estimate_us = said[i % EACH]};
        h->chosen[i] = h->before[i] = true;
        h->predicted[i] = times[i % EACH];
    }
    h->samples.all = h->all;
    h->samples.problems = h->problems;
}

static struct paired_gain gain_of(struct house *h) {
    struct paired_gain gain;
    struct tw_error error;
    must(chosen_gain(&h->samples, h->chosen, h->predicted, h->before, &gain, &error), error);
    return gain;
}

static void the_one_that_is_predicted_to_take_least(void **state) {
    (void)state;
    struct house h;
    struct tw_error error;
    double times[PROBLEMS];
    move_in(&h);
    h.chosen[0] = false;                                  /* of the first the fastest */
    h.chosen[3] = h.chosen[4] = h.chosen[5] = false;      /* of the second all */
    h.predicted[6] = h.predicted[7] = h.predicted[8] = 7; /* of the third the first of them */
    h.predicted[11] = 1;                                  /* of the last the slowest */
    must(chosen_times(&h.samples, h.chosen, h.predicted, times, &error), error);
    assert_true(times[0] == 20 && times[1] == 0 && times[2] == 10 && times[3] == 40);
}

static void a_gain_that_all_problems_have(void **state) {
    (void)state;
    struct house h;
    move_in(&h);
    const struct paired_gain gain = gain_of(&h);
    assert_int_equal(gain.problems, PROBLEMS);
    assert_true(fabs(gain.mean - log(2)) < 1e-12);
    assert_true(gain.error < 1e-7);
}

static void a_gain_that_may_be_chance(void **state) {
    (void)state;
    struct house h;
    move_in(&h);
    h.predicted[0] = h.predicted[3] = 100; /* twice as the earlier model chooses, ... */
    h.predicted[9 + 2] = 1;                /* ... and once twice as long */
    const struct paired_gain gain = gain_of(&h);
    /* Logarithms of 1, 1, 2 and a half. */
    assert_true(fabs(gain.mean) < 1e-12);
    assert_true(fabs(gain.error - log(2) * sqrt(2.0 / 3 / 4)) < 1e-12);
}

static void what_is_not_judged(void **state) {
    (void)state;
    struct house h;
    move_in(&h);
    h.problems[0].only_teaches = true;
    h.chosen[3] = h.chosen[4] = h.chosen[5] = false;
    assert_int_equal(gain_of(&h).problems, 2);
    h.problems[2].only_teaches = true;
    assert_true(isinf(gain_of(&h).error));
    h.problems[3].only_teaches = true;
    const struct paired_gain none = gain_of(&h);
    assert_true(none.problems == 0 && none.mean == 0 && isinf(none.error));
}

static void what_an_earlier_model_did_not_know(void **state) {
    (void)state;
    struct house h;
    move_in(&h);
    for (int i = 0; i < SAMPLES; i++)
        h.before[i] = i % EACH == 2; /* it chose what takes 40 us */
    struct paired_gain gain = gain_of(&h);
    assert_true(gain.problems == PROBLEMS && fabs(gain.mean - log(4)) < 1e-12);
    h.before[2] = h.before[5] = false; /* and nothing for two of them */
    gain = gain_of(&h);
    assert_true(gain.problems == 2 && fabs(gain.mean - log(4)) < 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_one_that_is_predicted_to_take_least),
        cmocka_unit_test(a_gain_that_all_problems_have),
        cmocka_unit_test(a_gain_that_may_be_chance),
        cmocka_unit_test(what_is_not_judged),
        cmocka_unit_test(what_an_earlier_model_did_not_know),
    };
    return cmocka_run_group_tests_name("chosen_times", tests, NULL, NULL);
}
