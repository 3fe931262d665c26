/* Sizes that change from call to call, on an H200 on paper with the results and models that ship:
 * how many binaries they come to. Nothing is compiled or run. */
#include <math.h>

#include "runtime/base/file.h"
#include "runtime/description/outline.h"
#include "runtime/select/select.h"
#include "runtime/variant/made_of.h"
#include "tests/support/subjects.h"
#include "tuner/exchange/import.h"
#include "tuner/exchange/merge.h"

enum { SHAPES = 31, MOST = 64 };

struct shop {
    struct tw_catalogue *catalogue;
    struct tw_description *gemm;
};

static void put_model(tw_db *db, const char *path) {
    struct tw_text text = {0};
    struct tw_model *model;
    struct tw_error error;
    must(tw_file_read(&text, path, &error), error);
    must(tw_model_read(&model, text.data, path, &error), error);
    const struct tw_db_model stored = {.kernel = model->kernel,
                                       .device = model->device,
                                       .cache_policy = model->cache,
                                       .text = text.data};
    assert_int_equal(tw_db_model_put(db, &stored), TW_DB_OK);
    tw_model_free(model);
    tw_text_free(&text);
}

static int open_shop(void **state) {
    struct shop *shop = calloc(1, sizeof *shop);
    struct known_kernels known;
    struct import *import;
    struct tw_db_merged merged;
    struct tw_error error;
    char directory[] = "/tmp/tw_dynamic_XXXXXX", path[64], message[TW_DB_MESSAGE_SIZE];
    tw_db *db;
    assert_non_null(shop);
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/db", directory);
    assert_int_equal(tw_db_open(&db, path, TW_DB_WRITE, message, sizeof message), TW_DB_OK);
    must(known_kernels_open(&known, NULL, 0, &error), error);
    must(import_open(&import, TUNED "/nvidia-h200.json", &known, &error), error);
    must(merge_imports(db, &import, 1, &merged, &error), error);
    put_model(db, TUNED "/models/nvidia-h200-gemm.json");
    must(tw_catalogue_create(&shop->catalogue, &error), error);
    must(tw_catalogue_add(shop->catalogue, db, &error), error);
    must(tw_description_outline(&shop->gemm, "gemm", &error), error);
    import_close(import);
    known_kernels_close(&known);
    tw_db_close(db);
    scratch_remove_entry(path, NULL, 0, NULL);
    rmdir(directory);
    *state = shop;
    return 0;
}

static int close_shop(void **state) {
    struct shop *shop = *state;
    tw_catalogue_free(shop->catalogue);
    tw_description_free(shop->gemm);
    free(shop);
    return 0;
}

/* An application that keeps what it compiled. */
struct application {
    const struct tw_problem *problem;
    const struct tw_device_info *device;
    int count;
    char builds[MOST][TW_HASH_SIZE];
};

static void key_of(const struct application *a, const struct tw_configuration *configuration,
                   char key[TW_HASH_SIZE]) {
    int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    struct tw_error error;
    tw_device_values(a->device, slots);
    must(tw_problem_bind(a->problem, slots, NULL, values, &error), error);
    must(tw_made_of(a->device, a->problem, configuration, values, key, &error), error);
}

static bool has(const struct application *a, const char *key) {
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->builds[i], key) == 0)
            return true;
    return false;
}

static bool ready(void *context, const struct tw_configuration *configuration,
                  enum tw_ready where) {
    char key[TW_HASH_SIZE];
    key_of(context, configuration, key);
    return where == TW_READY_LOADED && has(context, key);
}

/* How many binaries the sizes of M come to; below 0, `tolerance` stands for none. */
static int compiles(const struct shop *shop, int64_t n, int64_t k, double tolerance) {
    const struct tw_device_info device = paper_h200();
    struct application a = {.device = &device};
    for (int i = 0; i < SHAPES; i++) {
        const int64_t m = i == 0 ? 1 : i == SHAPES - 1 ? 3000 : 98 + 97 * (i - 1);
        struct tw_problem problem = parse_problem(shop->gemm, "1x1x1");
        struct tw_selection s;
        struct tw_error error;
        char key[TW_HASH_SIZE];
        problem.dimensions[0] = m;
        problem.dimensions[1] = n;
        problem.dimensions[2] = k;
        a.problem = &problem;
        const struct tw_query query = {.catalogue = shop->catalogue,
                                       .problem = &problem,
                                       .device = &device,
                                       .cache = "cold",
                                       .context = &a,
                                       .ready = tolerance >= 0 ? ready : NULL,
                                       .tolerance = tolerance,
                                       .changing = i > 0};
        must(tw_select(&query, &s, &error), error);
        key_of(&a, &s.configuration, key);
        /* What is preferred was there, and is no more than so much slower than the best, or twice
         * that where sizes change. */
        assert_true(!s.ready || has(&a, key));
        assert_true(!s.ready || s.lasting || s.other_count == 0 ||
                    s.predicted_us <= (1 + (i > 0 ? 2 : 1) * fmax(tolerance, 0) + 1e-9) *
                                          s.others[0].predicted_us);
        if (!has(&a, key)) {
            assert_true(a.count < MOST);
            strcpy(a.builds[a.count++], key);
        }
    }
    return a.count;
}

static void binaries(void **state) {
    static const int64_t sizes[][2] = {{1000, 3000}, {4096, 4096}};
    int all = 0, saved = 0;
    for (int i = 0; i < 2; i++) {
        const int64_t n = sizes[i][0], k = sizes[i][1];
        const int every = compiles(*state, n, k, -1), few = compiles(*state, n, k, 0.05),
                  fewest = compiles(*state, n, k, 0.1);
        print_message("N %d, K %d, %d values of M: %d binaries, within 5%% %d, within 10%% %d\n",
                      (int)n, (int)k, SHAPES, every, few, fewest);
        assert_true(compiles(*state, n, k, 0) <= every);
        assert_true(few <= every && fewest <= every);
        all += every;
        saved += every - fewest;
    }
    assert_true(saved > 0 && saved < all);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(binaries)};
    return cmocka_run_group_tests_name("dynamic", tests, open_shop, close_shop);
}
