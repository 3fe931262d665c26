/* The trees of a model's text: lists of numbers, and strings, with nodes or without. */
#include <math.h>

#include "tests/support/models.h"
#include "tuner/model/write_trees.h"

/* Numbers are what strtod makes of them, however they are written. */
static void numbers(void **state) {
    (void)state;
    static const char *const written[] = {
        "0",
        "-0.0",
        "1e0",
        "123456789012345",
        "0.000123",
        "1.5E+22",
        "-7e-22",
        "0.1",
        "12345678901234567890123",
        "1.7976931348623157e308",
        "5e-324",
        "1e-400",
        "1e23",
        "9007199254740993",
        "0.30000000000000004",
        "3.14159e-05",
        "100000000000000e8",
        "-2.5e+3",
    };
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        char node[64];
        snprintf(node, sizeof node, "[ %s\n]", written[i]);
        char *other = replaced(text, "[-0.25]", node);
        struct tw_model *model = read_nodes(other);
        double wanted = strtod(written[i], NULL);
        assert_memory_equal(&model->nodes[1].value, &wanted, sizeof wanted);
        assert_true(model->nodes[2].feature == 4 && model->nodes[2].right == 4);
        tw_model_free(model);
        free(other);
    }
}

/* Trees that are so many questions deep, one after another: a tree a depth. */
static char *with_trees(const int *depths, int count) {
    struct tw_text trees = {0};
    for (int i = 0; i < count; i++) {
        tw_text_print(&trees, "%s[", i > 0 ? ", " : "");
        for (int k = 0; k < depths[i]; k++)
            tw_text_print(&trees, "[%d,%d.5,%d],[%d.%d],", (i + k) % 3, k, 2 * k + 2, k - i, i);
        tw_text_print(&trees, "[%d.25]]", i);
    }
    tw_text_print(&trees, ", [[5,0.5,2],");
    char *json = replaced(text, "[[5,0.5,2],", trees.data);
    tw_text_free(&trees);
    return json;
}

/* All trees' leaves are added in their order, to the last bit, deep trees or not. */
static void sums_of_leaves(void **state) {
    (void)state;
    enum { TREES = 19 };
    const struct tw_estimate one = {.overhead = 1};
    for (int deepest = 6; deepest <= 30; deepest += 8) {
        int depths[TREES];
        for (int i = 0; i < TREES; i++)
            depths[i] = i == 11 ? deepest : i % 6;
        char *json = with_trees(depths, TREES);
        struct tw_model *model = read_nodes(json);
        assert_int_equal(model->tree_count, TREES + 2);
        for (int at = -1; at < 32; at++) {
            const double vector[TW_MODEL_MAX_FEATURES] = {at, 32 - at, 2 * at, at, 100, at % 2};
            double sum = model->base;
            for (int i = 0; i < model->tree_count; i++)
                sum += (float)tw_model_leaf(model->nodes, model->roots[i], vector);
            const double wanted = tw_estimate_total(&one) * exp(fmax(-20, fmin(sum, 20)));
            assert_true(tw_model_predict(model, 0, vector, &one) == wanted);
        }
        tw_model_free(model);
        free(json);
    }
}

/* ---- Trees as strings ---- */

/* The model with features and trees as they are written. */
static char *written(const struct tw_model *model) {
    static const char *const names[] = {
        "geometry.blocks", "dimension.M",       "attribute.dtype",
        "implementation",  "parameter.BLOCK_X", "parameter.ORDER",
        "parameter.NONE",  "width.A",           "pieces.N",
        "filled.N",        "pieces.Q",          "geometry.last_wave",
        "pitch.A"};
    struct tw_text out = {0};
    const char *features = strstr(text, "\"features\"");
    tw_text_add(&out, text, (size_t)(features - text));
    write_trees(names, model, model, &out);
    tw_text_print(&out, "%s", strstr(text, "\"configurations\""));
    assert_false(out.failed);
    return out.data;
}

static void assert_same_trees(const struct tw_model *a, const struct tw_model *b) {
    const struct tw_estimate one = {.overhead = 1};
    assert_int_equal(a->tree_count, b->tree_count);
    assert_int_equal(a->node_count, b->node_count);
    for (int i = 0; i < a->node_count; i++) {
        assert_int_equal(a->nodes[i].feature, b->nodes[i].feature);
        assert_int_equal(a->nodes[i].right, b->nodes[i].right);
        assert_memory_equal(&a->nodes[i].value, &b->nodes[i].value, sizeof(double));
    }
    for (int at = -1; at < 32; at++) {
        const double vector[TW_MODEL_MAX_FEATURES] = {at, 32 - at, 2 * at, at, 100 - at, at % 2};
        assert_true(tw_model_predict(a, 0, vector, &one) == tw_model_predict(b, 0, vector, &one));
    }
}

/* What is read without nodes, where it can be, is walked as what is read with them. */
static void assert_same_steps(const char *json, const struct tw_model *with) {
    struct tw_model *without = read_model(json);
    size_t count = 0;
    assert_int_equal(without->tree_count, with->tree_count);
    assert_int_equal(without->node_count, with->node_count);
    assert_int_equal(without->forest_count, with->forest_count);
    for (int i = 0; i < with->forest_count; i++) {
        const struct tw_model_forest *a = &without->forests[i], *b = &with->forests[i];
        assert_int_equal(a->first, b->first);
        assert_int_equal(a->end, b->end);
        assert_int_equal(a->depth, b->depth);
        assert_int_equal(a->steps, b->steps);
        count += (size_t)(b->end - b->first) << b->depth;
    }
    assert_memory_equal(without->leaves, with->leaves, count * sizeof *with->leaves);
    assert_memory_equal(without->steps, with->steps, count * sizeof *with->steps);
    tw_model_free(without);
}

static void packed_trees_say_the_same(void **state) {
    (void)state;
    static const char *const leaves[] = {"-0.25", "0", "1234", "-1.234e-05", "9.999e+22", "1e-19"};
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        char node[32];
        snprintf(node, sizeof node, "[%s]", leaves[i]);
        char *json = replaced(text, "[-0.25]", node);
        struct tw_model *model = read_model(json);
        char *packed = written(model);
        assert_null(strstr(packed, "[[4,64,2]"));
        struct tw_model *again = read_nodes(packed);
        assert_same_trees(model, again);
        assert_same_steps(packed, again);
        char *twice = written(again);
        assert_string_equal(twice, packed);
        free(twice);
        tw_model_free(again);
        free(packed);
        tw_model_free(model);
        free(json);
    }
}

/* What has no room in a string is a list: too large a leaf. */
static void trees_that_cannot_be_packed(void **state) {
    (void)state;
    const int depths[] = {3, 5, 2};
    char *deep = with_trees(depths, 3);
    char *large = replaced(deep, "[-0.25]", "[1e30]");
    struct tw_model *model = read_model(large);
    char *packed = written(model);
    assert_non_null(strstr(packed, "[[4,64,2],[1e+30],"));
    assert_null(strstr(packed, "[[1,0.5,2],"));
    struct tw_model *again = read_nodes(packed);
    assert_same_trees(model, again);
    assert_same_steps(packed, again);
    tw_model_free(again);
    free(packed);
    tw_model_free(model);
    free(large);
    free(deep);
}

/* Trees of all depths that are walked as steps, of forests that are as deep as their deepest, and
 * one that is too deep for that. */
static void packed_trees_of_all_depths(void **state) {
    (void)state;
    for (int deepest = 1; deepest <= 9; deepest++) {
        const int depths[] = {0, deepest / 2, deepest, 1};
        char *json = with_trees(depths, 4);
        struct tw_model *model = read_nodes(json);
        char *packed = written(model);
        struct tw_model *again = read_nodes(packed), *without = read_model(packed);
        assert_same_trees(model, again);
        assert_true((without->nodes == NULL) == (deepest <= 8));
        assert_true((without->steps == NULL) == (deepest > 8));
        if (deepest <= 8)
            assert_same_steps(packed, again);
        tw_model_free(without);
        tw_model_free(again);
        free(packed);
        tw_model_free(model);
        free(json);
    }
}

/* The strings of [[4,64,2],[-0.25],[4,100,4],[0.5],[1]]. */
static void packed_trees_that_are_refused(void **state) {
    (void)state;
    struct tw_model *model = read_model(text);
    char *packed = written(model), *tree = strstr(packed, "\"trees\": [\n  \"") + 14;
    char good[26] = "";
    memcpy(good, tree, 25);
    static const char *const bad[][2] = {
        {"", "the tree has no nodes"},    {"BAAAC", "that leads on"},
        {"BAAAA", "is no node of these"}, {"BAAAB", "is no node of these"},
        {"BABAC", "is no node of these"}, {"DAAAC", "is no node of these"},
        {"gAAA", "five digits"},          {"gAAAAg", "five digits"},
        {"gA.AA", "five digits"},         {"n///A", "expected a number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tw_model *none;
        struct tw_error error;
        char *json = replaced(packed, good, bad[i][0]);
        assert_int_equal(tw_model_read(&none, json, "m.json", &error), TW_INVALID);
        if (strstr(error.message, bad[i][1]) == NULL)
            fail_msg("%s: %s", bad[i][0], error.message);
        free(json);
    }
    static const char *const cuts[][2] = {
        {"[\"64 64\"]", "number 2 is not above"}, {"[\"64\", \"3\"]", "number 2 is not above"},
        {"[\"64,100\"]", "a space between"},      {"[\"64 \"]", "expected a number"},
        {"[\"\"]", "expected a number"},          {"[\"1e999\"]", "expected a number"},
        {"[64, 100]", "expected a string"},       {"\"64 100\"", "expected an array"},
    };
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        struct tw_model *none;
        struct tw_error error;
        char *json = replaced(packed, "[\"64 100\"]", cuts[i][0]);
        assert_int_equal(tw_model_read(&none, json, "m.json", &error), TW_INVALID);
        if (strstr(error.message, cuts[i][1]) == NULL)
            fail_msg("%s: %s", cuts[i][0], error.message);
        free(json);
    }
    free(packed);
    tw_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(sums_of_leaves),
        cmocka_unit_test(packed_trees_say_the_same),
        cmocka_unit_test(trees_that_cannot_be_packed),
        cmocka_unit_test(packed_trees_of_all_depths),
        cmocka_unit_test(packed_trees_that_are_refused),
    };
    return cmocka_run_group_tests_name("model trees", tests, NULL, NULL);
}
