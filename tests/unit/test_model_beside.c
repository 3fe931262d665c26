/* Two forests of the same problems: how long a configuration takes, and how much longer than
 * others. */
#include <math.h>

#include "tests/support/models.h"
#include "tuner/model/boost.h"
#include "tuner/model/both_forests.h"

/* The first tree says how long, the second how much longer; other kinds have one that says how long
 * alone. */
static char *with_both(const char *forests) {
    char members[700];
    snprintf(members, sizeof members,
             "\"attributes\": [\"\", \";dtype=f64\", \";dtype=u8\"], \"forests\": [%s]", forests);
    char *json = replaced(text, "\"attributes\": [\"\"]", members);
    char *whole = replaced(json, "\"version\": 1", "\"version\": 5");
    free(json);
    return whole;
}

static const char both[] = "{\"kinds\": [0, 1], \"base\": 0.5, \"trees\": 1},"
                           " {\"kinds\": [0], \"base\": 0.25, \"beside\": true, \"trees\": 1},"
                           " {\"kinds\": [2], \"base\": 3, \"trees\": 0}";

static void see(const struct tw_model *model, const double *vector, struct tw_model_case *seen) {
    for (int f = 0; f < model->feature_count; f++)
        seen->above[f] = (uint16_t)tw_model_above(&model->cuts[f], vector[f]);
}

static void what_both_say(void **state) {
    (void)state;
    char *json = with_both(both);
    struct tw_model *models[] = {read_model(json), read_nodes(json)};
    const struct tw_estimate one = {.overhead = 1};
    double vector[TW_MODEL_MAX_FEATURES] = {0};
    vector[4] = 200; /* the first tree: 1 */
    vector[5] = 0;   /* the second: 0.125 */
    for (int i = 0; i < 2; i++) {
        const struct tw_model *model = models[i];
        assert_true(tw_model_has_both(model, 0));
        assert_false(tw_model_has_both(model, 1) || tw_model_has_both(model, 2) ||
                     tw_model_has_both(model, -1));
        for (int kind = 0; kind < 3; kind++) {
            const double time = exp(kind == 2 ? 3 : 0.5 + 1), beside = kind == 0 ? 0.375 : 0;
            struct tw_model_case cases[2] = {{.total_us = 1, .beside = -1},
                                             {.total_us = 2, .beside = -1}};
            assert_true(fabs(tw_model_predict(model, kind, vector, &one) / time - 1) < 1e-12);
            assert_true(fabs(tw_model_predict_beside(model, kind, vector) - beside) < 1e-12);
            see(model, vector, &cases[0]);
            see(model, vector, &cases[1]);
            tw_model_answer(model, kind, cases, 2);
            assert_true(fabs(cases[1].time_us / (2 * time) - 1) < 1e-12);
            assert_true(fabs(cases[1].beside - beside) < 1e-12);
            tw_model_answer_near(model, kind, cases, 2, INFINITY);
            assert_true(fabs(cases[0].time_us / time - 1) < 1e-12);
            assert_true(fabs(cases[0].beside - beside) < 1e-12);
        }
        tw_model_free(models[i]);
    }
    free(json);
}

static void what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *forests, *says;
    } cases[] = {
        {"{\"kinds\": [0], \"base\": 1, \"beside\": true, \"trees\": 2}",
         "forests[0].kinds: has one of which no forest before it says how long it takes"},
        {"{\"kinds\": [0], \"base\": 1, \"trees\": 1},"
         " {\"kinds\": [1], \"base\": 1, \"beside\": true, \"trees\": 1}",
         "forests[1].kinds: has one of which no forest before it says how long it takes"},
        {"{\"kinds\": [0], \"base\": 1, \"trees\": 1},"
         " {\"kinds\": [0], \"base\": 1, \"beside\": true, \"trees\": 1},"
         " {\"kinds\": [0], \"base\": 1, \"beside\": true, \"trees\": 0}",
         "forests[2].kinds: has one that another forest has"},
        {"{\"kinds\": [0], \"base\": 1, \"beside\": 1, \"trees\": 2}", "forests[0].beside"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_model *model;
        struct tw_error error;
        char *json = with_both(cases[i].forests);
        assert_int_equal(tw_model_read(&model, json, "m.json", &error), TW_INVALID);
        assert_non_null(strstr(error.message, cases[i].says));
        free(json);
    }
}

static void in_the_mean(void **state) {
    (void)state;
    struct tw_model_first first = {0};
    assert_true(tw_model_joined_us(&first, 7, 0.5) == 7);
    tw_model_note_first(&first, 10, 0.4);
    tw_model_note_first(&first, 11, 0.1);
    tw_model_note_first(&first, 12, 0.1);
    assert_true(first.is_there && first.time_us == 11 && first.beside == 0.1);
    assert_true(fabs(tw_model_joined_us(&first, 11, 0.1) - 11) < 1e-12);
    /* By one it takes 10/11 of the time, by the other e^0.3 times as long. */
    assert_true(fabs(tw_model_joined_us(&first, 10, 0.4) / (11 * sqrt(10.0 / 11 * exp(0.3))) - 1) <
                1e-12);
}

/* As a fit makes them, and judges by them. */
static void of_samples(void **state) {
    (void)state;
    struct sampled_problem problems[] = {{.best_us = 10}, {.best_us = 4}};
    struct sample all[] = {{0, 0, 10, 1}, {0, 1, 15, 1}, {0, 2, 50, 1}, {1, 0, 4, 1}, {1, 1, 5, 1}};
    const struct model_samples s = {
        .count = 5, .all = all, .problems = problems, .problem_count = 2};
    /* What is no candidate, or not predicted, is not the first of its problem. */
    const bool chosen[] = {true, true, false, false, true};
    const double beside[] = {0.2, 0.1, 0, 0, 0.3};
    double predicted[] = {9, 11, 5, INFINITY, 6};
    struct tw_error error;
    must(both_join(&s, chosen, beside, predicted, &error), error);
    assert_true(fabs(predicted[0] - 9) < 1e-12);
    assert_true(fabs(predicted[1] / (9 * sqrt(11. / 9 * exp(-0.1))) - 1) < 1e-12);
    assert_true(fabs(predicted[2] / (9 * sqrt(5. / 9 * exp(-0.2))) - 1) < 1e-12);
    assert_true(isinf(predicted[3]) && fabs(predicted[4] - 6) < 1e-12);
}

static void trees_of_both(void **state) {
    (void)state;
    char *json = replaced(text, "\"version\": 1", "\"version\": 5");
    struct tw_model *model = read_nodes(json), *beside = read_nodes(json), merged;
    struct tw_error error;
    must(both_merge(&merged, model, beside, &error), error);
    assert_int_equal(merged.tree_count, 4);
    assert_int_equal(merged.node_count, 2 * model->node_count);
    assert_int_equal(merged.forest_count, 2);
    assert_true(merged.forests[1].beside && !merged.forests[0].beside);
    assert_int_equal(merged.forests[1].first, 2);
    assert_int_equal(merged.forests[1].end, 4);
    double vector[TW_MODEL_MAX_FEATURES] = {0};
    for (vector[4] = 50; vector[4] < 200; vector[4] += 40)
        for (int t = 0; t < 2; t++)
            assert_true(tw_model_leaf(merged.nodes, merged.roots[2 + t], vector) ==
                        tw_model_leaf(model->nodes, model->roots[t], vector));
    boost_free(&merged);
    tw_model_free(model);
    tw_model_free(beside);
    free(json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_both_say), cmocka_unit_test(what_is_refused),
        cmocka_unit_test(in_the_mean),   cmocka_unit_test(of_samples),
        cmocka_unit_test(trees_of_both),
    };
    return cmocka_run_group_tests_name("model beside", tests, NULL, NULL);
}
