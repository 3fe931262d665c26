/* Models: what is read, what is refused, what they predict, and what is fitted. */
#include <math.h>

#include "tests/support/models.h"
#include "tuner/model/folds.h"
#include "tuner/model/trees_for.h"

static void predictions(void **state) {
    (void)state;
    struct tw_description *d = read_description(scale_text, NULL);
    const struct tw_problem problem = parse_problem(d, "8x100");
    struct tw_model *model = read_model(text);
    struct tw_model_view view;
    const struct tw_features features = {.blocks = 7,
                                         .use = 1,
                                         .units = 2,
                                         .resident = 2,
                                         .widths = {3, 4},
                                         .pitches = {6, 7},
                                         .pieces = {1, 5},
                                         .filled = {1, 0.75}};
    const struct tw_estimate estimate = {.overhead = 10};
    double vector[TW_MODEL_MAX_FEATURES];
    const int rows = tw_symbols_find_word(d->implementations[0].symbols, "rows");
    struct tw_configuration configuration = {.values = {128, rows, 1}};
    tw_model_look(model, d, 0, &view);
    tw_model_vector(model, &view, &problem, &configuration, &features, &estimate, vector);
    const double wanted[] = {7, 8, 1, 0, 128, 1, -1, 3, 5, 0.75, -1, 0.875, 6};
    for (int i = 0; i < (int)(sizeof wanted / sizeof *wanted); i++)
        assert_true(vector[i] == wanted[i]);
    assert_true(fabs(tw_model_predict(model, 0, vector, &estimate) / (10 * exp(0.5 + 1)) - 1) <
                1e-12);
    struct tw_model_question question;
    tw_model_ask(model, 0, &view, &problem, &features, &question);
    for (int block = 32; block <= 256; block *= 2)
        for (int order = 0; order < 2; order++) {
            configuration.values[0] = block;
            configuration.values[1] = order == 0 ? rows : rows + 1;
            double other[TW_MODEL_MAX_FEATURES];
            tw_model_vector(model, &view, &problem, &configuration, &features, &estimate, other);
            struct tw_model_case seen;
            tw_model_see(model, &question, &view, &configuration, &features, &estimate, &seen);
            tw_model_answer(model, 0, &seen, 1);
            assert_true(seen.time_us == tw_model_predict(model, 0, other, &estimate));
        }
    vector[4] = 64;
    vector[5] = 0;
    assert_true(
        fabs(tw_model_predict(model, 0, vector, &estimate) / (10 * exp(0.5 - 0.25 + 0.125)) - 1) <
        1e-12);
    assert_int_equal(tw_model_kind(model, &problem), 0);
    struct tw_problem other = problem;
    struct tw_error error;
    must(tw_problem_set(&other, "dtype", "f64", &error), error);
    assert_int_equal(tw_model_kind(model, &other), -1);
    tw_model_free(model);
    tw_description_free(d);
}

/* What is said of one beside another that takes so much less, whose estimate is `best_us`. */
static double beside(const struct tw_model *model, double best_us, double near_us) {
    struct tw_model_case cases[] = {{.total_us = 1}, {.total_us = best_us}};
    tw_model_answer_near(model, 0, cases, 2, near_us);
    return cases[0].time_us;
}

/* What the first trees put far above the best, or what is wanted, is left at that, after 48 of
 * them, 104, 200 and so on; all else is as it is. */
static void what_is_far(void **state) {
    (void)state;
    struct tw_text trees = {0};
    for (int i = 0; i < 219; i++) /* one tree comes before them */
        tw_text_print(&trees, i < 47    ? "[[0.02]],"
                              : i < 103 ? "[[-0.001]],"
                              : i < 199 ? "[[-0.00025]],"
                                        : "[[-0.011]],");
    tw_text_print(&trees, "[[5,0.5,2],");
    char *json = replaced(text, "[[5,0.5,2],", trees.data);
    struct tw_model *model = read_model(json);
    const struct tw_estimate one = {.overhead = 1};
    const double vector[TW_MODEL_MAX_FEATURES] = {0};
    const double exactly = tw_model_predict(model, 0, vector, &one);
    /* The other takes as much less as its estimate is: by all trees, whatever it is beside. */
    const double first = beside(model, 1.0 / 9, INFINITY);
    const double second = beside(model, first / 1.36 / exactly, INFINITY);
    const double third = beside(model, first / 1.3 / exactly, INFINITY);
    assert_true(fabs(second / (first * exp(-0.056)) - 1) < 1e-6);
    assert_true(fabs(third / (second * exp(-0.024)) - 1) < 1e-6);
    assert_true(third > 1.05 * exactly && third < 1.2 * exactly);
    const struct {
        double near_us, says;
    } cases[] = {{first / 1.41, first},
                 {second / 1.26, second},
                 {second / 1.24, third},
                 {third / 1.2, third},
                 {third / 1.18, exactly}};
    for (int i = 0; i < 5; i++)
        assert_true(beside(model, cases[i].near_us / exactly, INFINITY) == cases[i].says);
    assert_true(beside(model, 0.99, first / 3) == first);
    assert_true(beside(model, 0.99, INFINITY) == exactly);
    /* Exactly, if that is asked for. */
    struct tw_model_case far[] = {{.total_us = 1}, {.total_us = 0.01}};
    tw_model_answer(model, 0, far, 2);
    assert_true(far[0].time_us == exactly);
    tw_model_free(model);
    tw_text_free(&trees);
    free(json);
}

static void what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *part, *in_place, *says;
    } cases[] = {
        {"\"version\": 1", "\"version\": 6", "this program reads versions up to 5"},
        {"\"version\": 1", "\"version\": 0", "this program reads versions up to 5"},
        {"\"units\": 132,",
         "\"units\": 132, \"forests\": [{\"kinds\": [0], \"base\": 1, \"trees\": 1}],",
         "key forests: are of 1 trees, where there are 2"},
        {"\"units\": 132,",
         "\"units\": 132, \"forests\": [{\"kinds\": [1], \"base\": 1, \"trees\": 2}],",
         "is none of the model's attributes"},
        {"\"units\": 132,",
         "\"units\": 132, \"forests\": [{\"kinds\": [0], \"base\": 1, \"trees\": 1},"
         " {\"kinds\": [0], \"base\": 1, \"trees\": 1}],",
         "has one that another forest has"},
        {"\"units\": 132,",
         "\"units\": 132, \"forests\": [{\"kinds\": [0], \"base\": 1, \"trees\": -1}],",
         "must be from 0 to"},
        {"\"units\": 132,", "\"units\": 132, \"places\": [\"1 8 8\"],",
         "a kind and the dimensions"},
        {"\"units\": 132,", "\"units\": 132, \"places\": [\"0 8 0\"],",
         "a kind and the dimensions"},
        {"\"units\": 132,", "\"units\": 132, \"places\": [\"0\"],", "a kind and the dimensions"},
        {"\"units\": 132,", "\"units\": 132, \"places\": [\"0 8x8\"],",
         "a kind and the dimensions"},
        {"\"units\": 132,", "\"units\": 132, \"places\": [3],", "a kind and the dimensions"},
        {"\"units\": 132,", "\"units\": 132, \"places\": [\"0 8 8\", \"0 8\"],",
         "places[1]: expected a kind and the dimensions"},
        {"\"time_us\": 2", "\"near\": [0], \"time_us\": 2", "one was near place 0, of 0"},
        {"\"time_us\": 2", "\"near\": [-1], \"time_us\": 2", "is none of the model's places"},
        {"tilewise-model", "a model", "must be \"tilewise-model\""},
        {"\"units\": 132,", "", "units"},
        {"\"units\": 132,", "\"units\": 132, \"more\": 1,", "unknown key"},
        {"\"uncertainty\": 0.1", "\"uncertainty\": 0", "from 0.001 to below 10"},
        {"\"units\": 132,", "\"units\": 132, \"uncertainties\": {\"a\": 1e-320},", "from 0.001"},
        {"parameter.NONE", "parameter.ORDER", "\"parameter.ORDER\" is there twice"},
        {"\"base\": 0.5", "\"base\": 0.5, \"doubling\": -0.1", "from 0 to below 10"},
        {"\"base\": 0.5", "\"base\": 0.5, \"doubling\": 10", "from 0 to below 10"},
        {"\"base\": 0.5", "\"base\": 0.5, \"doubling\": \"\"", "expected a number"},
        {"\"units\": 132,", "\"units\": 132, \"uncertainties\": {\"a\": 10},", "below 10"},
        {"\"units\": 132,", "\"units\": 132, \"uncertainties\": [0.1],", "expected an object"},
        {"\"units\": 132,", "\"units\": 132, \"uncertainties\": {\"a\": \"b\"},", "a number"},
        {"geometry.blocks", "geometry.block", "\"geometry.block\" is no feature"},
        {"[4,64,2]", "[13,64,2]", "that leads on"},
        {"[4,64,2]", "[4,64,0]", "that leads on"},
        {"[4,64,2]", "[4,64,1]", "that leads on"},
        {"[4,64,2]", "[4,64,5]", "that leads on"},
        {"[4,64,2]", "[4,64]", "that leads on"},
        {"[4,64,2]", "[4,1e999,2]", "expected a number"},
        {"[0.125],[0]]", "[0.125],[5,1,1]]", "that leads on"},
        {"[4,100,4]", "[4,100,4,1]", "key trees[0][2]: is neither"},
        {"[4,100,4]", "[0.5,100,4]", "key trees[0][2]: is neither"},
        {"[4,100,4]", "[4,a,4]", "key trees[0][2]: expected a number"},
        {"[4,100,4]", "[4,-,4]", "expected a number"},
        {"[4,100,4]", "[4,1.,4]", "expected a number"},
        {"[4,100,4]", "[4,1e+,4]", "expected a number"},
        {"[4,100,4]", "[4,[100],4]", "expected a number"},
        {"[4,100,4]", "4", "key trees[0][2]: expected '['"},
        {"[5,0.5,2],[0.125]", "[5,0.5,2][0.125]", "key trees[1][1]: expected ']'"},
        {"\"trees\": [[[4", "\"trees\": {\"a\": [[4", "not valid JSON"},
        {"\"trees\": ", "\"tree\": ", "unknown key"},
        {"\"base\": 0.5,", "\"base\": 0.5, \"trees\": [],", "given twice"},
        {"\"time_us\": 2", "\"time_us\": -2", "above 0"},
        {"\"time_us\": 2", "\"time_us\": 2, \"kinds\": [1]", "is none of the model's attributes"},
        {"\"time_us\": 2", "\"time_us\": 2, \"kinds\": [-1]", "is none of the model's attributes"},
        {"\"time_us\": 2", "\"time_us\": 2, \"kinds\": [0.5]", "expected a whole number"},
        {"\"time_us\": 2", "\"time_us\": 2, \"kinds\": 1", "expected an array"},
        {"[\"\"],", "[\"\"], \"ranges\": [],", "as many entries as"},
        {"[\"\"],", "[\"\"], \"ranges\": [[]],", "expected an object"},
        {"[\"\"],", "[\"\"], \"ranges\": [{\"step\": [1]}],", "the least and the most"},
        {"[\"\"],", "[\"\"], \"ranges\": [{\"step\": [1, 2.5]}],", "expected a whole number"},
        {"\"trees\": [", "\"trees\": [[],", "has no nodes"},
        {"\"units\": 132,", "\"units\": 132, \"regret\": {\"mean\": 1e999},", "expected a number"},
        {"\"units\": 132,", "\"units\": 132, \"regret\": {\"more\": 1},", "unknown key"},
        {"\"units\": 132,", "\"units\": 132, \"trials\": \"1\",", "trials"},
        {"\"units\": 132,", "\"units\": 132, \"tilewise\": 1,", "tilewise"},
        {"]}", "]", "not valid JSON"},
        {"\"c\", \"source\"", "\"c\" \"source\"", "m.json:1:852: not valid JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *broken = replaced(text, cases[i].part, cases[i].in_place);
        struct tw_model *model;
        struct tw_error error;
        assert_refuses(tw_model_read(&model, broken, "m.json", &error), TW_INVALID, error,
                       cases[i].says);
        assert_null(model);
        free(broken);
    }
}

/* What a model is about: its kinds' words, and numbers between those that it has seen. */
static void doublings(void **state) {
    (void)state;
    assert_true(tw_model_doublings(8, 2) == 2);
    assert_true(tw_model_doublings(1, 2) == 0);
    assert_true(tw_model_doublings(1000, 2) == tw_model_doublings(1e9, 2));
}

static void kinds(void **state) {
    (void)state;
    static const struct {
        const char *key;
        int kind;
    } cases[] = {{"M=8,N=100", 0},           {"M=8,N=100;step=2", 0},
                 {"M=8,N=100;step=4", 0},    {"M=8,N=100;step=5", -1},
                 {"M=8,N=100;dtype=f64", 1}, {"M=8,N=100;step=2,dtype=f64", -1}};
    char *with_number =
        replaced(scale_text, "\"attributes\": {",
                 "\"attributes\": { \"step\": { \"least\": 1, \"most\": 9, \"default\": 1 },");
    struct tw_description *d = read_description(with_number, NULL);
    char *json =
        replaced(text, "[\"\"],", "[\"\", \";dtype=f64\"], \"ranges\": [{\"step\": [1, 4]}, {}],");
    struct tw_model *model = read_model(json);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_problem problem;
        struct tw_error error;
        must(tw_problem_read(&problem, d, cases[i].key, &error), error);
        assert_int_equal(tw_model_kind(model, &problem), cases[i].kind);
    }
    tw_description_free(d);
    free(with_number);
    /* Numbers that it has not seen, where the description lets it be asked about them: words are
     * the problem's own all the same where a kind has them. */
    char *any_number =
        replaced(scale_text, "\"attributes\": {",
                 "\"attributes\": { \"step\": { \"least\": 1, \"most\": 9, \"default\": 1, "
                 "\"alike\": 9 },");
    char *any_word = replaced(any_number, "[\"f32\", \"f64\"]",
                              "[\"f32\", \"f64\"], \"alike\": [\"f32\", \"f64\"]");
    d = read_description(any_word, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_problem problem;
        struct tw_error error;
        must(tw_problem_read(&problem, d, cases[i].key, &error), error);
        assert_int_equal(tw_model_kind(model, &problem), strstr(cases[i].key, "f64") != NULL);
    }
    tw_description_free(d);
    free(any_number);
    free(any_word);
    /* Words that the description calls alike are of one kind, where there is none of their own. */
    char *alike = replaced(scale_text, "[\"f32\", \"f64\"]",
                           "[\"f32\", \"f64\", \"i8\"], \"alike\": [\"f32\", \"f64\", \"i8\"]");
    static const struct {
        const char *key;
        int kind;
    } likes[] = {{"M=8,N=100", 0}, {"M=8,N=100;dtype=f64", 1}, {"M=8,N=100;dtype=i8", 0}};
    d = read_description(alike, NULL);
    for (size_t i = 0; i < sizeof likes / sizeof *likes; i++) {
        struct tw_problem problem;
        struct tw_error error;
        must(tw_problem_read(&problem, d, likes[i].key, &error), error);
        assert_int_equal(tw_model_kind(model, &problem), likes[i].kind);
        /* A model is asked in words that it was fitted with. */
        struct tw_problem said = tw_model_problem(model, likes[i].kind, &problem);
        char key[TW_PROBLEM_KEY_SIZE];
        tw_problem_key(&said, key);
        assert_string_equal(key, likes[likes[i].kind].key);
    }
    tw_model_free(model);
    tw_description_free(d);
    free(json);
    free(alike);
}

/* From anyone: leaves that are numbers, and sums of them that are none. */
static void leaves_without_bounds(void **state) {
    (void)state;
    const struct tw_estimate estimate = {.overhead = 10};
    static const char *const leaves[] = {"1e308", "-1e308", "800", "-800"};
    for (int i = 0; i < 4; i++) {
        char leaf[40];
        snprintf(leaf, sizeof leaf, "[[%s]], [[5,0.5,2],", leaves[i]);
        char *extreme = replaced(text, "[[5,0.5,2],", leaf);
        snprintf(leaf, sizeof leaf, "\"base\": %s", leaves[i]);
        char *twice = replaced(extreme, "\"base\": 0.5", leaf);
        struct tw_model *model = read_model(twice);
        const double vector[TW_MODEL_MAX_FEATURES] = {0};
        double time = tw_model_predict(model, 0, vector, &estimate);
        assert_true(isfinite(time) && time > 0);
        assert_true(i % 2 == 0 ? time > 1e6 : time < 1e-6);
        tw_model_free(model);
        free(twice);
        free(extreme);
    }
}

static void trees_find_what_is_there(void **state) {
    (void)state;
    enum { COUNT = 400, WIDTH = 3 };
    static double vectors[COUNT * WIDTH], wanted[COUNT], weights[COUNT];
    static bool used[COUNT];
    struct tw_model first = {.feature_count = WIDTH}, again = {.feature_count = WIDTH};
    struct tw_error error;
    for (int i = 0; i < COUNT; i++) {
        vectors[i * WIDTH] = i % 20;
        vectors[i * WIDTH + 1] = i / 20;
        vectors[i * WIDTH + 2] = i * 7919 % 101;
        wanted[i] = (i % 20 > 9 ? 1 : 0) - (i / 20 > 4 ? 2 : 0);
        weights[i] = 1;
        used[i] = i % 3 != 0;
    }
    const struct boost_options options = trees_for(COUNT, false);
    struct squares squares;
    squares_begin(&squares, COUNT, wanted, weights);
    must(boost_fit(&options, vectors, COUNT, WIDTH, &squares.objective, used, &first, &error),
         error);
    must(boost_fit(&options, vectors, COUNT, WIDTH, &squares.objective, used, &again, &error),
         error);
    assert_int_equal(first.node_count, again.node_count);
    assert_memory_equal(first.nodes, again.nodes, (size_t)first.node_count * sizeof *first.nodes);
    const struct tw_estimate one = {.overhead = 1};
    for (int i = 0; i < COUNT; i++) {
        double off = log(tw_model_predict(&first, 0, &vectors[i * WIDTH], &one)) - wanted[i];
        if (fabs(off) > 0.15)
            fail_msg("sample %d: %g of %g", i, off, wanted[i]);
    }
    boost_free(&first);
    boost_free(&again);
}

/* Where trees find nothing to tell apart, what is added to an earlier model is nothing, and what is
 * fitted alone is the mean. */
static void trees_from_nothing(void **state) {
    enum { COUNT = 40 };
    (void)state;
    static const double vectors[COUNT];
    double wanted[COUNT], weights[COUNT];
    for (int i = 0; i < COUNT; i++) {
        wanted[i] = 0.5;
        weights[i] = 1;
    }
    for (int grows_on = 0; grows_on < 2; grows_on++) {
        struct tw_model model = {.feature_count = 1};
        struct tw_error error;
        struct squares squares;
        struct boost_options options = trees_for(COUNT, grows_on != 0);
        options.trees = 0;
        squares_begin(&squares, COUNT, wanted, weights);
        must(boost_fit(&options, vectors, COUNT, 1, &squares.objective, NULL, &model, &error),
             error);
        assert_true(fabs(model.base - (grows_on != 0 ? 0 : 0.5)) < 1e-12);
        boost_free(&model);
    }
}

/* However few there are, in whatever order: no two of as many as there are folds are left out
 * together, and what an earlier model stands for takes nobody's place. */
static void folds_are_as_large(void **state) {
    enum { FOLDS = 5, MOST = 23 };
    static char keys[MOST][16];
    struct sampled_problem problems[MOST], turned[MOST];
    int folds[MOST], again[MOST];
    struct tw_error error;
    (void)state;
    for (int count = 0; count <= MOST; count++) {
        int taught[FOLDS] = {0}, measured[FOLDS] = {0};
        for (int i = 0; i < count; i++) {
            snprintf(keys[i], sizeof keys[i], "M=%d", 7 * i + 3);
            problems[i] = (struct sampled_problem){.key = keys[i], .only_teaches = i % 3 == 2};
            turned[count - 1 - i] = problems[i];
        }
        const struct model_samples samples = {.problem_count = count, .problems = problems};
        const struct model_samples other = {.problem_count = count, .problems = turned};
        must(model_folds(&samples, FOLDS, folds, &error), error);
        must(model_folds(&other, FOLDS, again, &error), error);
        for (int i = 0; i < count; i++) {
            assert_int_equal(folds[i], again[count - 1 - i]);
            assert_in_range(folds[i], 0, FOLDS - 1);
            (problems[i].only_teaches ? taught : measured)[folds[i]]++;
        }
        for (int k = 0; k < FOLDS; k++) {
            assert_in_range(measured[k], (count - count / 3) / FOLDS,
                            (count - count / 3 + FOLDS - 1) / FOLDS);
            assert_in_range(taught[k], count / 3 / FOLDS, (count / 3 + FOLDS - 1) / FOLDS);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions),           cmocka_unit_test(what_is_far),
        cmocka_unit_test(what_is_refused),       cmocka_unit_test(doublings),
        cmocka_unit_test(folds_are_as_large),    cmocka_unit_test(kinds),
        cmocka_unit_test(leaves_without_bounds), cmocka_unit_test(trees_find_what_is_there),
        cmocka_unit_test(trees_from_nothing),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
