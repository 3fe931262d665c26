/* libtilewise: tw_conv2d, its gradients, and their descriptor.
 *
 *     test_library_conv2d BACKEND */
#include <math.h>

#include "tests/support/library.h"

enum { MOST = 4096 };

/* What a descriptor says, with what it leaves out. */
struct sizes {
    int64_t out_h, out_w, stride_h, stride_w, dilation_h, dilation_w, groups;
    int64_t ld_input, ld_filters, ld_output;
};

static int64_t other_than_zero(int64_t number, int64_t otherwise) {
    return number != 0 ? number : otherwise;
}

static int64_t results_along(int64_t in, int64_t pad, int64_t dilation, int64_t taps,
                             int64_t stride) {
    return (in + 2 * pad - dilation * (taps - 1) - 1) / stride + 1;
}

static struct sizes sizes_of(const tw_conv2d_descriptor *d) {
    struct sizes s = {.stride_h = other_than_zero(d->stride_h, 1),
                      .stride_w = other_than_zero(d->stride_w, 1),
                      .dilation_h = other_than_zero(d->dilation_h, 1),
                      .dilation_w = other_than_zero(d->dilation_w, 1),
                      .groups = other_than_zero(d->groups, 1)};
    bool nhwc = d->layout == TW_NHWC;
    s.out_h = results_along(d->in_h, d->pad_h, s.dilation_h, d->filter_h, s.stride_h);
    s.out_w = results_along(d->in_w, d->pad_w, s.dilation_w, d->filter_w, s.stride_w);
    s.ld_input = other_than_zero(d->ld_input, nhwc ? d->channels : d->in_w);
    s.ld_filters =
        other_than_zero(d->ld_filters, d->channels / s.groups * d->filter_h * d->filter_w);
    s.ld_output = other_than_zero(d->ld_output, nhwc ? d->filters : s.out_w);
    return s;
}

/* Where an element of an image is. */
static size_t place(const tw_conv2d_descriptor *d, int64_t n, int64_t c, int64_t h, int64_t w,
                    int64_t channels, int64_t height, int64_t width, int64_t ld) {
    return (size_t)(d->layout == TW_NHWC ? ((n * height + h) * width + w) * ld + c
                                         : ((n * channels + c) * height + h) * ld + w);
}

/* Images, filters, results: the convolution is of the first two, its gradients are of two others.
 */
enum { IMAGES, FILTERS, RESULTS, OPERANDS };

/* Adds to one of the operands, as sums, every product of the other two. */
static void add_products(const tw_conv2d_descriptor *d, const struct sizes *s, int made,
                         float from[OPERANDS][MOST], double sums[MOST], bool is_made[MOST]) {
    const int64_t channels = d->channels / s->groups, group_filters = d->filters / s->groups;
    const int64_t results = d->images * d->filters * s->out_h * s->out_w;
    for (int64_t i = 0; i < results * channels * d->filter_h * d->filter_w; i++) {
        const int64_t result = i % results, term = i / results;
        const int64_t q = result % s->out_w, p = result / s->out_w % s->out_h;
        const int64_t f = result / s->out_w / s->out_h % d->filters;
        const int64_t n = result / s->out_w / s->out_h / d->filters;
        const int64_t x = term % d->filter_w, y = term / d->filter_w % d->filter_h;
        const int64_t c = term / d->filter_w / d->filter_h;
        const int64_t h = p * s->stride_h - d->pad_h + y * s->dilation_h;
        const int64_t w = q * s->stride_w - d->pad_w + x * s->dilation_w;
        const int64_t in_filter = d->layout == TW_NHWC ? (y * d->filter_w + x) * channels + c
                                                       : (c * d->filter_h + y) * d->filter_w + x;
        const bool inside = h >= 0 && h < d->in_h && w >= 0 && w < d->in_w;
        const size_t places[OPERANDS] = {
            inside ? place(d, n, f / group_filters * channels + c, h, w, d->channels, d->in_h,
                           d->in_w, s->ld_input)
                   : 0,
            (size_t)(f * s->ld_filters + in_filter),
            place(d, n, f, p, q, d->filters, s->out_h, s->out_w, s->ld_output)};
        const int left = made == IMAGES ? FILTERS : IMAGES;
        const int right = made == RESULTS ? FILTERS : RESULTS;
        assert_true(places[0] < MOST && places[1] < MOST && places[2] < MOST);
        if (made != IMAGES)
            is_made[places[made]] = true;
        if (inside)
            sums[places[made]] += (double)from[left][places[left]] * from[right][places[right]];
    }
}

/* Those over which no filter lies have a sum of nothing. */
static void mark_images(const tw_conv2d_descriptor *d, const struct sizes *s, bool is_made[MOST]) {
    for (int64_t i = 0; i < d->images * d->channels * d->in_h * d->in_w; i++)
        is_made[place(d, i / d->in_w / d->in_h / d->channels, i / d->in_w / d->in_h % d->channels,
                      i / d->in_w % d->in_h, i % d->in_w, d->channels, d->in_h, d->in_w,
                      s->ld_input)] = true;
}

typedef tw_status operation(tw_library *, void *, const tw_conv2d_descriptor *, const void *,
                            const void *, void *, tw_error *);

/* Computes and compares all results, and that what lies between rows stays as it was. */
static void check(tw_library *library, tw_conv2d_descriptor d, int made, bool has_bias) {
    static operation *const operations[] = {tw_conv2d_backward_data, tw_conv2d_backward_weights,
                                            tw_conv2d};
    static float from[OPERANDS][MOST], bias[64], got[MOST];
    static double sums[MOST];
    static bool is_made[MOST];
    const struct sizes s = sizes_of(&d);
    void *buffers[OPERANDS];
    tw_error error;
    for (unsigned i = 0; i < OPERANDS; i++) {
        for (size_t at = 0; at < MOST; at++)
            from[i][at] = (float)number_at(at, i);
        buffers[i] = buffer_with(library, from[i], sizeof from[i]);
    }
    for (size_t at = 0; at < 64; at++)
        bias[at] = (float)number_at(at, 9);
    void *device_bias = buffer_with(library, bias, sizeof bias);
    d.bias = has_bias ? device_bias : NULL;
    must(operations[made](library, NULL, &d, buffers[made == IMAGES ? RESULTS : IMAGES],
                          buffers[made == FILTERS ? RESULTS : FILTERS], buffers[made], &error),
         error);
    read_buffer(library, buffers[made], got, sizeof got);
    memset(is_made, 0, sizeof is_made);
    memset(sums, 0, sizeof sums);
    add_products(&d, &s, made, from, sums, is_made);
    if (made == IMAGES)
        mark_images(&d, &s, is_made);
    for (size_t at = 0; at < MOST; at++) {
        const size_t filter = d.layout == TW_NHWC
                                  ? at % (size_t)s.ld_output
                                  : at / (size_t)(s.ld_output * s.out_h) % (size_t)d.filters;
        double expected = d.alpha * sums[at] + d.beta * from[made][at];
        if (has_bias)
            expected += bias[filter % 64];
        if (d.activation == TW_ACTIVATION_RELU && expected < 0)
            expected = 0;
        if (is_made[at])
            assert_true(fabs(got[at] - expected) < 2e-5);
        else
            assert_true(got[at] == from[made][at]);
    }
    tw_release(library, device_bias);
    for (int i = 0; i < OPERANDS; i++)
        tw_release(library, buffers[i]);
}

static tw_conv2d_descriptor small(tw_layout layout) {
    tw_conv2d_descriptor d = TW_CONV2D_DESCRIPTOR_INIT;
    d.layout = layout;
    d.images = 2, d.channels = 6, d.in_h = 7, d.in_w = 9;
    d.filters = 4, d.filter_h = 3, d.filter_w = 2;
    return d;
}

static void computes_as_described(void **state) {
    for (int layout = TW_NCHW; layout <= TW_NHWC; layout++) {
        tw_conv2d_descriptor d = small((tw_layout)layout);
        check(*state, d, RESULTS, false);
        d.stride_h = 2, d.stride_w = 3, d.pad_h = 1, d.pad_w = 2, d.dilation_w = 2, d.groups = 2;
        d.ld_input = 11, d.ld_filters = 20, d.ld_output = 13;
        d.alpha = 0.5, d.beta = -2, d.activation = TW_ACTIVATION_RELU;
        check(*state, d, RESULTS, true);
    }
}

static void computes_gradients(void **state) {
    for (int layout = TW_NCHW; layout <= TW_NHWC; layout++) {
        tw_conv2d_descriptor d = small((tw_layout)layout);
        check(*state, d, IMAGES, false);
        check(*state, d, FILTERS, false);
        d.stride_h = 2, d.stride_w = 3, d.pad_h = 1, d.pad_w = 2, d.dilation_w = 2, d.groups = 2;
        d.ld_input = 11, d.ld_filters = 20, d.ld_output = 13;
        d.alpha = 0.5, d.beta = -2;
        check(*state, d, IMAGES, false);
        check(*state, d, FILTERS, false);
    }
}

/* A channel a group, and two filters for each. */
static void computes_depthwise(void **state) {
    for (int layout = TW_NCHW; layout <= TW_NHWC; layout++) {
        tw_conv2d_descriptor d = small((tw_layout)layout);
        d.channels = d.groups = 5, d.filters = 10;
        d.pad_h = d.pad_w = 1, d.stride_w = 2;
        check(*state, d, RESULTS, true);
    }
}

static void computes_direct_sums(void **state) {
    tw_conv2d_descriptor d = small(TW_NCHW);
    d.filter_w = 3, d.pad_h = d.pad_w = 1;
    d.compute_type = "direct";
    check(*state, d, RESULTS, false);
    check(*state, d, IMAGES, false);
    check(*state, d, FILTERS, false);
}

static void zeroes_are_defaults(void **state) {
    const tw_conv2d_descriptor d = {.images = 1,
                                    .channels = 3,
                                    .in_h = 2,
                                    .in_w = 5,
                                    .filters = 2,
                                    .filter_h = 1,
                                    .filter_w = 1,
                                    .alpha = 1};
    check(*state, d, RESULTS, false);
}

static void no_images(void **state) {
    tw_conv2d_descriptor d = small(TW_NCHW);
    tw_error error;
    d.images = 0;
    must(tw_conv2d(*state, NULL, &d, NULL, NULL, NULL, &error), error);
    d.beta = 2; /* and what is there of a gradient that sums nothing is scaled */
    float numbers[4 * 6 * 3 * 2], scaled[4 * 6 * 3 * 2];
    for (size_t at = 0; at < sizeof numbers / sizeof *numbers; at++)
        numbers[at] = (float)number_at(at, 1);
    void *buffer = buffer_with(*state, numbers, sizeof numbers);
    must(tw_conv2d_backward_weights(*state, NULL, &d, NULL, NULL, buffer, &error), error);
    read_buffer(*state, buffer, scaled, sizeof scaled);
    for (size_t at = 0; at < sizeof numbers / sizeof *numbers; at++)
        assert_true(scaled[at] == 2 * numbers[at]);
    tw_release(*state, buffer);
    d.groups = -1; /* what is wrong is wrong before it is nothing */
    assert_refuses(tw_conv2d(*state, NULL, &d, NULL, NULL, NULL, &error), TW_INVALID, error,
                   "groups is -1; it must be from 1 to 65535");
    d = small(TW_NHWC);
    d.activation = TW_ACTIVATION_RELU;
    assert_refuses(tw_conv2d_backward_data(*state, NULL, &d, NULL, NULL, NULL, &error), TW_INVALID,
                   error, "conv2d_backward_data: a gradient has no bias and no activation");
}

static void what_does_not_go_together(void **state) {
    const tw_conv2d_descriptor good = small(TW_NHWC);
    struct {
        tw_conv2d_descriptor d;
        const char *says;
    } cases[] = {
        {good, "the filter, with its dilation, is larger than the padded image"},
        {good, "the filter, with its dilation, is larger than the padded image"},
        {good, "groups must divide the channels and the filters"},
        {good, "groups must divide the channels and the filters"},
        {good, "are more than 32 bits can count"},
        {good, "are more than 32 bits can count"},
        {good, "channels is 0; it must be from 1 to 2147483647"},
        {good, "in_w is 2147483648; it must be from 1 to"},
        {good, "images is -1; it must not be negative"},
        {good, "pad_w is -2; it must be from 0 to 1024"},
        {good, "stride_h is 1025; it must be from 1 to 1024"},
        {good, "layout is 2, which is none of tw_layout"},
        {good, "activation is 9, which is none of tw_activation"},
        {good, "conv2d: ld_input is 5, but rows of the images have 6 elements"},
        {good, "conv2d: ld_filters is 35, but rows of the filters have 36 elements"},
        {good, "conv2d: ld_output is 3, but rows of the results have 4 elements"},
        {good, "conv2d has no dtype \"i8\"; there are f32, f64, f16, bf16"},
        {good, "but conv2d of f32 computes in f32, \"tf32\" or \"direct\""},
        {good, "only convolutions of f32 may be computed in tf32"},
        {good, "only convolutions of f32 and f64 have sums that are not direct"},
        {good, "conv2d has no type \"f32,a=b\""},
        {good, "the size of tw_conv2d_descriptor is 3"},
    };
    const float before[4] = {1, 2, 3, 4};
    float after[4];
    void *buffer = buffer_with(*state, before, sizeof before);
    int i = 0;
    tw_error error;
    cases[i++].d.filter_h = 8;
    cases[i++].d.dilation_w = 9;
    cases[i++].d.groups = 4;
    cases[i++].d.groups = 3;
    cases[i].d.images = 1 << 30, cases[i++].d.in_w = 1 << 30;
    cases[i].d.channels = INT32_MAX, cases[i++].d.filter_w = 9;
    cases[i++].d.channels = 0;
    cases[i++].d.in_w = (int64_t)1 << 31;
    cases[i++].d.images = -1;
    cases[i++].d.pad_w = -2;
    cases[i++].d.stride_h = 1025;
    cases[i++].d.layout = (tw_layout)2;
    cases[i++].d.activation = (tw_activation)9;
    cases[i++].d.ld_input = 5;
    cases[i++].d.ld_filters = 35;
    cases[i++].d.ld_output = 3;
    cases[i++].d.type = "i8";
    cases[i++].d.compute_type = "f16";
    cases[i].d.type = "f16", cases[i++].d.compute_type = "tf32";
    cases[i].d.type = "f16", cases[i++].d.compute_type = "direct";
    cases[i++].d.type = "f32,a=b";
    cases[i++].d.size = 3;
    assert_int_equal(i, sizeof cases / sizeof *cases);
    for (i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
        assert_refuses(tw_conv2d(*state, NULL, &cases[i].d, buffer, buffer, buffer, &error),
                       TW_INVALID, error, cases[i].says);
    read_buffer(*state, buffer, after, sizeof after);
    assert_memory_equal(after, before, sizeof after);
    tw_release(*state, buffer);
}

/* The plan of a request is the call's own. */
static void plans_are_made_before(void **state) {
    tw_options options = bare_options();
    (void)state;
    options.prepared_only = 1;
    tw_library *library = open_with(&options);
    tw_conv2d_descriptor d = small(TW_NHWC);
    const tw_request request = {.size = sizeof request,
                                .kernel = "conv2d",
                                .attributes = "layout=nhwc",
                                .dimensions = {2, 6, 7, 9, 4, 3, 2}};
    tw_error error;
    assert_refuses(tw_conv2d(library, NULL, &d, NULL, NULL, NULL, &error), TW_NOT_FOUND, error,
                   "conv2d 2x6x7x9x4x3x2");
    must(tw_prepare(library, &request, 1, 1, NULL, NULL, &error), error);
    check(library, d, RESULTS, false);
    const tw_explanation *why = tw_plan_explain(make_plan(library, &request));
    assert_string_equal(why->rule, "default");
    tw_close(library);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        LIBRARY_TEST(computes_as_described),     LIBRARY_TEST(computes_depthwise),
        LIBRARY_TEST(computes_gradients),        LIBRARY_TEST(computes_direct_sums),
        LIBRARY_TEST(zeroes_are_defaults),       LIBRARY_TEST(no_images),
        LIBRARY_TEST(what_does_not_go_together), cmocka_unit_test(plans_are_made_before),
    };
    if (!backend_is_here(count, arguments))
        return 0;
    return cmocka_run_group_tests_name("tw_conv2d", tests, NULL, NULL);
}
