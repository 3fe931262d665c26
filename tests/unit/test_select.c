/* Which configuration a problem gets: one stored for it, that of a near problem, else the default.
 */
#include "runtime/select/select.h"

#include "runtime/variant/source.h"
#include "tests/support/scale.h"

struct house {
    struct scratch *scratch;
    struct tw_description *description;
    struct tw_problem problem; /* 8x100 */
    tw_db *db;
    struct tw_catalogue *catalogue;
};

#define must_db(call, db)                                                                          \
    do {                                                                                           \
        if ((call) != TW_DB_OK) {                                                                  \
            fail_msg("%s: %s", #call, tw_db_message(db));                                          \
        }                                                                                          \
    } while (0)

static int set_up(void **state) {
    struct house *house = calloc(1, sizeof *house);
    void *scratch;
    char path[1024], message[TW_DB_MESSAGE_SIZE];
    if (house == NULL || scratch_make(&scratch) != 0)
        return -1;
    house->scratch = scratch;
    scratch_write(house->scratch, "scale/direct.cu", "/* the template */", path);
    house->description = read_description(scale_text, house->scratch->path);
    house->problem = parse_problem(house->description, "8x100");
    snprintf(path, sizeof path, "%s/tune.db", house->scratch->path);
    assert_int_equal(tw_db_open(&house->db, path, TW_DB_WRITE, message, sizeof message), TW_DB_OK);
    *state = house;
    return 0;
}

static int tear_down(void **state) {
    struct house *house = *state;
    void *scratch = house->scratch;
    tw_catalogue_free(house->catalogue);
    tw_db_close(house->db);
    tw_description_free(house->description);
    free(house);
    return scratch_remove(&scratch);
}

/* Everything that a stored row is about; each test changes what it is after. */
struct row {
    const char *kernel, *key, *fingerprint, *cache, *implementation, *hash, *configuration;
    double time_us;
    const char *backend, *architecture;
    int64_t m, n;
};

static struct row usual_row(const struct house *house) {
    static char key[TW_PROBLEM_KEY_SIZE], hash[TW_HASH_SIZE], fingerprint[256];
    struct tw_error error;
    tw_problem_key(&house->problem, key);
    tw_device_fingerprint(&paper_gpu, fingerprint);
    must(tw_source_hash(house->description, 0, hash, &error), error);
    return (struct row){"scale",
                        key,
                        fingerprint,
                        "cold",
                        "direct",
                        hash,
                        "{\"BLOCK_X\":128,\"GROUP\":4,\"ORDER\":\"columns\"}",
                        7.5,
                        "cuda",
                        "sm_90",
                        8,
                        100};
}

static void store(const struct house *house, const struct row *row) {
    tw_db *db = house->db;
    const struct tw_db_device device = {.fingerprint = row->fingerprint,
                                        .backend = row->backend,
                                        .architecture = row->architecture,
                                        .name = "Paper GPU",
                                        .compute_units = 132,
                                        .memory_bytes = 1};
    const struct tw_db_dimension dimensions[] = {{"M", row->m}, {"N", row->n}};
    const struct tw_db_problem problem = {
        .kernel = row->kernel, .key = row->key, .dimensions = dimensions, .dimension_count = 2};
    const struct tw_db_implementation implementation = {.kernel = row->kernel,
                                                        .name = row->implementation,
                                                        .template_hash = row->hash,
                                                        .description = "{}"};
    struct tw_db_best best = {.cache_policy = row->cache,
                              .configuration = row->configuration,
                              .time_us = row->time_us,
                              .ci_low_us = row->time_us,
                              .ci_high_us = row->time_us,
                              .repeats = 9};
    must_db(tw_db_device_put(db, &device, &best.device), db);
    must_db(tw_db_problem_put(db, &problem, &best.problem), db);
    must_db(tw_db_implementation_put(db, &implementation, &best.implementation), db);
    must_db(tw_db_best_put(db, &best), db);
}

/* What is stored now, read afresh; freed with the house. */
static const struct tw_catalogue *catalogue_of(struct house *house) {
    struct tw_error error;
    tw_catalogue_free(house->catalogue);
    must(tw_catalogue_create(&house->catalogue, &error), error);
    must(tw_catalogue_add(house->catalogue, house->db, &error), error);
    return house->catalogue;
}

static struct tw_selection selected_for(struct house *house, const struct tw_problem *problem,
                                        const struct tw_device_info *device, const char *cache) {
    struct tw_selection selection;
    struct tw_error error;
    must(tw_select(catalogue_of(house), problem, device, cache, &selection, &error), error);
    assert_int_equal((selection.rule == TW_SELECTED_DEFAULT), (selection.row == NULL));
    assert_int_equal((selection.refused == NULL), (selection.refusal[0] == '\0'));
    return selection;
}

static struct tw_selection selected(struct house *house, const char *cache) {
    return selected_for(house, &house->problem, &paper_gpu, cache);
}

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
    must(tw_select(NULL, &house->problem, &paper_gpu, "cold", &selection, &error), error);
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

/* A row for M x N with BLOCK_X of its own, so that it can be told. */
static void store_near(const struct house *house, int m, int n, int block, double time_us) {
    char key[100], configuration[100];
    struct row row = usual_row(house);
    snprintf(key, sizeof key, "M=%d,N=%d;dtype=f32", m, n);
    snprintf(configuration, sizeof configuration, "{\"BLOCK_X\":%d,\"GROUP\":4,\"ORDER\":\"rows\"}",
             block);
    row.key = key;
    row.m = m;
    row.n = n;
    row.configuration = configuration;
    row.time_us = time_us;
    store(house, &row);
}

/* Ratios count, not differences: 16 is nearer to 8 than 3 is. */
static void nearest(void **state) {
    struct house *house = *state;
    store_near(house, 3, 100, 32, 1);
    store_near(house, 16, 100, 128, 1);
    store_near(house, 8, 1000, 64, 1);
    struct tw_selection selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_int_equal(selection.configuration.values[0], 128);
    assert_true(selection.distance == 1);
    assert_string_equal(selection.row->problem, "M=16,N=100;dtype=f32");
    assert_null(selection.refused);

    struct tw_problem far = parse_problem(house->description, "2x400");
    selection = selected_for(house, &far, &paper_gpu, "cold");
    /* From 3x100 it is log2(1.5) and 2; from 8x1000 2 and log2(2.5). */
    assert_int_equal(selection.configuration.values[0], 32);
    assert_true(selection.distance > 2.083 && selection.distance < 2.084);

    struct tw_error error;
    must(tw_problem_set(&far, "dtype", "f64", &error), error);
    assert_int_equal(selected_for(house, &far, &paper_gpu, "cold").rule, TW_SELECTED_DEFAULT);
    assert_int_equal(selected(house, "warm").rule, TW_SELECTED_DEFAULT);
}

static void nearest_that_can_be_used(void **state) {
    struct house *house = *state;
    store_near(house, 8, 101, 96, 1); /* 96 is no value any more */
    store_near(house, 8, 150, 128, 1);
    struct tw_selection selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_int_equal(selection.configuration.values[0], 128);
    assert_string_equal(selection.refused->problem, "M=8,N=101;dtype=f32");
    assert_says(selection.refusal, "BLOCK_X");
    /* One for this very problem that cannot be used gives way to a near one, and is named. */
    store_near(house, 8, 100, 33, 1);
    selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_string_equal(selection.refused->problem, "M=8,N=100;dtype=f32");
}

/* As near as each other, the order in which they were stored must not decide. */
static void ties_are_settled(void **state) {
    struct house *house = *state;
    store_near(house, 16, 100, 32, 3);
    store_near(house, 4, 100, 128, 2);
    store_near(house, 8, 200, 64, 2);
    struct tw_selection selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_int_equal(selection.configuration.values[0], 128); /* "M=4..." < "M=8..." */
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
    store_near(house, 8000, 1, 32, 1);
    selection = selected(house, "cold");
    assert_int_equal(selection.rule, TW_SELECTED_NEAREST);
    assert_int_equal(selection.configuration.values[0], 32);
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
        must(tw_select(house->catalogue, &house->problem, &paper_gpu, "cold", &selection, &error),
             error);
        assert_int_equal(selection.configuration.values[0], i == 0 ? 32 : 128);
    }
    tw_db_close(first);
}

static void stale_template(void **state) {
    struct house *house = *state;
    struct row row = usual_row(house);
    char path[1024];
    store(house, &row);
    scratch_write(house->scratch, "scale/direct.cu", "/* the template, improved */", path);
    assert_default(house, "its template has changed since");
    scratch_write(house->scratch, "scale/direct.cu", "/* the template */", path);
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
    assert_refuses(
        tw_select(house->catalogue, &house->problem, &device, "cold", &selection, &error),
        TW_INVALID, error, "the preset default: ");
}

static const char second[] =
    "\"implementations\": [ { \"name\": \"other\", \"summary\": \"\", \"parameters\": { \"X\": [1] "
    "},"
    "\"launches\": [ { \"templates\": [\"scale/direct.cu\"], \"function\": \"f\", \"block\": "
    "[\"1\"], \"grid\": [\"1\"], \"pass\": [\"B\"] } ], \"presets\": { \"o\": { \"X\": 1 } } },";

/* Of two implementations the faster; when its row cannot be used, the slower rather than none. */
static void the_fastest_usable(void **state) {
    struct house *house = *state;
    char *text = replaced(scale_text, "\"implementations\": [", second);
    struct tw_description *d = read_description(text, house->scratch->path);
    struct tw_problem problem = parse_problem(d, "8x100");
    char hashes[2][TW_HASH_SIZE];
    struct tw_selection selection;
    struct tw_error error;
    for (int i = 0; i < 2; i++)
        must(tw_source_hash(d, i, hashes[i], &error), error);
    for (int step = 0; step < 3; step++) {
        struct row row = usual_row(house);
        row.hash = hashes[1];
        store(house, &row); /* 7.5 us */
        row.implementation = "other";
        row.hash = hashes[0];
        row.configuration = step < 2 ? "{\"X\":1}" : "{\"X\":2}";
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

#define HOUSE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        HOUSE_TEST(exact),
        HOUSE_TEST(nothing_stored),
        HOUSE_TEST(rows_that_are_not_about_this),
        HOUSE_TEST(devices),
        HOUSE_TEST(nearest),
        HOUSE_TEST(nearest_that_can_be_used),
        HOUSE_TEST(ties_are_settled),
        HOUSE_TEST(this_device_first),
        HOUSE_TEST(later_databases_override),
        HOUSE_TEST(stale_template),
        HOUSE_TEST(rows_that_cannot_be_used),
        HOUSE_TEST(an_implementation_that_is_gone),
        HOUSE_TEST(what_does_not_fit),
        HOUSE_TEST(the_fastest_usable),
        HOUSE_TEST(long_reasons_are_cut),
    };
    return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
