/* Which of gemm's forms with split operands may serve a promise of errors, as its description says
 * on a GPU like an H100: sums that are not compensated only where plain sums run over all of K too,
 * none over a few terms, and none that loses denormals where they are to be kept. */
#include "tests/support/scale.h"
#include "tests/support/support.h"

static const struct {
    const char *problem, *preset;
    bool allowed;
} cases[] = {
    {"M=4096,N=4096,K=4096;compute=f32_split", "split", true},
    {"M=4096,N=4096,K=4096;compute=f32_split", "split-compensated", true},
    {"M=4096,N=4096,K=4096", "split", false},
    /* 64 tiles of 128x256 on 132 multiprocessors: plain sums are divided. */
    {"M=2048,N=1024,K=4096;compute=f32_split", "split", false},
    {"M=2048,N=1024,K=4096;compute=f32_split", "split-compensated", true},
    {"M=2048,N=1024,K=4096;compute=f32_split", "split-rows", false},
    {"M=2048,N=1024,K=4096;compute=f32_split", "split-rows-skinny", true},
    {"M=2048,N=1024,K=4096;compute=bf16x6", "split", true},
    {"M=2048,N=1024,K=256;compute=f32_split", "split", false},
    {"M=2048,N=1024,K=256;compute=f32_split", "split-compensated", true},
    {"M=2048,N=1024,K=255;compute=f32_split", "split", false},
    {"M=2048,N=1024,K=255;compute=f32_split", "split-compensated", false},
    {"M=2048,N=1024,K=255;compute=bf16x6", "split", true},
    {"M=4096,N=4096,K=4096;compute=f32_split,denormals=kept", "split", true},
    {"M=4096,N=4096,K=4096;compute=bf16x6,denormals=kept", "split", false},
    {"M=4096,N=4096,K=4096;compute=bf16x3,denormals=kept", "split-bf16x3", false},
    {"M=4096,N=4096,K=4096;compute=bf16x3,denormals=kept", "naive", true},
};

static bool is_allowed(const struct tw_description *d, const char *text, const char *name) {
    struct tw_problem problem;
    struct tw_configuration configuration;
    const struct tw_preset *preset;
    struct tw_error error;
    int64_t values[TW_MAX_SYMBOLS];
    must(tw_problem_read(&problem, d, text, &error), error);
    bind_problem(&problem, &paper_gpu, values);
    if (!tw_description_preset(d, name, &configuration.implementation, &preset))
        fail_msg("there is no preset %s", name);
    memcpy(configuration.values, preset->values, sizeof configuration.values);
    must(tw_configuration_bind(d, &configuration, values, &error), error);
    return tw_configuration_check(d, &configuration, values, &error) == TW_OK;
}

static void forms_and_promises(void **state) {
    (void)state;
    struct tw_description *d;
    struct tw_error error;
    must(tw_description_builtin(&d, "gemm", &error), error);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (is_allowed(d, cases[i].problem, cases[i].preset) != cases[i].allowed)
            fail_msg("%s is %s for %s", cases[i].preset,
                     cases[i].allowed ? "not allowed" : "allowed", cases[i].problem);
    tw_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms_and_promises)};
    return cmocka_run_group_tests_name("split_forms", tests, NULL, NULL);
}
