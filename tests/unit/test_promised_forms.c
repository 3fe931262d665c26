/* Which forms may serve a promise of errors, as their descriptions say on a GPU like an H100. Of
 * gemm's with split operands: sums that are not compensated only where plain sums run over all of K
 * too, none over a few terms, and none that loses denormals where they are to be kept. Plain ones
 * take sums in pieces where those that errors are compared with are taken so: nobody measures
 * errors where a result of another shape is used. Of convolutions where direct sums are asked for:
 * none by Winograd's polynomials; and of few images none that is less exact than direct sums. */
#include <inttypes.h>

#include "runtime/select/select.h"
#include "tests/support/subjects.h"
#include "tuner/space/space.h"

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
    {"M=4096,N=4096,K=1024;compute=f32_split", "split", true},
    {"M=4096,N=4096,K=1023;compute=f32_split", "split", false},
    {"M=4096,N=4096,K=1023;compute=f32_split", "split-rows", false},
    {"M=4096,N=4096,K=1023;compute=f32_split", "split-compensated", true},
    {"M=2048,N=1024,K=256;compute=f32_split", "split", false},
    {"M=2048,N=1024,K=256;compute=f32_split", "split-compensated", true},
    {"M=2048,N=1024,K=255;compute=f32_split", "split", false},
    {"M=2048,N=1024,K=255;compute=f32_split", "split-compensated", false},
    {"M=2048,N=1024,K=255;compute=bf16x6", "split", true},
    {"M=4096,N=4096,K=4096;compute=f32_split,denormals=kept", "split", true},
    {"M=4096,N=4096,K=4096;compute=bf16x6,denormals=kept", "split", false},
    {"M=4096,N=4096,K=4096;compute=bf16x3,denormals=kept", "split-bf16x3", false},
    {"M=4096,N=4096,K=4096;compute=bf16x3,denormals=kept", "naive", true},
    {"M=512,N=512,K=4096", "naive", true},
    {"M=512,N=512,K=4096;compute=tf32x3", "naive", false},
    {"M=512,N=512,K=4096;compute=tf32x3", "tiled", false},
    {"M=512,N=512,K=4096;compute=tf32x3", "default", true},
    {"M=512,N=512,K=4096;compute=tf32x3", "split-k-sliced", true}, /* 32 pieces */
    {"M=512,N=512,K=4096;compute=tf32x3", "split-k", false},
    {"M=512,N=512,K=4096;compute=bf16x3", "split-k", true},
    /* One product leaves more than 2^-18 of itself: few terms are left to plain f32. */
    {"M=4096,N=4096,K=63;compute=bf16x3", "split-bf16x3", false},
    {"M=4096,N=4096,K=64;compute=bf16x3", "split-bf16x3", true},
    {"M=512,N=512,K=384;compute=f32_split", "naive", true},
    /* Sums in f64, which no pieces make worse, and which are not handed on in f32. */
    {"M=512,N=512,K=4096;compute=f32_split", "naive", true},
    {"M=512,N=512,K=4096;compute=f32_split", "tiled", true},
    {"M=512,N=512,K=4096;compute=f32_split", "default", true},
    {"M=512,N=512,K=4096;compute=f32_split", "sliced-narrow", false}, /* copied as they are */
    {"M=512,N=512,K=4096;compute=f32_split", "split-k-sliced", false},
    {"M=512,N=512,K=4096;compute=f32_split", "f32-dmma", true},
    {"M=512,N=512,K=4096", "f32-dmma", false},
    {"M=64,N=64,K=16;compute=f32_split,batch=9,trans=tt", "f32-dmma-sliced", true},
    /* Plain chains: of few results with very many terms. */
    {"M=65536,N=64,K=64;compute=f32_split", "async", false},
    {"M=65536,N=64,K=64;compute=f32_split", "f32-dmma", true},
    {"M=64,N=64,K=65536;compute=f32_split", "split-k-deep", true},
    {"M=64,N=64,K=16383;compute=f32_split", "split-k-deep", false},
    /* Few results divide K in pieces that undo each other where sums cancel. */
    {"M=512,N=512,K=2049;compute=f32_split", "split-compensated", true},
    {"M=512,N=512,K=2047;compute=f32_split", "split-compensated", false},
    {"M=512,N=512,K=512;compute=f32_split,batch=4", "split-compensated", true},
    {"M=512,N=511,K=4095;compute=f32_split", "split-compensated", false},
    {"M=127,N=4096,K=4096;compute=f32_split", "split-compensated", false},
    {"M=128,N=128,K=16392;compute=f32_split", "split-compensated", true},
    {"M=1,N=4096,K=16384;compute=f32_split", "gemv", true},
    /* Sums in f64 of more vectors would take longer than reading. */
    {"M=8,N=4096,K=4096;compute=f32_split", "gemv", true},
    {"M=9,N=4096,K=4096;compute=f32_split", "gemv", false},
    {"M=9,N=4096,K=4096", "gemv", true},
    /* Sums whose halves cancel: an even number of blocks for a tile. */
    {"M=2048,N=512,K=8192;compute=f32_split", "split-halves", true},
    {"M=2048,N=512,K=8192;compute=f32_split", "split-deep", false},
    {"M=2048,N=512,K=8192;compute=f32_split", "split-compensated", false},
    {"M=2048,N=512,K=8192;compute=bf16x6", "split-compensated", true},
    {"M=2048,N=512,K=8200;compute=f32_split", "split-compensated", true},
    {"M=1,N=4096,K=40000;compute=f32_split", "gemv-columns", true},
};

#define LAYER "IMAGES=32,CHANNELS=64,IN_H=56,IN_W=56,FILTERS=64,R=3,S=3;"
#define FEW "IMAGES=8,CHANNELS=256,IN_H=14,IN_W=14,FILTERS=256,R=3,S=3;pad_h=1,pad_w=1"
#define MANY "IMAGES=9,CHANNELS=256,IN_H=14,IN_W=14,FILTERS=256,R=3,S=3;pad_h=1,pad_w=1"
#define SHALLOW "IMAGES=8,CHANNELS=191,IN_H=14,IN_W=14,FILTERS=256,R=3,S=3;pad_h=1,pad_w=1"
#define SHALLOW_BACK "IMAGES=8,CHANNELS=256,IN_H=14,IN_W=14,FILTERS=191,R=3,S=3;pad_h=1,pad_w=1"

/* Terms that a thread sums before it folds; 0: it does not. */
static const struct {
    const char *kernel, *problem, *preset;
    int64_t terms;
} folds[] = {
    {"gemm", "M=2000,N=3000,K=1500", "default", 0},
    {"gemm", "M=512,N=512,K=1500;compute=tf32x3", "default", 256},
    {"gemm", "M=512,N=512,K=1500;compute=f32_split", "default", 0}, /* f64 */
    {"gemm", "M=4096,N=4096,K=1500;compute=tf32x3", "default",
     0}, /* plain sums run over all of K */
    {"conv2d", FEW, "winograd", 32},
    {"conv2d", FEW, "winograd-2x2", 0},
    {"conv2d", MANY, "winograd", 0},
    {"conv2d_backward_data", FEW, "winograd", 32},
};

static const struct {
    const char *kernel, *problem, *preset;
    bool allowed;
} convolutions[] = {
    {"conv2d", LAYER "pad_h=1,pad_w=1", "winograd", true},
    {"conv2d", LAYER "compute=direct,pad_h=1,pad_w=1", "winograd", false},
    {"conv2d", LAYER "pad_h=1,pad_w=1", "winograd-fused", true},
    {"conv2d", FEW, "winograd", true},
    {"conv2d", SHALLOW, "winograd", false},
    {"conv2d", SHALLOW, "winograd-2x2", true},
    {"conv2d", SHALLOW, "winograd-fused", true},
    {"conv2d_backward_data", SHALLOW, "winograd", true},
    {"conv2d_backward_data", SHALLOW_BACK, "winograd", false},
    {"conv2d_backward_data", SHALLOW_BACK, "winograd-2x2", true},
    {"conv2d", LAYER "compute=direct,pad_h=1,pad_w=1", "winograd-fused", false},
    {"conv2d", LAYER "compute=direct,pad_h=1,pad_w=1", "precomputed-stages", true},
    {"conv2d_backward_data", LAYER "pad_h=1,pad_w=1", "winograd", true},
    {"conv2d_backward_data", LAYER "compute=direct,pad_h=1,pad_w=1", "winograd", false},
    {"conv2d_backward_weights", LAYER "pad_h=1,pad_w=1", "winograd", true},
    {"conv2d_backward_weights", LAYER "compute=direct,pad_h=1,pad_w=1", "winograd", false},
    {"conv2d_backward_weights", LAYER "compute=direct,pad_h=1,pad_w=1", "register-tiled", true},
};

/* What an H200 without results gets: split forms cost a tile's rows whether C has them or not. */
static const struct {
    const char *sizes, *implementation;
} untuned[] = {
    {"4096x4096x4096", "wgmma_split"}, {"2048x512x8192", "wgmma_split"},
    {"128x14336x4096", "wgmma_split"}, {"512x512x65536", "wgmma_split"},
    {"16x14336x4096", "dmma_f32"},     {"4096x16x4096", "dmma_f32"},
    {"64x4096x14336", "dmma_f32"},     {"64x64x16", "dmma_f32"},
    {"1000x1000x200", "dmma_f32"},     {"8x4096x4096", "gemv_split_k"},
    {"64x64x65536", "split_k"},
};

static int arch = 90;

static void bind_preset(const struct tw_description *d, const char *text, const char *name,
                        struct tw_configuration *configuration, int64_t *values) {
    struct tw_problem problem;
    const struct tw_preset *preset;
    struct tw_error error;
    must(tw_problem_read(&problem, d, text, &error), error);
    struct tw_device_info device = paper_gpu;
    device.arch = arch;
    bind_problem(&problem, &device, values);
    if (!tw_description_preset(d, name, &configuration->implementation, &preset))
        fail_msg("there is no preset %s", name);
    memcpy(configuration->values, preset->values, sizeof configuration->values);
    must(tw_configuration_bind(d, configuration, values, &error), error);
}

static bool is_allowed(const struct tw_description *d, const char *text, const char *name) {
    struct tw_configuration configuration;
    struct tw_error error;
    int64_t values[TW_MAX_SYMBOLS];
    bind_preset(d, text, name, &configuration, values);
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

/* There no sums are in f64: they come in pieces as cublasSgemm's do, and few terms are one chain.
 */
static void before_hopper(void **state) {
    (void)state;
    arch = 80;
    must_be("gemm", "M=512,N=512,K=4096;compute=f32_split", "naive", false);
    must_be("gemm", "M=512,N=512,K=4096;compute=f32_split", "tiled", false);
    must_be("gemm", "M=512,N=512,K=4096;compute=f32_split", "split-k-sliced", true);
    must_be("gemm", "M=512,N=512,K=4096;compute=f32_split", "split-k", false);
    must_be("gemm", "M=512,N=512,K=63;compute=f32_split", "default", true);
    must_be("gemm", "M=512,N=512,K=63;compute=f32_split", "sliced-small", false);
    must_be("gemm", "M=512,N=512,K=64;compute=f32_split", "sliced-small", true);
    arch = 90;
}

/* What two planes of bf16 leave of a number meets itself, and few terms make no mean of that. */
static void rows_that_meet_themselves(void **state) {
    (void)state;
    must_be("aat", "M=4096,K=63;compute=bf16x3", "split-bf16x3", false);
    must_be("aat", "M=4096,K=64;compute=bf16x3", "split-bf16x3", true);
}

static void few_rows_are_not_split(void **state) {
    (void)state;
    const struct tw_device_info device = paper_h200();
    struct tw_description *d;
    struct tw_problem problem;
    struct tw_error error;
    must(tw_description_builtin(&d, "gemm", &error), error);
    for (size_t i = 0; i < sizeof untuned / sizeof *untuned; i++) {
        struct tw_selection chosen;
        must(tw_problem_parse(&problem, d, untuned[i].sizes, &error), error);
        must(tw_problem_set(&problem, "compute", "f32_split", &error), error);
        const struct tw_query query = {.problem = &problem, .device = &device, .cache = "cold"};
        must(tw_select(&query, &chosen, &error), error);
        const char *name = d->implementations[chosen.configuration.implementation].name;
        if (chosen.rule != TW_SELECTED_FALLBACK || strcmp(name, untuned[i].implementation) != 0)
            fail_msg("%s gets %s (%s)", untuned[i].sizes, name, tw_selection_word(chosen.rule));
    }
    tw_description_free(d);
}

/* What a form has of a parameter that an H200 without results gets. */
static const struct {
    const char *problem, *implementation, *parameter;
    int64_t value;
} forms[] = {
    /* Of two operands that lie across K the smaller one is copied. */
    {"M=8192,N=512,K=2048;trans=tn,compute=tf32", "wgmma_tf32_rows_turned", "SWAP", 0},
    {"M=256,N=4096,K=4096;trans=tn,compute=tf32", "wgmma_tf32_rows_turned", "SWAP", 1},
};

static void forms_without_results(void **state) {
    (void)state;
    const struct tw_device_info device = paper_h200();
    struct tw_description *d;
    struct tw_error error;
    must(tw_description_builtin(&d, "gemm", &error), error);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct tw_problem problem = problem_of_key(d, forms[i].problem);
        const struct tw_query query = {.problem = &problem, .device = &device, .cache = "cold"};
        struct tw_selection chosen;
        must(tw_select(&query, &chosen, &error), error);
        const struct tw_implementation *in =
            &d->implementations[chosen.configuration.implementation];
        int at = 0;
        assert_string_equal(in->name, forms[i].implementation);
        while (at < in->parameter_count && strcmp(in->parameters[at].name, forms[i].parameter) != 0)
            at++;
        assert_true(at < in->parameter_count);
        if (chosen.configuration.values[at] != forms[i].value)
            fail_msg("%s gets %s %" PRId64, forms[i].problem, forms[i].parameter,
                     chosen.configuration.values[at]);
    }
    tw_description_free(d);
}

/* In steps of BK that SLICES threads share. */
static int64_t folded(const struct tw_description *d, const char *text, const char *preset) {
    struct tw_configuration configuration;
    int64_t values[TW_MAX_SYMBOLS], bk = 0, slices = 0, steps = 0;
    bind_preset(d, text, preset, &configuration, values);
    const struct tw_implementation *in = &d->implementations[configuration.implementation];
    for (int i = 0; i < in->parameter_count; i++) {
        if (strcmp(in->parameters[i].name, "BK") == 0)
            bk = values[in->parameters[i].slot];
        if (strcmp(in->parameters[i].name, "SLICES") == 0)
            slices = values[in->parameters[i].slot];
    }
    for (int i = 0; i < in->define_count; i++)
        if (strcmp(in->defines[i].name, "FOLD_STEPS") == 0)
            steps = values[in->defines[i].slot];
    return steps * bk / slices;
}

static void plain_forms_fold(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++) {
        struct tw_description *d;
        struct tw_error error;
        must(tw_description_builtin(&d, folds[i].kernel, &error), error);
        const int64_t terms = folded(d, folds[i].problem, folds[i].preset);
        if (terms != folds[i].terms)
            fail_msg("%s: %" PRId64 " terms are summed before a fold, not %" PRId64,
                     folds[i].problem, terms, folds[i].terms);
        tw_description_free(d);
    }
}

/* A space of more points than may be is no space: nothing of it can be tuned. */
static void there_is_room_for_all_forms(void **state) {
    (void)state;
    static const char *const problems[] = {"M=4096,N=4096,K=4096;compute=bf16x6",
                                           "M=8192,N=8192,K=8192;dtype=bf16,trans=nt"};
    struct tw_description *d;
    struct space *space;
    struct tw_problem problem;
    struct tw_error error;
    const struct tw_device_info device = paper_h200();
    must(tw_description_builtin(&d, "gemm", &error), error);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        must(tw_problem_read(&problem, d, problems[i], &error), error);
        must(space_create(&space, &problem, &device, NULL, &error), error);
        assert_true(space_size(space) > 0);
        space_free(space);
    }
    tw_description_free(d);
}

static void direct_sums(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof convolutions / sizeof *convolutions; i++)
        must_be(convolutions[i].kernel, convolutions[i].problem, convolutions[i].preset,
                convolutions[i].allowed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(split_forms),
                                       cmocka_unit_test(before_hopper),
                                       cmocka_unit_test(plain_forms_fold),
                                       cmocka_unit_test(rows_that_meet_themselves),
                                       cmocka_unit_test(there_is_room_for_all_forms),
                                       cmocka_unit_test(direct_sums),
                                       cmocka_unit_test(few_rows_are_not_split),
                                       cmocka_unit_test(forms_without_results)};
    return cmocka_run_group_tests_name("promised_forms", tests, NULL, NULL);
}
