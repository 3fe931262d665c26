/* What errors are held against compiles for CUDA's architectures: hard inputs, samples of outputs,
 * gemm's plain kernel with all that a problem may ask of it, aat's. Without a GPU. */
#include "runtime/variant/variant.h"
#include "tests/support/problems.h"
#include "tests/support/scale.h"
#include "tuner/measure/hard_inputs.h"

static const struct {
    const char *kernel, *problem;
} problems[] = {
    {"gemm", "M=100,N=70,K=300;compute=f32_split"},
    {"gemm", "M=100,N=70,K=300;compute=bf16x3,trans=tt,batch=3"},
    {"gemm", "M=100,N=70,K=300;compute=tf32x3,trans=nt,bias=row,activation=gelu"},
    {"gemm", "M=100,N=70,K=300;compute=bf16x6,trans=tn,batch=2,bias=column,activation=silu"},
    {"aat", "M=100,K=300;compute=f32_split"},
};

/* False where there is no compiler. */
static bool is_compiled(tw_status status, struct tw_binary *binary, const struct tw_error *error) {
    const bool is_here = status != TW_UNAVAILABLE;
    if (is_here && status != TW_OK)
        fail_msg("%s", error->message);
    assert_true(!is_here || binary->size > 0);
    tw_binary_free(binary);
    return is_here;
}

static void what_checks_compiles(void **state) {
    static const enum tw_type types[] = {TW_TYPE_f32, TW_TYPE_f64, TW_TYPE_f16, TW_TYPE_bf16};
    (void)state;
    const struct tw_backend *backend = tw_backend_find("cuda");
    struct tw_binary binary;
    struct tw_error error;
    bool is_here = backend != NULL;
    for (int i = 0; i < 8 && is_here; i++) {
        tw_status status = hard_inputs_compile(backend, &paper_gpu, (enum hard_kernel)(i / 4),
                                               types[i % 4], &binary, &error);
        is_here = is_compiled(status, &binary, &error);
    }
    for (size_t i = 0; i < sizeof problems / sizeof *problems && is_here; i++) {
        struct tw_description *d;
        struct tw_problem problem;
        struct tw_executable *plain;
        int64_t values[TW_MAX_SYMBOLS];
        must(tw_description_builtin(&d, problems[i].kernel, &error), error);
        must(tw_problem_read(&problem, d, problems[i].problem, &error), error);
        bind_problem(&problem, &paper_gpu, values);
        assert_non_null(tw_accuracy_bound(d, values));
        must(tw_executable_create_plain(&plain, &problem, values, &paper_gpu, &error), error);
        is_here = is_compiled(tw_judge_compile(backend, &paper_gpu, plain, &binary, &error),
                              &binary, &error);
        tw_executable_free(plain);
        tw_description_free(d);
    }
    if (!is_here)
        print_message("no NVRTC here\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_checks_compiles)};
    return cmocka_run_group_tests_name("nvrtc promise", tests, NULL, NULL);
}
