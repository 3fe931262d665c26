/* Which configuration a problem gets: the one stored for it, if it can be used, else the default.
 */
#include "tests/support/stored.h"

static void assert_default(struct house *house, const char *refusal) {
    struct tw_selection selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_DEFAULT);
    assert_int_equal(selection.configuration.implementation, 0);
    assert_int_equal(selection.configuration.values[0], 64);
    assert_int_equal(selection.configuration.values[2], 1);
    assert_null(selection.row);
    if (refusal == NULL)
        assert_null(selection.refused);
    else
        assert_says(selection.refusal, refusal);
}

static void exact(void **state) {
    struct house *house = *state;
    struct row row = usual_row(house);
    store(house, &row);
    struct tw_selection selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_EXACT);
    assert_int_equal(selection.configuration.implementation, 0);
    assert_int_equal(selection.configuration.values[0], 128);
    assert_int_equal(selection.configuration.values[2], 4);
    assert_string_equal(
        house->description->implementations[0].symbols->words[selection.configuration.values[1]],
        "columns");
    assert_true(selection.row->time_us == 7.5);
    assert_true(selection.distance == 0);
    assert_null(selection.refused);
    /* What was measured with warm caches says nothing of cold ones. */
    selection = selected(house, "warm");
    assert_int_equal(selection.rule, TW_SELECTED_DEFAULT);
}

static void nothing_stored(void **state) {
    struct house *house = *state;
    struct tw_selection selection;
    struct tw_error error;
    assert_default(house, NULL);
    const struct tw_query query = {
        .problem = &house->problem, .device = &paper_gpu, .cache = "cold"};
    must(tw_select(&query, &selection, &error), error);
    assert_int_equal(selection.rule, TW_SELECTED_DEFAULT);
}

static void rows_that_are_not_about_this(void **state) {
    struct house *house = *state;
    struct row row = usual_row(house);
    row.fingerprint = "opencl|A CPU|2 units";
    row.architecture = "OpenCL 3.0";
    row.backend = "opencl";
    store(house, &row);
    row = usual_row(house);
    row.fingerprint = "cuda|Another GPU|108 units|sm_80|80 GiB";
    row.architecture = "sm_80";
    store(house, &row);
    row = usual_row(house);
    row.key = "M=8,N=100;dtype=f64";
    store(house, &row);
    row = usual_row(house);
    row.kernel = "copy";
    store(house, &row);
    assert_default(house, NULL);
}

/* The same kind of device under another number is the same; a different one is not. */
static void devices(void **state) {
    struct house *house = *state;
    struct row row = usual_row(house);
    store(house, &row);
    struct tw_device_info device = paper_gpu;
    device.index = 3;
    strcpy(device.id, "cuda:3");
    strcpy(device.driver, "CUDA 14.0");
    assert_int_equal(selected_for(house, &house->problem, &device, "cold").rule, TW_SELECTED_EXACT);
    device.compute_units = 114;
    assert_int_equal(selected_for(house, &house->problem, &device, "cold").rule,
                     TW_SELECTED_ARCHITECTURE);
    device = paper_gpu;
    device.memory_bytes /= 2;
    assert_int_equal(selected_for(house, &house->problem, &device, "cold").rule,
                     TW_SELECTED_ARCHITECTURE);
    strcpy(device.architecture, "sm_100");
    device.arch = 100;
    assert_int_equal(selected_for(house, &house->problem, &device, "cold").rule,
                     TW_SELECTED_DEFAULT);
}

static void stale_template(void **state) {
    struct house *house = *state;
    struct row row = usual_row(house);
    char path[1024];
    store(house, &row);
    scratch_write(house->scratch, "scale/direct.cu", "void improved(void);", path);
    assert_default(house, "its template has changed since");
    scratch_write(house->scratch, "scale/direct.cu", "/* what it does */ void direct(void);", path);
    assert_int_equal(selected(house, "cold").rule, TW_SELECTED_EXACT);
}

static void rows_that_cannot_be_used(void **state) {
    struct house *house = *state;
    static const struct {
        const char *configuration, *reason;
    } cases[] = {
        {"{\"BLOCK_X\":96,\"GROUP\":4,\"ORDER\":\"columns\"}", "BLOCK_X"},
        {"{\"BLOCK_X\":128,\"GROUP\":4}", "ORDER: missing"},
        {"{\"BLOCK_X\":128,\"GROUP\":4,\"ORDER\":\"columns\\n#define X\"}", "ORDER"},
        {"{\"BLOCK_X\":128,\"GROUP\":4,\"ORDER\":\"columns\",\"NEW\":1}", "unknown key"},
        {"not even JSON", "not valid JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct row row = usual_row(house);
        row.configuration = cases[i].configuration;
        store(house, &row);
        assert_default(house, cases[i].reason);
    }
}

static void an_implementation_that_is_gone(void **state) {
    struct house *house = *state;
    struct row row = usual_row(house);
    row.implementation = "removed";
    store(house, &row);
    assert_default(house, "its implementation removed is not there any more");
}

/* Allowed by the description, but not on this device: say, a smaller one with the same name. */
static void what_does_not_fit(void **state) {
    struct house *house = *state;
    struct row row = usual_row(house);
    struct tw_selection selection;
    struct tw_error error;
    struct tw_device_info device = paper_gpu;
    store(house, &row);
    device.max_threads = 64;
    selection = selected_for(house, &house->problem, &device, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_DEFAULT);
    assert_says(selection.refusal, "\"BLOCK_X <= MAX_THREADS\" does not hold");
    device.max_threads = 1024;
    device.max_block[0] = 64;
    selection = selected_for(house, &house->problem, &device, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_DEFAULT);
    assert_says(selection.refusal, "block x is 128; the device allows 64");
    device.max_threads = 32;
    const struct tw_query query = {.catalogue = house->catalogue,
                                   .problem = &house->problem,
                                   .device = &device,
                                   .cache = "cold"};
    assert_refuses(tw_select(&query, &selection, &error), TW_INVALID, error,
                   "the preset default: ");
}

static const char second[] =
    "\"implementations\": [ { \"name\": \"other\", \"summary\": \"\", \"parameters\": { \"X\": [1] "
    "},"
    "\"launches\": [ { \"templates\": [\"scale/direct.cu\"], \"function\": \"f\", \"block\": "
    "[\"1\"], \"grid\": [\"1\"], \"pass\": [\"B\"] } ], \"presets\": { \"o\": { \"X\": 1 } } },";

/* Of two implementations the faster; when its row cannot be used, the slower rather than none, and
 * the slower too when no playoff has said that the other is faster. */
static void the_fastest_usable(void **state) {
    struct house *house = *state;
    char *text = replaced(scale_text, "\"implementations\": [", second);
    struct tw_description *d = read_description(text, house->scratch->path);
    struct tw_problem problem = parse_problem(d, "8x100");
    char hashes[2][TW_HASH_SIZE];
    struct tw_selection selection;
    struct tw_error error;
    for (int i = 0; i < 2; i++)
        must(tw_identity_code(d, i, "cuda", hashes[i], &error), error);
    for (int step = 0; step < 4; step++) {
        struct row row = usual_row(house);
        row.hash = hashes[1];
        store(house, &row); /* 7.5 us */
        row.implementation = "other";
        row.hash = hashes[0];
        row.configuration = step != 2 ? "{\"X\":1}" : "{\"X\":2}";
        row.ties = step < 3 ? "[]" : NULL;
        row.time_us = step == 0 ? 9 : 5;
        store(house, &row);
        selection = selected_for(house, &problem, &paper_gpu, "cold");
        assert_int_equal(selection.rule, TW_SELECTED_EXACT);
        assert_int_equal(selection.configuration.implementation, step == 1 ? 0 : 1);
        assert_true(selection.row->time_us == (step == 1 ? 5 : 7.5));
    }
    tw_description_free(d);
    free(text);
}

/* What a search found goes behind what a playoff decided, in one database and of two. */
static void provisional_rows(void **state) {
    struct house *house = *state;
    struct tw_error error;
    struct row row = usual_row(house);
    row.time_us = 5;
    row.ties = NULL;
    store(house, &row);
    struct tw_selection selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_EXACT);
    assert_true(selection.row->provisional);

    row.ties = "[]";
    row.time_us = 8;
    store(house, &row);
    tw_catalogue_free(house->catalogue);
    must(tw_catalogue_create(&house->catalogue, &error), error);
    must(tw_catalogue_add(house->catalogue, house->db, &error), error);
    row.ties = NULL;
    row.time_us = 5;
    store(house, &row);
    must(tw_catalogue_add(house->catalogue, house->db, &error), error);
    assert_int_equal(tw_catalogue_size(house->catalogue), 1);
    assert_false(tw_catalogue_at(house->catalogue, 0)->provisional);
    assert_true(tw_catalogue_at(house->catalogue, 0)->time_us == 8);
    row.ties = "[]";
    row.time_us = 9;
    store(house, &row);
    must(tw_catalogue_add(house->catalogue, house->db, &error), error);
    assert_true(tw_catalogue_at(house->catalogue, 0)->time_us == 9);
}

static void long_reasons_are_cut(void **state) {
    struct house *house = *state;
    struct row row = usual_row(house);
    char configuration[2000] = "{\"BLOCK_X\":128,\"GROUP\":4,\"";
    memset(configuration + strlen(configuration), 'k', 1500);
    strcat(configuration, "\":1}");
    row.configuration = configuration;
    store(house, &row);
    assert_default(house, "unknown key \"kkkkk");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HOUSE_TEST(exact),
        HOUSE_TEST(nothing_stored),
        HOUSE_TEST(rows_that_are_not_about_this),
        HOUSE_TEST(devices),
        HOUSE_TEST(stale_template),
        HOUSE_TEST(rows_that_cannot_be_used),
        HOUSE_TEST(an_implementation_that_is_gone),
        HOUSE_TEST(what_does_not_fit),
        HOUSE_TEST(the_fastest_usable),
        HOUSE_TEST(provisional_rows),
        HOUSE_TEST(long_reasons_are_cut),
    };
    return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
