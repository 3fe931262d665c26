/* What a description promises of errors is held: products that claim to be as exact as plain sums
 * of f32, each with one fault that some family of inputs brings to light. */
#include "runtime/description/accuracy.h"
#include "tests/support/stand.h"

/* clang-format off */
#define JSON(...) #__VA_ARGS__
static const char description_text[] = JSON({
  "kernel": "product",
  "summary": "C = A*B",
  "problem": {
    "dimensions": ["M", "N", "K"],
    "attributes": {
      "dtype": { "values": ["f32"], "default": "f32" },
      "promise": { "values": ["none", "plain", "weak"], "default": "none" }
    }
  },
  "arguments": [
    { "name": "A", "kind": "buffer", "type": "dtype", "access": "in", "rows": "M", "columns": "K", "stride": "lda",
      "fill": { "low": -1, "high": 1, "seed": 1 } },
    { "name": "B", "kind": "buffer", "type": "dtype", "access": "in", "rows": "K", "columns": "N", "stride": "ldb",
      "fill": { "low": -1, "high": 1, "seed": 2 } },
    { "name": "C", "kind": "buffer", "type": "dtype", "access": "out", "rows": "M", "columns": "N", "stride": "ldc" },
    { "name": "lda", "kind": "stride", "default": "K" },
    { "name": "ldb", "kind": "stride", "default": "N" },
    { "name": "ldc", "kind": "stride", "default": "N" }
  ],
  "work": { "flops": "2*M*N*K", "bytes": "4*M*N" },
  "tolerance": { "f32": 1e-1 },
  "reference": { "templates": ["reference.cu"], "function": "reference", "block": ["64"], "grid": ["ceil_div(M*N, 64)"],
    "pass": ["A", "B", "C", "M", "N", "K", "lda", "ldb", "ldc"] },
  "accuracy": {
    "terms": { "B": "1" },
    "plain": { "templates": ["check/sampled.cu", "plain.cu"], "function": "plain", "block": ["64"],
      "grid": ["ceil_div(min(M, 256)*min(N, 256), 64)"], "pass": ["A", "B", "C", "M", "N", "K", "lda", "ldb"] },
    "inputs": {
      "uniform": {},
      "wide": { "A": { "exponents": [-40, 40] }, "B": { "exponents": [-40, 40] } },
      "between": { "A": { "exponents": [-50, 50], "exponents_of": "lines" },
                   "B": { "exponents": [-50, 50], "exponents_of": "lines" } },
      "cancelling": { "A": { "second_half": "negated" }, "B": { "second_half": "same" } },
      "huge": { "A": { "low": -1.9999998, "high": 1.9999998, "exponents": [127, 127] }, "B": { "exponents": [-60, -40] } },
      "tiny": { "when": "promise == 'plain'", "A": { "exponents": [-149, -127] }, "B": { "exponents": [90, 100] } },
      "special": { "A": { "spots": [{ "line": "0", "term": "K/2", "value": "nan" },
                                    { "line": "M - 1", "term": "0", "value": "inf" },
                                    { "line": "M", "term": "0", "value": "nan" }] },
                   "B": { "spots": [{ "line": "N - 1", "term": "K - 1", "value": "-inf" }] } }
    },
    "bounds": [{ "when": "promise == 'plain'", "plain": 1, "promises": "no larger than plain sums'" },
               { "when": "promise == 'weak'", "plain": 1, "max": 0.01, "rms": 0.004, "promises": "at most a hundredth" }]
  },
  "implementations": [
    { "name": "sinner", "summary": "claims to be as exact as plain sums",
      "parameters": { "SIN": ["none", "split", "single", "two_planes", "unguarded", "flushes", "fixed_point",
                              "no_signs", "overwrites"] },
      "launches": [{ "templates": ["sinner.cu"], "function": "sinner", "block": ["64"], "grid": ["ceil_div(M*N, 64)"],
        "pass": ["A", "B", "C", "M", "N", "K", "lda", "ldb", "ldc"] }],
      "presets": { "default": { "SIN": "none" } } }
  ]
});

static const char reference_text[] =
    "TW_KERNEL(reference)(TW_GLOBAL const float *A, TW_GLOBAL const float *B, TW_GLOBAL double *C, int M, int N,\n"
    "                     int K, int lda, int ldb, int ldc) {\n"
    "    int i = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x);\n"
    "    if (i >= M * N)\n"
    "        return;\n"
    "    double sum = 0;\n"
    "    for (int k = 0; k < K; k++)\n"
    "        sum = fma((double)A[i / N * lda + k], (double)B[k * ldb + i % N], sum);\n"
    "    C[i / N * ldc + i % N] = sum;\n"
    "}\n";

static const char plain_text[] =
    "TW_KERNEL(plain)(TW_GLOBAL const float *A, TW_GLOBAL const float *B, TW_GLOBAL double *sample, int M, int N,\n"
    "                 int K, int lda, int ldb) {\n"
    "    int rows = tw_sampled_count(M, TW_SAMPLED_ROWS), columns = tw_sampled_count(N, TW_SAMPLED_ROWS);\n"
    "    int i = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x), count = rows * columns;\n"
    "    if (i >= count)\n"
    "        return;\n"
    "    int m = tw_sampled(i / columns, rows, M), n = tw_sampled(i % columns, columns, N);\n"
    "    double right = 0, size = 0;\n"
    "    float sum = 0;\n"
    "    for (int k = 0; k < K; k++) {\n"
    "        float a = A[m * lda + k], b = B[k * ldb + n];\n"
    "        sum = fmaf(a, b, sum);\n"
    "        right = fma((double)a, (double)b, right);\n"
    "        size += fabs((double)a * (double)b);\n"
    "    }\n"
    "    sample[i] = right;\n"
    "    sample[count + i] = (double)sum;\n"
    "    sample[2 * count + i] = size;\n"
    "}\n";

static const char sinner_text[] =
    "#define ROUNDED(x) tw_bf16_to_f32(tw_f32_to_bf16(x))\n"
    "#define LEAST 1.1754943508222875e-38f\n"
    "TW_KERNEL(sinner)(TW_GLOBAL const float *A, TW_GLOBAL const float *B, TW_GLOBAL float *C, int M, int N, int K,\n"
    "                  int lda, int ldb, int ldc) {\n"
    "    int i = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x);\n"
    "    if (i >= M * N)\n"
    "        return;\n"
    "    TW_GLOBAL const float *row = A + i / N * lda, *column = B + i % N;\n"
    "    float sum = 0, low = 0, lower = 0, plain = 0;\n"
    "    int tiny = 0;\n"
    "    for (int k = 0; k < K; k++) {\n"
    "        float a = row[k], b = column[k * ldb];\n"
    "        plain = fmaf(a, b, plain);\n"
    "        tiny = tiny || (a != 0 && fabs(a) < LEAST) || (b != 0 && fabs(b) < LEAST);\n"
    "#if SIN == SIN_flushes\n"
    "        a = fabs(a) < LEAST ? 0 : a;\n"
    "#elif SIN == SIN_fixed_point\n"
    "        a = rint(a * 134217728.0f) / 134217728.0f;\n"
    "#endif\n"
    "        float a1 = ROUNDED(a), b1 = ROUNDED(b);\n"
    "        float a2 = ROUNDED(a - a1), b2 = ROUNDED(b - b1);\n"
    "        float a3 = a - a1 - a2, b3 = b - b1 - b2;\n"
    "        sum = fmaf(a1, b1, sum);\n"
    "#if SIN != SIN_single\n"
    "        low = fmaf(a1, b2, fmaf(a2, b1, low));\n"
    "#if SIN != SIN_two_planes\n"
    "        lower = fmaf(a2, b2, fmaf(a1, b3, fmaf(a3, b1, lower)));\n"
    "#endif\n"
    "#endif\n"
    "    }\n"
    "    float result = sum + (low + lower);\n"
    "#if SIN == SIN_none || SIN == SIN_no_signs || SIN == SIN_overwrites\n"
    "    result = plain;\n"
    "#endif\n"
    "#if SIN != SIN_unguarded\n"
    "    if (!(fabs(result) <= 3.0e38f) || (tiny && SIN != SIN_flushes))\n"
    "        result = plain;\n"
    "#endif\n"
    "#if SIN == SIN_no_signs\n"
    "    if (result < -3.4e38f)\n"
    "        result = -result;\n"
    "#elif SIN == SIN_overwrites\n"
    "    if (i == 0 && fabs(row[0]) > 1.0e30f)\n"
    "        C[(M - 1) * ldc + N + 600] = 1;\n"
    "#endif\n"
    "    C[i / N * ldc + i % N] = result;\n"
    "}\n";
/* clang-format on */

static const struct scratch *scratch;
static struct tw_device_info device;
static bool has_device;

static struct stand *open_stand(const char *promise, const char *shape, bool measures) {
    struct stand *stand = calloc(1, sizeof *stand);
    char path[1024];
    struct tw_problem problem;
    struct tw_error error;
    scratch_write(scratch, "product.json", description_text, path);
    must(tw_description_load(&stand->description, path, &error), error);
    must(tw_problem_parse(&problem, stand->description, shape, &error), error);
    must(tw_problem_set(&problem, "promise", promise, &error), error);
    must(testbed_open(&stand->testbed, &device, &problem, NULL, &error), error);
    stand->testbed.measures_errors = measures;
    must(workload_create(&stand->workload, &stand->testbed, CACHE_WARM, 7, &error), error);
    return stand;
}

static void what_is_promised_is_held(void **state) {
    (void)state;
    static const struct {
        const char *name, *says;
    } sins[] = {
        {"single", "inputs uniform: the rms error"},
        {"two_planes", "inputs uniform: the rms error"},
        {"fixed_point", "inputs between: the rms error"},
        {"unguarded", "is NaN, where plain sums give "},
        {"flushes", "inputs tiny: the rms error"},
        {"no_signs", "inputs special: row "},
        {"overwrites", "wrote outside its buffers"},
    };
    if (!has_device)
        skip();
    struct stand *stand = open_stand("plain", "33x29x200", false);
    struct accuracy accuracy;
    struct tw_error error;
    must(verify_sin(stand, "none", &accuracy, &error), error);
    assert_true(accuracy.has_hard && accuracy.hard_rms_error > 0);
    assert_true(accuracy.hard_rms_error <= accuracy.hard_max_error);
    must(verify_sin(stand, "split", &accuracy, &error), error);
    for (size_t i = 0; i < sizeof sins / sizeof *sins; i++) {
        tw_status status = verify_sin(stand, sins[i].name, &accuracy, &error);
        if (status != TW_WRONG || strstr(error.message, sins[i].says) == NULL)
            fail_msg("%s: expected \"%s\", got %s", sins[i].name, sins[i].says,
                     status == TW_OK ? "no fault" : error.message);
        must(workload_restore(&stand->workload, &error), error);
        must(verify_sin(stand, "none", &accuracy, &error), error);
    }
    close_stand(stand);
}

/* A weaker promise is kept by less, and one that nobody made by anything. */
static void weaker_promises_allow_more(void **state) {
    (void)state;
    if (!has_device)
        skip();
    struct accuracy accuracy;
    struct tw_error error;
    struct stand *stand = open_stand("weak", "33x29x200", false);
    must(verify_sin(stand, "single", &accuracy, &error), error);
    assert_true(accuracy.has_hard && accuracy.hard_max_error > 1e-4);
    assert_int_equal(verify_sin(stand, "unguarded", &accuracy, &error), TW_WRONG);
    close_stand(stand);

    stand = open_stand("none", "33x29x200", false);
    must(verify_sin(stand, "unguarded", &accuracy, &error), error);
    assert_false(accuracy.has_hard);
    close_stand(stand);

    stand = open_stand("none", "33x29x200", true);
    must(verify_sin(stand, "unguarded", &accuracy, &error), error);
    assert_true(accuracy.has_hard);
    close_stand(stand);
}

/* Few elements say little of errors, and are not to condemn what is right. */
static void few_elements_are_left_to_chance(void **state) {
    (void)state;
    static const char *const shapes[] = {"1x1x1", "1x2x17", "2x1x300", "300x3x40"};
    if (!has_device)
        skip();
    for (int i = 0; i < 4; i++) {
        struct accuracy accuracy;
        struct tw_error error;
        struct stand *stand = open_stand("plain", shapes[i], false);
        must(verify_sin(stand, "none", &accuracy, &error), error);
        must(verify_sin(stand, "split", &accuracy, &error), error);
        assert_int_equal(verify_sin(stand, "single", &accuracy, &error), TW_WRONG);
        close_stand(stand);
    }
}

static double plain_error(const struct promise *promise, const char *family) {
    for (int i = 0; i < promise->family_count; i++)
        if (strcmp(promise->families[i].family->name, family) == 0)
            return promise->families[i].plain_errors.rms;
    fail_msg("there is no family %s", family);
    return 0;
}

/* gemm's own plain sums, in pieces as on a GPU: where terms cancel, the pieces of a sum's second
 * half do not undo those of its first to the last bit. A search would take few other orders for
 * right then. */
static void plain_sums_in_pieces_have_no_luck(void **state) {
    (void)state;
    if (!has_device)
        skip();
    struct stand *stand = calloc(1, sizeof *stand);
    struct tw_problem problem;
    struct tw_error error;
    must(tw_description_builtin(&stand->description, "gemm", &error), error);
    must(tw_problem_read(&problem, stand->description, "M=33,N=29,K=256;compute=f32_split", &error),
         error);
    must(testbed_open(&stand->testbed, &device, &problem, NULL, &error), error);
    const int chain = tw_symbols_find(&stand->description->symbols, "PLAIN_CHAIN");
    assert_int_equal(stand->testbed.values[chain], 256);
    stand->testbed.values[chain] = 32;
    must(workload_create(&stand->workload, &stand->testbed, CACHE_WARM, 7, &error), error);
    const struct promise *promise = &stand->workload.promise;
    const double uniform = plain_error(promise, "uniform"),
                 cancelling = plain_error(promise, "cancelling");
    assert_true(uniform > 1e-9 && uniform < 3e-8);
    assert_true(cancelling > 0.4 * uniform);
    close_stand(stand);
}

static void allowance(void **state) {
    (void)state;
    const struct tw_error_bound plain = {.times_plain = 1}, weak = {.max = 0.5, .rms = 0.25};
    struct promised_family family = {.plain_errors = {.max = 4, .rms = 1, .count = 65536},
                                     .rounding = {.max = 2, .rms = 0.5},
                                     .lines = 256};
    assert_float_equal(promise_allowed(&plain, &family, true), 4 * (1.25 + 8. / 256), 1e-12);
    assert_float_equal(promise_allowed(&plain, &family, false), 1 + 8. / 256, 1e-12);
    assert_float_equal(promise_allowed(&weak, &family, true), 0.5, 1e-12);
    assert_float_equal(promise_allowed(&weak, &family, false), 0.25 * 1.125, 1e-12);
    /* Of few lines as many errors are alike as a line has elements. */
    family.lines = 4;
    assert_float_equal(promise_allowed(&weak, &family, false), 0.5, 1e-12);
    family.lines = 16;
    assert_float_equal(promise_allowed(&weak, &family, false), 0.25 * 1.5, 1e-12);
    assert_float_equal(promise_allowed(&weak, &family, true), 0.5, 1e-12);
    assert_float_equal(promise_allowed(&plain, &family, false), 1 + 8. / 256, 1e-12);
    family.lines = 1000000;
    /* Who rounds right is never refused. */
    family.plain_errors = (struct sample_errors){.count = 64};
    assert_float_equal(promise_allowed(&plain, &family, true), 2 * 2.25, 1e-12);
    assert_float_equal(promise_allowed(&plain, &family, false), 0.5 * 2, 1e-12);
    /* Nor is the root mean square of few anything but the errors of these. */
    assert_float_equal(promise_allowed(&weak, &family, false), 0.25 * 1.002, 1e-12);
    family.plain_errors.count = 28;
    assert_true(promise_allowed(&weak, &family, false) > 0.3);
    family.plain_errors.count = 1;
    assert_float_equal(promise_allowed(&weak, &family, false), 0.5, 1e-12);
    assert_float_equal(promise_allowed(&weak, &family, true), 0.5, 1e-12);
}

/* ---- Reading ---- */

static void refuses(const char *part, const char *instead, const char *says) {
    char *text = strdup(description_text);
    char *at = strstr(text, part);
    assert_non_null(at);
    char *changed = malloc(strlen(text) + strlen(instead) + 1);
    sprintf(changed, "%.*s%s%s", (int)(at - text), text, instead, at + strlen(part));
    struct tw_description *description = NULL;
    struct tw_error error = {0};
    tw_status status = tw_description_read(&description, changed, "product.json", NULL, &error);
    if (status != TW_BAD_DESCRIPTION || strstr(error.message, says) == NULL)
        fail_msg("%s: expected \"%s\", got %s", instead, says,
                 status == TW_OK ? "nothing" : error.message);
    free(changed);
    free(text);
}

static void mistakes_are_told(void **state) {
    (void)state;
    refuses("\"uniform\": {}", "\"a b\": {}", "accuracy.inputs.a b: needs a name");
    refuses("\"uniform\": {}", "\"u\": { \"C\": {} }", "names no buffer with access in");
    refuses("\"uniform\": {}", "\"u\": { \"A\": { \"low\": 2 } }", "low must be below high");
    refuses("\"uniform\": {}", "\"u\": { \"A\": { \"second_half\": \"x\" } }", "same or negated");
    refuses("\"uniform\": {}", "\"u\": { \"A\": { \"exponents\": [3, 1] } }", "the least exponent");
    refuses("\"uniform\": {}", "\"u\": { \"A\": { \"exponents_of\": \"x\" } }", "lines or terms");
    refuses("\"value\": \"nan\"", "\"value\": \"x\"", "expected nan, inf or -inf");
    refuses("\"terms\": { \"B\"", "\"terms\": { \"lda\"", "names no buffer");
    refuses("\"plain\": 1,", "", "allows no error: give plain, or max and rms");
    refuses("\"plain\": 1,", "\"plain\": -1,", "must not be negative");
    refuses("\"promises\": \"no larger than plain sums'\"", "\"rms\": 1", "promises");
    refuses("\"terms\": { \"B\": \"1\" }", "\"term\": {}", "term");
}

static int set_up(void **state) {
    char path[1024];
    if (scratch_make(state) != 0)
        return -1;
    scratch = *state;
    scratch_write(scratch, "reference.cu", reference_text, path);
    scratch_write(scratch, "plain.cu", plain_text, path);
    scratch_write(scratch, "sinner.cu", sinner_text, path);
    has_device = first_device(NULL, &device);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_promised_is_held),
        cmocka_unit_test(weaker_promises_allow_more),
        cmocka_unit_test(few_elements_are_left_to_chance),
        cmocka_unit_test(plain_sums_in_pieces_have_no_luck),
        cmocka_unit_test(allowance),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests_name("promise", tests, set_up, scratch_remove);
}
