/* libtilewise: shapes that were never tuned share binaries where prediction sees little between
 * them. What was measured is planted.
 *
 *     test_shared_binaries BACKEND */
#include "db/store.h"
#include "runtime/backend/devices.h"
#include "runtime/description/configuration.h"
#include "runtime/variant/identity.h"
#include "tests/support/library.h"
#include "tests/support/support.h"

/* Rows of a matrix of 100 columns that were tuned, and to what end. All numbers of rows are
 * multiples of 16 here, for accesses are as wide as these allow. */
static const struct {
    int64_t rows;
    const char *preset;
    double time_us;
} tuned[] = {{48, "default", 50}, {96, "naive", 60}};

/* Presets of the kernel, as plans name them. */
static char configurations[2][512];

static void check_db(enum tw_db_status status, const tw_db *db) {
    if (status != TW_DB_OK)
        fail_msg("%s", tw_db_message(db));
}

static void store(tw_db *db, const struct tw_description *d, const struct tw_device_info *device,
                  int which) {
    char fingerprint[256], key[64], hash[TW_HASH_SIZE];
    struct tw_configuration configuration;
    struct tw_text text = {0};
    const struct tw_preset *preset;
    struct tw_error error;
    int implementation;
    assert_true(tw_description_preset(d, tuned[which].preset, &implementation, &preset));
    must(tw_configuration_preset(&configuration, d, implementation, preset, &error), error);
    tw_configuration_text(d, &configuration, &text);
    snprintf(configurations[which], sizeof configurations[which], "%s", text.data);
    must(tw_identity_code(d, implementation, device->backend, hash, &error), error);
    tw_device_fingerprint(device, fingerprint);
    snprintf(key, sizeof key, "M=%d,N=100", (int)tuned[which].rows);
    const struct tw_db_device device_row = {.fingerprint = fingerprint,
                                            .backend = device->backend,
                                            .name = device->name,
                                            .architecture = device->architecture,
                                            .compute_units = device->compute_units,
                                            .memory_bytes = device->memory_bytes};
    const struct tw_db_implementation code = {.kernel = d->kernel,
                                              .name = d->implementations[implementation].name,
                                              .template_hash = hash,
                                              .description = "{}"};
    const struct tw_db_dimension sizes[] = {{"M", tuned[which].rows}, {"N", 100}};
    const struct tw_db_problem problem = {
        .kernel = d->kernel, .key = key, .text = key, .dimensions = sizes, .dimension_count = 2};
    struct tw_db_best best = {.cache_policy = "cold",
                              .configuration = text.data,
                              .time_us = tuned[which].time_us,
                              .ci_low_us = tuned[which].time_us,
                              .ci_high_us = tuned[which].time_us,
                              .repeats = 9,
                              .tie_set = "[]"};
    check_db(tw_db_device_put(db, &device_row, &best.device), db);
    check_db(tw_db_problem_put(db, &problem, &best.problem), db);
    check_db(tw_db_implementation_put(db, &code, &best.implementation), db);
    check_db(tw_db_best_put(db, &best), db);
    tw_text_free(&text);
}

struct house {
    struct scratch *scratch;
    char database[1100], binaries[1100];
};

static int set_up(void **state) {
    struct house *house = calloc(1, sizeof *house);
    struct tw_device_info device;
    struct tw_description *d;
    struct tw_error error;
    char message[TW_DB_MESSAGE_SIZE];
    void *scratch;
    tw_db *db;
    if (house == NULL || scratch_make(&scratch) != 0)
        return -1;
    house->scratch = scratch;
    snprintf(house->database, sizeof house->database, "%s/tune.db", house->scratch->path);
    snprintf(house->binaries, sizeof house->binaries, "%s/binaries", house->scratch->path);
    must(tw_device_pick(backend, &device, &error), error);
    must(tw_description_builtin(&d, "transpose", &error), error);
    assert_int_equal(tw_db_open(&db, house->database, TW_DB_WRITE, message, sizeof message),
                     TW_DB_OK);
    for (int i = 0; i < 2; i++)
        store(db, d, &device, i);
    tw_db_close(db);
    tw_description_free(d);
    *state = house;
    return 0;
}

static int tear_down(void **state) {
    struct house *house = *state;
    void *scratch = house->scratch;
    free(house);
    return scratch_remove(&scratch);
}

static tw_library *open_house(const struct house *house, double tolerance) {
    const char *const databases[] = {house->database, NULL};
    const tw_options options = {.size = sizeof options,
                                .device = backend,
                                .databases = databases,
                                .binary_directory = house->binaries,
                                .compile_tolerance = tolerance};
    return open_with(&options);
}

static const tw_explanation *plan_of(tw_library *library, int64_t rows) {
    const tw_request request = {.kernel = "transpose", .dimensions = {rows, 100}};
    return tw_plan_explain(make_plan(library, &request));
}

/* Which of the two is predicted to be the faster one for a shape. */
static int best_of(const struct house *house, int64_t rows) {
    tw_library *library = open_house(house, -1);
    const tw_explanation *e = plan_of(library, rows);
    assert_false(e->preferred_ready);
    const int best = strcmp(e->configuration, configurations[0]) == 0 ? 0 : 1;
    assert_string_equal(e->configuration, configurations[best]);
    assert_non_null(e->runners_up);
    tw_close(library);
    return best;
}

static void empty(const struct house *house) {
    assert_true(count_binaries(house->binaries, NULL) > 0);
    char command[1200];
    snprintf(command, sizeof command, "rm -rf '%s'", house->binaries);
    assert_int_equal(system(command), 0);
}

static void what_is_there_is_taken(void **state) {
    const struct house *house = *state;
    const int best = best_of(house, 80), other = 1 - best;
    empty(house);
    /* Loaded for the shape that it was tuned for. */
    tw_library *library = open_house(house, 1);
    const tw_explanation *e = plan_of(library, tuned[other].rows);
    assert_string_equal(e->rule, "exact");
    assert_string_equal(e->configuration, configurations[other]);
    e = plan_of(library, 80);
    assert_string_equal(e->configuration, configurations[other]);
    assert_true(e->preferred_ready && e->predicted_us > 0 && e->loading_ms == 0);
    assert_says(e->text, "preferred       for its binary");
    assert_int_equal(count_binaries(house->binaries, NULL), 1);
    tw_close(library);
    /* On the disk, from another process say. */
    library = open_house(house, 1);
    e = plan_of(library, 80);
    assert_string_equal(e->configuration, configurations[other]);
    assert_string_equal(e->binary, "disk");
    assert_true(e->preferred_ready);
    assert_int_equal(count_binaries(house->binaries, NULL), 1);
    /* A shape of its own result has that. */
    e = plan_of(library, tuned[best].rows);
    assert_string_equal(e->configuration, configurations[best]);
    assert_false(e->preferred_ready);
    tw_close(library);
}

static void many_at_once_share(void **state) {
    const struct house *house = *state;
    const tw_request request = {.kernel = "transpose", .dimensions = {0, 100}};
    const tw_range range = {sizeof range, &request, 0, 112, 320, 16};
    tw_library *library = open_house(house, 1);
    const char *first = NULL;
    tw_error error;
    must(tw_prepare_ranges(library, &range, 1, 4, &error), error);
    for (int rows = 112; rows <= 320; rows += 16) {
        const tw_explanation *e = plan_of(library, rows);
        first = first != NULL ? first : e->configuration;
        assert_string_equal(e->configuration, first);
        assert_string_not_equal(e->rule, "exact");
    }
    assert_int_equal(count_binaries(house->binaries, NULL), 1);
    tw_close(library);
}

/* Of sizes that are known together the order does not matter, nor which of them comes first. */
static void in_any_order(void **state) {
    enum { SIZES = 12 };
    const struct house *house = *state;
    char chosen[SIZES][512];
    for (int turn = 0; turn < 2; turn++) {
        tw_request requests[SIZES];
        const tw_plan *plans[SIZES];
        tw_error error;
        tw_library *library = open_house(house, 0);
        for (int i = 0; i < SIZES; i++)
            requests[i] =
                (tw_request){.size = sizeof(tw_request),
                             .kernel = "transpose",
                             .dimensions = {16 + 80 * (turn == 0 ? i : SIZES - 1 - i), 100}};
        must(tw_prepare(library, requests, SIZES, 2, plans, NULL, &error), error);
        for (int i = 0; i < SIZES; i++) {
            const char *configuration = tw_plan_explain(plans[i])->configuration;
            char *as_before = chosen[turn == 0 ? i : SIZES - 1 - i];
            if (turn == 0)
                snprintf(as_before, sizeof chosen[0], "%s", configuration);
            else
                assert_string_equal(configuration, as_before);
            tw_plan_release(plans[i]);
        }
        tw_close(library);
        empty(house);
    }
}

#define HOUSE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {HOUSE_TEST(what_is_there_is_taken),
                                       HOUSE_TEST(many_at_once_share), HOUSE_TEST(in_any_order)};
    return backend_is_here(count, arguments)
               ? cmocka_run_group_tests_name("shared binaries", tests, NULL, NULL)
               : 0;
}
