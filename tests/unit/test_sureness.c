/* How sure a model is, where it is fitted to trials alone and where it goes on from an earlier one.
 */
#include "tuner/model/sureness.h"

#include <math.h>
#include <string.h>

#include "tests/support/support.h"

enum { PROBLEMS = 10, EACH = 10, SAMPLES = PROBLEMS * EACH };

/* Problems of which each configuration takes 10 us, half of them of either implementation. */
struct house {
    struct sample all[SAMPLES];
    struct sampled_problem problems[PROBLEMS];
    struct sampled_configuration configurations[EACH];
    struct tw_implementation implementations[3];
    struct tw_description description;
    struct tw_model earlier;
    struct model_samples samples;
    double predicted[SAMPLES];
};

/* Predictions are off by `error`, as a logarithm. */
static void move_in(struct house *h, double error) {
    memset(h, 0, sizeof *h);
    strcpy(h->implementations[0].name, "direct");
    strcpy(h->implementations[1].name, "staged");
    strcpy(h->implementations[2].name, "unseen");
    h->description.implementations = h->implementations;
    h->description.implementation_count = 3;
    for (int c = 0; c < EACH; c++)
        h->configurations[c].configuration.implementation = c % 2;
    for (int p = 0; p < PROBLEMS; p++)
        h->problems[p].best_us = 10;
    for (int i = 0; i < SAMPLES; i++) {
        h->all[i] = (struct sample){.problem = i / EACH, .configuration = i % EACH, .time_us = 10};
        h->predicted[i] = 10 * exp(i % 3 == 0 ? error : -error);
    }
    h->samples = (struct model_samples){.description = &h->description,
                                        .count = SAMPLES,
                                        .all = h->all,
                                        .problem_count = PROBLEMS,
                                        .problems = h->problems,
                                        .configuration_count = EACH,
                                        .configurations = h->configurations};
}

/* It was fitted to so many problems, and sure of `direct` to `direct`. */
static void go_on(struct house *h, int problems, double direct) {
    h->earlier.place_count = problems;
    h->earlier.uncertainty = 0.1;
    h->earlier.sureness_count = 2;
    h->earlier.sureness[0] = (struct tw_model_sureness){"direct", direct};
    h->earlier.sureness[1] = (struct tw_model_sureness){"unseen", 0.3};
    h->samples.onto = &h->earlier;
}

static struct fit_report told(struct house *h) {
    struct fit_report report = {.problems = PROBLEMS};
    tell_uncertainty(&h->samples, h->predicted, &report);
    return report;
}

static void assert_near(double is, double should) {
    assert_true(fabs(is - should) < 1e-9);
}

static void of_trials_alone(void **state) {
    (void)state;
    struct house h;
    move_in(&h, 0.2);
    struct fit_report report = told(&h);
    assert_near(report.uncertainty, 0.2);
    assert_near(report.uncertainties[0], 0.2);
    assert_near(report.uncertainties[1], 0.2);
    assert_true(report.uncertainties[2] == 0);
    move_in(&h, 0.001);
    report = told(&h);
    assert_near(report.uncertainty, 0.02);
    assert_near(report.uncertainties[0], 0.02);
}

/* Ten problems that are predicted badly say little beside 990. */
static void of_an_earlier_model_that_goes_on(void **state) {
    (void)state;
    struct house h;
    move_in(&h, 0.2);
    go_on(&h, 990, 0.05);
    const struct fit_report report = told(&h);
    assert_near(report.uncertainty, sqrt((0.04 + 99 * 0.01) / 100));
    assert_near(report.uncertainties[0], sqrt((0.04 + 99 * 0.0025) / 100));
    assert_near(report.uncertainties[2], 0.3);
    /* Of what it does not know, these are all. */
    assert_near(report.uncertainties[1], 0.2);
}

/* Of few problems it says as much as twenty trials. */
static void of_an_earlier_model_of_few(void **state) {
    (void)state;
    struct house h;
    move_in(&h, 0.2);
    go_on(&h, 1, 0.05);
    const struct fit_report report = told(&h);
    assert_near(report.uncertainties[0], sqrt((50 * 0.04 + 20 * 0.0025) / 70));
    assert_near(report.uncertainty, sqrt((100 * 0.04 + 20 * 0.01) / 120));
}

/* What is fitted anew speaks for itself. */
static void anew(void **state) {
    (void)state;
    struct house h;
    move_in(&h, 0.2);
    go_on(&h, 990, 0.05);
    h.samples.anew = true;
    const struct fit_report report = told(&h);
    assert_near(report.uncertainty, 0.2);
    assert_near(report.uncertainties[0], sqrt((50 * 0.04 + 20 * 0.0025) / 70));
}

static void what_is_far_from_the_best_or_only_teaches(void **state) {
    (void)state;
    struct house h;
    move_in(&h, 0.2);
    for (int i = 0; i < EACH; i++) {
        h.all[i].time_us = 16;
        h.predicted[i] = 160;
        h.predicted[EACH + i] = 100;
    }
    h.problems[1].only_teaches = true;
    const struct fit_report report = told(&h);
    assert_near(report.uncertainty, 0.2);
}

/* What the earlier model says of kinds that have no trials now is of another set of trees. */
static void doubling_of_what_has_trials(void **state) {
    (void)state;
    static const bool chosen[SAMPLES];
    struct tw_model_forest forests[] = {
        {.kinds = 6, .doubling = 0.05}, {.kinds = 9, .doubling = 0.01}, {.kinds = 16}};
    struct house h;
    struct fit_report report = {0};
    struct tw_error error;
    move_in(&h, 0.2);
    go_on(&h, 990, 0.05);
    h.earlier.doubling = 0.05;
    memcpy(h.earlier.forests, forests, sizeof forests);
    h.earlier.forest_count = 3;
    h.samples.kept = 7;
    must(tell_doubling(&h.samples, chosen, h.predicted, &report, &error), error);
    assert_near(report.doubling, 0.01);
    h.samples.kept = 5;
    must(tell_doubling(&h.samples, chosen, h.predicted, &report, &error), error);
    assert_near(report.doubling, 0.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_trials_alone),
        cmocka_unit_test(of_an_earlier_model_that_goes_on),
        cmocka_unit_test(of_an_earlier_model_of_few),
        cmocka_unit_test(anew),
        cmocka_unit_test(what_is_far_from_the_best_or_only_teaches),
        cmocka_unit_test(doubling_of_what_has_trials),
    };
    return cmocka_run_group_tests_name("sureness", tests, NULL, NULL);
}
