/* Calls unlike those that problems are tuned with. */
#include "tests/support/scale.h"
#include "tuner/measure/call.h"

/* The call of a kind for rows of `columns`, and whether it can be bound. */
static struct call call_for(struct tw_description *d, const char *shape, const char *dtype,
                            enum call_kind kind, bool *exists, int64_t *lda) {
    struct tw_problem problem = parse_problem(d, shape);
    struct tw_error error;
    struct call call;
    int64_t values[TW_MAX_SYMBOLS];
    must(tw_problem_set(&problem, "dtype", dtype, &error), error);
    bind_problem(&problem, &paper_gpu, values);
    *exists = call_of_kind(kind, &problem, values, &call);
    *lda = 0;
    if (*exists) {
        must(call_bind(&call, &paper_gpu, &problem, values, &error), error);
        for (int i = 0; i < d->argument_count; i++)
            if (strcmp(d->arguments[i].name, "lda") == 0)
                *lda = values[d->arguments[i].slot];
        assert_int_equal(values[TW_SLOT_ALIGNMENT],
                         call.alignment > 0 ? call.alignment : TW_FULL_ALIGNMENT);
    }
    return call;
}

/* Padded rows begin where 16 bytes do, odd ones where not two elements do, and there is a gap. */
static void strides(void **state) {
    (void)state;
    static const struct {
        const char *shape, *dtype;
        int64_t padded, odd;
    } expected[] = {
        {"8x100", "f32", 104, 101}, {"8x101", "f32", 104, 103}, {"8x104", "f64", 106, 105},
        {"8x1", "f32", 4, 3},       {"8x103", "f64", 104, 105},
    };
    struct tw_description *d = read_description(scale_text, NULL);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        bool exists;
        int64_t lda;
        call_for(d, expected[i].shape, expected[i].dtype, CALL_PADDED, &exists, &lda);
        assert_true(exists);
        assert_int_equal(lda, expected[i].padded);
        call_for(d, expected[i].shape, expected[i].dtype, CALL_ODD, &exists, &lda);
        assert_int_equal(lda, expected[i].odd);
        struct call least =
            call_for(d, expected[i].shape, expected[i].dtype, CALL_UNALIGNED, &exists, &lda);
        assert_int_equal(lda, expected[i].padded);
        assert_int_equal(least.alignment, strcmp(expected[i].dtype, "f64") == 0 ? 8 : 4);
    }
    tw_description_free(d);
}

/* No stride passes what an int holds. */
static void the_longest_rows(void **state) {
    (void)state;
    struct tw_description *d = read_description(scale_text, NULL);
    bool exists;
    int64_t lda;
    for (enum call_kind kind = 0; kind < CALL_KINDS; kind++) {
        call_for(d, "1x2147483647", "f32", kind, &exists, &lda);
        assert_false(exists);
    }
    tw_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides),
        cmocka_unit_test(the_longest_rows),
    };
    return cmocka_run_group_tests_name("call", tests, NULL, NULL);
}
