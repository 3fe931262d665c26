/* For a problem that was never tuned: what won on another, and is predicted to be fast here. */
#include "tests/support/stored.h"

/* A row for another description than the house's: `hash` gets what its code hashes to. */
static struct row row_of(const struct house *house, const struct tw_description *d,
                         char hash[TW_HASH_SIZE]) {
    struct tw_error error;
    struct row row = usual_row(house);
    must(tw_identity_code(d, 0, "cuda", hash, &error), error);
    row.hash = hash;
    return row;
}

/* Of what took as long, the nearest is the surest. Ratios count, not differences: 16 is nearer to 8
 * than 3 is. */
static void nearest(void **state) {
    struct house *house = *state;
    store_block_row(house, 3, 100, 32, 1);
    store_block_row(house, 16, 100, 128, 1);
    store_block_row(house, 8, 1000, 64, 1);
    struct tw_selection selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_int_equal(selection.configuration.values[0], 128);
    assert_true(selection.distance == 1);
    assert_string_equal(selection.row->problem, "M=16,N=100;dtype=f32");
    assert_null(selection.refused);

    struct tw_problem far = parse_problem(house->description, "4x100");
    selection = selected_for(house, &far, &paper_gpu, "cold");
    assert_int_equal(selection.configuration.values[0], 32);
    assert_true(selection.distance > 0.415 && selection.distance < 0.416); /* log2(4/3) */

    struct tw_error error;
    must(tw_problem_set(&far, "dtype", "f64", &error), error);
    assert_int_equal(selected_for(house, &far, &paper_gpu, "cold").rule, TW_SELECTED_DEFAULT);
    assert_int_equal(selected(house, "warm").rule, TW_SELECTED_DEFAULT);
}

static void what_is_alike(void **state) {
    (void)state;
    struct tw_description *conv2d, *gemm;
    struct tw_problem problem;
    struct tw_error error;
    must(tw_description_builtin(&conv2d, "conv2d", &error), error);
    must(tw_problem_read(
             &problem, conv2d,
             "IMAGES=1,CHANNELS=8,IN_H=9,IN_W=9,FILTERS=8,R=1,S=1;dtype=f16,layout=nhwc", &error),
         error);
    assert_true(tw_problem_has_alike(&problem, ";dtype=bf16,layout=nhwc"));
    assert_false(tw_problem_has_attributes(&problem, ";dtype=bf16,layout=nhwc"));
    assert_true(tw_problem_has_alike(&problem, ";dtype=f16,layout=nhwc"));
    assert_false(tw_problem_has_alike(&problem, ";dtype=bf16"));
    assert_false(tw_problem_has_alike(&problem, ";layout=nhwc"));
    assert_false(tw_problem_has_alike(&problem, ";dtype=bf16,season=1"));
    must(tw_problem_set(&problem, "bias", "filter", &error), error);
    must(tw_problem_set(&problem, "activation", "relu", &error), error);
    assert_true(tw_problem_has_alike(&problem, ";dtype=bf16,layout=nhwc"));
    assert_false(tw_problem_has_alike(&problem, ";dtype=bf16"));
    tw_description_free(conv2d);
    must(tw_description_builtin(&gemm, "gemm", &error), error);
    must(tw_problem_read(&problem, gemm, "M=8,N=8,K=8;dtype=f16,trans=nt", &error), error);
    assert_true(tw_problem_has_alike(&problem, ";dtype=bf16,trans=nt"));
    assert_false(tw_problem_has_alike(&problem, ";dtype=bf16"));
    assert_false(tw_problem_has_alike(&problem, ";trans=nt"));
    /* Groups are each their own. */
    must(tw_problem_read(&problem, gemm, "M=8,N=8,K=8;dtype=e4m3,btype=e5m2,trans=nt,ctype=f32",
                         &error),
         error);
    assert_true(tw_problem_has_alike(&problem, ";dtype=e4m3,trans=nt"));
    assert_true(tw_problem_has_alike(&problem, ";dtype=e5m2,trans=nt,scales=rows"));
    assert_false(tw_problem_has_alike(&problem, ";dtype=e4m3,trans=nt,scales=blocks"));
    assert_false(tw_problem_has_alike(&problem, ";dtype=f16,trans=nt"));
    assert_false(tw_problem_has_alike(&problem, ";dtype=i8,trans=nt"));
    tw_description_free(gemm);
}

/* What won for words that are alike is as good as the problem's own kind, even for its very sizes.
 */
static void alike_words_serve_each_other(void **state) {
    struct house *house = *state;
    char *text = replaced(scale_text, "\"default\": \"f32\"",
                          "\"alike\": [\"f32\", \"f64\"], \"default\": \"f32\"");
    struct tw_description *d = read_description(text, house->scratch->path);
    struct tw_error error;
    char hash[TW_HASH_SIZE];
    struct row row = row_of(house, d, hash);
    row.key = "M=8,N=100;dtype=f64";
    store(house, &row);
    struct tw_problem problem = parse_problem(d, "8x100");
    struct tw_selection selection = selected_for(house, &problem, &paper_gpu, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_true(selection.distance == 0);
    assert_string_equal(selection.row->problem, "M=8,N=100;dtype=f64");
    must(tw_problem_set(&problem, "dtype", "f64", &error), error);
    assert_int_equal(selected_for(house, &problem, &paper_gpu, "cold").rule, TW_SELECTED_EXACT);
    tw_description_free(d);
    free(text);
}

/* What times do not show is the description's to say where nothing was tuned, as far as its own
 * rules allow. */
static void what_is_not_tuned_has_values_of_its_own(void **state) {
    struct house *house = *state;
    char *text = replaced(scale_text, "[\"rows\", \"columns\"]",
                          "{ \"values\": [\"rows\", \"columns\"], \"untuned\": \"rows\" }");
    char *ruled = replaced(text, "\"constraints\": [",
                           "\"constraints\": [\"ORDER == 'columns' || M != 4\", ");
    struct tw_description *d = read_description(ruled, house->scratch->path);
    char hash[TW_HASH_SIZE];
    struct row row = row_of(house, d, hash); /* of 8x100, with columns */
    store(house, &row);
    static const struct {
        const char *shape, *order;
        enum tw_selection_rule rule;
    } cases[] = {{"8x100", "columns", TW_SELECTED_EXACT},
                 {"16x100", "rows", TW_SELECTED_NEAREST},
                 {"4x100", "columns", TW_SELECTED_NEAREST}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_problem problem = parse_problem(d, cases[i].shape);
        struct tw_selection selection = selected_for(house, &problem, &paper_gpu, "cold");
        assert_int_equal(selection.rule, cases[i].rule);
        assert_int_equal(selection.configuration.values[0], 128);
        assert_string_equal(d->implementations[0].symbols->words[selection.configuration.values[1]],
                            cases[i].order);
    }
    tw_description_free(d);
    free(ruled);
    free(text);
}

/* It may depend on the problem and the other parameters. What is no value of the parameter, cannot
 * be worked out or is not allowed leaves what was measured, and what two rows become is told once.
 */
static void what_is_not_tuned_is_worked_out(void **state) {
    struct house *house = *state;
    char *text = replaced(scale_text, "\"BLOCK_X\": [32, 64, 128]",
                          "\"BLOCK_X\": { \"values\": [32, 64, 128], \"untuned\": "
                          "\"M == 24 ? 48 : M == 40 ? 1/(N - 100) : M >= 16 && GROUP == 4 ? 64 : "
                          "BLOCK_X\" }");
    char *ruled =
        replaced(text, "\"constraints\": [", "\"constraints\": [\"BLOCK_X != 64 || M != 56\", ");
    struct tw_description *d = read_description(ruled, house->scratch->path);
    char hash[TW_HASH_SIZE];
    struct row row = row_of(house, d, hash); /* of 8x100: 128, in groups of 4 */
    store(house, &row);
    row.key = "M=8,N=90;dtype=f32";
    row.n = 90;
    row.configuration = "{\"BLOCK_X\":32,\"GROUP\":4,\"ORDER\":\"columns\"}";
    row.time_us = 60;
    store(house, &row);
    row.key = "M=8,N=80;dtype=f32";
    row.n = 80;
    row.configuration = "{\"BLOCK_X\":32,\"GROUP\":1,\"ORDER\":\"columns\"}";
    row.time_us = 70;
    store(house, &row);
    static const struct {
        const char *shape;
        enum tw_selection_rule rule;
        int block, others; /* of the rows and the preset, where it is allowed */
    } cases[] = {{"8x100", TW_SELECTED_EXACT, 128, 0},    {"12x100", TW_SELECTED_NEAREST, 128, 3},
                 {"16x100", TW_SELECTED_NEAREST, 64, 2},  {"24x100", TW_SELECTED_NEAREST, 128, 3},
                 {"40x100", TW_SELECTED_NEAREST, 128, 3}, {"56x100", TW_SELECTED_NEAREST, 128, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_problem problem = parse_problem(d, cases[i].shape);
        struct tw_selection selection = selected_for(house, &problem, &paper_gpu, "cold");
        assert_int_equal(selection.rule, cases[i].rule);
        assert_int_equal(selection.configuration.values[0], cases[i].block);
        assert_int_equal(selection.other_count, cases[i].others);
    }
    tw_description_free(d);
    free(ruled);
    free(text);
}

static void nearest_that_can_be_used(void **state) {
    struct house *house = *state;
    store_block_row(house, 8, 101, 96, 1); /* 96 is no value any more */
    store_block_row(house, 8, 150, 128, 1);
    struct tw_selection selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_int_equal(selection.configuration.values[0], 128);
    assert_string_equal(selection.refused->problem, "M=8,N=101;dtype=f32");
    assert_says(selection.refusal, "BLOCK_X");
    /* One for this very problem that cannot be used gives way to a near one, and is named. */
    store_block_row(house, 8, 100, 33, 1);
    selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_string_equal(selection.refused->problem, "M=8,N=100;dtype=f32");
}

/* Predicted to take the same, the order in which they were stored must not decide. */
static void ties_are_settled(void **state) {
    struct house *house = *state;
    store_block_row(house, 8, 200, 64, 2);
    struct row row = usual_row(house);
    row.key = "M=16,N=100;dtype=f32";
    row.m = 16;
    row.configuration = "{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"}";
    row.time_us = 2;
    store(house, &row);
    struct tw_selection selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_string_equal(selection.row->problem, "M=16,N=100;dtype=f32"); /* < "M=8..." */
    assert_int_equal(selection.other_count, 2);
    assert_true(selection.others[0].predicted_us == selection.predicted_us);
}

/* Of two that were measured about alike the one whose launch may begin early is faster on a stream,
 * but not by what several microseconds were measured more. */
static void what_begins_early_comes_first(void **state) {
    struct house *house = *state;
    char *text = replaced(scale_text, "\"min_blocks\": \"1\",",
                          "\"min_blocks\": \"1\", \"early\": \"BLOCK_X == 128\",");
    struct tw_description *d = read_description(text, house->scratch->path);
    struct tw_problem problem = parse_problem(d, "8x100");
    static const struct {
        double early_us;
        int block;
    } cases[] = {{20, 128}, {20.5, 128}, {30, 64}};
    char hash[TW_HASH_SIZE];
    struct row row = row_of(house, d, hash);
    row.key = "M=16,N=100;dtype=f32";
    row.m = 16;
    row.configuration = "{\"BLOCK_X\":64,\"GROUP\":1,\"ORDER\":\"rows\"}";
    row.time_us = 20;
    store(house, &row);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        row.key = "M=8,N=200;dtype=f32";
        row.m = 8;
        row.n = 200;
        row.configuration = "{\"BLOCK_X\":128,\"GROUP\":1,\"ORDER\":\"rows\"}";
        row.time_us = cases[i].early_us;
        store(house, &row);
        struct tw_selection selection = selected_for(house, &problem, &paper_gpu, "cold");
        assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
        assert_int_equal(selection.configuration.values[0], cases[i].block);
    }
    tw_description_free(d);
    free(text);
}

/* A description that computes, for which what blocks do beyond the edges counts. */
static struct tw_description *computing(const struct house *house) {
    char *text = replaced(scale_text, "\"flops\": \"0\"", "\"flops\": \"100000*M*N\"");
    struct tw_description *d = read_description(text, house->scratch->path);
    free(text);
    return d;
}

/* What was nearest has blocks of which half would be beyond the edge: what fits is taken, and the
 * other is told of, with what it would take. */
static void a_gross_loss_is_avoided(void **state) {
    struct house *house = *state;
    struct tw_description *d = computing(house);
    char hash[TW_HASH_SIZE];
    struct row row = row_of(house, d, hash);
    row.key = "M=4096,N=128";
    row.m = 4096;
    row.n = 128;
    row.time_us = 1000;
    store(house, &row);
    row.key = "M=4096,N=96";
    row.n = 96;
    row.configuration = "{\"BLOCK_X\":32,\"GROUP\":4,\"ORDER\":\"rows\"}";
    row.time_us = 800;
    store(house, &row);
    struct tw_problem problem = parse_problem(d, "4096x128");
    struct tw_selection selection = selected_for(house, &problem, &paper_gpu, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_EXACT);
    assert_true(selection.predicted_us == 0);
    problem = parse_problem(d, "4096x130");
    selection = selected_for(house, &problem, &paper_gpu, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_int_equal(selection.configuration.values[0], 32);
    /* Five blocks where there were three. */
    assert_true(selection.predicted_us > 1200 && selection.predicted_us < 1400);
    assert_true(selection.uncertainty > 0 && selection.uncertainty < 0.5);
    assert_true(selection.other_count >= 1);
    /* Two blocks where there was one. */
    assert_string_equal(selection.others[0].row->problem, "M=4096,N=128");
    assert_true(selection.others[0].predicted_us > 1900 && selection.others[0].predicted_us < 2100);
    tw_description_free(d);
}

/* Far away, what the description calls redundant here gives way to its own choice; near by it is
 * the best that is known. */
static void what_is_far_and_redundant_is_passed_over(void **state) {
    struct house *house = *state;
    char *text = replaced(scale_text, "M == 1 && ORDER == 'columns'", "GROUP > 1 && M > 1000");
    struct tw_description *d = read_description(text, house->scratch->path);
    char hash[TW_HASH_SIZE];
    struct row row = row_of(house, d, hash);
    row.configuration = "{\"BLOCK_X\":64,\"GROUP\":4,\"ORDER\":\"rows\"}";
    row.key = "M=500,N=100";
    row.m = 500;
    row.n = 100;
    store(house, &row);
    static const struct {
        const char *shape;
        enum tw_selection_rule rule;
    } cases[] = {{"501x100", TW_SELECTED_NEAREST},
                 {"1001x100", TW_SELECTED_NEAREST},
                 {"1001x3000", TW_SELECTED_DEFAULT},
                 {"999x3000", TW_SELECTED_NEAREST}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_problem problem = parse_problem(d, cases[i].shape);
        struct tw_selection selection = selected_for(house, &problem, &paper_gpu, "cold");
        assert_int_equal(selection.rule, cases[i].rule);
        if (cases[i].rule == TW_SELECTED_DEFAULT)
            assert_says(selection.refusal, "doublings away");
    }
    tw_description_free(d);
    free(text);
}

/* This device's own, however far, before another's, however near. */
static void this_device_first(void **state) {
    struct house *house = *state;
    struct row row = usual_row(house);
    row.fingerprint = "cuda|Another GPU|114 units|sm_90|80 GiB";
    store(house, &row);
    struct tw_selection selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_ARCHITECTURE);
    assert_true(selection.distance == 0);
    assert_string_equal(selection.row->device, row.fingerprint);
    store_block_row(house, 8000, 1, 32, 1);
    selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_int_equal(selection.configuration.values[0], 32);
}

/* Configurations of these blocks are there. */
struct there {
    int64_t loaded, on_disk;
    int asked[2];
};

static bool is_there(void *context, const struct tw_configuration *configuration,
                     enum tw_ready where) {
    struct there *there = context;
    there->asked[where]++;
    return configuration->values[0] == (where == TW_READY_LOADED ? there->loaded : there->on_disk);
}

/* Of what is predicted to be about as fast, what needs no compiler; what is loaded first. */
static void what_is_there_is_preferred(void **state) {
    static const struct {
        struct there there;
        double tolerance;
        int64_t chosen;
    } cases[] = {
        {{.loaded = 0}, 0.5, 32},                  /* nothing is there */
        {{.loaded = 64}, 0.5, 64},                 /* a little worse, */
        {{.on_disk = 64}, 0.5, 64},                /* from wherever */
        {{.loaded = 128}, 0.5, 32},                /* far worse */
        {{.loaded = 128}, 1, 128},                 /* but not too far */
        {{.loaded = 64, .on_disk = 32}, 0.5, 64},  /* the best would have to be loaded */
        {{.loaded = 32, .on_disk = 64}, 0.5, 32},  /* it is the best */
        {{.loaded = 128, .on_disk = 64}, 0.5, 64}, /* of those that come close */
        {{.loaded = 64, .on_disk = 64}, 0.01, 32}, /* none does */
    };
    struct house *house = *state;
    store_block_row(house, 16, 100, 32, 10);
    store_block_row(house, 16, 101, 64, 12);
    store_block_row(house, 16, 99, 128, 18);
    catalogue_of(house);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct there there = cases[i].there;
        struct tw_selection s;
        struct tw_error error;
        const struct tw_query query = {.catalogue = house->catalogue,
                                       .problem = &house->problem,
                                       .device = &paper_gpu,
                                       .cache = "cold",
                                       .context = &there,
                                       .ready = is_there,
                                       .tolerance = cases[i].tolerance};
        must(tw_select(&query, &s, &error), error);
        assert_int_equal(s.configuration.values[0], cases[i].chosen);
        assert_int_equal(s.ready, cases[i].chosen != 32);
        if (s.ready)
            assert_int_equal(s.others[0].configuration.values[0], 32);
        assert_true(there.asked[TW_READY_ON_DISK] == 0 || there.loaded != cases[i].chosen);
    }
    /* The problem's own result is taken wherever its binary is. */
    store_block_row(house, 8, 100, 64, 7);
    catalogue_of(house);
    struct there there = {.loaded = 32};
    struct tw_selection s;
    struct tw_error error;
    const struct tw_query query = {.catalogue = house->catalogue,
                                   .problem = &house->problem,
                                   .device = &paper_gpu,
                                   .cache = "cold",
                                   .context = &there,
                                   .ready = is_there,
                                   .tolerance = 1};
    must(tw_select(&query, &s, &error), error);
    assert_int_equal(s.rule, TW_SELECTED_EXACT);
    assert_int_equal(there.asked[TW_READY_LOADED], 0);
}

/* What a later database says of the same row holds. */
static void later_databases_override(void **state) {
    struct house *house = *state;
    struct tw_selection selection;
    struct tw_error error;
    struct row row = usual_row(house);
    tw_db *first = house->db;
    char path[1024], message[TW_DB_MESSAGE_SIZE];
    snprintf(path, sizeof path, "%s/second.db", house->scratch->path);
    store(house, &row);
    assert_int_equal(tw_db_open(&house->db, path, TW_DB_WRITE, message, sizeof message), TW_DB_OK);
    row.configuration = "{\"BLOCK_X\":32,\"GROUP\":1,\"ORDER\":\"rows\"}";
    row.time_us = 99; /* slower, but the user's own */
    store(house, &row);
    for (int i = 0; i < 2; i++) {
        tw_catalogue_free(house->catalogue);
        must(tw_catalogue_create(&house->catalogue, &error), error);
        must(tw_catalogue_add(house->catalogue, i == 0 ? first : house->db, &error), error);
        must(tw_catalogue_add(house->catalogue, i == 0 ? house->db : first, &error), error);
        assert_int_equal(tw_catalogue_size(house->catalogue), 1);
        const struct tw_query query = {.catalogue = house->catalogue,
                                       .problem = &house->problem,
                                       .device = &paper_gpu,
                                       .cache = "cold"};
        must(tw_select(&query, &selection, &error), error);
        assert_int_equal(selection.configuration.values[0], i == 0 ? 32 : 128);
    }
    tw_db_close(first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HOUSE_TEST(nearest),
        cmocka_unit_test(what_is_alike),
        HOUSE_TEST(alike_words_serve_each_other),
        HOUSE_TEST(what_is_not_tuned_has_values_of_its_own),
        HOUSE_TEST(what_is_not_tuned_is_worked_out),
        HOUSE_TEST(nearest_that_can_be_used),
        HOUSE_TEST(ties_are_settled),
        HOUSE_TEST(what_begins_early_comes_first),
        HOUSE_TEST(a_gross_loss_is_avoided),
        HOUSE_TEST(what_is_far_and_redundant_is_passed_over),
        HOUSE_TEST(this_device_first),
        HOUSE_TEST(what_is_there_is_preferred),
        HOUSE_TEST(later_databases_override),
    };
    return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
