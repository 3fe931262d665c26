/* Many configurations that go down trees together end where each by itself does. */
#include "runtime/predict/model_crowd.h"
#include "runtime/predict/model_steps.h"
#include "tests/support/support.h"
#include "tuner/search/rng.h"

enum { FEATURES = 21, TREES = 3 * 37, MOST = TW_MODEL_AT_ONCE };

/* Of feature 0 nothing is asked, and what is asked of every third is the problem's. */
static int cut_count(int feature) {
    return feature == 0 ? 0 : 1 + 7 * feature;
}

static bool is_of_problem(int feature) {
    return feature % 3 == 1;
}

/* One that leads on with so much of chance, at most `deep` steps; returns its first node. */
static int grow(struct tw_model *model, struct rng *rng, int deep) {
    const int at = model->node_count++;
    struct tw_model_node *node = &model->nodes[at];
    *node = (struct tw_model_node){.feature = -1, .value = (float)(rng_unit(rng) - 0.5)};
    if (deep == 0 || rng_unit(rng) < 0.1)
        return at;
    const int feature = 1 + (int)rng_below(rng, FEATURES - 1);
    node->feature = (int16_t)feature;
    node->cut = (uint16_t)rng_below(rng, (size_t)cut_count(feature));
    node->value = model->cuts[feature].values[node->cut];
    grow(model, rng, deep - 1);
    node->right = grow(model, rng, deep - 1);
    return at;
}

/* Forests of no step, of four and of as many as there may be. */
static struct tw_model *a_model(struct rng *rng) {
    struct tw_model *model = calloc(1, sizeof *model);
    struct tw_error error;
    assert_non_null(model);
    model->feature_count = FEATURES;
    for (int i = 0; i < FEATURES; i++) {
        model->cuts[i].count = cut_count(i);
        model->cuts[i].values = calloc((size_t)cut_count(i) + 1, sizeof(double));
        assert_non_null(model->cuts[i].values);
        for (int k = 0; k < cut_count(i); k++)
            model->cuts[i].values[k] = k;
    }
    model->nodes = calloc(TREES << (TW_MODEL_DEEPEST + 1), sizeof *model->nodes);
    model->roots = calloc(TREES, sizeof *model->roots);
    assert_true(model->nodes != NULL && model->roots != NULL);
    for (int f = 0; f < 3; f++) {
        model->forests[f].first = model->tree_count;
        while (model->tree_count < TREES / 3 * (f + 1))
            model->roots[model->tree_count++] = grow(model, rng, f * (TW_MODEL_DEEPEST / 2));
        model->forests[f].end = model->tree_count;
    }
    model->forest_count = 3;
    must(tw_model_make_steps(model, "m", &error), error);
    assert_non_null(model->steps);
    return model;
}

/* What the trees say one after another. */
static double by_itself(const struct tw_model *model, const struct tw_model_forest *forest,
                        int first, int end, const struct tw_model_case *seen) {
    double vector[FEATURES], sum = seen->sum;
    for (int i = 0; i < FEATURES; i++)
        vector[i] = seen->above[i] - 0.5;
    for (int i = first; i < end; i++)
        sum += (double)(float)tw_model_leaf(model->nodes, model->roots[forest->first + i], vector);
    return sum;
}

static void check(struct tw_model *model, struct tw_model_crowd *crowd, struct tw_model_case *cases,
                  const struct tw_model_forest *forest, int first, int end, const uint16_t *of,
                  size_t count) {
    static double wanted[MOST];
    for (size_t i = 0; i < MOST; i++)
        wanted[i] = cases[i].sum;
    for (size_t k = 0; k < count; k++)
        wanted[of[k]] = by_itself(model, forest, first, end, &cases[of[k]]);
    assert_true(
        tw_model_crowd_walk(crowd, forest, forest->first + first, forest->first + end, of, count));
    for (size_t i = 0; i < MOST; i++)
        assert_true(cases[i].sum == wanted[i]);
}

/* Of all but every `step`th of those, in place. */
static size_t leave_out(uint16_t *of, size_t count, size_t step) {
    size_t left = 0;
    for (size_t k = 0; k < count; k++)
        if (k % step != step - 1)
            of[left++] = of[k];
    return left;
}

static void where_they_end(void **state) {
    (void)state;
    static struct tw_model_case cases[MOST];
    static const size_t counts[] = {1, 2, 8, 63, 64, 65, 129, 300, MOST};
    struct rng rng = {5};
    struct tw_model *model = a_model(&rng);
    uint16_t of_problem[FEATURES];
    for (int i = 0; i < FEATURES; i++)
        of_problem[i] = (uint16_t)rng_below(&rng, (size_t)cut_count(i) + 1);
    for (int k = 0; k < MOST; k++) {
        cases[k].sum = rng_unit(&rng);
        for (int i = 0; i < FEATURES; i++)
            cases[k].above[i] = is_of_problem(i)
                                    ? of_problem[i]
                                    : (uint16_t)rng_below(&rng, (size_t)cut_count(i) + 1);
    }
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int f = 0; f < model->forest_count; f++) {
            struct tw_model_crowd *crowd = tw_model_crowd_create(model, cases);
            uint16_t of[MOST];
            size_t count = counts[c];
            assert_non_null(crowd);
            for (size_t k = 0; k < count; k++)
                of[k] = (uint16_t)((7 * k + 3) % MOST); /* each once */
            check(model, crowd, cases, &model->forests[f], 0, 5, of, count);
            const uint16_t first = of[0];
            for (int from = 5; from < TREES / 3; from += 8) {
                const int end = from + 8 < TREES / 3 ? from + 8 : TREES / 3;
                check(model, crowd, cases, &model->forests[f], from, end, of, count);
                count = count > 2 ? leave_out(of, count, 3) : count;
            }
            /* Others than those that are left, and one that was left out. */
            of[0] = first;
            of[1] = (uint16_t)((7 * (MOST - 1) + 3) % MOST);
            check(model, crowd, cases, &model->forests[f], 0, TREES / 3, of, 2);
            tw_model_crowd_free(crowd);
        }
    tw_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(where_they_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
