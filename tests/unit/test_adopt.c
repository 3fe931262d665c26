/* tuner/exchange: what older programs stored, brought up to what results are tied to today. */
#include "runtime/backend/devices.h"
#include "runtime/variant/identity.h"
#include "runtime/variant/legacy.h"
#include "test_exchange_support.h"
#include "tuner/exchange/adopt.h"

/* A database of three rows as schema 3 had them: full keys, one hash, no sources. */
static void make_old(const char *path, const struct known_kernels *known) {
    tw_db *db = open_db(path, TW_DB_WRITE);
    put_three(db, known);
    for (int i = 0; i < known->count; i++) {
        const struct tw_description *d = known->kernels[i].description;
        for (int k = 0; k < d->implementation_count; k++) {
            struct tw_error error;
            char hash[TW_HASH_SIZE], sql[400];
            assert_fine(tw_legacy_hash(d, k, hash, &error), error);
            snprintf(sql, sizeof sql,
                     "UPDATE implementation SET template_hash = '%s' WHERE kernel = '%s' AND "
                     "name = '%s'",
                     hash, d->kernel, d->implementations[k].name);
            run_sql(path, sql);
        }
    }
    tw_db_close(db);
    run_sql(path, "UPDATE best SET source = NULL, judge = NULL;"
                  "UPDATE problem SET key = text;"
                  "UPDATE problem SET text = NULL;"
                  "UPDATE device SET properties = NULL");
}

static const char known_device[] =
    "UPDATE device SET properties = '{\"MAX_SHARED\":232448,\"MAX_THREADS\":1024,\"WARP\":32,"
    "\"SM_COUNT\":132,\"L2_BYTES\":1,\"ARCH\":90,\"IS_CPU\":0}'";

static void adopt(const char *path, const struct known_kernels *known) {
    struct tw_error error;
    tw_db *db = open_db(path, TW_DB_WRITE);
    assert_fine(adopt_database(db, known, &error), error);
    tw_db_close(db);
}

struct state {
    const struct known_kernels *known;
    int rows, current, identified;
};

static bool count_row(void *context, const struct tw_db_best_row *row) {
    struct state *state = context;
    const struct known_kernel *kernel = known_kernels_find(state->known, row->problem.kernel);
    state->rows++;
    state->current += known_kernel_check(kernel, row, NULL) == TW_OK;
    state->identified += row->best.source != NULL && row->best.judge != NULL;
    return true;
}

static struct state state_of(const char *path, const struct known_kernels *known) {
    struct state state = {.known = known};
    tw_db *db = open_db(path, TW_DB_READ);
    assert_status(tw_db_best_each(db, NULL, count_row, &state), TW_DB_OK);
    tw_db_close(db);
    return state;
}

static void has_old_rows(const char *path, bool expected) {
    bool has = !expected;
    tw_db *db = open_db(path, TW_DB_READ);
    assert_status(tw_db_has_old_rows(db, &has), TW_DB_OK);
    assert_int_equal(has, expected);
    tw_db_close(db);
}

static void rows_of_unchanged_code_stay_current(void **state) {
    struct fixture *fixture = *state;
    struct known_kernels known;
    struct tw_error error;
    assert_fine(known_kernels_open(&known, NULL, 0, &error), error);
    make_old(fixture->path, &known);
    /* As they are, too: an application may have nothing but this file. */
    struct state found = state_of(fixture->path, &known);
    assert_int_equal(found.rows, 3);
    assert_int_equal(found.current, 3);
    assert_int_equal(found.identified, 0);
    has_old_rows(fixture->path, true);
    /* Of a device of which nothing is known nothing can be said; keys are put right all the same.
     */
    adopt(fixture->path, &known);
    found = state_of(fixture->path, &known);
    assert_int_equal(found.current, 3);
    assert_int_equal(found.identified, 0);
    tw_db *db = open_db(fixture->path, TW_DB_READ);
    assert_sql(db, "SELECT key FROM problem WHERE kernel = 'gemm'", "M=64,N=32,K=16");
    assert_sql(db, "SELECT text FROM problem WHERE kernel = 'gemm'",
               "M=64,N=32,K=16;dtype=f32,trans=nn");
    tw_db_close(db);
    run_sql(fixture->path, known_device);
    adopt(fixture->path, &known);
    found = state_of(fixture->path, &known);
    assert_int_equal(found.rows, 3);
    assert_int_equal(found.current, 3);
    assert_int_equal(found.identified, 3);
    has_old_rows(fixture->path, false);
    known_kernels_close(&known);
}

static void rows_of_other_code_stay_hints(void **state) {
    struct fixture *fixture = *state;
    struct known_kernels known;
    struct tw_error error;
    assert_fine(known_kernels_open(&known, NULL, 0, &error), error);
    make_old(fixture->path, &known);
    run_sql(fixture->path, known_device);
    run_sql(fixture->path, "UPDATE implementation SET template_hash = 'before'");
    adopt(fixture->path, &known);
    struct state found = state_of(fixture->path, &known);
    assert_int_equal(found.rows, 3);
    assert_int_equal(found.current, 0);
    assert_int_equal(found.identified, 0);
    known_kernels_close(&known);
}

/* The same problem under both forms of its key, as when an older program wrote after a newer one.
 */
static void two_problems_become_one(void **state) {
    struct fixture *fixture = *state;
    struct known_kernels known;
    struct tw_error error;
    assert_fine(known_kernels_open(&known, NULL, 0, &error), error);
    make_old(fixture->path, &known);
    tw_db *db = open_db(fixture->path, TW_DB_WRITE);
    put_tuned(db, &known, (struct tuned){"gemm", "64x32x16", "default", "cuda:b", NULL, 7, true});
    tw_db_close(db);
    db = open_db(fixture->path, TW_DB_READ);
    assert_sql(db, "SELECT count(*) FROM problem WHERE kernel = 'gemm'", "2");
    tw_db_close(db);
    adopt(fixture->path, &known);
    db = open_db(fixture->path, TW_DB_READ);
    assert_sql(db, "SELECT count(*) FROM problem WHERE kernel = 'gemm'", "1");
    assert_sql(db, "SELECT count(*) FROM problem_dimension", "5");
    assert_sql(db, "SELECT count(*) FROM run JOIN problem ON problem.id = run.problem", "3");
    assert_sql(db, "SELECT count(*) FROM best", "4"); /* of two hashes */
    assert_sql(db, "SELECT count(*) FROM pragma_foreign_key_check", "0");
    tw_db_close(db);
    known_kernels_close(&known);
}

/* What the list says of built-in kernels is what they are: results of schema 3 without their
 * description, as exports of that time, are known by it. */
static void built_in_kernels_are_known(void **state) {
    (void)state;
    struct known_kernels known;
    struct tw_error error;
    const char *meant;
    char code[TW_HASH_SIZE];
    assert_fine(known_kernels_open(&known, NULL, 0, &error), error);
    const struct tw_description *gemm = known_kernels_find(&known, "gemm")->description;
    int index = tw_description_implementation(gemm, "register_tiled");
    static const char *const backends[] = {"cuda", "opencl"};
    for (int i = 0; i < 2; i++) {
        meant = tw_legacy_code("gemm", "register_tiled", "c0d5916804b00a6c50a0ba7272a335e0",
                               backends[i]);
        assert_non_null(meant);
        assert_fine(tw_identity_code(gemm, index, backends[i], code, &error), error);
        assert_string_equal(meant, code);
    }
    assert_null(
        tw_legacy_code("gemm", "register_tiled", "c0d5916804b00a6c50a0ba7272a335e1", "cuda"));
    assert_null(tw_legacy_code("gemm", "tiled", "c0d5916804b00a6c50a0ba7272a335e0", "cuda"));
    assert_null(
        tw_legacy_code("gemm", "register_tiled", "c0d5916804b00a6c50a0ba7272a335e0", "metal"));
    known_kernels_close(&known);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DB_TEST(rows_of_unchanged_code_stay_current),
        DB_TEST(rows_of_other_code_stay_hints),
        DB_TEST(two_problems_become_one),
        cmocka_unit_test(built_in_kernels_are_known),
    };
    return cmocka_run_group_tests_name("adopt", tests, NULL, NULL);
}
