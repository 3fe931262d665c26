/* For a problem that was never tuned: what a model of its device predicts to be fast. */
#include <math.h>
#include <pthread.h>

#include "tests/support/stored.h"
#include "tuner/record/best_predicted.h"

/* Stores a model of the house's device that knows one configuration, of blocks of 32, which was
 * measured on some of the kinds of problems that it is about. Before it stand `first`, as JSON, and
 * `others` that are of the second kind. */
static void store_model_with(struct house *house, const char *first, const char *attributes,
                             const char *kinds, int others, const char *says) {
    const struct row row = usual_row(house);
    struct tw_text text = {0};
    struct tw_error error;
    char source[TW_HASH_SIZE], judge[TW_HASH_SIZE];
    int64_t slots[TW_DEVICE_SLOTS];
    struct tw_configuration known = {.values = {32, 0, 1}};
    known.values[1] = tw_symbols_find_word(house->description->implementations[0].symbols, "rows");
    tw_device_values(&paper_gpu, slots);
    must(tw_identity_source(&house->problem, &known, "cuda", slots, source, &error), error);
    must(tw_identity_judge(&house->problem, "cuda", slots, judge, &error), error);
    tw_text_print(
        &text,
        "{\"format\": \"tilewise-model\", \"version\": 1, \"kernel\": \"scale\", \"cache\": "
        "\"cold\","
        " \"device\": \"%s\", \"device_name\": \"Paper GPU\", \"backend\": \"cuda\","
        " \"architecture\": \"sm_90\", \"units\": 132, \"attributes\": [%s], \"uncertainty\": "
        "0.1,"
        " \"base\": 0, %s, \"configurations\": [%s",
        row.fingerprint, attributes, says, first);
    for (int i = 0; i <= others; i++)
        tw_text_print(
            &text,
            "{\"implementation\": \"direct\","
            " \"configuration\": "
            "\"{\\\"BLOCK_X\\\":32,\\\"GROUP\\\":1,\\\"ORDER\\\":\\\"rows\\\"}\","
            " \"problem\": \"M=8,N=100\", \"time_us\": 2, %s\"code\": \"%s\", \"source\": \"%s\","
            " \"judge\": \"%s\"}%s",
            i < others ? "\"kinds\": [1], " : kinds, row.hash, source, judge,
            i < others ? ", " : "]}");
    const struct tw_db_model model = {
        .kernel = "scale", .device = row.fingerprint, .cache_policy = "cold", .text = text.data};
    must_db(tw_db_model_put(house->db, &model), house->db);
    tw_text_free(&text);
}

static void store_model_that(struct house *house, const char *attributes, const char *kinds,
                             int others, const char *says) {
    store_model_with(house, "", attributes, kinds, others, says);
}

/* That the narrowest blocks are the fastest. */
static void store_long_model(struct house *house, const char *attributes, const char *kinds,
                             int others) {
    store_model_that(house, attributes, kinds, others,
                     "\"features\": [{\"name\": \"parameter.BLOCK_X\"}],"
                     " \"trees\": [[[0,32,2],[-1],[0]]]");
}

static void store_model_of(struct house *house, const char *attributes, const char *kinds) {
    store_long_model(house, attributes, kinds, 0);
}

static void store_model(struct house *house) {
    store_model_of(house, "\"\"", "");
}

/* What fits, but was measured on no such problem, is nothing that a model chooses. */
static void only_what_was_measured(void **state) {
    struct house *house = *state;
    struct tw_error error;
    struct tw_problem doubles = house->problem;
    must(tw_problem_set(&doubles, "dtype", "f64", &error), error);
    static const struct {
        const char *kinds;
        enum tw_selection_rule floats, doubles;
    } cases[] = {{"", TW_SELECTED_PREDICTED, TW_SELECTED_PREDICTED},
                 {"\"kinds\": [0], ", TW_SELECTED_PREDICTED, TW_SELECTED_DEFAULT},
                 {"\"kinds\": [1], ", TW_SELECTED_DEFAULT, TW_SELECTED_PREDICTED},
                 {"\"kinds\": [1, 0], ", TW_SELECTED_PREDICTED, TW_SELECTED_PREDICTED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        store_model_of(house, "\"\", \";dtype=f64\"", cases[i].kinds);
        assert_int_equal(selected(house, "cold").rule, cases[i].floats);
        assert_int_equal(selected_for(house, &doubles, &paper_gpu, "cold").rule, cases[i].doubles);
    }
    /* However many of other kinds stand before it. */
    store_long_model(house, "\"\", \";dtype=f64\"", "\"kinds\": [0], ", 600);
    assert_int_equal(selected(house, "cold").rule, TW_SELECTED_PREDICTED);
}

/* A model of the device knows configurations that no row has, and predicts them; one of another
 * device of its architecture stands in for it. */
static void a_model_chooses(void **state) {
    struct house *house = *state;
    struct tw_error error;
    store_model(house);
    store_block_row(house, 16, 100, 128, 7);
    struct tw_selection selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_PREDICTED);
    assert_int_equal(selection.configuration.values[0], 32);
    assert_int_equal(selection.other_count, 1);
    assert_int_equal(selection.others[0].configuration.values[0], 128);
    assert_true(selection.uncertainty > 0.099 && selection.uncertainty < 0.101);
    /* Elsewhere it is less sure. */
    struct tw_device_info other = paper_gpu;
    other.memory_bytes /= 2;
    selection = selected_for(house, &house->problem, &other, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_PREDICTED);
    assert_true(selection.uncertainty > 0.15);
    /* It says nothing of other attributes and cache policies, and nothing at all once its code is
     * another. */
    struct tw_problem doubles = house->problem;
    must(tw_problem_set(&doubles, "dtype", "f64", &error), error);
    assert_int_equal(selected_for(house, &doubles, &paper_gpu, "cold").rule, TW_SELECTED_DEFAULT);
    assert_int_equal(selected(house, "warm").rule, TW_SELECTED_DEFAULT);
    char path[1024];
    scratch_write(house->scratch, "scale/direct.cu", "void improved(void);", path);
    assert_int_equal(selected(house, "cold").rule, TW_SELECTED_DEFAULT);
}

/* What won where there was little to do is doubted where there is much, if the model says so. */
static void what_won_elsewhere(void **state) {
    struct house *house = *state;
    const struct tw_problem large = parse_problem(house->description, "8192x100000");
    static const char *const says[] = {"", "\"doubling\": 0.5, "};
    struct tw_selection selection[2];
    store_block_row(house, 16, 100, 128, 7);
    for (int i = 0; i < 2; i++) {
        struct tw_text text = {0};
        tw_text_print(&text,
                      "%s\"features\": [{\"name\": \"parameter.BLOCK_X\"}],"
                      " \"trees\": [[[0,32,2],[-1],[0]]]",
                      says[i]);
        store_model_that(house, "\"\"", "", 0, text.data);
        tw_text_free(&text);
        assert_int_equal(selected(house, "cold").configuration.values[0], 32);
        selection[i] = selected_for(house, &large, &paper_gpu, "cold");
    }
    assert_int_equal(selection[0].configuration.values[0], 32);
    assert_int_equal(selection[1].configuration.values[0], 128);
    const double doubt = selection[1].others[0].uncertainty - selection[0].uncertainty;
    assert_int_equal(selection[1].others[0].configuration.values[0], 32);
    assert_true(doubt > 1.99 && doubt < 2.01);
}

/* What a result takes here is what it took there, by what the model says of both sizes: of a jump
 * between them it knows, and estimates do not. */
static void what_sizes_do(void **state) {
    struct house *house = *state;
    static const char *const jumps[] = {"0", "1"};
    const struct tw_problem wider = parse_problem(house->description, "16x200");
    struct tw_selection selection[2];
    store_block_row(house, 16, 100, 128, 0.2);
    for (int i = 0; i < 2; i++) {
        struct tw_text text = {0};
        tw_text_print(&text,
                      "\"features\": [{\"name\": \"dimension.N\"}],"
                      " \"trees\": [[[0,150,2],[0],[%s]]]",
                      jumps[i]);
        store_model_that(house, "\"\"", "", 0, text.data);
        tw_text_free(&text);
        selection[i] = selected_for(house, &wider, &paper_gpu, "cold");
        assert_int_equal(selection[i].rule, TW_SELECTED_NEAREST);
        assert_int_equal(selection[i].configuration.values[0], 128);
    }
    assert_true(fabs(selection[1].predicted_us / selection[0].predicted_us / exp(1) - 1) < 1e-9);
    /* The nearer it was measured the more it says. */
    const struct tw_problem near = parse_problem(house->description, "17x101");
    const struct tw_selection s = selected_for(house, &near, &paper_gpu, "cold");
    assert_int_equal(s.rule, TW_SELECTED_NEAREST);
    assert_true(s.uncertainty < selection[0].uncertainty);
    assert_true(s.predicted_us < selection[0].predicted_us);
}

/* Of an implementation that a model predicts more or less surely than others it says so. */
static void how_sure_of_an_implementation(void **state) {
    struct house *house = *state;
    static const struct {
        const char *says;
        double uncertainty;
    } cases[] = {{"{\"direct\": 0.03, \"another\": 0.2}", 0.03},
                 {"{\"another\": 0.2, \"direct\": 0.4}", 0.4},
                 {"{\"another\": 0.2}", 0.1},
                 {"{}", 0.1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char says[200];
        snprintf(says, sizeof says,
                 "\"uncertainties\": %s, \"features\": [{\"name\": \"parameter.BLOCK_X\"}],"
                 " \"trees\": [[[0,32,2],[-1],[0]]]",
                 cases[i].says);
        store_model_that(house, "\"\"", "", 0, says);
        const double uncertainty = selected(house, "cold").uncertainty;
        assert_true(fabs(uncertainty - cases[i].uncertainty) < 1e-9);
    }
}

/* What a model that goes on from another has learnt late, all its trees together say, unless it
 * knows so many configurations that not each can be predicted with all of them. */
static void what_the_last_trees_say(void **state) {
    struct house *house = *state;
    struct tw_text says = {0};
    tw_text_print(&says, "\"features\": [{\"name\": \"parameter.BLOCK_X\"}], \"trees\": [");
    for (int i = 0; i < 60; i++)
        tw_text_print(&says, "%s[[0,32,2],[%s],[0]]", i > 0 ? "," : "", i < 50 ? "0.1" : "-0.6");
    tw_text_print(&says, "]");
    store_block_row(house, 16, 100, 128, 7);
    store_model_that(house, "\"\", \";dtype=f64\"", "\"kinds\": [0], ", 0, says.data);
    assert_int_equal(selected(house, "cold").configuration.values[0], 32);
    store_model_that(house, "\"\", \";dtype=f64\"", "\"kinds\": [0], ", 200, says.data);
    assert_int_equal(selected(house, "cold").configuration.values[0], 128);
    tw_text_free(&says);
}

/* What two forests say together is chosen by: the one alone prefers the row's. */
static void by_both_forests(void **state) {
    struct house *house = *state;
    static const struct {
        const char *forests;
        int block;
    } cases[] = {{"{\"kinds\": [0], \"base\": 0, \"trees\": 1}", 128},
                 {"{\"kinds\": [0], \"base\": 0, \"trees\": 1},"
                  " {\"kinds\": [0], \"base\": 0, \"beside\": true, \"trees\": 1}",
                  32}};
    store_block_row(house, 16, 100, 128, 7);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char says[400];
        snprintf(says, sizeof says,
                 "\"forests\": [%s], \"features\": [{\"name\": \"parameter.BLOCK_X\"}],"
                 " \"trees\": [[[0,32,2],[0],[-0.4]]%s]",
                 cases[i].forests, i > 0 ? ", [[0,32,2],[0],[1.5]]" : "");
        store_model_that(house, "\"\"", "", 0, says);
        assert_int_equal(selected(house, "cold").configuration.values[0], cases[i].block);
    }
}

/* The description with another implementation, and a rule that prefers one of its presets. */
static struct tw_description *with_another(const struct house *house, const char *preset) {
    static const char another[] =
        "\"implementations\": [{\"name\": \"another\", \"summary\": \"the same\", \"parameters\": "
        "{\"BLOCK_X\": [32, 64]}, \"defines\": {\"RAGGED\": \"1\", \"ORDER\": \"0\"}, "
        "\"launches\": [{\"templates\": [\"scale/direct.cu\"], \"function\": \"scale_direct\", "
        "\"block\": [\"BLOCK_X\"], \"grid\": [\"ceil_div(N, BLOCK_X)\", \"M\"], \"pass\": [\"A\", "
        "\"B\", \"M\", \"N\", \"lda\", \"ldb\", \"alpha\"]}], \"presets\": {\"another\": "
        "{\"BLOCK_X\": 64}}},";
    char rule[200];
    snprintf(rule, sizeof rule,
             "\"fallback\": [{\"when\": \"M >= 1\", \"preset\": \"%s\"}], \"reference\"", preset);
    char *ruled = replaced(scale_text, "\"reference\"", rule);
    char *text = replaced(ruled, "\"implementations\": [", another);
    struct tw_description *d = read_description(text, house->scratch->path);
    free(text);
    free(ruled);
    return d;
}

/* How many of the candidates are the rule's. */
static int preferred(struct house *house, const struct tw_description *d) {
    const struct tw_problem problem = parse_problem(d, "8x100");
    const struct tw_selection s = selected_for(house, &problem, &paper_gpu, "cold");
    int count = s.rule == TW_SELECTED_FALLBACK;
    for (int i = 0; i < s.other_count; i++)
        count += s.others[i].rule == TW_SELECTED_FALLBACK;
    return count;
}

/* A binary that a model chooses is launched with what it says is best, of what is known of other
 * configurations, if that is worth it. */
static void a_model_chooses_launches(void **state) {
    struct house *house = *state;
    static const struct {
        const char *says;
        int group, others;
    } cases[] = {{"-0.3", 4, 2}, {"-0.01", 1, 1}, {"0.3", 1, 1}};
    store_model(house);
    assert_int_equal(selected(house, "cold").configuration.values[2], 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char says[400];
        snprintf(says, sizeof says,
                 "\"features\": [{\"name\": \"parameter.BLOCK_X\"}, {\"name\": "
                 "\"parameter.GROUP\"}], \"trees\": [[[0,32,2],[-1],[0]], [[1,2,2],[0],[%s]]]",
                 cases[i].says);
        store_model_that(house, "\"\"", "", 0, says);
        if (i == 0) {
            /* Nothing is known to be launched otherwise. */
            assert_int_equal(selected(house, "cold").configuration.values[2], 1);
            store_block_row(house, 16, 100, 128, 7);
        }
        const struct tw_selection selection = selected(house, "cold");
        assert_int_equal(selection.rule, TW_SELECTED_PREDICTED);
        assert_int_equal(selection.configuration.values[0], 32);
        assert_int_equal(selection.configuration.values[2], cases[i].group);
        assert_int_equal(selection.other_count, cases[i].others);
    }
}

/* A model has never seen an implementation that came later, whether or not there are rows; what it
 * was fitted with, it judges, also where what was good of that was good elsewhere. */
static void a_model_does_not_know_all(void **state) {
    struct house *house = *state;
    struct tw_description *newer = with_another(house, "another");
    struct tw_description *older = with_another(house, "default");
    store_model(house);
    assert_int_equal(preferred(house, newer), 1);
    assert_int_equal(preferred(house, older), 0);
    store_block_row(house, 16, 100, 128, 7);
    assert_int_equal(preferred(house, newer), 1);
    assert_int_equal(preferred(house, older), 0);
    /* What it knows on such problems it judges too where none of that is a candidate. */
    static const struct {
        const char *kinds;
        int preferred;
    } cases[] = {{"\"kinds\": [0], ", 0}, {"\"kinds\": [0, 1], ", 0}, {"\"kinds\": [1], ", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char first[300];
        snprintf(
            first, sizeof first,
            "{\"implementation\": \"another\", \"configuration\": \"{\\\"BLOCK_X\\\":128}\","
            " \"problem\": \"M=8,N=100\", \"time_us\": 2, %s\"code\": \"c\", \"source\": \"s\","
            " \"judge\": \"j\"}, ",
            cases[i].kinds);
        store_model_with(house, first, "\"\", \";dtype=f64\"", "\"kinds\": [0], ", 0,
                         "\"features\": [{\"name\": \"parameter.BLOCK_X\"}],"
                         " \"trees\": [[[0,32,2],[-1],[0]]]");
        assert_int_equal(preferred(house, newer), cases[i].preferred);
    }
    tw_description_free(newer);
    tw_description_free(older);
}

/* One that is damaged is told of where it would have been asked, and nowhere else. */
static void a_model_that_cannot_be_read(void **state) {
    struct house *house = *state;
    struct row row = usual_row(house);
    struct tw_error error;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"{\"format\": \"tilewise-model\"", "not valid JSON"},
        {"{\"trees\": [[[0,32,1]]]}", "missing"},
        {"{\"format\": \"tilewise-model\", \"version\": 1, \"kernel\": \"scale\", \"cache\": "
         "\"cold\","
         " \"device\": \"d\", \"device_name\": \"D\", \"backend\": \"cuda\", \"architecture\": "
         "\"sm_90\","
         " \"units\": 132, \"attributes\": [\"\"], \"uncertainty\": 0.1, \"base\": 0, "
         "\"features\": [],"
         " \"trees\": [], \"configurations\": []}",
         "stored as one about something else"},
    };
    store_block_row(house, 16, 100, 128, 7);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct tw_db_model model = {.kernel = "scale",
                                          .device = row.fingerprint,
                                          .cache_policy = "cold",
                                          .text = cases[i].text};
        must_db(tw_db_model_put(house->db, &model), house->db);
        struct tw_selection selection = selected(house, "cold");
        assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
        assert_says(selection.unread, "the model of scale on cuda|");
        assert_says(selection.unread, cases[i].says);
        assert_string_equal(selected(house, "warm").unread, "");
    }
    store_block_row(house, 8, 100, 64, 7);
    assert_string_equal(selected(house, "cold").unread, ""); /* its own row is enough */
    const struct tw_catalogue *catalogue = catalogue_of(house);
    const struct tw_catalogue_model *model;
    assert_int_equal(tw_catalogue_models(catalogue), 1);
    for (int again = 0; again < 2; again++)
        assert_refuses(tw_catalogue_model(catalogue, 0, &model, &error), TW_INVALID, error,
                       "scale");
}

static void *select_one(void *context) {
    struct house *house = context;
    struct tw_selection *selection = malloc(sizeof *selection);
    struct tw_error error;
    const struct tw_query query = {.catalogue = house->catalogue,
                                   .problem = &house->problem,
                                   .device = &paper_gpu,
                                   .cache = "cold"};
    if (selection != NULL && tw_select(&query, selection, &error) != TW_OK) {
        free(selection);
        return NULL;
    }
    return selection;
}

/* The model is read when it is first asked for, by whoever is first. */
static void many_ask_a_model(void **state) {
    struct house *house = *state;
    pthread_t threads[8];
    store_model(house);
    store_block_row(house, 16, 100, 128, 7);
    catalogue_of(house);
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, select_one, house), 0);
    for (int i = 0; i < 8; i++) {
        void *selection = NULL;
        assert_int_equal(pthread_join(threads[i], &selection), 0);
        assert_non_null(selection);
        assert_int_equal(((struct tw_selection *)selection)->rule, TW_SELECTED_PREDICTED);
        free(selection);
    }
}

/* Of each problem what the model predicts to take least of all that there is, known to it or not.
 */
static void what_a_recording_hopes_of(void **state) {
    struct house *house = *state;
    struct tw_error error;
    const struct tw_problem problems[] = {house->problem,
                                          parse_problem(house->description, "64x300"),
                                          parse_problem(house->description, "5x7000")};
    struct tw_configuration first[8];
    volatile sig_atomic_t interrupted = 0;
    int count = 0;
    store_long_model(house, "\"\"", "", 0);
    const struct tw_catalogue *catalogue = catalogue_of(house);
    for (int jobs = 1; jobs <= 4; jobs += 3)
        for (int other = 0; other < 2; other++) {
            struct portfolio portfolio = {0};
            const struct record_options options = {.cache = "cold",
                                                   .jobs = jobs,
                                                   .interrupted = &interrupted,
                                                   .models = other ? NULL : catalogue,
                                                   .other_models = other ? catalogue : NULL};
            must(
                portfolio_add_best_predicted(&portfolio, &options, problems, 3, &paper_gpu, &error),
                error);
            assert_in_range(portfolio.count, 1, 8);
            assert_int_equal(portfolio.all[0].values[0], 32);
            if (count == 0) {
                count = portfolio.count;
                memcpy(first, portfolio.all, (size_t)count * sizeof *first);
            }
            assert_int_equal(portfolio.count, count);
            for (int i = 0; i < count; i++)
                assert_true(
                    tw_configuration_equal(house->description, &portfolio.all[i], &first[i]));
            portfolio_free(&portfolio);
        }
    /* Nothing where there is no model of such problems, or no time left. */
    struct tw_problem doubles = house->problem;
    must(tw_problem_set(&doubles, "dtype", "f64", &error), error);
    struct portfolio nothing = {0};
    struct record_options options = {
        .cache = "cold", .jobs = 2, .interrupted = &interrupted, .models = catalogue};
    must(portfolio_add_best_predicted(&nothing, &options, &doubles, 1, &paper_gpu, &error), error);
    interrupted = 1;
    must(portfolio_add_best_predicted(&nothing, &options, problems, 3, &paper_gpu, &error), error);
    assert_int_equal(nothing.count, 0);
    portfolio_free(&nothing);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HOUSE_TEST(what_won_elsewhere),        HOUSE_TEST(what_sizes_do),
        HOUSE_TEST(a_model_chooses),           HOUSE_TEST(what_the_last_trees_say),
        HOUSE_TEST(a_model_chooses_launches),  HOUSE_TEST(only_what_was_measured),
        HOUSE_TEST(a_model_does_not_know_all), HOUSE_TEST(a_model_that_cannot_be_read),
        HOUSE_TEST(many_ask_a_model),          HOUSE_TEST(how_sure_of_an_implementation),
        HOUSE_TEST(by_both_forests),           HOUSE_TEST(what_a_recording_hopes_of),
    };
    return cmocka_run_group_tests_name("model choice", tests, NULL, NULL);
}
