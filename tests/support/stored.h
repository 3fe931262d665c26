/* Tests of what is chosen from a database: a house with a kernel, a problem and what was stored. */
#ifndef TESTS_SUPPORT_STORED_H
#define TESTS_SUPPORT_STORED_H

#include "runtime/select/select.h"
#include "runtime/variant/identity.h"
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

SUPPORT int set_up(void **state) {
    struct house *house = calloc(1, sizeof *house);
    void *scratch;
    char path[1024], message[TW_DB_MESSAGE_SIZE];
    if (house == NULL || scratch_make(&scratch) != 0)
        return -1;
    house->scratch = scratch;
    scratch_write(house->scratch, "scale/direct.cu", "void direct(void);", path);
    scratch_write(house->scratch, "scale/reference.cu", "void right(void);", path);
    house->description = read_description(scale_text, house->scratch->path);
    house->problem = parse_problem(house->description, "8x100");
    snprintf(path, sizeof path, "%s/tune.db", house->scratch->path);
    assert_int_equal(tw_db_open(&house->db, path, TW_DB_WRITE, message, sizeof message), TW_DB_OK);
    *state = house;
    return 0;
}

SUPPORT int tear_down(void **state) {
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
    const char *ties; /* NULL: provisional */
};

SUPPORT struct row usual_row(const struct house *house) {
    static char key[TW_PROBLEM_KEY_SIZE], hash[TW_HASH_SIZE], fingerprint[256];
    struct tw_error error;
    tw_problem_key(&house->problem, key);
    tw_device_fingerprint(&paper_gpu, fingerprint);
    must(tw_identity_code(house->description, 0, "cuda", hash, &error), error);
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
                        100,
                        "[]"};
}

SUPPORT void store(const struct house *house, const struct row *row) {
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
                              .repeats = 9,
                              .tie_set = row->ties};
    must_db(tw_db_device_put(db, &device, &best.device), db);
    must_db(tw_db_problem_put(db, &problem, &best.problem), db);
    must_db(tw_db_implementation_put(db, &implementation, &best.implementation), db);
    must_db(tw_db_best_put(db, &best), db);
}

/* A row for M x N with BLOCK_X of its own, so that it can be told. */
SUPPORT void store_block_row(const struct house *house, int m, int n, int block, double time_us) {
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

/* What is stored now, read afresh; freed with the house. */
SUPPORT const struct tw_catalogue *catalogue_of(struct house *house) {
    struct tw_error error;
    tw_catalogue_free(house->catalogue);
    must(tw_catalogue_create(&house->catalogue, &error), error);
    must(tw_catalogue_add(house->catalogue, house->db, &error), error);
    return house->catalogue;
}

SUPPORT struct tw_selection selected_for(struct house *house, const struct tw_problem *problem,
                                         const struct tw_device_info *device, const char *cache) {
    struct tw_selection selection;
    struct tw_error error;
    const struct tw_query query = {
        .catalogue = catalogue_of(house), .problem = problem, .device = device, .cache = cache};
    must(tw_select(&query, &selection, &error), error);
    assert_int_equal((selection.rule >= TW_SELECTED_PREDICTED), (selection.row == NULL));
    assert_int_equal((selection.refused == NULL), (selection.refusal[0] == '\0'));
    return selection;
}

SUPPORT struct tw_selection selected(struct house *house, const char *cache) {
    return selected_for(house, &house->problem, &paper_gpu, cache);
}

/* tw_query.ready of an empty cache, and of one with blocks of 128. */
SUPPORT bool none_is_ready(void *context, const struct tw_configuration *configuration,
                           enum tw_ready where) {
    (void)context, (void)configuration, (void)where;
    return false;
}

SUPPORT bool the_widest_is_ready(void *context, const struct tw_configuration *configuration,
                                 enum tw_ready where) {
    (void)context, (void)where;
    return configuration->values[0] == 128;
}

#define HOUSE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
