/* Buffers of several matrices: their sizes and strides, what is passed where there are some, and
 * verification that looks between them. */
#include "runtime/variant/identity.h"
#include "tests/support/device.h"
#include "tests/support/subjects.h"
#include "tuner/measure/call.h"
#include "tuner/measure/verify.h"
#include "tuner/measure/workload_create.h"

/* clang-format off */
#define JSON(...) #__VA_ARGS__
static const char description_text[] = JSON({
  "kernel": "layered",
  "summary": "B = A + bias for a number of matrices",
  "problem": {
    "dimensions": ["M", "N"],
    "attributes": { "batch": { "least": 1, "most": 64, "default": 1 },
                    "bias": { "values": ["none", "row"], "default": "none" } }
  },
  "arguments": [
    { "name": "A", "kind": "buffer", "type": "f32", "access": "in", "rows": "M", "columns": "N",
      "stride": "lda", "layers": "batch", "layer_stride": "stride_a" },
    { "name": "B", "kind": "buffer", "type": "f32", "access": "out", "rows": "M", "columns": "N",
      "stride": "ldb", "layers": "batch", "layer_stride": "stride_b" },
    { "name": "lda", "kind": "stride", "default": "N" },
    { "name": "ldb", "kind": "stride", "default": "N" },
    { "name": "biases", "kind": "buffer", "type": "f32", "access": "in", "rows": "1", "columns": "N",
      "when": "bias == 'row'" },
    { "name": "stride_a", "kind": "stride", "default": "M*lda", "when": "batch > 1" },
    { "name": "stride_b", "kind": "stride", "default": "M*ldb", "when": "batch > 1" }
  ],
  "work": { "flops": "0", "bytes": "8*batch*M*N" },
  "tolerance": { "f32": 1e-6 },
  "reference": { "templates": ["head.cu", "reference.cu"], "function": "reference",
    "block": ["64"], "grid": ["ceil_div(M*N, 64)", "1", "batch"],
    "pass": ["A", "B", "M", "N", "lda", "ldb", "biases?", "stride_a?", "stride_b?"] },
  "implementations": [
    {
      "name": "copy",
      "summary": "copies",
      "parameters": { "SIN": ["none", "gap", "input_gap", "one_layer", "elsewhere"] },
      "launches": [
        { "templates": ["head.cu", "copy.cu"], "function": "copy",
          "block": ["64"], "grid": ["ceil_div(M*N, 64)", "1", "batch"],
          "pass": ["A", "B", "M", "N", "lda", "ldb", "biases?", "stride_a?", "stride_b?"] }
      ],
      "presets": { "default": { "SIN": "none" } }
    }
  ]
});
/* clang-format on */

static const char head_text[] = "#if HAS_BIASES\n"
                                "#define WITH_BIAS , TW_GLOBAL const float *biases\n"
                                "#define ADDED biases[column]\n"
                                "#else\n"
                                "#define WITH_BIAS\n"
                                "#define ADDED 0\n"
                                "#endif\n"
                                "#if BATCH > 1\n"
                                "#define WITH_LAYERS , int stride_a, int stride_b\n"
                                "#define LAYER(stride) (tw_index)blockIdx.z * stride\n"
                                "#else\n"
                                "#define WITH_LAYERS\n"
                                "#define LAYER(stride) 0\n"
                                "#endif\n"
                                "#define PLACE                                            \\\n"
                                "    int i = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x); \\\n"
                                "    if (i >= M * N)                                      \\\n"
                                "        return;                                          \\\n"
                                "    int row = i / N, column = i % N;                     \\\n"
                                "    A += LAYER(stride_a);                                \\\n"
                                "    B += LAYER(stride_b)\n";

static const char reference_text[] =
    "TW_KERNEL(reference)(TW_GLOBAL const float *A, TW_GLOBAL double *B, int M, int N, int lda,\n"
    "                     int ldb WITH_BIAS WITH_LAYERS) {\n"
    "    PLACE;\n"
    "    B[row * ldb + column] = (double)A[row * lda + column] + ADDED;\n"
    "}\n";

static const char copy_text[] =
    "TW_KERNEL(copy)(TW_GLOBAL const float *A, TW_GLOBAL float *B, int M, int N, int lda,\n"
    "                int ldb WITH_BIAS WITH_LAYERS) {\n"
    "    PLACE;\n"
    "#if SIN == SIN_one_layer\n"
    "    if (blockIdx.z > 0)\n"
    "        return;\n"
    "#endif\n"
    "    B[row * ldb + column] = A[row * lda + column] + ADDED;\n"
    "    if (i != 0 || blockIdx.z != 1)\n"
    "        return;\n"
    "#if SIN == SIN_gap\n"
    "    B[M * ldb] = 1;\n"
    "#elif SIN == SIN_input_gap\n"
    "    ((TW_GLOBAL float *)A)[M * lda + 1] = 1;\n"
    "#elif SIN == SIN_elsewhere\n"
    "    B[2 * stride_b] = 1;\n"
    "#endif\n"
    "}\n";

static const struct scratch *scratch;
static struct tw_description *layered;
static struct tw_device_info device;
static bool has_device;
enum { A, B, LDA, LDB, BIASES, STRIDE_A, STRIDE_B };

static int64_t bound[TW_MAX_SYMBOLS];

static tw_status bind(const char *key, const int64_t *strides, struct tw_problem *problem,
                      struct tw_error *error) {
    const int64_t slots[TW_DEVICE_SLOTS] = {0};
    *problem = problem_of_key(layered, key);
    return tw_problem_bind(problem, slots, strides, bound, error);
}

/* ---- Sizes ---- */

static void sizes(void **state) {
    (void)state;
    struct tw_problem problem;
    struct tw_extent extent;
    struct tw_error error;
    must(bind("M=3,N=5;batch=4", NULL, &problem, &error), error);
    must(tw_problem_extent(&problem, A, bound, &extent, &error), error);
    assert_int_equal(extent.layers, 4);
    assert_int_equal(extent.layer_stride, 15);
    assert_int_equal(extent.bytes, 4 * 15 * sizeof(float));
    /* Rows that are longer make matrices that are, unless something else is said. */
    must(bind("M=3,N=5;batch=4", (int64_t[TW_MAX_ARGUMENTS]){[LDA] = 7, [STRIDE_B] = 20}, &problem,
              &error),
         error);
    must(tw_problem_extent(&problem, A, bound, &extent, &error), error);
    assert_int_equal(extent.layer_stride, 21);
    assert_int_equal(extent.bytes, (3 * 21 + 2 * 7 + 5) * sizeof(float));
    must(tw_problem_extent(&problem, B, bound, &extent, &error), error);
    assert_int_equal(extent.layer_stride, 20);
    const struct tw_place place = tw_extent_place(&extent, 2 * 20 + 5 + 3);
    assert_true(place.layer == 2 && place.row == 1 && place.column == 3);
    must(bind("M=3,N=5", NULL, &problem, &error), error);
    must(tw_problem_extent(&problem, A, bound, &extent, &error), error);
    assert_int_equal(extent.layers, 1);
    assert_int_equal(extent.bytes, 15 * sizeof(float));
}

static void refuses(void **state) {
    (void)state;
    struct tw_problem problem;
    struct tw_error error;
    assert_refuses(
        bind("M=3,N=5;batch=2", (int64_t[TW_MAX_ARGUMENTS]){[STRIDE_A] = 14}, &problem, &error),
        TW_INVALID, error, "stride_a is 14 but each of the 2 matrices of A takes 15 elements");
    assert_refuses(bind("M=3,N=5", (int64_t[TW_MAX_ARGUMENTS]){[STRIDE_A] = 15}, &problem, &error),
                   TW_INVALID, error, "this problem of layered has no stride stride_a");
    assert_refuses(bind("M=65536,N=65536;batch=2", NULL, &problem, &error), TW_INVALID, error,
                   "stride_a must be below 2^31");
}

/* ---- What is passed ---- */

static int passed(const char *key) {
    struct tw_problem problem;
    struct tw_error error;
    struct tw_configuration configuration;
    struct tw_executable *x;
    char hash[TW_HASH_SIZE];
    const int64_t slots[TW_DEVICE_SLOTS] = {0};
    must(bind(key, NULL, &problem, &error), error);
    must(tw_configuration_parse(&configuration, layered, 0, "{\"SIN\":\"none\"}", &error), error);
    must(tw_configuration_bind(layered, &configuration, bound, &error), error);
    must(tw_executable_create(&x, &problem, &configuration, bound, &paper_gpu, &error), error);
    must(tw_identity_source(&problem, &configuration, "opencl", slots, hash, &error), error);
    const int count = x->launches[0].value_count;
    tw_executable_free(x);
    return count;
}

static void only_what_there_is_is_passed(void **state) {
    (void)state;
    assert_int_equal(passed("M=3,N=5"), 6);
    assert_int_equal(passed("M=3,N=5;bias=row"), 7);
    assert_int_equal(passed("M=3,N=5;batch=2"), 8);
    assert_int_equal(passed("M=3,N=5;batch=2,bias=row"), 9);
}

/* ---- Verifying ---- */

static tw_status verify(const struct testbed *testbed, struct workload *workload, const char *sin,
                        struct tw_error *error) {
    struct tw_configuration configuration;
    struct tw_binaries binaries;
    struct tw_variant *variant;
    struct accuracy accuracy;
    int64_t values[TW_MAX_SYMBOLS];
    char text[100];
    snprintf(text, sizeof text, "{\"SIN\":\"%s\"}", sin);
    must(tw_configuration_parse(&configuration, layered, 0, text, error), *error);
    must(testbed_compile(testbed, &configuration, values, &binaries, error), *error);
    must(testbed_load(testbed, &configuration, values, &binaries, &variant, error), *error);
    tw_status status = verify_variant(workload, variant, &accuracy, error);
    tw_variant_free(variant);
    tw_binaries_free(&binaries);
    return status;
}

static void looks_between_matrices(void **state) {
    (void)state;
    static const char *const sins[][2] = {
        {"one_layer", "30 of 45 elements of B are wrong or were not written (30 hold what was "
                      "there before); the first at matrix 1, row 0, column 0: expected"},
        {"gap", "wrote between the rows of B: 1 elements (matrix 1, row 3, column 0)"},
        {"input_gap", "wrote to its input A: between its rows (matrix 1, row 3, column 1)"},
        {"elsewhere", "wrote outside its buffers: behind the end of B, 5 elements from its last"},
    };
    struct tw_problem problem;
    struct tw_error error;
    struct testbed testbed;
    struct workload workload;
    struct call call;
    if (!has_device)
        skip();
    must(bind("M=3,N=5;batch=3,bias=row", NULL, &problem, &error), error);
    assert_true(call_of_kind(CALL_ODD, &problem, bound, &call));
    assert_int_equal(call.strides[LDB], 7);
    assert_int_equal(call.strides[STRIDE_B], 23); /* an odd one beyond three rows of 7 */
    must(testbed_open(&testbed, &device, &problem, call.strides, &error), error);
    must(workload_create(&workload, &testbed, CACHE_WARM, 7, &error), error);
    must(verify(&testbed, &workload, "none", &error), error);
    for (size_t i = 0; i < sizeof sins / sizeof *sins; i++) {
        assert_refuses(verify(&testbed, &workload, sins[i][0], &error), TW_WRONG, error,
                       sins[i][1]);
        must(workload_restore(&workload, &error), error);
    }
    workload_free(&workload);
    testbed_close(&testbed);
}

static int set_up(void **state) {
    char path[1024];
    struct tw_error error;
    if (scratch_make(state) != 0)
        return -1;
    scratch = *state;
    scratch_write(scratch, "head.cu", head_text, path);
    scratch_write(scratch, "reference.cu", reference_text, path);
    scratch_write(scratch, "copy.cu", copy_text, path);
    scratch_write(scratch, "layered.json", description_text, path);
    must(tw_description_load(&layered, path, &error), error);
    has_device = first_device(NULL, &device);
    return 0;
}

static int tear_down(void **state) {
    tw_description_free(layered);
    return scratch_remove(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(refuses),
        cmocka_unit_test(only_what_there_is_is_passed),
        cmocka_unit_test(looks_between_matrices),
    };
    return cmocka_run_group_tests_name("layers", tests, set_up, tear_down);
}
