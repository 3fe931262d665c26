/* What selections remember of results changes how long they take, and nothing else. */
#include "runtime/select/known.h"

#include <pthread.h>

#include "tests/support/stored.h"

enum { SIZES = 12, THREADS = 4 };

static void store_some(struct house *house) {
    store_block_row(house, 8, 64, 64, 5);
    store_block_row(house, 16, 300, 128, 9);
    store_block_row(house, 64, 5000, 256, 60);
    /* The same configuration elsewhere, and another device's. */
    store_block_row(house, 128, 96, 64, 21);
    struct row row = usual_row(house);
    row.fingerprint = "cuda|Another GPU|108 units|sm_90|80 GiB";
    row.key = "M=9,N=120;dtype=f32";
    row.m = 9;
    row.n = 120;
    store(house, &row);
}

static struct tw_selection choose(struct house *house, int size, struct tw_today *today,
                                  const struct tw_device_info *device) {
    char shape[64];
    struct tw_selection selection;
    struct tw_error error;
    snprintf(shape, sizeof shape, "%dx%d", 7 + 5 * size, 40 + 77 * size);
    const struct tw_problem problem = parse_problem(house->description, shape);
    const struct tw_query query = {.catalogue = house->catalogue,
                                   .problem = &problem,
                                   .device = device,
                                   .cache = "cold",
                                   .today = today};
    must(tw_select(&query, &selection, &error), error);
    return selection;
}

static bool is_same(const struct house *house, const struct tw_selection *a,
                    const struct tw_selection *b) {
    bool same = a->rule == b->rule && a->row == b->row && a->predicted_us == b->predicted_us &&
                a->uncertainty == b->uncertainty && a->other_count == b->other_count &&
                tw_configuration_equal(house->description, &a->configuration, &b->configuration);
    for (int i = 0; i < a->other_count && same; i++)
        same = a->others[i].predicted_us == b->others[i].predicted_us &&
               tw_configuration_equal(house->description, &a->others[i].configuration,
                                      &b->others[i].configuration);
    return same;
}

static void selections_are_the_same(void **state) {
    struct house *house = *state;
    store_some(house);
    catalogue_of(house);
    struct tw_today *today = tw_today_create(house->description);
    assert_non_null(today);
    struct tw_device_info devices[3] = {paper_gpu, paper_gpu, paper_gpu};
    devices[0].clock_khz = 1000000;
    devices[1].clock_khz = 3000000;
    devices[2].unit_threads = 64;
    int chosen = 0;
    for (int again = 0; again < 2; again++)
        for (int i = 0; i < SIZES; i++)
            for (int k = 0; k < 3; k++) {
                const struct tw_selection fresh = choose(house, i, NULL, &devices[k]),
                                          known = choose(house, i, today, &devices[k]);
                assert_true(is_same(house, &fresh, &known));
                chosen += known.rule == TW_SELECTED_NEAREST;
            }
    assert_true(chosen > SIZES);
    tw_today_free(today);
}

struct asker {
    struct house *house;
    struct tw_today *today;
    const struct tw_selection *expected;
    int first, wrong;
};

static void *ask(void *context) {
    struct asker *asker = context;
    for (int i = 0; i < 4 * SIZES; i++) {
        const int size = (asker->first + i) % SIZES;
        const struct tw_selection s = choose(asker->house, size, asker->today, &paper_gpu);
        asker->wrong += !is_same(asker->house, &s, &asker->expected[size]);
    }
    return NULL;
}

static void many_select_at_once(void **state) {
    struct house *house = *state;
    struct asker askers[THREADS];
    pthread_t threads[THREADS];
    struct tw_selection *expected = calloc(SIZES, sizeof *expected);
    struct tw_today *today = tw_today_create(house->description);
    assert_true(expected != NULL && today != NULL);
    store_some(house);
    catalogue_of(house);
    for (int i = 0; i < SIZES; i++)
        expected[i] = choose(house, i, NULL, &paper_gpu);
    for (int i = 0; i < THREADS; i++) {
        askers[i] = (struct asker){house, today, expected, 3 * i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(askers[i].wrong, 0);
    }
    tw_today_free(today);
    free(expected);
}

static struct tw_known_key key_of(const char *configuration, const char *problem, int64_t units,
                                  uint64_t device) {
    const struct tw_catalogue_row row = {.implementation = "direct",
                                         .configuration = configuration,
                                         .problem = problem,
                                         .device = "a device",
                                         .units = units};
    return tw_known_key_of(&row, device);
}

/* A result is one of its configuration, its problem, its device and whoever asks. */
static void results_are_told_apart(void **state) {
    (void)state;
    struct tw_known *known = tw_known_create();
    struct tw_configuration configuration = {.implementation = 3}, read;
    bool holds = true;
    struct tw_estimate estimate = {.memory = 7}, found;
    double model_us;
    const struct tw_known_key key = key_of("{}", "M=1,N=2", 132, 1);
    const struct tw_known_key others[] = {
        key_of("{\"A\":1}", "M=1,N=2", 132, 1), key_of("{}", "M=1,N=3", 132, 1),
        key_of("{}", "M=1,N=2", 108, 1), key_of("{}", "M=1,N=2", 132, 2)};
    assert_non_null(known);
    assert_false(tw_known_estimate(known, &key, &found, &model_us));
    assert_false(tw_known_configuration(known, &key, 5, &read, &holds));
    tw_known_note_estimate(known, &key, &estimate, 0.5);
    assert_false(tw_known_configuration(known, &key, 5, &read, &holds));
    tw_known_note_held(known, &key, 5);
    assert_false(tw_known_configuration(known, &key, 5, &read, &holds) || holds);
    tw_known_note_configuration(known, &key, &configuration);
    assert_true(tw_known_configuration(known, &key, 5, &read, &holds) && !holds);
    tw_known_note_held(known, &key, 5);
    assert_true(tw_known_configuration(known, &key, 5, &read, &holds) && holds);
    assert_true(tw_known_configuration(known, &key, 7, &read, &holds) && !holds);
    assert_true(tw_known_estimate(known, &key, &found, &model_us) && found.memory == 7 &&
                model_us == 0.5);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(tw_known_estimate(known, &others[i], &found, &model_us));
        /* A configuration is the same wherever it was measured. */
        assert_int_equal(tw_known_configuration(known, &others[i], 5, &read, &holds), i > 0);
    }
    assert_int_equal(read.implementation, 3);
    estimate.memory = 8;
    tw_known_note_estimate(known, &key, &estimate, 0);
    assert_true(tw_known_estimate(known, &key, &found, &model_us) && found.memory == 8 &&
                model_us == 0);
    tw_known_free(known);
}

/* However many there are, what is found is of the one that is looked for. */
static void there_is_room_for_so_many(void **state) {
    (void)state;
    enum { MANY = 20000 };
    struct tw_known *known = tw_known_create();
    int estimates = 0, configurations = 0;
    assert_non_null(known);
    for (int again = 0; again < 2; again++)
        for (int i = 0; i < MANY; i++) {
            char text[32];
            snprintf(text, sizeof text, "{\"A\":%d}", i);
            const struct tw_known_key key = key_of(text, "M=1,N=2", 132, 1);
            struct tw_estimate estimate = {.memory = i};
            struct tw_configuration configuration = {.implementation = i};
            if (again == 0) {
                tw_known_note_estimate(known, &key, &estimate, i);
                tw_known_note_configuration(known, &key, &configuration);
                continue;
            }
            bool holds;
            double model_us = i;
            const bool is_estimated = tw_known_estimate(known, &key, &estimate, &model_us),
                       is_read = tw_known_configuration(known, &key, 5, &configuration, &holds);
            assert_true(estimate.memory == i && model_us == i && configuration.implementation == i);
            estimates += is_estimated;
            configurations += is_read;
        }
    assert_true(estimates > 100 && estimates < MANY);
    assert_true(configurations > 100 && configurations < MANY);
    tw_known_free(known);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HOUSE_TEST(selections_are_the_same),
        HOUSE_TEST(many_select_at_once),
        cmocka_unit_test(results_are_told_apart),
        cmocka_unit_test(there_is_room_for_so_many),
    };
    return cmocka_run_group_tests_name("known", tests, NULL, NULL);
}
