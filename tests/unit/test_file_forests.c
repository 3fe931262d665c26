/* Which trees a model's file has, after those of an earlier model. */
#include <math.h>

#include "tests/support/models.h"
#include "tests/support/subjects.h"
#include "tuner/model/boost.h"
#include "tuner/model/file_forests.h"
#include "tuner/model/grown_forests.h"

/* Kinds 0 and 1 have two forests, and 2 has one that says how long alone. */
static char *several(void) {
    char *json = replaced(text, "\"attributes\": [\"\"]",
                          "\"attributes\": [\"\", \";dtype=f64\", \";dtype=u8\"], \"forests\": ["
                          "{\"kinds\": [0, 1], \"base\": 0.5, \"doubling\": 0.25, \"trees\": 1},"
                          "{\"kinds\": [0, 1], \"base\": 2, \"beside\": true, \"trees\": 1},"
                          "{\"kinds\": [2], \"base\": 3, \"doubling\": 0.125, \"trees\": 0}]");
    char *whole = replaced(json, "\"version\": 1", "\"version\": 5");
    free(json);
    return whole;
}

/* As boost_fit makes them: a forest of `trees` that are one leaf. */
static struct tw_model leaves(int trees, double base, double value) {
    struct tw_model model = {.base = base,
                             .forest_count = 1,
                             .forests = {{.kinds = UINT64_MAX, .base = base, .end = trees}},
                             .tree_count = trees,
                             .node_count = trees,
                             .roots = calloc((size_t)trees + 1, sizeof *model.roots),
                             .nodes = calloc((size_t)trees + 1, sizeof *model.nodes)};
    for (int i = 0; i < trees; i++) {
        model.roots[i] = i;
        model.nodes[i] = (struct tw_model_node){.feature = -1, .value = value};
    }
    return model;
}

static double sum_of(const struct tw_model *model, int forest, const double *vector) {
    double sum = model->forests[forest].base;
    for (int i = model->forests[forest].first; i < model->forests[forest].end; i++)
        sum += tw_model_leaf(model->nodes, model->roots[i], vector);
    return sum;
}

static void make(struct tw_model *made, const struct model_samples *samples, int kinds,
                 const struct tw_model *grown, double doubling) {
    const struct model_choice choice = {.kind_count = kinds};
    struct tw_error error;
    must(file_forests_make(made, samples, &choice, grown, doubling, &error), error);
}

static void what_is_grown_on_several(void **state) {
    (void)state;
    char *json = several();
    struct tw_model *onto = read_nodes(json), grown = leaves(3, 0.75, 0.0625), made;
    double vector[TW_MODEL_MAX_FEATURES] = {0};
    vector[4] = 200; /* the first tree: 1 */
    vector[5] = 0;   /* the second: 0.125 */
    /* Trials are of kinds 1 and 3, which the earlier model has not: it asks its first forest. */
    const struct model_samples samples = {.onto = onto, .kept = 1 << 0 | 1 << 2};
    make(&made, &samples, 4, &grown, 0.375);
    assert_int_equal(made.forest_count, 3);
    assert_int_equal(made.tree_count, 1 + 3 + 1 + 3);
    assert_int_equal(made.forests[0].kinds, 0xb);
    assert_int_equal(made.forests[1].kinds, 0x3);
    assert_int_equal(made.forests[2].kinds, 0x4);
    const double more = 0.75 + 3 * 0.0625;
    assert_true(fabs(sum_of(&made, 0, vector) - (0.5 + 1 + more)) < 1e-12);
    assert_true(fabs(sum_of(&made, 1, vector) - (2 + 0.125 + more)) < 1e-12);
    assert_true(made.forests[1].beside);
    /* That of no kind with trials is as it was. */
    assert_true(sum_of(&made, 2, vector) == 3);
    assert_true(made.forests[0].doubling == 0.375 && made.forests[1].doubling == 0 &&
                made.forests[2].doubling == 0.125);
    boost_free(&made);
    /* What is surer than the earlier model was of doublings does not take that back. */
    make(&made, &samples, 4, &grown, 0.0625);
    assert_true(made.forests[0].doubling == 0.25);
    boost_free(&made);
    boost_free(&grown);
    tw_model_free(onto);
    free(json);
}

/* A plan asked about it as about a kind that is alike, and goes on to. */
static void what_is_new_and_like_another(void **state) {
    (void)state;
    char *before = several(), *json = replaced(before, ";dtype=u8", ";dtype=bf16");
    struct tw_model *onto = read_nodes(json), grown = leaves(3, 0.75, 0.0625), made;
    struct tw_description *d;
    struct tw_error error;
    must(tw_description_builtin(&d, "gemm", &error), error);
    struct sampled_problem problem = {.problem = problem_of_key(d, "M=64,N=64,K=64;dtype=f16")};
    int kind = 3;
    const struct model_samples samples = {
        .onto = onto, .kept = 1 << 0 | 1 << 1, .problem_count = 1, .problems = &problem};
    const struct model_choice choice = {.kind_count = 4, .of_problem = &kind};
    must(file_forests_make(&made, &samples, &choice, &grown, 0, &error), error);
    assert_int_equal(made.tree_count, 1 + 1 + 3);
    const uint64_t kinds[] = {0x3, 0x3, 0xc};
    for (int i = 0; i < 3; i++)
        assert_int_equal(made.forests[i].kinds, kinds[i]);
    const double vector[TW_MODEL_MAX_FEATURES] = {0};
    assert_true(fabs(sum_of(&made, 2, vector) - (3 + 0.75 + 3 * 0.0625)) < 1e-12);
    boost_free(&made);
    boost_free(&grown);
    tw_description_free(d);
    tw_model_free(onto);
    free(json);
    free(before);
}

/* So that the earlier model is held to what it says of them: of nothing else is anything added. */
static void whose_forests_are_grown(void **state) {
    (void)state;
    char *json = several();
    struct tw_model *onto = read_nodes(json);
    assert_int_equal(kinds_of_grown(onto, 0x7, false), 0);
    assert_int_equal(kinds_of_grown(onto, 0x5, false), 0x3);
    assert_int_equal(kinds_of_grown(onto, 0x3, false), 0x4);
    assert_int_equal(kinds_of_grown(onto, 0x2, false), 0x7);
    assert_int_equal(kinds_of_grown(onto, 0x7, true), 0x3); /* asked of the first */
    tw_model_free(onto);
    free(json);
    /* One forest knows all. */
    onto = read_nodes(text);
    assert_int_equal(kinds_of_grown(onto, 0, false), UINT64_MAX);
    tw_model_free(onto);
}

static void what_is_fitted_anew(void **state) {
    (void)state;
    char *json = several();
    struct tw_model *onto = read_nodes(json), grown = leaves(2, 0.75, 0.0625), made;
    const double vector[TW_MODEL_MAX_FEATURES] = {0};
    const struct model_samples samples = {.onto = onto, .anew = true, .kept = 1 << 0 | 1 << 2};
    make(&made, &samples, 3, &grown, 0.375);
    assert_int_equal(made.forest_count, 4);
    assert_int_equal(made.tree_count, 2 + 2);
    const uint64_t kinds[] = {1, 1, 4, 2};
    for (int i = 0; i < 4; i++)
        assert_int_equal(made.forests[i].kinds, kinds[i]);
    assert_true(fabs(sum_of(&made, 3, vector) - (0.75 + 2 * 0.0625)) < 1e-12);
    assert_true(made.forests[0].doubling == 0.25 && made.forests[3].doubling == 0.375);
    boost_free(&made);
    boost_free(&grown);
    tw_model_free(onto);
    free(json);
}

static void what_goes_on_from_nothing(void **state) {
    (void)state;
    struct tw_model grown = leaves(2, 0.75, 0.0625), made;
    const double vector[TW_MODEL_MAX_FEATURES] = {0};
    const struct model_samples samples = {0};
    struct tw_text out = {0};
    make(&made, &samples, 1, &grown, 0.375);
    assert_int_equal(made.forest_count, 1);
    assert_int_equal(made.forests[0].kinds, 1);
    assert_true(fabs(sum_of(&made, 0, vector) - (0.75 + 2 * 0.0625)) < 1e-12);
    file_forests_write(&made, &out);
    assert_int_equal(out.length, 0);
    boost_free(&made);
    boost_free(&grown);
}

static void more_trees_than_there_may_be(void **state) {
    (void)state;
    char *json = several();
    struct tw_model *onto = read_nodes(json), grown = leaves(TW_MODEL_MAX_TREES / 2, 0, 0), made;
    const struct model_samples samples = {.onto = onto, .kept = 1 << 2};
    const struct model_choice choice = {.kind_count = 3};
    struct tw_error error;
    assert_int_equal(file_forests_make(&made, &samples, &choice, &grown, 0, &error), TW_INVALID);
    assert_non_null(strstr(error.message, "the trees would be 4098"));
    boost_free(&made);
    boost_free(&grown);
    tw_model_free(onto);
    free(json);
}

static void more_sets_than_there_may_be(void **state) {
    (void)state;
    char *json = several();
    struct tw_model *onto = read_nodes(json), grown = leaves(1, 0, 0), made;
    const struct model_choice choice = {.kind_count = 3};
    struct model_samples samples = {.onto = onto, .anew = true, .kept = 1 << 0 | 1 << 2};
    struct tw_error error;
    for (; onto->forest_count < TW_MODEL_MAX_FORESTS; onto->forest_count++)
        onto->forests[onto->forest_count] = onto->forests[2];
    assert_int_equal(file_forests_make(&made, &samples, &choice, &grown, 0, &error), TW_INVALID);
    assert_non_null(strstr(error.message, "there would be 9 sets of trees"));
    boost_free(&made);
    /* Grown on, or where some are not kept, they are no more than there were. */
    samples.kept = 1 << 2;
    make(&made, &samples, 3, &grown, 0);
    assert_int_equal(made.forest_count, TW_MODEL_MAX_FORESTS - 1);
    boost_free(&made);
    samples.anew = false;
    make(&made, &samples, 3, &grown, 0);
    assert_int_equal(made.forest_count, TW_MODEL_MAX_FORESTS);
    boost_free(&made);
    boost_free(&grown);
    tw_model_free(onto);
    free(json);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_grown_on_several),
                                       cmocka_unit_test(what_is_new_and_like_another),
                                       cmocka_unit_test(whose_forests_are_grown),
                                       cmocka_unit_test(what_is_fitted_anew),
                                       cmocka_unit_test(what_goes_on_from_nothing),
                                       cmocka_unit_test(more_trees_than_there_may_be),
                                       cmocka_unit_test(more_sets_than_there_may_be)};
    return cmocka_run_group_tests_name("file forests", tests, NULL, NULL);
}
