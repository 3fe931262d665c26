/* A launch whose description and kernel disagree is refused when it is compiled, in the same words
 * on both backends: a kernel that is not there, other parameters, another amount of shared memory.
 */
#include "runtime/variant/agreement.h"
#include "runtime/variant/variant.h"
#include "tests/support/scale.h"

static const char reference[] = "TW_KERNEL(scale_reference)\n"
                                "(TW_GLOBAL const float *A, TW_GLOBAL double *B, int M, int N, int "
                                "lda, int ldb, float alpha)\n"
                                "{\n    B[0] = A[0] * alpha + M + N + lda + ldb;\n}\n";

/* Two kernels in one source, of which the launch means the second. A macro hides a parameter. */
static const char direct[] =
    "#if GROUPED\n#define GROUP_ARGUMENT , int group\n#else\n#define GROUP_ARGUMENT\n#endif\n"
    "TW_KERNEL(other)(TW_GLOBAL float *B)\n"
    "{\n    TW_SHARED(float, mine, 7);\n    mine[0] = 1;\n    B[0] = mine[0];\n}\n"
    "/* TW_KERNEL(scale_direct)(int) { TW_SHARED(float, none, 1); } */\n"
    "TW_KERNEL( scale_direct )\n"
    "(TW_GLOBAL const float *A, TW_GLOBAL float *B, int M, int N, int lda, int ldb,\n"
    " float alpha GROUP_ARGUMENT)\n"
    "{\n#if SHARES\n    TW_SHARED(float, tile, (BLOCK_X * 2)); /* of ' and \" */\n"
    "    tile[threadIdx.x] = A[0];\n    B[0] = tile[0] * alpha + M + N + lda + ldb;\n"
    "#else\n    TW_SHARED(float, nothing, 0);\n    B[0] = A[0] * alpha;\n#endif\n}\n";

struct stand {
    const struct tw_backend *backend;
    struct tw_device_info info;
    const struct scratch *scratch;
};

static tw_status compile(const struct stand *stand, const char *text, bool is_reference,
                         struct tw_error *error) {
    struct tw_description *d = read_description(text, stand->scratch->path);
    struct tw_problem problem = parse_problem(d, "64x64");
    struct tw_configuration configuration;
    const struct tw_preset *preset;
    struct tw_binaries binaries = {0};
    struct tw_binary binary = {0};
    int64_t values[TW_MAX_SYMBOLS];
    bind_problem(&problem, &stand->info, values);
    assert_true(tw_description_preset(d, "default", &configuration.implementation, &preset));
    memcpy(configuration.values, preset->values, sizeof configuration.values);
    must(tw_configuration_bind(d, &configuration, values, error), *error);
    tw_status status = is_reference ? tw_reference_compile(stand->backend, &stand->info, &problem,
                                                           values, &binary, error)
                                    : tw_variant_compile(stand->backend, &stand->info, &problem,
                                                         &configuration, values, &binaries, error);
    tw_binary_free(&binary);
    tw_binaries_free(&binaries);
    tw_description_free(d);
    return status;
}

/* What is changed in the description, and what is said: NULL where all is well. */
struct disagreement {
    const char *from, *to;
    const char *says;
    bool cuda_only; /* OpenCL does not tell an int from a float */
};

/* The example with shared memory, and with what the launch parameter needs. */
static char *description(const struct disagreement *change) {
    char *shared = replaced(scale_text, "\"shared\": \"0\"", "\"shared\": \"BLOCK_X * 8\"");
    char *grouped = replaced(shared, "\"RAGGED\": \"N % BLOCK_X != 0\"",
                             "\"SHARES\": \"1\", \"GROUPED\": \"1\"");
    char *text = replaced(grouped, change->from, change->to);
    free(shared);
    free(grouped);
    return text;
}

static void check_backend(const struct stand *stand) {
#define PASS "\"alpha\", \"GROUP\"]"
#define DIRECT "scale.json: direct: "
    static const struct disagreement cases[] = {
        {"\"kernel\"", "\"kernel\"", NULL, false},
        {"\"shared\": \"BLOCK_X * 8\"", "\"shared\": \"BLOCK_X * 4 + BLOCK_X * 4\"", NULL, false},
        {"\"SHARES\": \"1\"", "\"SHARES\": \"0\"",
         DIRECT "TW_SHARED of the kernel scale_direct does not take the 512 bytes that the "
                "launch's \"shared\" gives it (met with {\"BLOCK_X\":64,\"GROUP\":1,",
         false},
        {"\"shared\": \"BLOCK_X * 8\"", "\"shared\": \"BLOCK_X * 4\"",
         DIRECT "TW_SHARED of the kernel scale_direct does not take the 256 bytes that the "
                "launch's \"shared\" gives it",
         false},
        {"\"shared\": \"BLOCK_X * 8\", ", "",
         DIRECT "TW_SHARED of the kernel scale_direct does not take the 0 bytes", false},
        {"scale_direct\"", "scale_drect\"",
         DIRECT "the templates have no kernel \"scale_drect\", the launch's \"function\"; did you "
                "mean scale_direct?",
         false},
        {"scale_direct\"", "nothing_like_it\"",
         "no kernel \"nothing_like_it\", the launch's \"function\"; they have ", false},
        {PASS, "\"alpha\"]",
         DIRECT
         "the kernel scale_direct has 8 parameters, and \"pass\" gives it 7: A, B, M, N, lda, "
         "ldb, alpha",
         false},
        {"\"GROUPED\": \"1\"", "\"GROUPED\": \"0\"",
         DIRECT "the kernel scale_direct has 7 parameters, and \"pass\" gives it 8: A, B, M, N, "
                "lda, ldb, alpha, GROUP",
         false},
        {"\"pass\": [\"A\", \"B\", \"M\", \"N\", \"lda\", \"ldb\", " PASS,
         "\"pass\": [\"A\", \"M\", \"B\", \"N\", \"lda\", \"ldb\", " PASS,
         DIRECT "parameter 2 of the kernel scale_direct does not take what \"pass\" gives it, M, a "
                "value of 4 bytes",
         false},
        {"\"pass\": [\"A\", \"B\", \"M\", \"N\", \"lda\", \"ldb\", " PASS,
         "\"pass\": [\"A\", \"B\", \"A\", \"N\", \"lda\", \"ldb\", " PASS,
         DIRECT "parameter 3 of the kernel scale_direct does not take what \"pass\" gives it, the "
                "buffer A",
         false},
        {"\"scalar\", \"type\": \"dtype\"", "\"scalar\", \"type\": \"f64\"",
         DIRECT
         "parameter 7 of the kernel scale_direct does not take what \"pass\" gives it, alpha, "
         "a floating-point number of 8 bytes",
         false},
        {"\"scalar\", \"type\": \"dtype\"", "\"scalar\", \"type\": \"i32\"",
         DIRECT
         "parameter 7 of the kernel scale_direct does not take what \"pass\" gives it, alpha, "
         "a value of 4 bytes",
         true},
    };
    size_t wrong = 0;
    bool is_cuda = strcmp(stand->info.backend, "cuda") == 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tw_error error = {0};
        if (cases[i].cuda_only && !is_cuda)
            continue;
        char *text = description(&cases[i]);
        tw_status status = compile(stand, text, false, &error);
        bool right = cases[i].says == NULL ? status == TW_OK
                                           : status == TW_BAD_DESCRIPTION &&
                                                 strstr(error.message, cases[i].says) != NULL;
        if (!right)
            print_error("%s: %s -> %s: %s: %s\n", stand->info.backend, cases[i].from, cases[i].to,
                        tw_status_text(status), error.message);
        wrong += !right;
        free(text);
    }
    assert_int_equal(wrong, 0);

    struct tw_error error;
    must(compile(stand, scale_text, true, &error), error);
    char *text = replaced(scale_text, "\"alpha\"] }", "\"alpha\", \"lda\"] }");
    assert_refuses(compile(stand, text, true, &error), TW_BAD_DESCRIPTION, error,
                   "the kernel scale_reference has 7 parameters, and \"pass\" gives it 8: A, ");
    free(text);
}

static struct stand stand_of(void **state, const char *backend) {
    struct stand stand = {.scratch = *state, .info = paper_gpu};
    char path[1024];
    stand.backend = tw_backend_find(backend);
    scratch_write(stand.scratch, "scale/reference.cu", reference, path);
    scratch_write(stand.scratch, "scale/direct.cu", direct, path);
    return stand;
}

static void cuda_without_a_gpu(void **state) {
    const struct tw_compile_request request = {
        .source = "extern \"C\" __global__ void f() { }", .name = "f.cu", .function = "f"};
    struct stand stand = stand_of(state, "cuda");
    struct tw_binary binary = {0};
    struct tw_error error;
    tw_status status = stand.backend == NULL
                           ? TW_UNAVAILABLE
                           : stand.backend->compile(&stand.info, &request, &binary, &error);
    tw_binary_free(&binary);
    if (status == TW_UNAVAILABLE)
        skip();
    check_backend(&stand);
}

static void opencl(void **state) {
    struct stand stand = stand_of(state, "opencl");
    struct tw_error error;
    int count = 0;
    if (stand.backend == NULL || stand.backend->count(&count, &error) != TW_OK || count == 0)
        skip();
    must(stand.backend->describe(0, &stand.info, &error), error);
    check_backend(&stand);
}

/* Sources without such a kernel, or without TW_SHARED in it, are left as they are. */
static void only_tw_shared_is_touched(void **state) {
    (void)state;
    static const char *const untouched[] = {
        "",
        "TW_KERNEL(f",
        "TW_KERNEL(f)(int a)",
        "TW_KERNEL(f)(int a) { }",
        "TW_KERNEL(g)(int a) { TW_SHARED(float, x, 4); }",
        "void f(int a) { TW_SHARED(float, x, 4); }",
        "TW_KERNEL(f)(int a) { } TW_SHARED(float, x, 4);",
        "TW_KERNEL(f)(int a) { /* TW_SHARED(float, x, 4) */ }",
        "TW_KERNEL(f)(int a) { MY_TW_SHARED(float, x, 4); TW_SHARED; TW_SHARED(float, x); }"};
    for (size_t i = 0; i < sizeof untouched / sizeof *untouched; i++) {
        struct tw_text checked = {0};
        tw_shared_checked(untouched[i], "f", 16, &checked);
        assert_string_equal(checked.data != NULL ? checked.data : "", untouched[i]);
        tw_text_free(&checked);
    }
    struct tw_text checked = {0};
    tw_shared_checked("TW_KERNEL(f)()\n{ TW_SHARED(real, x, max(A, B) + 1);\n}", "f", 16, &checked);
    assert_string_equal(checked.data,
                        "TW_KERNEL(f)()\n{ TW_SHARED(real, x, max(A, B) + 1); typedef char "
                        "tw_shared_is_what_the_launch_gives[sizeof(real) * ( max(A, B) + 1) == 16 "
                        "? 1 : -1];\n}");
    tw_text_free(&checked);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cuda_without_a_gpu, scratch_make, scratch_remove),
        cmocka_unit_test_setup_teardown(opencl, scratch_make, scratch_remove),
        cmocka_unit_test(only_tw_shared_is_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
