/* Verification finds what is wrong with a variant: kernels that each commit one sin. */
#include "runtime/description/description.h"
#include "tests/support/stand.h"

/* clang-format off */
#define JSON(...) #__VA_ARGS__
static const char description_text[] = JSON({
  "kernel": "plant",
  "summary": "B = A + beta*B",
  "problem": {
    "dimensions": ["M", "N"],
    "attributes": { "dtype": { "values": ["f32", "f64", "u8", "i64"], "default": "f32" } }
  },
  "arguments": [
    { "name": "A", "kind": "buffer", "type": "dtype", "access": "in",
      "rows": "M", "columns": "N", "stride": "lda", "fill": { "low": 1, "high": 100, "seed": 1 } },
    { "name": "B", "kind": "buffer", "type": "dtype", "access": "out", "read_when": "beta",
      "rows": "M", "columns": "N", "stride": "ldb", "fill": { "low": 1, "high": 100, "seed": 2 } },
    { "name": "lda", "kind": "stride", "default": "N" },
    { "name": "ldb", "kind": "stride", "default": "N" },
    { "name": "beta", "kind": "scalar", "type": "dtype", "default": 0 }
  ],
  "cases": [ {}, { "beta": 1 } ],
  "work": { "flops": "0", "bytes": "2*M*N" },
  "tolerance": { "f32": 1e-6, "f64": 1e-15 },
  "reference": { "templates": ["type.cu", "reference.cu"], "function": "reference",
    "block": ["64"], "grid": ["ceil_div(M*N, 64)"],
    "pass": ["A", "B", "B.in", "M", "N", "lda", "ldb", "beta"] },
  "implementations": [
    {
      "name": "sinner",
      "summary": "does one thing wrong",
      "parameters": { "SIN": ["none", "wrong", "imprecise", "rather_imprecise", "precise", "not_a_number",
        "forgets_one", "forgets_all", "reads_poison", "reads_gap", "ignores_beta", "before", "behind", "far_behind", "gap",
        "last_gap", "input", "input_gap", "before_input"] },
      "launches": [
        { "templates": ["type.cu", "sinner.cu"], "function": "sinner",
          "block": ["64"], "grid": ["ceil_div(M*N, 64)"],
          "pass": ["A", "B", "M", "N", "lda", "ldb", "beta"] }
      ],
      "presets": { "default": { "SIN": "none" } }
    }
  ]
});
/* clang-format on */

static const char type_text[] = "#if DTYPE == DTYPE_f32\n"
                                "#define T float\n#define R double\n"
                                "#elif DTYPE == DTYPE_f64\n"
                                "#define T double\n#define R double\n"
                                "#elif DTYPE == DTYPE_u8\n"
                                "#define T tw_u8\n#define R tw_u8\n"
                                "#else\n"
                                "#define T tw_index\n#define R tw_index\n"
                                "#endif\n"
                                "#define PLACE                                            \\\n"
                                "    int i = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x); \\\n"
                                "    if (i >= M * N)                                      \\\n"
                                "        return;                                          \\\n"
                                "    int row = i / N, column = i % N;                     \\\n"
                                "    tw_index from = (tw_index)row * lda + column;        \\\n"
                                "    tw_index to = (tw_index)row * ldb + column\n";

static const char reference_text[] =
    "TW_KERNEL(reference)(TW_GLOBAL const T *A, TW_GLOBAL R *B, TW_GLOBAL const T *before, int M,\n"
    "                     int N, int lda, int ldb, T beta) {\n"
    "    PLACE;\n"
    "    B[to] = (R)A[from];\n"
    "    if (beta != 0)\n"
    "        B[to] = (R)A[from] + (R)beta * (R)before[to];\n"
    "}\n";

static const char sinner_text[] =
    "TW_KERNEL(sinner)(TW_GLOBAL const T *A, TW_GLOBAL T *B, int M, int N, int lda, int ldb,\n"
    "                  T beta) {\n"
    "    PLACE;\n"
    "    TW_GLOBAL T *input = (TW_GLOBAL T *)A;\n"
    "    tw_index end = (tw_index)(M - 1) * ldb + N;\n"
    "    T value = A[from];\n"
    "#if SIN == SIN_reads_poison\n"
    "    value = value + beta * B[to];\n"
    "#elif SIN != SIN_ignores_beta\n"
    "    if (beta != 0)\n"
    "        value = value + beta * B[to];\n"
    "#endif\n"
    "#if SIN == SIN_wrong\n"
    "    if (row == 1 && column == 2)\n"
    "        value = value + 1;\n"
    "#elif SIN == SIN_imprecise\n"
    "    value = value * (T)1.001;\n"
    "#elif SIN == SIN_precise\n"
    "    value = value * (T)1.0000003;\n"
    "#elif SIN == SIN_rather_imprecise\n"
    "    value = value * (T)1.000002;\n"
    "#elif SIN == SIN_reads_gap\n"
    "    value = value + 0 * A[from - column + N];\n"
    "#elif SIN == SIN_not_a_number\n"
    "    if (i == M * N - 1)\n"
    "        value = (value - value) / (value - value);\n"
    "#elif SIN == SIN_forgets_one\n"
    "    if (i == M * N - 1)\n"
    "        return;\n"
    "#elif SIN == SIN_forgets_all\n"
    "    return;\n"
    "#endif\n"
    "    B[to] = value;\n"
    "    if (i != 0)\n"
    "        return;\n"
    "#if SIN == SIN_before\n"
    "    B[-1] = value;\n"
    "#elif SIN == SIN_behind\n"
    "    B[end] = value;\n"
    "#elif SIN == SIN_far_behind\n"
    "    B[end + 4000 / sizeof(T)] = value;\n"
    "#elif SIN == SIN_gap\n"
    "    B[ldb + N] = value;\n"
    "#elif SIN == SIN_last_gap\n"
    "    B[end - N - 1] = value;\n"
    "#elif SIN == SIN_input\n"
    "    input[lda + 1] = input[lda + 1] / 2;\n"
    "#elif SIN == SIN_input_gap\n"
    "    input[lda - 1] = value;\n"
    "#elif SIN == SIN_before_input\n"
    "    input[-1] = value;\n"
    "#endif\n"
    "}\n";

static const struct scratch *scratch;
static struct tw_device_info device;
static bool has_device;

/* A matrix of 33x17, its rows `stride` apart. */
static struct stand *open_stand(const char *dtype, int64_t stride) {
    struct stand *stand = calloc(1, sizeof *stand);
    char path[1024];
    const int64_t strides[TW_MAX_ARGUMENTS] = {[2] = stride, [3] = stride};
    struct tw_problem problem;
    struct tw_error error;
    scratch_write(scratch, "plant.json", description_text, path);
    must(tw_description_load(&stand->description, path, &error), error);
    must(tw_problem_parse(&problem, stand->description, "33x17", &error), error);
    must(tw_problem_set(&problem, "dtype", dtype, &error), error);
    must(testbed_open(&stand->testbed, &device, &problem, strides, &error), error);
    must(workload_create(&stand->workload, &stand->testbed, CACHE_WARM, 7, &error), error);
    return stand;
}

static void assert_right(const struct stand *stand, const char *sin) {
    struct accuracy accuracy;
    struct tw_error error;
    must(verify_sin(stand, sin, &accuracy, &error), error);
    assert_true(accuracy.max_rel_error <= 1e-6);
    assert_true(accuracy.rms_rel_error <= accuracy.max_rel_error);
}

struct sin {
    const char *name, *says;
};

/* Each is found out and told apart; with the workload restored, a right variant passes again. */
static void assert_sins(struct stand *stand, const struct sin *sins, size_t count) {
    int unnoticed = 0;
    assert_right(stand, "none");
    for (size_t i = 0; i < count; i++) {
        struct accuracy accuracy;
        struct tw_error error = {0};
        tw_status status = verify_sin(stand, sins[i].name, &accuracy, &error);
        if (status != TW_WRONG || strstr(error.message, sins[i].says) == NULL) {
            print_error("%s: expected \"%s\", got %s: %s\n", sins[i].name, sins[i].says,
                        tw_status_text(status), error.message);
            unnoticed++;
        }
        must(workload_restore(&stand->workload, &error), error);
        assert_right(stand, "none");
    }
    assert_int_equal(unnoticed, 0);
}
#define ASSERT_SINS(stand, list) assert_sins(stand, list, sizeof(list) / sizeof *(list))

#define NEEDS_DEVICE()                                                                             \
    if (!has_device)                                                                               \
    skip()

static void wrong_answers(void **state) {
    (void)state;
    static const struct sin sins[] = {
        {"wrong", "case 0 (lda = 20, ldb = 20, beta = 0): 1 of 561 elements of B are wrong; the "
                  "first at row 1, column 2: expected 9.9247179, got 10.9247179; B has an error of "
                  "0.0175; 1e-06 is allowed"},
        {"imprecise", "561 of 561 elements of B are wrong; the first at row 0, column 0: expected "
                      "4.68917561, got 4.69386"},
        /* Values up to 100 whose root mean square is about 58; a millionth of that is allowed: the
         * larger ones are off by more. */
        {"rather_imprecise", "; B has an error of 3.46e-06; 1e-06 is allowed"},
        {"rather_imprecise", "): 407 of 561 elements of B are wrong; the first at row 0, column 1"},
        {"reads_gap", "561 of 561 elements of B are wrong"}, /* gaps hold NaN */
        {"not_a_number", "beta = 0): 1 of 561 elements of B are wrong; the first at row 32, column "
                         "16: expected 73.9035187, got NaN"},
        {"forgets_one", "1 of 561 elements of B are wrong or were not written (1 hold what was "
                        "there before); the first at row 32, column 16: expected 73.9035187, got "
                        "nothing"},
        {"forgets_all", "561 of 561 elements of B are wrong or were not written (561 hold what was "
                        "there before); the first at row 0, column 0: expected 4.68917561, got "
                        "nothing"},
        {"reads_poison", "561 of 561 elements of B are wrong"},
        {"ignores_beta", "case 1 (lda = 20, ldb = 20, beta = 1): 561 of 561 elements of B are "
                         "wrong; the first at row 0, column 0: expected 56.7286339, got "
                         "4.68917561"},
    };
    NEEDS_DEVICE();
    struct stand *stand = open_stand("f32", 20);
    ASSERT_SINS(stand, sins);
    assert_right(stand, "precise"); /* a third of a millionth is less */
    close_stand(stand);
}

/* Stray writes, with gaps between rows and without. */
static void writes_elsewhere(void **state) {
    (void)state;
    static const struct sin sins[] = {
        {"before", "wrote outside its buffers: before the beginning of B, 1 element from its "
                   "first"},
        {"far_behind", "wrote outside its buffers: behind the end of B, 1001 elements from its "
                       "last"},
        {"before_input", "wrote outside its buffers: before the beginning of A, 1 element from its "
                         "first"},
        {"input", "wrote to its input A: the first at row 1, column 1: 39.5003853 became "},
        {"gap", "wrote between the rows of B: 1 elements (row 1, column 17), whose rows have 17 "
                "elements"},
        {"last_gap", "wrote between the rows of B: 1 elements (row 31, column 19)"},
        {"input_gap", "wrote to its input A: between its rows (row 0, column 19), which have 17 "
                      "elements"},
    };
    NEEDS_DEVICE();
    struct stand *stand = open_stand("f32", 20);
    ASSERT_SINS(stand, sins);
    close_stand(stand);
    stand = open_stand("f32", 17);
    assert_sins(stand, sins, 4);
    close_stand(stand);
}

/* The first bytes behind an output, where most strays go. */
static void writes_just_behind(void **state) {
    (void)state;
    static const struct sin sins[] = {{"behind", "behind the end of B, 1 element from"}};
    NEEDS_DEVICE();
    struct stand *stand = open_stand("f32", 20);
    ASSERT_SINS(stand, sins);
    close_stand(stand);
}

/* Integers have no tolerance, and what was not written is told from what is right. */
static void integers(void **state) {
    (void)state;
    static const struct sin sins[] = {
        {"wrong", "case 0 (lda = 19, ldb = 19, beta = 0): 1 of 561 elements of B are wrong; the "
                  "first at row 1, column 2: expected 10, got 11"},
        {"forgets_one", "1 of 561 elements of B are wrong or were not written (1 hold what was "
                        "there before); the first at row 32, column 16: expected 74, got "},
        {"forgets_all", "561 of 561 elements of B are wrong or were not written (561 hold"},
        {"ignores_beta", "case 1 (lda = 19, ldb = 19, beta = 1): 561 of 561 elements of B are "
                         "wrong; the first at row 0, column 0: expected 56, got 4"},
        {"gap", "wrote between the rows of B: 1 elements (row 1, column 17)"},
        {"input", "wrote to its input A"},
    };
    NEEDS_DEVICE();
    struct stand *stand = open_stand("u8", 19);
    ASSERT_SINS(stand, sins);
    close_stand(stand);
    stand = open_stand("i64", 19);
    ASSERT_SINS(stand, sins);
    close_stand(stand);
}

static void doubles(void **state) {
    (void)state;
    static const struct sin sins[] = {
        /* What single precision is allowed is a lot here. */
        {"precise", "expected 4.689175529116258, got 4.6891769"},
        {"forgets_one", "1 of 561 elements of B are wrong or were not written"},
        {"reads_poison", "561 of 561 elements of B are wrong"},
        {"far_behind", "wrote outside its buffers"},
    };
    NEEDS_DEVICE();
    struct stand *stand = open_stand("f64", 18);
    ASSERT_SINS(stand, sins);
    close_stand(stand);
}

/* A stray write is also told when the answer is wrong as well: it explains more. */
static void strays_explain_more(void **state) {
    (void)state;
    NEEDS_DEVICE();
    struct stand *stand = open_stand("f32", 20);
    struct accuracy accuracy;
    struct tw_error error;
    must(verify_sin(stand, "none", &accuracy, &error), error);
    assert_status(verify_sin(stand, "input", &accuracy, &error), TW_WRONG);
    /* Not restored: the answers no longer belong to the inputs, and the input is still not right.
     */
    assert_refuses(verify_sin(stand, "imprecise", &accuracy, &error), TW_WRONG, error,
                   "wrote to its input A");
    close_stand(stand);
}

static void accuracy_is_told(void **state) {
    (void)state;
    NEEDS_DEVICE();
    struct stand *stand = open_stand("f64", 20);
    struct accuracy accuracy;
    struct tw_error error;
    must(verify_sin(stand, "none", &accuracy, &error), error);
    assert_true(accuracy.max_rel_error == 0 && accuracy.rms_rel_error == 0);
    /* Values up to 100 whose root mean square is about 58, each off by a thousandth. */
    assert_status(verify_sin(stand, "imprecise", &accuracy, &error), TW_WRONG);
    assert_true(accuracy.max_rel_error > 1.5e-3 && accuracy.max_rel_error < 2e-3);
    assert_true(accuracy.rms_rel_error > 0.999e-3 && accuracy.rms_rel_error < 1.001e-3);
    close_stand(stand);
}

static int set_up(void **state) {
    char path[1024];
    if (scratch_make(state) != 0)
        return -1;
    scratch = *state;
    scratch_write(scratch, "type.cu", type_text, path);
    scratch_write(scratch, "reference.cu", reference_text, path);
    scratch_write(scratch, "sinner.cu", sinner_text, path);
    has_device = first_device(NULL, &device);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_answers),
        cmocka_unit_test(writes_elsewhere),
        cmocka_unit_test(writes_just_behind),
        cmocka_unit_test(integers),
        cmocka_unit_test(doubles),
        cmocka_unit_test(strays_explain_more),
        cmocka_unit_test(accuracy_is_told),
    };
    return cmocka_run_group_tests_name("verify", tests, set_up, scratch_remove);
}
