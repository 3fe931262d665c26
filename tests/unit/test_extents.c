/* What follows from a problem: extents of its buffers, work, bounds of its inputs, tolerances. */
#include "runtime/description/builtin.h"
#include "tests/support/scale.h"

static void extents(void **state) {
    (void)state;
    int64_t values[TW_MAX_SYMBOLS], slots[TW_DEVICE_SLOTS];
    const int64_t strides[TW_MAX_ARGUMENTS] = {[2] = 7};
    struct tw_extent extent;
    struct tw_error error;
    struct tw_problem problem = parse_problem(scale, "3x5");
    tw_device_values(&paper_gpu, slots);
    must(tw_problem_bind(&problem, slots, strides, values, &error), error);
    must(tw_problem_extent(&problem, 0, values, &extent, &error), error);
    assert_int_equal(extent.rows, 3);
    assert_int_equal(extent.columns, 5);
    assert_int_equal(extent.stride, 7);
    assert_int_equal(extent.type, TW_TYPE_f32);
    assert_int_equal(extent.bytes, 4 * (2 * 7 + 5)); /* the last row has no gap after it */
    must(tw_problem_set(&problem, "dtype", "f64", &error), error);
    must(tw_problem_extent(&problem, 1, values, &extent, &error), error);
    assert_int_equal(extent.bytes, 8 * 15);
    problem = parse_problem(scale, "2147483647x2147483647");
    bind_problem(&problem, &paper_gpu, values);
    assert_refuses(tw_problem_extent(&problem, 0, values, &extent, &error), TW_INVALID, error,
                   "A would have 2147483647 rows of 2147483647 elements");
}

/* With an A of `rows` x `columns`. */
static tw_status odd_extent(const char *rows, const char *columns, struct tw_extent *extent,
                            struct tw_error *error) {
    char with[200];
    snprintf(with, sizeof with, "\"rows\": \"%s\", \"columns\": \"%s\", \"fill\"", rows, columns);
    char *text = replaced(scale_text,
                          "\"rows\": \"M\", \"columns\": \"N\", \"stride\": \"lda\", "
                          "\"fill\"",
                          with);
    struct tw_description *d = read_description(text, NULL);
    struct tw_problem problem = parse_problem(d, "70000x70000");
    int64_t values[TW_MAX_SYMBOLS];
    bind_problem(&problem, &paper_gpu, values);
    tw_status status = tw_problem_extent(&problem, 0, values, extent, error);
    tw_description_free(d);
    free(text);
    return status;
}

static void odd_extents(void **state) {
    (void)state;
    struct tw_extent extent;
    struct tw_error error;
    must(odd_extent("M", "1", &extent, &error), error);
    assert_int_equal(extent.stride, 1); /* without a stride, rows are dense */
    assert_int_equal(extent.bytes, 4 * 70000);
    assert_refuses(odd_extent("M - N", "1", &extent, &error), TW_INVALID, error, "0 rows");
    assert_refuses(odd_extent("1", "0 - M", &extent, &error), TW_INVALID, error, "-70000");
    assert_refuses(odd_extent("M*N*M*N", "1", &extent, &error), TW_INVALID, error, "rows of A");
    assert_refuses(odd_extent("M*N*1000000000", "4", &extent, &error), TW_INVALID, error,
                   "no size a buffer can have");
    assert_refuses(odd_extent("M / (M - N)", "1", &extent, &error), TW_INVALID, error,
                   "divides by zero");
}

/* Kernels, those that check among them, are given rows and columns as int. */
static void extents_fit_an_int(void **state) {
    (void)state;
    struct tw_extent extent;
    assert_status(odd_extent("M*N", "1", &extent, NULL), TW_INVALID);
    assert_status(odd_extent("1", "M*N", &extent, NULL), TW_INVALID);
}

static const char attributes_text[] =
    "\"dtype\": { \"values\": [\"f32\", \"f64\"], \"default\": \"f32\" }";

/* A number from least to most, in expressions, keys and messages. */
static void numbers_as_attributes(void **state) {
    (void)state;
    char *text = replaced(scale_text, attributes_text,
                          "\"dtype\": { \"values\": [\"f32\", \"f64\"], \"default\": \"f32\" },"
                          "\"times\": { \"least\": -2, \"most\": 9, \"default\": 1 }");
    char *more = replaced(text, "\"rows\": \"M\", \"columns\": \"N\", \"stride\": \"lda\"",
                          "\"rows\": \"M\", \"columns\": \"N*max(times, 1)\"");
    struct tw_description *d = read_description(more, NULL);
    struct tw_problem problem = parse_problem(d, "3x5"), again;
    char key[TW_PROBLEM_KEY_SIZE];
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_extent extent;
    struct tw_error error;
    tw_problem_key(&problem, key);
    assert_string_equal(key, "M=3,N=5");
    tw_problem_text(&problem, key);
    assert_string_equal(key, "M=3,N=5;dtype=f32,times=1");
    must(tw_problem_set(&problem, "times", "9", &error), error);
    bind_problem(&problem, &paper_gpu, values);
    must(tw_problem_extent(&problem, 0, values, &extent, &error), error);
    assert_int_equal(extent.columns, 45);
    must(tw_problem_set(&problem, "times", "-2", &error), error);
    tw_problem_key(&problem, key);
    assert_string_equal(key, "M=3,N=5;times=-2");
    must(tw_problem_read(&again, d, key, &error), error);
    assert_int_equal(again.words[1], -2);
    assert_true(tw_problem_has_attributes(&again, ";times=-2"));
    assert_false(tw_problem_has_attributes(&again, ""));
    static const char *const wrong[] = {"10", "-3", "1.5", " 1", "+1", "01", "", "one", "1x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refuses(tw_problem_set(&problem, "times", wrong[i], &error), TW_INVALID, error,
                       "it is a whole number from -2 to 9");
    tw_description_free(d);
    free(more);
    free(text);
}

/* A buffer that a problem has not takes no stride and no size. */
static void optional_buffers(void **state) {
    (void)state;
    char *text = replaced(scale_text, "\"access\": \"in\", \"rows\": \"M\", \"columns\": \"N\"",
                          "\"access\": \"in\", \"when\": \"M > 4\", \"rows\": \"M\", "
                          "\"columns\": \"2*N\"");
    struct tw_description *d = read_description(text, NULL);
    struct tw_problem small = parse_problem(d, "4x5"), large = parse_problem(d, "5x5");
    int64_t values[TW_MAX_SYMBOLS], slots[TW_DEVICE_SLOTS];
    struct tw_error error;
    tw_device_values(&paper_gpu, slots);
    /* lda, which is N, is too short for the rows of A, where there are any. */
    must(tw_problem_bind(&small, slots, NULL, values, &error), error);
    assert_false(tw_problem_has(&small, 0, values));
    assert_true(tw_problem_has(&small, 1, values));
    assert_false(tw_problem_has(&small, 2, values)); /* a stride */
    assert_refuses(tw_problem_bind(&large, slots, NULL, values, &error), TW_INVALID, error,
                   "lda is 5 but the rows of A have 10 elements");
    tw_description_free(d);
    free(text);
    text =
        replaced(scale_text, "\"access\": \"in\"", "\"access\": \"in\", \"when\": \"1/(M - 4)\"");
    d = read_description(text, NULL);
    small = parse_problem(d, "4x5");
    assert_refuses(tw_problem_bind(&small, slots, NULL, values, &error), TW_INVALID, error,
                   "when of A, \"1/(M - 4)\", divides by zero");
    tw_description_free(d);
    free(text);
}

/* A number in device memory is as aligned as its type; a matrix that happens to be one is not. */
static void alignments(void **state) {
    (void)state;
    struct tw_error error;
    struct tw_description *d;
    struct tw_problem problem;
    must(tw_description_builtin(&d, "gemm", &error), error);
    must(tw_problem_read(&problem, d, "M=1,N=1,K=1;dtype=i8,scalars=device,addend_scale=tensor",
                         &error),
         error);
    for (int i = 0; i < d->argument_count; i++) {
        const char *name = d->arguments[i].name;
        const int own = strncmp(name, "device_", 7) == 0 ? 8
                        : strcmp(name, "c_scale") == 0   ? 4
                                                         : 16;
        if (d->arguments[i].kind == TW_ARGUMENT_BUFFER)
            assert_int_equal(tw_problem_alignment(&problem, i, 16), own);
        /* Nothing is less aligned than its elements. */
        if (strcmp(name, "A") == 0 || strcmp(name, "C") == 0)
            assert_int_equal(tw_problem_alignment(&problem, i, 1), name[0] == 'A' ? 1 : 4);
    }
    tw_description_free(d);
}

static void bounds_of_inputs(void **state) {
    (void)state;
    char *text =
        replaced(scale_text, "\"low\": -1, \"high\": 1", "\"low\": \"-M\", \"high\": \"N - 3\"");
    struct tw_description *d = read_description(text, NULL);
    struct tw_problem problem = parse_problem(d, "4x5"), empty = parse_problem(d, "1x1");
    int64_t values[TW_MAX_SYMBOLS];
    double low, high;
    struct tw_error error;
    bind_problem(&problem, &paper_gpu, values);
    must(tw_problem_fill(&problem, 0, values, &low, &high, &error), error);
    assert_true(low == -4 && high == 2);
    must(tw_problem_fill(&problem, 1, values, &low, &high, &error), error);
    assert_true(low == -1 && high == 1);
    bind_problem(&empty, &paper_gpu, values);
    assert_refuses(tw_problem_fill(&empty, 0, values, &low, &high, &error), TW_INVALID, error,
                   "fill of A: low is -1, not below high, which is -2");
    tw_description_free(d);
    free(text);
}

/* A list of ends goes up to what there is to be divided. */
static void parts_of_inputs(void **state) {
    (void)state;
    char *typed = replaced(scale_text, "\"name\": \"A\", \"kind\": \"buffer\", \"type\": \"dtype\"",
                           "\"name\": \"A\", \"kind\": \"buffer\", \"type\": \"i32\"");
    char *text = replaced(typed, "\"low\": -1, \"high\": 1", "\"parts_of\": \"M - 4\"");
    struct tw_description *d = read_description(text, NULL);
    struct tw_problem problem = parse_problem(d, "11x5"), empty = parse_problem(d, "4x5");
    int64_t values[TW_MAX_SYMBOLS];
    double low, high;
    struct tw_error error;
    bind_problem(&problem, &paper_gpu, values);
    must(tw_problem_fill(&problem, 0, values, &low, &high, &error), error);
    assert_true(low == 0 && high == 7);
    bind_problem(&empty, &paper_gpu, values);
    assert_refuses(tw_problem_fill(&empty, 0, values, &low, &high, &error), TW_INVALID, error,
                   "fill of A: parts_of is 0, not from 1 to 2^31-1");
    tw_description_free(d);
    free(text);
    free(typed);
}

static void work(void **state) {
    (void)state;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_work done;
    struct tw_error error;
    const char *unit = NULL;
    struct tw_problem problem = parse_problem(scale, "1000x500");
    bind_problem(&problem, &paper_gpu, values);
    must(tw_problem_work(&problem, values, &done, &error), error);
    assert_true(done.flops == 0 && done.bytes == 4e6);
    assert_true(tw_work_rate(&done, 1e-3, &unit) == 4.0);
    assert_string_equal(unit, "GB/s");
    done.flops = 3e12;
    assert_true(tw_work_rate(&done, 2, &unit) == 1.5);
    assert_string_equal(unit, "TFLOP/s");

    problem = parse_problem(scale, "2147483647x2147483647");
    bind_problem(&problem, &paper_gpu, values);
    assert_refuses(tw_problem_work(&problem, values, &done, &error), TW_INVALID, error,
                   "work bytes, \"2*ESIZE*M*N\", overflows 64 bits for 2147483647x2147483647");
}

static void types(void **state) {
    (void)state;
    unsigned char bytes[8];
    float single;
    double twice;
    for (int i = 0; i < TW_TYPE_COUNT; i++) {
        const struct tw_type_info *info = tw_type_info((enum tw_type)i);
        assert_int_equal(tw_type_from_word(info->word), i);
        assert_int_equal(tw_type_encode((enum tw_type)i, 3, bytes), info->bytes);
    }
    assert_int_equal(tw_type_from_word("f17"), -1);
    assert_int_equal(tw_type_from_word(""), -1);
    tw_type_encode(TW_TYPE_f32, 0.1, bytes);
    memcpy(&single, bytes, 4);
    assert_true(single == 0.1f);
    tw_type_encode(TW_TYPE_f64, 0.1, bytes);
    memcpy(&twice, bytes, 8);
    assert_true(twice == 0.1);
    tw_type_encode(TW_TYPE_i32, -2, bytes);
    assert_memory_equal(bytes, "\xfe\xff\xff\xff", 4);
    tw_type_encode(TW_TYPE_u8, 200, bytes);
    assert_int_equal(bytes[0], 200);
}

/* The errors of 8-bit products are a step of C's type where a scale makes an element much larger
 * than the others are, which few terms do not even out. */
static void tolerances_of_scaled_products(void **state) {
    (void)state;
    static const struct {
        const char *key;
        int64_t growth;
    } cases[] = {
        {"M=2321,N=2432,K=194;dtype=e4m3,trans=nt,scales=rows", 16},
        {"M=2331,N=2016,K=160;dtype=e4m3,trans=nt,ctype=f16,scales=blocks", 16},
        {"M=2331,N=2016,K=160;dtype=e4m3,trans=nt,ctype=f16,scales=tensor", 1},
        {"M=2331,N=2016,K=160;dtype=e4m3,trans=nt", 1},
        {"M=2331,N=2016,K=160;dtype=i8,trans=nt,ctype=bf16,scales=rows", 1},
        {"M=4096,N=4096,K=4096;dtype=e4m3,trans=nt,scales=rows", 1},
        {"M=2331,N=2016,K=160;dtype=bf16,trans=nt", 1},
    };
    struct tw_description *gemm;
    struct tw_error error;
    must(tw_description_builtin(&gemm, "gemm", &error), error);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_problem problem;
        int64_t values[TW_MAX_SYMBOLS], growth;
        must(tw_problem_read(&problem, gemm, cases[i].key, &error), error);
        bind_problem(&problem, &paper_gpu, values);
        assert_int_equal(tw_expression_evaluate(gemm->growth, values, &growth), TW_EVALUATED);
        assert_int_equal(growth, cases[i].growth);
    }
    tw_description_free(gemm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extents),
        cmocka_unit_test(odd_extents),
        cmocka_unit_test(extents_fit_an_int),
        cmocka_unit_test(numbers_as_attributes),
        cmocka_unit_test(optional_buffers),
        cmocka_unit_test(alignments),
        cmocka_unit_test(bounds_of_inputs),
        cmocka_unit_test(parts_of_inputs),
        cmocka_unit_test(work),
        cmocka_unit_test(types),
        cmocka_unit_test(tolerances_of_scaled_products),
    };
    return cmocka_run_group_tests_name("extents", tests, read_scale, free_scale);
}
