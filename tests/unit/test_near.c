/* Of many rows, the nearest are found without looking at most of them: here beside all of them. */
#include "runtime/select/near.h"

#include <math.h>

#include "tests/support/stored.h"

enum { ROWS = 900, MOST = 2 * ROWS };

/* On two devices of an architecture: sizes in the order of a grid, then as they come. */
static void store_many(const struct house *house) {
    static const char *const elsewhere = "cuda|Another GPU|114 units|sm_90|80 GiB";
    struct row row = usual_row(house);
    const char *here = row.fingerprint;
    unsigned state = 12345;
    char key[100];
    row.key = key;
    must_db(tw_db_begin(house->db), house->db);
    for (int i = 0; i < ROWS; i++) {
        row.m = 1 + i % 30 * 7;
        row.n = 1 + i / 30 * 11;
        if (i >= ROWS / 2) {
            row.m = 1 + (state = state * 1664525u + 1013904223u) % 5000;
            row.n = 1 + (state = state * 1664525u + 1013904223u) % 5000;
        }
        snprintf(key, sizeof key, "M=%d,N=%d;dtype=f32", (int)row.m, (int)row.n);
        row.fingerprint = i % 3 == 0 ? elsewhere : here;
        row.time_us = 1 + i % 4;
        store(house, &row);
    }
    must_db(tw_db_commit(house->db), house->db);
}

static int by_distance(const void *a, const void *b) {
    const struct tw_near *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return tw_search_compare_rows(x->row, y->row);
}

/* All rows but those of the very problem, the nearest first; of this device or of others. */
static size_t sort_all(const struct tw_search *search, bool here, struct tw_near *all) {
    const struct tw_catalogue *c = search->query->catalogue;
    size_t count = 0;
    for (size_t i = 0; i < tw_catalogue_size(c); i++) {
        const struct tw_catalogue_row *row = tw_catalogue_at(c, i);
        double square = 0;
        for (int k = 0; k < 2; k++)
            square += pow(search->log_dimensions[k] - row->log_dimensions[k], 2);
        if ((row->device == search->fingerprint_word) == here && !(here && square == 0))
            all[count++] = (struct tw_near){row, sqrt(square)};
    }
    qsort(all, count, sizeof *all, by_distance);
    return count;
}

static void assert_nearest(const struct tw_search *search, bool here,
                           const struct tw_nearest *nearest) {
    static struct tw_near all[MOST];
    assert_true(sort_all(search, here, all) > nearest->room);
    assert_int_equal(nearest->count, nearest->room);
    for (size_t i = 0; i < nearest->count; i++)
        assert_ptr_equal(nearest->rows[i].row, all[i].row);
}

static void among_many(void **state) {
    static const char *const shapes[] = {"1x1",       "8x100",     "100x8",    "64x64",
                                         "4000x4000", "5000x1",    "197x320",  "203x320",
                                         "2000x30",   "1000000x1", "1x999999", "22x34"};
    struct house *house = *state;
    char fingerprint[256];
    store_many(house);
    tw_device_fingerprint(&paper_gpu, fingerprint);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct tw_problem problem = parse_problem(house->description, shapes[i]);
        const struct tw_catalogue *c =
            house->catalogue != NULL ? house->catalogue : catalogue_of(house);
        const struct tw_query query = {.catalogue = c};
        struct tw_search search = {.query = &query,
                                   .problem = &problem,
                                   .match.problem = &problem,
                                   .alike.problem = &problem,
                                   .kernel = tw_catalogue_word(c, "scale"),
                                   .fingerprint_word = tw_catalogue_word(c, fingerprint),
                                   .cache = tw_catalogue_word(c, "cold"),
                                   .backend = tw_catalogue_word(c, "cuda"),
                                   .architecture = tw_catalogue_word(c, "sm_90")};
        for (int k = 0; k < 2; k++)
            search.log_dimensions[k] = log2((double)problem.dimensions[k]);
        struct tw_nearest here = {.room = TW_MOST_NEAR}, elsewhere = {.room = 32};
        tw_search_near(&search, &here, &elsewhere);
        assert_nearest(&search, true, &here);
        assert_nearest(&search, false, &elsewhere);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {HOUSE_TEST(among_many)};
    return cmocka_run_group_tests_name("near", tests, NULL, NULL);
}
