/* Which forms may serve a promise of errors, as their descriptions say on a GPU like an H100. Of
 * gemm's with split operands: sums that are not compensated only where plain sums run over all of K
 * too, none over a few terms, and none that loses denormals where they are to be kept. Of
 * convolutions where direct sums are asked for: none by Winograd's polynomials. */
#include "tests/support/scale.h"
#include "tests/support/support.h"

static const struct {
    const char *problem, *preset;
    bool allowed;
} products[] = {
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

#define LAYER "IMAGES=32,CHANNELS=64,IN_H=56,IN_W=56,FILTERS=64,R=3,S=3;"

static const struct {
    const char *kernel, *problem, *preset;
    bool allowed;
} convolutions[] = {
    {"conv2d", LAYER "pad_h=1,pad_w=1", "winograd", true},
    {"conv2d", LAYER "compute=direct,pad_h=1,pad_w=1", "winograd", false},
    {"conv2d", LAYER "pad_h=1,pad_w=1", "winograd-fused", true},
    {"conv2d", LAYER "compute=direct,pad_h=1,pad_w=1", "winograd-fused", false},
    {"conv2d", LAYER "compute=direct,pad_h=1,pad_w=1", "precomputed-stages", true},
    {"conv2d_backward_data", LAYER "pad_h=1,pad_w=1", "winograd", true},
    {"conv2d_backward_data", LAYER "compute=direct,pad_h=1,pad_w=1", "winograd", false},
    {"conv2d_backward_weights", LAYER "pad_h=1,pad_w=1", "winograd", true},
    {"conv2d_backward_weights", LAYER "compute=direct,pad_h=1,pad_w=1", "winograd", false},
    {"conv2d_backward_weights", LAYER "compute=direct,pad_h=1,pad_w=1", "register-tiled", true},
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

static void must_be(const char *kernel, const char *problem, const char *preset, bool allowed) {
    struct tw_description *d;
    struct tw_error error;
    must(tw_description_builtin(&d, kernel, &error), error);
    if (is_allowed(d, problem, preset) != allowed)
        fail_msg("%s is %s for %s %s", preset, allowed ? "not allowed" : "allowed", kernel,
                 problem);
    tw_description_free(d);
}

static void split_forms(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        must_be("gemm", products[i].problem, products[i].preset, products[i].allowed);
}

static void direct_sums(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof convolutions / sizeof *convolutions; i++)
        must_be(convolutions[i].kernel, convolutions[i].problem, convolutions[i].preset,
                convolutions[i].allowed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(split_forms),
                                       cmocka_unit_test(direct_sums)};
    return cmocka_run_group_tests_name("promised_forms", tests, NULL, NULL);
}
