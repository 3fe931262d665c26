/* libtilewise: requests that mean the same, many plans at once, calls that make none, and plans
 * that are dropped.
 *
 *     test_library_prepare BACKEND */
#include <pthread.h>

#include "tests/support/library.h"

/* ---- What means the same ---- */

static void one_plan_for_one_meaning(void **state) {
    static const tw_request same[] = {
        {.kernel = "gemm", .dimensions = {6, 5, 4}},
        {.size = sizeof(tw_request), .kernel = "gemm", .dimensions = {6, 5, 4}},
        {.kernel = "gemm", .attributes = "dtype=f32", .dimensions = {6, 5, 4}},
        {.kernel = "gemm", .attributes = "trans=nn,dtype=f32", .dimensions = {6, 5, 4}},
        {.kernel = "gemm", .attributes = "trans=tn,dtype=f32,trans=nn", .dimensions = {6, 5, 4}},
        {.kernel = "gemm", .dimensions = {6, 5, 4}, .strides = {4}},
        {.kernel = "gemm", .dimensions = {6, 5, 4}, .strides = {4, 5, 5}},
        {.kernel = "gemm", .dimensions = {6, 5, 4}, .alignment = 16},
        {.kernel = "gemm", .dimensions = {6, 5, 4}, .alignment = 256},
    };
    static const tw_request others[] = {
        {.kernel = "gemm", .attributes = "dtype=f64", .dimensions = {6, 5, 4}},
        {.kernel = "gemm", .dimensions = {6, 5, 4}, .strides = {5}},
        {.kernel = "gemm", .dimensions = {6, 5, 4}, .strides = {0, 0, 6}},
        {.kernel = "gemm", .dimensions = {6, 5, 4}, .alignment = 8},
    };
    const tw_plan *plan = make_plan(*state, &same[0]);
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < sizeof same / sizeof *same; i++)
            assert_ptr_equal(make_plan(*state, &same[i]), plan);
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            assert_ptr_not_equal(make_plan(*state, &others[i]), plan);
    }
}

/* ---- Many at once ---- */

enum { MANY = 24 };

static void many_at_once(void **state) {
    tw_request requests[MANY];
    const tw_plan *plans[MANY];
    tw_error errors[MANY], error;
    for (int i = 0; i < MANY; i++)
        requests[i] = (tw_request){.size = sizeof(tw_request),
                                   .kernel = i % 2 == 0 ? "copy" : "transpose",
                                   .dimensions = {10 + i % 12, 20}};
    must(tw_prepare(*state, requests, MANY, 3, plans, errors, &error), error);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(errors[i].status, TW_OK);
        assert_ptr_equal(make_plan(*state, &requests[i]), plans[i]);
        assert_ptr_equal(plans[i], plans[i % 12]);
    }
    /* Those that cannot be made do not keep the others from being made. */
    requests[5].kernel = "transpoze";
    requests[9].dimensions[0] = 0;
    for (int i = 0; i < MANY; i++)
        requests[i].dimensions[1] = 21;
    assert_refuses(tw_prepare(*state, requests, MANY, 0, plans, errors, &error), TW_NOT_FOUND,
                   error,
                   "2 of 24 plans could not be made; the first is requests[5], of transpoze: ");
    for (int i = 0; i < MANY; i++) {
        bool wrong = i == 5 || i == 9;
        assert_int_equal(errors[i].status, i == 5 ? TW_NOT_FOUND : i == 9 ? TW_INVALID : TW_OK);
        assert_true((plans[i] == NULL) == wrong);
    }
    assert_says(errors[9].message, "dimension M is 0");
    assert_refuses(tw_prepare(*state, requests, MANY, 1, NULL, NULL, &error), TW_NOT_FOUND, error,
                   "requests[5]");
    must(tw_prepare(*state, NULL, 0, 0, NULL, NULL, &error), error);
    assert_refuses(tw_prepare(*state, requests, MANY, -1, NULL, NULL, &error), TW_INVALID, error,
                   "threads is -1");
    requests[3].size = 0;
    assert_refuses(tw_prepare(*state, requests, MANY, 0, plans, errors, &error), TW_INVALID, error,
                   "the size of requests[3] is 0; set it to sizeof(tw_request)");
    for (int i = 0; i < MANY; i++)
        assert_true(plans[i] == NULL && errors[i].status == TW_INVALID);
}

/* ---- Ranges ---- */

static void ranges_of_sizes(void **state) {
    const tw_request copy = {.kernel = "copy", .dimensions = {0, 40}},
                     transpose = {.kernel = "transpose", .dimensions = {7, 0}};
    const tw_range ranges[] = {{sizeof(tw_range), &copy, 0, 100, 130, 10},
                               {sizeof(tw_range), &transpose, 1, 31, 35, 0},
                               {sizeof(tw_range), &copy, 0, 5, 5, 100}};
    const tw_options options = {.device = tw_device_id(*state),
                                .databases = (const char *const[]){NULL},
                                .binary_directory = "",
                                .prepared_only = 1};
    tw_library *library = open_with(&options);
    float numbers[130 * 40] = {0};
    tw_error error;
    must(tw_prepare_ranges(library, ranges, 3, 2, &error), error);
    must(tw_prepare_ranges(library, ranges, 0, 0, &error), error);
    void *from = buffer_with(library, numbers, sizeof numbers);
    void *to = buffer_with(library, numbers, sizeof numbers);
    for (int m = 99; m <= 131; m++) { /* calls make no plans */
        const bool prepared = m % 10 == 0;
        tw_status status = tw_copy(library, NULL, 4, m <= 130 ? m : 6, 40, from, 0, to, 0, &error);
        assert_int_equal(status, prepared ? TW_OK : TW_NOT_FOUND);
    }
    must(tw_copy(library, NULL, 4, 5, 40, from, 0, to, 0, &error), error);
    for (int n = 31; n <= 35; n++)
        must(tw_transpose(library, NULL, 4, 7, n, from, 0, to, 0, &error), error);
    must(tw_wait(library, NULL, &error), error);
    tw_release(library, from);
    tw_release(library, to);
    tw_close(library);
}

static void ranges_that_are_none(void **state) {
    const tw_request copy = {.kernel = "copy", .dimensions = {0, 40}},
                     none = {.kernel = "none", .dimensions = {0, 40}},
                     odd = {.size = 3, .kernel = "copy"};
    static const struct {
        int64_t dimension, from, to, step;
        const char *says;
    } cases[] = {
        {8, 1, 2, 1, "ranges[0]: the dimension is 8"},
        {-1, 1, 2, 1, "ranges[0]: the dimension is -1"},
        {0, 0, 2, 1, "ranges[0]: from 0 to 2 by 1 is no range"},
        {0, 3, 2, 1, "from 3 to 2 by 1 is no range"},
        {0, 1, 2, -1, "from 1 to 2 by -1 is no range"},
        {0, 1, INT64_MAX, 1, "is no range"},
        {0, 1, 1000001, 1, "more than 1000000 shapes"},
        {2, 1, 2, 1, "2 of 2 plans could not be made; the first is ranges[0] at 1, of copy: "},
    };
    tw_error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tw_range range = {sizeof range,  &copy,       (int)cases[i].dimension,
                                cases[i].from, cases[i].to, cases[i].step};
        assert_refuses(tw_prepare_ranges(*state, &range, 1, 1, &error), TW_INVALID, error,
                       cases[i].says);
    }
    tw_range range = {sizeof range, &none, 0, 7, 9, 1};
    assert_refuses(tw_prepare_ranges(*state, &range, 1, 2, &error), TW_NOT_FOUND, error,
                   "3 of 3 plans could not be made; the first is ranges[0] at 7, of none: ");
    assert_refuses(tw_prepare_ranges(*state, &range, 1, -1, &error), TW_INVALID, error, "negative");
    range.request = &odd;
    assert_refuses(tw_prepare_ranges(*state, &range, 1, 0, &error), TW_INVALID, error,
                   "ranges[0]: the size of tw_request is 3");
    range.request = NULL;
    assert_refuses(tw_prepare_ranges(*state, &range, 1, 0, &error), TW_INVALID, error, "NULL");
    range.size = 0;
    assert_refuses(tw_prepare_ranges(*state, &range, 1, 0, &error), TW_INVALID, error,
                   "set it to sizeof(tw_range)");
}

/* ---- Calls that make no plans ---- */

static void calls_that_make_no_plans(void **state) {
    (void)state;
    tw_options options = bare_options();
    options.size = sizeof options;
    options.prepared_only = 1;
    tw_library *library = open_with(&options);
    float numbers[64] = {0};
    void *a = buffer_with(library, numbers, sizeof numbers);
    void *c = buffer_with(library, numbers, sizeof numbers);
    tw_error error;
#define GEMM(lda) tw_gemm(library, NULL, TW_F32, TW_NT, 4, 5, 3, 1, a, lda, a, 3, 0, c, 5, &error)
    assert_refuses(GEMM(3), TW_NOT_FOUND, error,
                   "gemm 4x5x3 \"dtype=f32,trans=nt\" has no plan yet, and with prepared_only");
    const tw_request requests[] = {
        {.size = sizeof(tw_request),
         .kernel = "gemm",
         .attributes = "trans=nt",
         .dimensions = {4, 5, 3}},
        {.size = sizeof(tw_request), .kernel = "gemm_scale", .dimensions = {4, 5}},
    };
    must(tw_prepare(library, requests, 1, 0, NULL, NULL, &error), error);
    must(GEMM(3), error);
    assert_refuses(GEMM(4), TW_NOT_FOUND, error, "trans=nt\", lda 4 has no plan yet");
    if (strcmp(backend, "cuda") == 0)
        assert_refuses(tw_gemm(library, NULL, TW_F32, TW_NT, 4, 5, 3, 1, (char *)a + 4, 3, a, 3, 0,
                               c, 5, &error),
                       TW_NOT_FOUND, error, "alignment 4 has no plan yet");
#undef GEMM
    assert_refuses(tw_copy(library, NULL, 4, 4, 4, a, 4, c, 4, &error), TW_NOT_FOUND, error,
                   "copy 4x4 \"dtype=f32\" has no plan yet");
    assert_refuses(
        tw_gemm(library, NULL, TW_F32, TW_NN, 4, 5, 0, 1, NULL, 0, NULL, 5, 0, c, 5, &error),
        TW_NOT_FOUND, error, "gemm_scale 4x5 \"dtype=f32\" has no plan yet");
    must(tw_prepare(library, requests, 2, 0, NULL, NULL, &error), error);
    must(tw_gemm(library, NULL, TW_F32, TW_NN, 4, 5, 0, 1, NULL, 0, NULL, 5, 0, c, 5, &error),
         error);
    must(tw_wait(library, NULL, &error), error);
    tw_release(library, a);
    tw_release(library, c);
    tw_close(library);
}

/* ---- A limit ---- */

/* The same configuration for every shape, so that all of them share one kernel that is compiled
 * once. */
struct shapes {
    tw_library *library;
    unsigned seed;
    int wrong;
};

enum { CELLS = 40 };

static void copy_one(struct shapes *s, void *from, void *to, void *stream, int64_t columns) {
    tw_error error;
    if (tw_copy(s->library, stream, 4, 1, columns, from, columns, to, columns, &error) != TW_OK)
        s->wrong++;
}

/* Many shapes, more than are kept, in several threads, and each answer is right. */
static void *copy_shapes(void *context) {
    struct shapes *s = context;
    float numbers[CELLS], got[CELLS];
    tw_error error;
    for (int i = 0; i < CELLS; i++)
        numbers[i] = (float)(i + 1);
    void *from = NULL, *to = NULL;
    if (tw_allocate(&from, s->library, sizeof numbers, &error) != TW_OK ||
        tw_allocate(&to, s->library, sizeof numbers, &error) != TW_OK ||
        tw_write(s->library, from, numbers, sizeof numbers, &error) != TW_OK)
        s->wrong++;
    for (int turn = 0; turn < 60 && s->wrong == 0; turn++) {
        int64_t columns = 1 + rand_r(&s->seed) % CELLS;
        memset(got, 0, sizeof got);
        if (tw_write(s->library, to, got, sizeof got, &error) != TW_OK)
            s->wrong++;
        copy_one(s, from, to, NULL, columns);
        if (tw_read(s->library, NULL, got, to, sizeof got, &error) != TW_OK)
            s->wrong++;
        for (int i = 0; i < CELLS; i++)
            s->wrong += got[i] != (i < columns ? numbers[i] : 0);
    }
    tw_release(s->library, from);
    tw_release(s->library, to);
    return NULL;
}

static void dropped_while_others_launch(void **state) {
    (void)state;
    tw_options options = bare_options();
    options.plan_limit = 3;
    struct shapes shapes[4];
    pthread_t threads[4];
    tw_library *library = open_with(&options);
    for (int i = 0; i < 4; i++) {
        shapes[i] = (struct shapes){.library = library, .seed = 1 + (unsigned)i};
        assert_int_equal(pthread_create(&threads[i], NULL, copy_shapes, &shapes[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(shapes[i].wrong, 0);
    }
    tw_close(library);
}

static void held_until_released(void **state) {
    (void)state;
    tw_options options = bare_options();
    options.plan_limit = 1;
    tw_library *library = open_with(&options);
    const tw_request request = {.kernel = "copy", .dimensions = {1, 30}};
    const tw_plan *plan = make_plan(library, &request);
    for (int64_t columns = 2; columns < 10; columns++) {
        const tw_request other = {.kernel = "copy", .dimensions = {1, columns}};
        tw_plan_release(make_plan(library, &other));
    }
    assert_string_equal(tw_plan_explain(plan)->problem, "M=1,N=30;dtype=f32");
    assert_ptr_equal(make_plan(library, &request), plan);
    tw_plan_release(plan);
    tw_plan_release(plan);
    tw_plan_release(NULL);
    tw_close(library);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        LIBRARY_TEST(one_plan_for_one_meaning),     LIBRARY_TEST(many_at_once),
        cmocka_unit_test(calls_that_make_no_plans), cmocka_unit_test(dropped_while_others_launch),
        cmocka_unit_test(held_until_released),      LIBRARY_TEST(ranges_of_sizes),
        LIBRARY_TEST(ranges_that_are_none),
    };
    if (!backend_is_here(count, arguments))
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
