/* Problems: shapes, attributes, keys, strides. */
#include <inttypes.h>

#include "runtime/description/builtin.h"
#include "tests/support/scale.h"

/* ---- Shapes ---- */

static void parses_shapes(void **state) {
    (void)state;
    struct tw_problem problem = parse_problem(scale, "64x32");
    assert_ptr_equal(problem.description, scale);
    assert_int_equal(problem.dimensions[0], 64);
    assert_int_equal(problem.dimensions[1], 32);
    assert_string_equal(scale->symbols.words[problem.words[0]], "f32");
    problem = parse_problem(scale, "1x2147483647");
    assert_int_equal(problem.dimensions[1], 2147483647);
}

static void refuses_shapes(void **state) {
    (void)state;
    static const struct {
        const char *shape, *says;
    } cases[] = {
        {"", "M must be a positive whole number; scale wants MxN"},
        {"64", "scale wants 2 sizes, MxN"},
        {"64x", "N must be a positive whole number"},
        {"x32", "M must be a positive whole number"},
        {"64x32x16", "unexpected \"x16\" at its end; scale wants 2 sizes, MxN"},
        {"0x32", "M must be from 1 to 2147483647"},
        {"64x0", "N must be from 1 to 2147483647"},
        {"-1x32", "M must be a positive whole number"},
        {"64x-32", "N must be a positive whole number"},
        {"+64x32", "M must be a positive whole number"},
        {"2147483648x1", "M must be from 1 to 2147483647"},
        {"1x18446744073709551617", "N must be from 1 to 2147483647"}, /* 2^64 + 1 */
        {"1x99999999999999999999999999999999999999999999", "N must be from 1 to"},
        {"64X32", "scale wants 2 sizes"},
        {"64*32", "scale wants 2 sizes"},
        {"64 x 32", "scale wants 2 sizes"},
        {" 64x32", "M must be a positive whole number"},
        {"64x32 ", "unexpected \" \" at its end"},
        {"64x32;dtype=f64", "unexpected \";dtype=f64\""},
        {"64.0x32", "scale wants 2 sizes"},
        {"1e3x32", "scale wants 2 sizes"},
        {"MxN", "M must be a positive whole number"},
        {"6\xc3\x97"
         "4",
         "scale wants 2 sizes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_problem problem;
        struct tw_error error;
        tw_status status = tw_problem_parse(&problem, scale, cases[i].shape, &error);
        if (status != TW_INVALID) {
            fail_msg("\"%s\" gives %s", cases[i].shape, tw_status_text(status));
        }
        assert_says(error.message, cases[i].says);
        assert_says(error.message, cases[i].shape);
    }
}

/* ---- Attributes and keys ---- */

static void attributes(void **state) {
    (void)state;
    struct tw_problem problem = parse_problem(scale, "64x32");
    struct tw_error error;
    must(tw_problem_set(&problem, "dtype", "f64", &error), error);
    assert_string_equal(scale->symbols.words[problem.words[0]], "f64");
    assert_int_equal(tw_problem_type(&problem, 0), TW_TYPE_f64);

    struct tw_problem before = problem;
    assert_refuses(tw_problem_set(&problem, "dtype", "f16", &error), TW_INVALID, error,
                   "scale has no dtype \"f16\"; there are f32, f64");
    assert_refuses(tw_problem_set(&problem, "dtype", "rows", &error), TW_INVALID, error,
                   "scale has no dtype \"rows\"");
    assert_refuses(tw_problem_set(&problem, "dtyp", "f32", &error), TW_INVALID, error,
                   "scale has no attribute \"dtyp\"; did you mean dtype?");
    assert_refuses(tw_problem_set(&problem, "layout_of_it", "f32", &error), TW_INVALID, error,
                   "scale has no attribute \"layout_of_it\"; there are dtype");
    assert_refuses(tw_problem_set(&problem, "dtype", "", &error), TW_INVALID, error, "\"\"");
    assert_memory_equal(&before, &problem, sizeof problem);
}

static void keys(void **state) {
    (void)state;
    struct tw_error error;
    char key[TW_PROBLEM_KEY_SIZE], shape[TW_PROBLEM_KEY_SIZE];
    struct tw_problem problem = parse_problem(scale, "64x032");
    tw_problem_key(&problem, key);
    tw_problem_shape(&problem, shape);
    assert_string_equal(key, "M=64,N=32");
    assert_string_equal(shape, "64x32");
    tw_problem_text(&problem, key);
    assert_string_equal(key, "M=64,N=32;dtype=f32");
    must(tw_problem_set(&problem, "dtype", "f64", &error), error);
    tw_problem_key(&problem, key);
    assert_string_equal(key, "M=64,N=32;dtype=f64");

    struct tw_description *gemm;
    must(tw_description_builtin(&gemm, "gemm", &error), error);
    problem = parse_problem(gemm, "2147483647x1x5");
    must(tw_problem_set(&problem, "trans", "nt", &error), error);
    tw_problem_key(&problem, key);
    assert_string_equal(key, "M=2147483647,N=1,K=5;trans=nt");
    tw_problem_text(&problem, key);
    assert_string_equal(key, "M=2147483647,N=1,K=5;dtype=f32,trans=nt");
    tw_description_free(gemm);
}

/* The types of a product, and what is no product. */
static void types_that_go_together(void **state) {
    (void)state;
    static const struct {
        const char *attributes;
        enum tw_type types[3]; /* of A, B, C */
        const char *refused;   /* NULL: it is not */
    } cases[] = {
        {"", {TW_TYPE_f32, TW_TYPE_f32, TW_TYPE_f32}, NULL},
        {";compute=tf32", {TW_TYPE_f32, TW_TYPE_f32, TW_TYPE_f32}, NULL},
        {";dtype=bf16", {TW_TYPE_bf16, TW_TYPE_bf16, TW_TYPE_bf16}, NULL},
        {";ctype=f32,dtype=bf16", {TW_TYPE_bf16, TW_TYPE_bf16, TW_TYPE_f32}, NULL},
        {";dtype=e4m3", {TW_TYPE_e4m3, TW_TYPE_e4m3, TW_TYPE_bf16}, NULL},
        {";dtype=e4m3,btype=e5m2,ctype=f16", {TW_TYPE_e4m3, TW_TYPE_e5m2, TW_TYPE_f16}, NULL},
        {";dtype=e5m2,btype=e4m3,ctype=f32", {TW_TYPE_e5m2, TW_TYPE_e4m3, TW_TYPE_f32}, NULL},
        {";dtype=i8", {TW_TYPE_i8, TW_TYPE_i8, TW_TYPE_i32}, NULL},
        {";dtype=f16,compute=tf32", {0}, "only products of f32"},
        {";dtype=f64,ctype=f32", {0}, "C has the type of A and B"},
        {";dtype=bf16,ctype=bf16", {0}, "leave ctype out"},
        {";dtype=e5m2,ctype=bf16", {0}, "leave ctype out"},
        {";dtype=f16,ctype=bf16", {0}, "or is f32"},
        {";dtype=f16,btype=e4m3", {0}, "B has A's type"},
        {";dtype=e4m3,btype=e4m3", {0}, "B has A's type"},
    };
    struct tw_description *gemm;
    struct tw_error error;
    must(tw_description_builtin(&gemm, "gemm", &error), error);
    const int64_t device[TW_DEVICE_SLOTS] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_problem problem;
        int64_t values[TW_MAX_SYMBOLS];
        char key[100];
        snprintf(key, sizeof key, "M=3,N=4,K=5%s", cases[i].attributes);
        must(tw_problem_read(&problem, gemm, key, &error), error);
        tw_status status = tw_problem_bind(&problem, device, NULL, values, &error);
        if (cases[i].refused != NULL) {
            assert_refuses(status, TW_INVALID, error, cases[i].refused);
            continue;
        }
        must(status, error);
        for (int j = 0; j < 3; j++)
            assert_int_equal(tw_problem_type(&problem, j), cases[i].types[j]);
    }
    tw_description_free(gemm);
}

/* What is said though it goes without saying is no other problem; what changes a type stays. */
static void types_that_go_without_saying(void **state) {
    (void)state;
    static const struct {
        const char *said, *key;
    } cases[] = {
        {";dtype=f16,ctype=f16", ";dtype=f16"},
        {";ctype=bf16,dtype=bf16", ";dtype=bf16"},
        {";dtype=e5m2,ctype=bf16", ";dtype=e5m2"},
        {";dtype=e4m3,btype=e4m3", ";dtype=e4m3"},
        {";dtype=f32,ctype=f32", ""},
        {";dtype=f16,ctype=f32", ";dtype=f16,ctype=f32"},
        {";dtype=e4m3,btype=e5m2", ";dtype=e4m3,btype=e5m2"},
        {";dtype=i8,ctype=f32,scales=rows", ";dtype=i8,ctype=f32,scales=rows"},
    };
    struct tw_description *gemm;
    struct tw_error error;
    must(tw_description_builtin(&gemm, "gemm", &error), error);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_problem problem;
        char said[100], key[TW_PROBLEM_KEY_SIZE];
        snprintf(said, sizeof said, "M=3,N=4,K=5%s", cases[i].said);
        must(tw_problem_read(&problem, gemm, said, &error), error);
        tw_problem_settle_types(&problem);
        tw_problem_key(&problem, key);
        assert_string_equal(key + strlen("M=3,N=4,K=5"), cases[i].key);
    }
    tw_description_free(gemm);
}

static void read_keys(void **state) {
    (void)state;
    static const char *const same[] = {";dtype=f64,trans=tn", ";trans=tn,dtype=f64"};
    static const struct {
        const char *key, *says;
    } wrong[] = {
        {"", "no problem of gemm"},
        {"M=64,N=32", "shape \"64x32\""},
        {"M=64,N=32,K=16,L=8", "no problem of gemm"},
        {"N=64,M=32,K=16", "no problem of gemm"},
        {"M=64,N=32,K=", "K must be"},
        {"M=64,N=32,K=0", "K must be"},
        {"M=64,N=32,K=16;", "\"\" is no attribute"},
        {"M=64,N=32,K=16;dtype", "\"dtype\" is no attribute"},
        {"M=64,N=32,K=16;dtype=f16x", "gemm has no dtype \"f16x\""},
        {"M=64,N=32,K=16;dtype=tf32", "e5m2, i8, and it is a word of compute"},
        {"M=64,N=32,K=16;layout=row", "gemm has no attribute \"layout\""},
    };
    struct tw_description *gemm;
    struct tw_problem problem, other;
    struct tw_error error;
    char key[TW_PROBLEM_KEY_SIZE];
    must(tw_description_builtin(&gemm, "gemm", &error), error);
    for (int i = 0; i < 2; i++) {
        char text[64];
        snprintf(text, sizeof text, "M=64,N=32,K=16%s", same[i]);
        must(tw_problem_read(&problem, gemm, text, &error), error);
        tw_problem_key(&problem, key);
        assert_string_equal(key, "M=64,N=32,K=16;dtype=f64,trans=tn");
        assert_true(tw_problem_has_attributes(&problem, strchr(text, ';')));
        assert_false(tw_problem_has_attributes(&problem, ";trans=tn"));
        assert_false(tw_problem_has_attributes(&problem, ";dtype=f64,trans=tn,season=1"));
    }
    must(tw_problem_read(&problem, gemm, "M=64,N=32,K=16", &error), error);
    must(tw_problem_read(&other, gemm, "M=64,N=32,K=16;dtype=f32,trans=nn", &error), error);
    assert_memory_equal(&problem, &other, sizeof problem);
    assert_true(tw_problem_has_attributes(&problem, ""));
    assert_true(tw_problem_has_attributes(&problem, ";trans=nn"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refuses(tw_problem_read(&problem, gemm, wrong[i].key, &error), TW_INVALID, error,
                       wrong[i].says);
    tw_description_free(gemm);
}

static void keys_without_attributes(void **state) {
    (void)state;
    char key[TW_PROBLEM_KEY_SIZE];
    char *plain = replaced(scale_text,
                           "\"attributes\": { \"dtype\": { \"values\": [\"f32\", \"f64\"], "
                           "\"default\": \"f32\" } }, \"let\": { \"ESIZE\": \"dtype == 'f64' ? 8 : "
                           "4\" }",
                           "\"let\": { \"ESIZE\": \"4\" }");
    for (int i = 0; i < 3; i++) {
        char *typed = replaced(plain, "\"type\": \"dtype\"", "\"type\": \"f32\"");
        free(plain);
        plain = typed;
    }
    struct tw_description *d = read_description(plain, NULL);
    struct tw_problem problem = parse_problem(d, "64x32");
    tw_problem_key(&problem, key);
    assert_string_equal(key, "M=64,N=32");
    tw_description_free(d);
    free(plain);
}

/* ---- Binding ---- */

static void binds_every_name(void **state) {
    (void)state;
    struct tw_error error;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_problem problem = parse_problem(scale, "64x32");
    must(tw_problem_set(&problem, "dtype", "f64", &error), error);
    bind_problem(&problem, &paper_gpu, values);
    static const struct {
        const char *name;
        int64_t value;
    } expected[] = {{"MAX_SHARED", 232448},
                    {"MAX_THREADS", 1024},
                    {"WARP", 32},
                    {"SM_COUNT", 132},
                    {"L2_BYTES", 52428800},
                    {"ARCH", 90},
                    {"IS_CPU", 0},
                    {"M", 64},
                    {"N", 32},
                    {"ESIZE", 8},
                    {"lda", 32},
                    {"ldb", 32}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        int slot = tw_symbols_find(&scale->symbols, expected[i].name);
        assert_true(slot >= 0);
        if (values[slot] != expected[i].value) {
            fail_msg("%s is %" PRId64, expected[i].name, values[slot]);
        }
    }
    int dtype = tw_symbols_find(&scale->symbols, "dtype");
    assert_string_equal(scale->symbols.words[values[dtype]], "f64");
}

static tw_status bind_strides(const char *shape, int64_t lda, int64_t ldb, int64_t *values,
                              struct tw_error *error) {
    int64_t slots[TW_DEVICE_SLOTS];
    const int64_t strides[TW_MAX_ARGUMENTS] = {[2] = lda, [3] = ldb};
    struct tw_problem problem = parse_problem(scale, shape);
    tw_device_values(&paper_gpu, slots);
    return tw_problem_bind(&problem, slots, strides, values, error);
}

static void strides(void **state) {
    (void)state;
    int64_t values[TW_MAX_SYMBOLS];
    struct tw_error error;
    must(bind_strides("64x32", 40, 0, values, &error), error);
    assert_int_equal(values[scale->arguments[2].slot], 40);
    assert_int_equal(values[scale->arguments[3].slot], 32);
    must(bind_strides("64x32", 32, 2147483647, values, &error), error);

    assert_refuses(bind_strides("64x32", 31, 0, values, &error), TW_INVALID, error,
                   "lda is 31 but the rows of A have 32 elements");
    assert_refuses(bind_strides("64x32", 0, 5, values, &error), TW_INVALID, error,
                   "ldb is 5 but the rows of B have 32 elements");
    assert_refuses(bind_strides("64x32", -40, 0, values, &error), TW_INVALID, error, "lda is -40");
    assert_refuses(bind_strides("64x32", INT64_MIN, 0, values, &error), TW_INVALID, error, "lda");
    assert_refuses(bind_strides("64x32", (int64_t)1 << 31, 0, values, &error), TW_INVALID, error,
                   "lda must be below 2^31");
}

static void lets_that_fail(void **state) {
    (void)state;
    int64_t slots[TW_DEVICE_SLOTS], values[TW_MAX_SYMBOLS];
    struct tw_error error;
    static const struct {
        const char *let, *says;
    } cases[] = {{"M / (N - 1)", "divides by zero for 7x1"},
                 {"9223372036854775807 + M", "overflows 64 bits for 7x1"}};
    tw_device_values(&paper_gpu, slots);
    for (size_t i = 0; i < 2; i++) {
        char *text = replaced(scale_text, "dtype == 'f64' ? 8 : 4", cases[i].let);
        struct tw_description *d = read_description(text, NULL);
        struct tw_problem problem = parse_problem(d, "7x1");
        assert_refuses(tw_problem_bind(&problem, slots, NULL, values, &error), TW_INVALID, error,
                       cases[i].says);
        assert_says(error.message, "scale.json: let ESIZE, \"");
        tw_description_free(d);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_shapes),
        cmocka_unit_test(refuses_shapes),
        cmocka_unit_test(attributes),
        cmocka_unit_test(keys),
        cmocka_unit_test(types_that_go_together),
        cmocka_unit_test(types_that_go_without_saying),
        cmocka_unit_test(read_keys),
        cmocka_unit_test(keys_without_attributes),
        cmocka_unit_test(binds_every_name),
        cmocka_unit_test(strides),
        cmocka_unit_test(lets_that_fail),
    };
    return cmocka_run_group_tests_name("problem", tests, read_scale, free_scale);
}
