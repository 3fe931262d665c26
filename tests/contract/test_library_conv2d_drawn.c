/* libtilewise: convolutions and gradients whose descriptors are drawn by lot, of every type and in
 * both layouts, beside plain sums.
 *
 *     test_library_conv2d_drawn [BACKEND [SEED [CALLS]]]
 *
 * A CPU, which compiles slowly, gets a few calls. What is wrong is told in full, with the arguments
 * that draw it again. */
#include <inttypes.h>
#include <math.h>

#include "tests/support/library.h"

enum { CALLS_ON_A_CPU = 8, CALLS_ON_A_GPU = 60, MOST_PRODUCTS = 400000, MARGIN = 32 };
enum type { F32, F64, F16, BF16, TYPES };
enum operand { IMAGES, FILTERS, RESULTS, OPERANDS };

static const struct {
    const char *name;
    size_t bytes;
    double unit; /* what rounding to it may change, of a number */
    double sums; /* what sums in its arithmetic may be off, of the largest */
} types[TYPES] = {[F32] = {"f32", 4, 0x1p-24, 2e-5},
                  [F64] = {"f64", 8, 0x1p-53, 1e-13},
                  [F16] = {"f16", 2, 0x1p-11, 2e-5},
                  [BF16] = {"bf16", 2, 0x1p-8, 2e-5}};

static uint64_t lot;

static int64_t from_to(int64_t least, int64_t most) {
    lot += 0x9e3779b97f4a7c15u;
    uint64_t x = (lot ^ lot >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return least + (int64_t)((x ^ x >> 31) % (uint64_t)(most - least + 1));
}

static bool one_of(int count) {
    return from_to(1, count) == 1;
}

/* ---- Numbers of every type ---- */

static void store(void *at, enum type type, double number) {
    const float single = (float)number;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    uint16_t half = (uint16_t)(bits >> 16); /* eighths have no more bits than that */
    if (type == F16 && isnan(number))
        half = 0x7e00;
    else if (type == F16) /* with a sign, an exponent of its own and ten bits */
        half = (uint16_t)((bits >> 16 & 0x8000) |
                          (number == 0 ? 0 : ((bits >> 13 & 0x3ffff) - (112 << 10)) & 0x7fff));
    if (type == F64)
        memcpy(at, &number, sizeof number);
    else if (type == F32)
        memcpy(at, &single, sizeof single);
    else
        memcpy(at, &half, sizeof half);
}

static double stored(const void *at, enum type type) {
    double number;
    float single;
    uint16_t half;
    if (type == F64) {
        memcpy(&number, at, sizeof number);
        return number;
    }
    if (type == F32) {
        memcpy(&single, at, sizeof single);
        return single;
    }
    memcpy(&half, at, sizeof half);
    if (type == BF16) {
        const uint32_t bits = (uint32_t)half << 16;
        memcpy(&single, &bits, sizeof single);
        return single;
    }
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    number = exponent == 31 ? (fraction != 0 ? NAN : INFINITY)
             : exponent > 0 ? ldexp(1024 + fraction, exponent - 25)
                            : ldexp(fraction, -24);
    return half >> 15 != 0 ? -number : number;
}

/* ---- A call ---- */

/* An operand's rows in memory, behind a margin. */
struct rows {
    int64_t count, length, stride, first, elements;
    unsigned char *bytes;
    void *buffer;
};

struct call {
    tw_conv2d_descriptor d;
    enum operand made;
    enum type type;
    int64_t out_h, out_w, channels, filters; /* of a group */
    int shift; /* elements from where memory was allocated, which is aligned as much as can be */
};

static int64_t results_along(int64_t in, int64_t pad, int64_t dilation, int64_t taps,
                             int64_t stride) {
    const int64_t room = in + 2 * pad - dilation * (taps - 1) - 1;
    return room < 0 ? 0 : room / stride + 1;
}

static int64_t products(struct call *call) {
    const tw_conv2d_descriptor *d = &call->d;
    call->out_h = results_along(d->in_h, d->pad_h, d->dilation_h, d->filter_h, d->stride_h);
    call->out_w = results_along(d->in_w, d->pad_w, d->dilation_w, d->filter_w, d->stride_w);
    return d->images * call->out_h * call->out_w * d->filters * call->channels * d->filter_h *
           d->filter_w;
}

static void draw_sizes(struct call *call) {
    tw_conv2d_descriptor *d = &call->d;
    int64_t count;
    do {
        d->groups = one_of(3) ? from_to(2, 5) : 1;
        call->channels = one_of(3) ? from_to(1, 4) : one_of(2) ? 8 * from_to(1, 5) : from_to(5, 40);
        call->filters = one_of(3) ? from_to(1, 4) : one_of(2) ? 8 * from_to(1, 6) : from_to(5, 50);
        d->channels = d->groups * call->channels;
        d->filters = d->groups * call->filters;
        d->images = from_to(1, 4);
        d->in_h = from_to(1, 24);
        d->in_w = from_to(1, 30);
        d->filter_h = one_of(2) ? 3 : from_to(1, 5);
        d->filter_w = one_of(2) ? d->filter_h : from_to(1, 5);
        d->stride_h = one_of(2) ? 1 : from_to(1, 4);
        d->stride_w = one_of(2) ? d->stride_h : from_to(1, 4);
        d->pad_h = one_of(2) ? d->filter_h / 2 : from_to(0, 4);
        d->pad_w = one_of(2) ? d->filter_w / 2 : from_to(0, 4);
        d->dilation_h = one_of(2) ? 1 : from_to(1, 3);
        d->dilation_w = one_of(2) ? d->dilation_h : from_to(1, 3);
        count = products(call);
    } while (count < 1 || count > MOST_PRODUCTS);
}

static struct call draw_call(bool is_gpu) {
    static const char *const sums[] = {NULL, NULL, "direct", "tf32"};
    struct call call = {.d = TW_CONV2D_DESCRIPTOR_INIT};
    call.made = (enum operand)from_to(0, OPERANDS - 1);
    call.type = (enum type)from_to(0, TYPES - 1);
    call.d.type = types[call.type].name;
    if (call.type <= F64)
        call.d.compute_type = sums[from_to(0, call.type == F32 ? 3 : 2)];
    call.d.layout = one_of(2) ? TW_NHWC : TW_NCHW;
    draw_sizes(&call);
    call.d.alpha = one_of(2) ? 1 : -0.5;
    call.d.beta = one_of(2) ? 0 : 1.25;
    if (call.made == RESULTS)
        call.d.activation = (tw_activation)from_to(TW_ACTIVATION_NONE, TW_ACTIVATION_SILU);
    call.shift = is_gpu && one_of(3) ? (int)from_to(1, 7) : 0;
    return call;
}

static void print_call(const struct call *call, uint64_t seed, int number) {
    const tw_conv2d_descriptor *d = &call->d;
    const int64_t numbers[] = {d->images,     d->channels,   d->in_h,     d->in_w,
                               d->filters,    d->filter_h,   d->filter_w, d->stride_h,
                               d->stride_w,   d->pad_h,      d->pad_w,    d->dilation_h,
                               d->dilation_w, d->groups,     d->ld_input, d->ld_filters,
                               d->ld_output,  d->activation, call->shift};
    static const char *const made[] = {"backward_data", "backward_weights", "forward"};
    print_error("seed %" PRIu64 ", call %d: %s %s %s %s, alpha %g, beta %g%s, sizes, strides, "
                "paddings, dilations, groups, strides in memory, activation, shift",
                seed, number, made[call->made], d->type, d->compute_type ? d->compute_type : "",
                d->layout == TW_NHWC ? "nhwc" : "nchw", d->alpha, d->beta, d->bias ? ", bias" : "");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        print_error(" %" PRId64, numbers[i]);
    print_error("\n");
}

/* ---- Its operands ---- */

static void *element(const struct rows *rows, enum type type, int64_t place) {
    return rows->bytes + (size_t)(rows->first + place) * types[type].bytes;
}

static double number_of(const struct rows *rows, enum type type, int64_t place) {
    return stored(element(rows, type, place), type);
}

/* Eighths from -1 to 1: their products, and sums of so few, are exact but where Winograd's
 * polynomials or an activation round. `empty`: what must not be read has no number. */
static struct rows make_rows(const struct call *call, int64_t count, int64_t length, bool gaps,
                             bool empty, int64_t *stride) {
    struct rows rows = {.count = count, .length = length, .stride = length, .first = MARGIN};
    if (gaps)
        *stride = rows.stride = length + from_to(0, 9);
    rows.first += call->shift;
    rows.elements = rows.first + count * rows.stride + MARGIN;
    rows.bytes = malloc((size_t)rows.elements * types[call->type].bytes);
    assert_non_null(rows.bytes);
    for (int64_t i = 0; i < rows.elements; i++)
        store(rows.bytes + (size_t)i * types[call->type].bytes, call->type, NAN);
    for (int64_t i = 0; i < count * length && !empty; i++)
        store(element(&rows, call->type, i / length * rows.stride + i % length), call->type,
              (double)from_to(-8, 8) / 8);
    return rows;
}

/* On CUDA a buffer begins anywhere, and elsewhere where its memory does. */
static void give(tw_library *library, struct rows *rows, enum type type, bool is_gpu) {
    const size_t bytes = types[type].bytes;
    const size_t before = is_gpu ? 0 : (size_t)rows->first * bytes;
    rows->buffer =
        buffer_with(library, rows->bytes + before, (size_t)rows->elements * bytes - before);
}

static void *contents(const struct rows *rows, enum type type, bool is_gpu) {
    return (char *)rows->buffer + (is_gpu ? (size_t)rows->first * types[type].bytes : 0);
}

/* ---- Plain sums ---- */

struct sums {
    double *of, *sizes; /* of an element's products, and of what they are without their signs */
    bool *is_made;
};

static int64_t pixel(const struct call *call, const struct rows *rows, int64_t image, int64_t c,
                     int64_t y, int64_t x, bool is_result) {
    const tw_conv2d_descriptor *d = &call->d;
    const int64_t channels = is_result ? d->filters : d->channels;
    const int64_t h = is_result ? call->out_h : d->in_h, w = is_result ? call->out_w : d->in_w;
    return d->layout == TW_NHWC ? ((image * h + y) * w + x) * rows->stride + c
                                : ((image * channels + c) * h + y) * rows->stride + x;
}

static void add_products(const struct call *call, const struct rows operands[OPERANDS],
                         struct sums *sums) {
    const tw_conv2d_descriptor *d = &call->d;
    const int64_t taps = d->filter_h * d->filter_w;
    const int64_t results = d->images * d->filters * call->out_h * call->out_w;
    for (int64_t i = 0; i < results * call->channels * taps; i++) {
        const int64_t term = i / results, result = i % results;
        const int64_t q = result % call->out_w, p = result / call->out_w % call->out_h;
        const int64_t f = result / call->out_w / call->out_h % d->filters;
        const int64_t n = result / call->out_w / call->out_h / d->filters;
        const int64_t c = term / taps, r = term % taps / d->filter_w, s = term % d->filter_w;
        const int64_t y = p * d->stride_h - d->pad_h + r * d->dilation_h;
        const int64_t x = q * d->stride_w - d->pad_w + s * d->dilation_w;
        if (y < 0 || y >= d->in_h || x < 0 || x >= d->in_w)
            continue;
        const int64_t in_filter =
            d->layout == TW_NHWC ? (term % taps) * call->channels + c : c * taps + term % taps;
        const int64_t places[OPERANDS] = {
            pixel(call, &operands[IMAGES], n, f / call->filters * call->channels + c, y, x, false),
            f * operands[FILTERS].stride + in_filter,
            pixel(call, &operands[RESULTS], n, f, p, q, true)};
        double product = 1;
        for (int o = 0; o < OPERANDS; o++)
            if (o != (int)call->made)
                product *= number_of(&operands[o], call->type, places[o]);
        sums->of[places[call->made]] += product;
        sums->sizes[places[call->made]] += fabs(product);
    }
}

static double activated(tw_activation activation, double x) {
    const double pi = 3.14159265358979323846;
    switch (activation) {
    case TW_ACTIVATION_RELU:
        return x > 0 ? x : 0;
    case TW_ACTIVATION_GELU:
        return x * (1 + erf(x / sqrt(2))) / 2;
    case TW_ACTIVATION_GELU_TANH:
        return x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x))) / 2;
    case TW_ACTIVATION_SILU:
        return x / (1 + exp(-x));
    default:
        return x;
    }
}

/* Whether every element is near what it must be, and the gaps are as they were. */
static bool is_right(const struct call *call, const struct rows operands[OPERANDS],
                     const struct rows *bias, const unsigned char *got) {
    const tw_conv2d_descriptor *d = &call->d;
    const struct rows *made = &operands[call->made];
    const size_t bytes = types[call->type].bytes, count = (size_t)made->elements;
    struct sums sums = {calloc(count, sizeof(double)), calloc(count, sizeof(double)),
                        calloc(count, sizeof(bool))};
    assert_true(sums.of != NULL && sums.sizes != NULL && sums.is_made != NULL);
    add_products(call, operands, &sums);
    double largest = 1;
    for (int64_t i = 0; i < made->count * made->length; i++) {
        const int64_t place = i / made->length * made->stride + i % made->length;
        const double before = d->beta != 0 ? number_of(made, call->type, place) : 0;
        const int64_t filter =
            d->layout == TW_NHWC ? i % made->length : i / made->length / call->out_h % d->filters;
        sums.is_made[made->first + place] = true;
        sums.of[place] = d->alpha * sums.of[place] + d->beta * before +
                         (d->bias != NULL ? number_of(bias, call->type, filter) : 0);
        largest = fmax(largest, sums.sizes[place]);
    }
    bool right = true;
    for (int64_t i = 0; i < made->elements && right; i++) {
        if (!sums.is_made[i]) {
            right = memcmp(got + (size_t)i * bytes, made->bytes + (size_t)i * bytes, bytes) == 0;
            continue;
        }
        const double expected = activated(d->activation, sums.of[i - made->first]);
        const double number = stored(got + (size_t)i * bytes, call->type);
        right = fabs(number - expected) <=
                1.01 * types[call->type].unit * fabs(expected) + types[call->type].sums * largest;
        if (!right)
            print_error("%g at %" PRId64 ", which should be %g\n", number, i - made->first,
                        expected);
    }
    free(sums.of);
    free(sums.sizes);
    free(sums.is_made);
    return right;
}

typedef tw_status operation(tw_library *, void *, const tw_conv2d_descriptor *, const void *,
                            const void *, void *, tw_error *);

static bool try_call(tw_library *library, struct call *call, bool is_gpu) {
    static operation *const operations[] = {tw_conv2d_backward_data, tw_conv2d_backward_weights,
                                            tw_conv2d};
    tw_conv2d_descriptor *d = &call->d;
    const bool nhwc = d->layout == TW_NHWC, gaps = one_of(2), empty = d->beta == 0;
    const int64_t terms = call->channels * d->filter_h * d->filter_w;
    int64_t unused;
    tw_error error;
    struct rows operands[OPERANDS] = {
        make_rows(call, d->images * d->in_h * (nhwc ? d->in_w : d->channels),
                  nhwc ? d->channels : d->in_w, gaps, empty && call->made == IMAGES, &d->ld_input),
        make_rows(call, d->filters, terms, gaps, empty && call->made == FILTERS, &d->ld_filters),
        make_rows(call, d->images * call->out_h * (nhwc ? call->out_w : d->filters),
                  nhwc ? d->filters : call->out_w, gaps, empty && call->made == RESULTS,
                  &d->ld_output)};
    struct rows bias = make_rows(call, 1, d->filters, false, false, &unused);
    for (int o = 0; o < OPERANDS; o++)
        give(library, &operands[o], call->type, is_gpu);
    give(library, &bias, call->type, is_gpu);
    if (call->made == RESULTS && one_of(2))
        d->bias = contents(&bias, call->type, is_gpu);
    const struct rows *made = &operands[call->made];
    must(operations[call->made](
             library, NULL, d,
             contents(&operands[call->made == IMAGES ? RESULTS : IMAGES], call->type, is_gpu),
             contents(&operands[call->made == FILTERS ? RESULTS : FILTERS], call->type, is_gpu),
             contents(made, call->type, is_gpu), &error),
         error);
    const size_t bytes = types[call->type].bytes, size = (size_t)made->elements * bytes;
    const size_t before = is_gpu ? 0 : (size_t)made->first * bytes;
    unsigned char *got = malloc(size);
    assert_non_null(got);
    memcpy(got, made->bytes, before);
    read_buffer(library, made->buffer, got + before, size - before);
    const bool right = is_right(call, operands, &bias, got);
    free(got);
    for (int o = 0; o < OPERANDS; o++) {
        tw_release(library, operands[o].buffer);
        free(operands[o].bytes);
    }
    tw_release(library, bias.buffer);
    free(bias.bytes);
    return right;
}

static uint64_t seed = 1;
static int calls;

static void drawn_calls(void **state) {
    tw_library *library = *state;
    const bool is_gpu = strncmp(tw_device_id(library), "cuda", 4) == 0;
    const int count = calls > 0 ? calls : is_gpu ? CALLS_ON_A_GPU : CALLS_ON_A_CPU;
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        lot = seed * 1000003 + (uint64_t)i;
        struct call call = draw_call(is_gpu);
        if (!try_call(library, &call, is_gpu)) {
            print_call(&call, seed, i);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

int main(int count, char **arguments) {
    if (!backend_is_here(count, arguments))
        return 0;
    if (count > 2)
        seed = strtoull(arguments[2], NULL, 10);
    if (count > 3)
        calls = atoi(arguments[3]);
    const struct CMUnitTest tests[] = {LIBRARY_TEST(drawn_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
