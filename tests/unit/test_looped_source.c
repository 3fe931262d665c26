/* Loops around kernels: the text that is wrapped, which kernels may be, and how often. */
#include "tests/support/scale.h"
#include "tuner/ladder/looped.h"

static const char rendered[] = "#define TW_CUDA 1\n#line 1 \"move.cu\"\n/* helpers */\n"
                               "TW_KERNEL(move)\n"
                               "(TW_GLOBAL const float *TW_RESTRICT A, TW_GLOBAL float *B,\n"
                               " int M, float alpha )\n"
                               "{\n    if (M == 0)\n        return;\n}\n";

static const struct tw_launch_description launch = {
    .templates = {"move.cu"}, .template_count = 1, .function = "move", .passed_count = 4};

/* It must be there once. */
static void assert_has(const char *text, const char *part) {
    assert_says(text, part);
    const char *at = strstr(text, part);
    if (strstr(at + 1, part) != NULL) {
        fail_msg("\"%s\" is there twice", part);
    }
}

static void the_kernel_becomes_a_function(void **state) {
    (void)state;
    struct tw_text source = {0};
    struct tw_error error;
    must(looped_source(&launch, rendered, 4096, 128, &source, &error), error);
    assert_true(
        strncmp(source.data, rendered, (size_t)(strstr(rendered, "TW_KERNEL") - rendered)) == 0);
    assert_has(source.data,
               "TW_DEVICE void move_pass(TW_LOCAL tw_u8 *tw_pass_shared, TW_GLOBAL const float "
               "*TW_RESTRICT A, TW_GLOBAL float *B,\n int M, float alpha )\n{\n    if (M == 0)\n");
    const char *kernel = strstr(source.data, "TW_KERNEL(move)(");
    assert_non_null(kernel);
    assert_true(kernel > strstr(source.data, "move_pass("));
    assert_has(kernel, "(TW_GLOBAL const float *TW_RESTRICT A, TW_GLOBAL float *B,\n int M, float "
                       "alpha )\n{\n    TW_PASS_SHARED(4096);\n");
    assert_has(kernel, "for (int tw_pass = 0; tw_pass < 128; tw_pass++) {\n");
    assert_has(kernel, "move_pass(tw_pass_shared, A + tw_zero, B + tw_zero, M + tw_zero, alpha);\n"
                       "        __syncthreads();\n");
    tw_text_free(&source);
}

static void a_kernel_without_shared_memory(void **state) {
    (void)state;
    struct tw_text source = {0};
    struct tw_error error;
    must(looped_source(&launch, rendered, 0, 16, &source, &error), error);
    assert_has(source.data, "TW_PASS_SHARED(1);\n");
    assert_has(source.data, "#define TW_PASS_BYTES 0\n");
    tw_text_free(&source);
}

static void refuse(const char *text, int passed) {
    struct tw_launch_description other = launch;
    struct tw_text source = {0};
    struct tw_error error;
    other.passed_count = passed;
    assert_refuses(looped_source(&other, text, 0, 16, &source, &error), TW_INVALID, error,
                   "move.cu: no TW_KERNEL(move) with ");
    tw_text_free(&source);
}

static void parameters_that_can_not_be_read(void **state) {
    (void)state;
    refuse(rendered, 3);
    refuse(rendered, 5);
    refuse("TW_KERNEL(other)(int M, int N, int K, int L) { }", 4);
    refuse("TW_KERNEL(move) int M, int N, int K, int L", 4);
    refuse("TW_KERNEL(move)(int M, int N, int K, int L", 4);
    refuse("TW_KERNEL(move)(int M, int N, int (*K)(int), int L) { }", 4);
    refuse("TW_KERNEL(move)(int M, int N, int K, int L[]) { }", 4);
}

/* ---- Which ---- */

static void check_with(const char *from, const char *to, const char *refusal) {
    char *text = replaced(scale_text, from, to);
    struct tw_description *d = read_description(text, NULL);
    struct tw_error error;
    if (refusal == NULL)
        must(looped_check(d, &d->implementations[0], &error), error);
    else
        assert_refuses(looped_check(d, &d->implementations[0], &error), TW_INVALID, error, refusal);
    tw_description_free(d);
    free(text);
}

static void what_a_pass_needs_must_not_change(void **state) {
    (void)state;
    check_with("", "", NULL);
    check_with("\"access\": \"out\"", "\"access\": \"inout\"", "it reads B, which it changes");
}

static void what_a_scalar_may_have_read(void **state) {
    (void)state;
    struct tw_description *d;
    struct tw_error error;
    must(tw_description_builtin(&d, "gemm", &error), error);
    assert_refuses(looped_check(d, &d->implementations[0], &error), TW_INVALID, error,
                   "it reads C, which it changes");
    tw_description_free(d);
}

static void more_than_one_launch(void **state) {
    (void)state;
    struct tw_description *d = read_description(scale_text, NULL);
    struct tw_error error;
    struct tw_implementation two = d->implementations[0];
    two.launch_count = 2;
    assert_refuses(looped_check(d, &two, &error), TW_INVALID, error, "it has 2 launches");
    tw_description_free(d);
}

/* ---- How often ---- */

static void long_enough_and_no_longer(void **state) {
    (void)state;
    assert_int_equal(looped_passes(1e6), 16);
    assert_int_equal(looped_passes(125), 16);
    assert_int_equal(looped_passes(124), 32);
    assert_int_equal(looped_passes(10), 256);
    assert_int_equal(looped_passes(0.1), 1024);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernel_becomes_a_function),
        cmocka_unit_test(a_kernel_without_shared_memory),
        cmocka_unit_test(parameters_that_can_not_be_read),
        cmocka_unit_test(what_a_pass_needs_must_not_change),
        cmocka_unit_test(what_a_scalar_may_have_read),
        cmocka_unit_test(more_than_one_launch),
        cmocka_unit_test(long_enough_and_no_longer),
    };
    return cmocka_run_group_tests_name("looped source", tests, NULL, NULL);
}
