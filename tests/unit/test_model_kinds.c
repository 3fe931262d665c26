/* What a model has for each kind of problems: trees, and what was good on problems near by. */
#include <math.h>

#include "tests/support/models.h"

/* Each kind has trees, and a base, of its own; the second's are deeper. What a doubling adds is
 * told of a forest, or of the whole. */
static void trees_of_their_own(void **state) {
    (void)state;
    char *kinds = replaced(text, "\"attributes\": [\"\"]",
                           "\"attributes\": [\"\", \";dtype=f64\", \";dtype=u8\"],"
                           " \"forests\": [{\"kinds\": [0, 2], \"base\": 0.5, \"trees\": 1},"
                           " {\"kinds\": [1], \"base\": -2, \"doubling\": 0.25, \"trees\": 1}],"
                           " \"doubling\": 0.125");
    char *json = replaced(kinds, "\"version\": 1", "\"version\": 4");
    struct tw_model *model = read_model(json);
    const struct tw_estimate one = {.overhead = 1};
    double vector[TW_MODEL_MAX_FEATURES] = {0};
    vector[4] = 200; /* the first tree: 1 */
    vector[5] = 0;   /* the second: 0.125 */
    assert_int_equal(model->forest_count, 2);
    assert_true(model->forests[0].depth == 2 && model->forests[1].depth == 1);
    for (int k = 0; k < 3; k++) {
        const double wanted = exp(k == 1 ? -2 + 0.125 : 0.5 + 1);
        assert_true(tw_model_doubling(model, k) == (k == 1 ? 0.25 : 0.125));
        assert_true(fabs(tw_model_predict(model, k, vector, &one) / wanted - 1) < 1e-12);
        struct tw_model_case cases[2] = {{.total_us = 1}, {.total_us = 2}};
        for (int i = 0; i < 2; i++)
            for (int f = 0; f < model->feature_count; f++)
                cases[i].above[f] = (uint16_t)tw_model_above(&model->cuts[f], vector[f]);
        tw_model_answer_near(model, k, cases, 2, INFINITY);
        assert_true(fabs(cases[1].time_us / (2 * wanted) - 1) < 1e-12);
    }
    tw_model_free(model);
    free(json);
    struct tw_error error;
    json = replaced(kinds, "\"doubling\": 0.25", "\"doubling\": -1");
    assert_int_equal(tw_model_read(&model, json, "m.json", &error), TW_INVALID);
    assert_non_null(strstr(error.message, "forests[1].doubling: must be from 0 to below 10"));
    free(json);
    free(kinds);
}

/* What was good on the nearest problems comes first, each once, and nothing that was not chosen for
 * the kind; problems of another kind are a doubling further, and so are those of which 8 divides
 * another dimension. */
static void what_was_good_near_by(void **state) {
    (void)state;
    static const struct {
        const char *kinds, *near;
    } of[] = {{"0, 1", "0, 3"}, {"0", "1"},    {"1", "2"}, {"0, 1", "2"},
              {"0", ""},        {"0, 1", "4"}, {"0", "5"}, {"0", "6"}};
    struct tw_text list = {0};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        tw_text_print(&list,
                      "%s{\"implementation\": \"direct\", \"configuration\": \"{}\","
                      " \"problem\": \"M=8,N=100\", \"kinds\": [%s], \"near\": [%s],"
                      " \"time_us\": 2, \"code\": \"c\", \"source\": \"s\", \"judge\": \"j\"}",
                      i > 0 ? ", " : "", of[i].kinds, of[i].near);
    char *kinds = replaced(text, "\"attributes\": [\"\"]",
                           "\"attributes\": [\"\", \";dtype=f64\", \";dtype=u8\"],"
                           " \"places\": [\"0 64 64\", \"0 1024 1024\", \"1 64 128\","
                           " \"0 8192 16\", \"1 600 700\", \"0 9600 700\","
                           " \"0 9600 640\"]");
    char *begin = strstr(kinds, "\"configurations\": [") + strlen("\"configurations\": [");
    *begin = '\0';
    char *whole = malloc(strlen(kinds) + list.length + 3);
    assert_non_null(whole);
    sprintf(whole, "%s%s]}", kinds, list.data);
    struct tw_model *model = read_model(whole);
    assert_true(tw_model_has_places(model, 0) && tw_model_has_places(model, 1));
    assert_false(tw_model_has_places(model, 2) || tw_model_has_places(model, -1));
    static const struct {
        int kind;
        int64_t dimensions[2];
        int most, count, wanted[8];
    } cases[] = {
        {0, {64, 64}, 4, 4, {0, 3, 1, 5}},           /* 0; 1 + 1 away; 8; 6.7 + 2 */
        {0, {64, 64}, 2, 2, {0, 3}},                 /* no more are wanted */
        {1, {64, 72}, 8, 4, {2, 3, 0, 5}},           /* 0.8 away; 0.2 + 1; 6.5 + 1 */
        {0, {1024, 1024}, 8, 6, {1, 5, 7, 6, 0, 3}}, /* 0; 1.3 + 2; 3.9; 3.8 + 1; 8 */
        {0, {9600, 690}, 2, 2, {6, 7}},              /* 0.02 away; 0.1 + 1 */
        {0, {9600, 680}, 2, 2, {7, 6}},              /* 0.1 away; 0.04 + 1 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int found[8];
        assert_int_equal(
            tw_model_near(model, cases[i].kind, cases[i].dimensions, cases[i].most, found),
            cases[i].count);
        for (int k = 0; k < cases[i].count; k++)
            assert_int_equal(found[k], cases[i].wanted[k]);
    }
    tw_model_free(model);
    free(whole);
    free(kinds);
    tw_text_free(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_their_own),
        cmocka_unit_test(what_was_good_near_by),
    };
    return cmocka_run_group_tests_name("model kinds", tests, NULL, NULL);
}
