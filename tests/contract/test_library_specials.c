/* NaN, infinities and numbers too large for C come out of products as IEEE arithmetic on the stored
 * values gives them, in every floating type, and stay in the rows and columns that they belong to.
 *
 *     test_library_specials BACKEND */
#include <math.h>

#include "tests/support/library.h"

/* A binary format by its bits; without infinities all ones are NaN. */
struct format {
    const char *type;
    int size, exponent, fraction;
    bool has_infinity;
};

static const struct format f64 = {"f64", 8, 11, 52, true}, f32 = {"f32", 4, 8, 23, true},
                           f16 = {"f16", 2, 5, 10, true}, bf16 = {"bf16", 2, 8, 7, true},
                           e5m2 = {"e5m2", 1, 5, 2, true}, e4m3 = {"e4m3", 1, 4, 3, false};

/* Of numbers that the format has. */
static uint64_t encoded(const struct format *f, double x) {
    const uint64_t sign = UINT64_C(1) << (f->exponent + f->fraction);
    const int bias = (1 << (f->exponent - 1)) - 1;
    uint64_t bits;
    int power;
    if (isnan(x) || (isinf(x) && !f->has_infinity))
        return sign - 1;
    if (isinf(x)) {
        bits = sign - (UINT64_C(1) << f->fraction);
    } else if (x == 0) {
        bits = 0;
    } else {
        const double tail = 2 * frexp(fabs(x), &power) - 1;
        bits = ((uint64_t)(power - 1 + bias) << f->fraction) + (uint64_t)ldexp(tail, f->fraction);
    }
    return bits | (signbit(x) ? sign : 0);
}

static double decoded(const struct format *f, uint64_t bits) {
    const uint64_t one = UINT64_C(1) << f->fraction, sign = one << f->exponent;
    const int bias = (1 << (f->exponent - 1)) - 1;
    const uint64_t magnitude = bits & (sign - 1), exponent = magnitude >> f->fraction;
    double x = ldexp((double)(magnitude % one), 1 - bias - f->fraction);
    if (f->has_infinity ? magnitude > sign - one : magnitude == sign - 1)
        x = NAN;
    else if (f->has_infinity && magnitude == sign - one)
        x = INFINITY;
    else if (exponent > 0)
        x = ldexp((double)(magnitude % one + one), (int)exponent - bias - f->fraction);
    return bits & sign ? -x : x;
}

/* A matrix in host memory as numbers and in device memory as its format, rows with gaps of NaN. */
struct matrix {
    const struct format *format;
    int64_t rows, columns, stride;
    double *numbers;
    unsigned char *bytes;
    void *buffer;
};

static double *at(const struct matrix *m, int64_t row, int64_t column) {
    return &m->numbers[row * m->stride + column];
}

static struct matrix create(const struct format *format, int64_t rows, int64_t columns, int64_t gap,
                            unsigned seed) {
    struct matrix m = {.format = format, .rows = rows, .columns = columns, .stride = columns + gap};
    const size_t count = (size_t)(rows * m.stride);
    m.numbers = malloc(count * sizeof *m.numbers);
    m.bytes = malloc(count * (size_t)format->size);
    assert_true(m.numbers != NULL && m.bytes != NULL);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < m.stride; j++)
            *at(&m, i, j) =
                j < columns ? rint(2 * number_at((size_t)(i * columns + j), seed)) : NAN;
    return m;
}

static void write_matrix(tw_library *library, struct matrix *m) {
    const size_t count = (size_t)(m->rows * m->stride), size = (size_t)m->format->size;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = encoded(m->format, m->numbers[i]);
        memcpy(m->bytes + i * size, &bits, size); /* the low bytes come first */
    }
    m->buffer = buffer_with(library, m->bytes, count * size);
}

static void free_matrix(tw_library *library, struct matrix *m) {
    tw_release(library, m->buffer);
    free(m->numbers);
    free(m->bytes);
}

struct product {
    const struct format *from, *to;
    const char *compute;
    tw_transposes transposes;
    int64_t m, n, k, gap;
};

/* An element of op(A) or op(B). */
static double *of(const struct matrix *m, bool is_turned, int64_t row, int64_t column) {
    return is_turned ? at(m, column, row) : at(m, row, column);
}

static void spoil(const struct product *p, const struct matrix *a, bool a_turned,
                  const struct matrix *b, bool b_turned) {
    const int64_t m = p->m, n = p->n, k = p->k;
    *of(a, a_turned, 1, 2) = NAN;
    *of(a, a_turned, 2, 0) = INFINITY;
    *of(a, a_turned, 3, k - 1) = -INFINITY;
    *of(b, b_turned, 1, 4) = -INFINITY;
    *of(b, b_turned, k - 1, n - 1) = NAN;
    *of(b, b_turned, k / 2, 3) = INFINITY;
    /* 114688, which f16 has not, whatever the rest of the sum is: beside so large a product tensor
     * cores keep no less than multiples of 8 of those of 8-bit numbers. */
    *of(a, a_turned, m - 1, 3) = 256;
    *of(b, b_turned, 3, 5) = 448;
}

static double rounded(const struct format *f, double x) {
    return f == &f16 && fabs(x) >= 65520 ? copysign(INFINITY, x) : x;
}

static void expect(const struct product *p, int64_t i, int64_t j, double expected, double got) {
    const double slack = ldexp(fabs(expected), -p->to->fraction);
    if (isnan(expected) ? isnan(got)
                        : expected == got || (isfinite(got) && fabs(got - expected) <= slack))
        return;
    fail_msg("%s of %s, transposes %d, %dx%dx%d: element %d, %d is %g and not %g", p->to->type,
             p->from->type, (int)p->transposes, (int)p->m, (int)p->n, (int)p->k, (int)i, (int)j,
             got, expected);
}

/* C = A*B over what C held, which is not read; then act(A*B + C + bias). */
static void multiply(tw_library *library, const struct product *p, bool with_epilogue) {
    const bool a_turned = p->transposes == TW_TN || p->transposes == TW_TT;
    const bool b_turned = p->transposes == TW_NT || p->transposes == TW_TT;
    struct matrix a = create(p->from, a_turned ? p->k : p->m, a_turned ? p->m : p->k, p->gap, 1);
    struct matrix b = create(p->from, b_turned ? p->n : p->k, b_turned ? p->k : p->n, p->gap, 2);
    struct matrix c = create(p->to, p->m, p->n, p->gap, 3);
    struct matrix bias = create(p->to, 1, p->n, 0, 4);
    tw_gemm_descriptor d = {.size = sizeof d,
                            .a_type = p->from->type,
                            .c_type = p->to->type,
                            .compute_type = p->compute,
                            .transposes = p->transposes,
                            .m = p->m,
                            .n = p->n,
                            .k = p->k,
                            .lda = a.stride,
                            .ldb = b.stride,
                            .ldc = c.stride,
                            .alpha = 1};
    tw_error error;
    spoil(p, &a, a_turned, &b, b_turned);
    if (with_epilogue) {
        *at(&c, 0, 0) = INFINITY, *at(&c, 0, 1) = -INFINITY, *at(&c, 0, 2) = NAN;
        *at(&bias, 0, 0) = -INFINITY, *at(&bias, 0, 6) = NAN;
        d.beta = 1;
        d.activation = TW_ACTIVATION_RELU;
    } else {
        for (int64_t i = 0; i < p->m * c.stride; i++)
            c.numbers[i] = NAN;
    }
    write_matrix(library, &a);
    write_matrix(library, &b);
    write_matrix(library, &c);
    write_matrix(library, &bias);
    d.bias = with_epilogue ? bias.buffer : NULL;
    must(tw_gemm_ex(library, NULL, &d, a.buffer, b.buffer, c.buffer, &error), error);
    read_buffer(library, c.buffer, c.bytes, (size_t)(p->m * c.stride * p->to->size));
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < c.stride; j++) {
            double sum = with_epilogue && j < p->n ? *at(&c, i, j) + *at(&bias, 0, j) : 0;
            uint64_t bits = 0;
            memcpy(&bits, c.bytes + (i * c.stride + j) * p->to->size, (size_t)p->to->size);
            for (int64_t k = 0; k < p->k && j < p->n; k++)
                sum += decoded(p->from, encoded(p->from, *of(&a, a_turned, i, k))) *
                       decoded(p->from, encoded(p->from, *of(&b, b_turned, k, j)));
            if (j >= p->n)
                sum = NAN; /* as it was */
            else if (with_epilogue && sum < 0)
                sum = 0;
            expect(p, i, j, rounded(p->to, sum), decoded(p->to, bits));
        }
    free_matrix(library, &a);
    free_matrix(library, &b);
    free_matrix(library, &c);
    free_matrix(library, &bias);
}

/* Few elements with gaps that no vector divides, and where it can be quick, sizes and gaps of 16
 * bytes, whole tiles, and long sums over few elements, which are divided among blocks. */
static const int64_t sizes[][4] = {
    {17, 31, 5, 3}, {136, 264, 72, 16}, {129, 257, 63, 1}, {256, 256, 256, 0}, {16, 128, 4096, 0},
};

static bool is_quick(tw_library *library) {
    return strncmp(tw_device_id(library), "cuda", 4) == 0;
}

/* A CPU, which compiles slowly, gets the smallest of what is `often` asked. */
static void multiply_all(tw_library *library, struct product p, bool with_epilogue, bool often) {
    const size_t count = is_quick(library) ? sizeof sizes / sizeof *sizes : often ? 1 : 0;
    for (size_t i = 0; i < count; i++) {
        p.m = sizes[i][0], p.n = sizes[i][1], p.k = sizes[i][2], p.gap = sizes[i][3];
        multiply(library, &p, with_epilogue);
    }
}

static void sixteen_bits(void **state) {
    for (int t = TW_NN; t <= TW_TT; t++) {
        struct product p = {.from = &f16, .to = &f16, .transposes = (tw_transposes)t};
        multiply_all(*state, p, false, t == TW_NN);
        p.from = p.to = &bf16;
        multiply_all(*state, p, false, t == TW_TT);
        p.to = &f32;
        multiply_all(*state, p, false, false);
    }
}

static void epilogues(void **state) {
    static const struct format *const formats[] = {&f16, &bf16, &f64};
    for (int i = 0; i < 3; i++)
        for (int t = TW_NN; t <= TW_NT; t++)
            multiply_all(*state,
                         (struct product){
                             .from = formats[i], .to = formats[i], .transposes = (tw_transposes)t},
                         true, i == 0 && t == TW_NN);
}

static void eight_bits(void **state) {
    static const struct format *const formats[] = {&e4m3, &e5m2};
    for (int i = 0; i < 2; i++)
        for (int t = TW_NN; t <= TW_NT; t++) {
            struct product p = {.from = formats[i], .to = &bf16, .transposes = (tw_transposes)t};
            multiply_all(*state, p, false, i == 0 && t == TW_NT);
            p.to = &f16;
            multiply_all(*state, p, false, i == 1 && t == TW_NT);
        }
}

static void wide_types(void **state) {
    for (int t = TW_NN; t <= TW_TT; t++) {
        struct product p = {.from = &f32, .to = &f32, .transposes = (tw_transposes)t};
        multiply_all(*state, p, false, t == TW_NN);
        p.compute = "tf32";
        multiply_all(*state, p, false, false);
        p.compute = NULL;
        p.from = p.to = &f64;
        multiply_all(*state, p, false, false);
    }
}

/* ---- Activations of what is large, small or no number, and of zeroes ---- */

static double activated(tw_activation activation, double x) {
    switch (activation) {
    case TW_ACTIVATION_RELU:
        return x < 0 ? 0 : x;
    case TW_ACTIVATION_GELU:
        return x * (1 + erf(x / sqrt(2))) / 2;
    case TW_ACTIVATION_GELU_TANH:
        return x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))) / 2;
    case TW_ACTIVATION_SILU:
        return x / (1 + exp(-x));
    default:
        return x;
    }
}

/* Of numbers that all formats have, each a row of A whose other columns are 0, times ones. */
static void activate(tw_library *library, const struct format *format, tw_activation activation,
                     int64_t n, int64_t k) {
    static const double numbers[] = {
        0,  -0.0, 1,   -1,   0.5, -0.5, 3,    -3,    5.5,   -5.5,   9,        -9,        20, -20,
        88, -88,  104, -104, 256, -256, 1024, -1024, 49152, -49152, INFINITY, -INFINITY, NAN};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    struct matrix a = create(format, COUNT, k, 0, 1), b = create(format, k, n, 0, 2);
    struct matrix c = create(format, COUNT, n, 0, 3);
    const tw_gemm_descriptor d = {.size = sizeof d,
                                  .a_type = format->type,
                                  .m = COUNT,
                                  .n = n,
                                  .k = k,
                                  .alpha = 1,
                                  .activation = activation};
    /* Into bf16 tensor cores' kernels take a tanh that is right to 2^-11, and erf from it. */
    const double rough = is_quick(library) && format == &bf16 ? 0x1p-11 : 1e-6;
    const double unit = format == &f64 ? 1e-14 : rough;
    tw_error error;
    for (int64_t i = 0; i < COUNT * k; i++)
        a.numbers[i] = i % k == 0 ? numbers[i / k] : 0;
    for (int64_t i = 0; i < k * n; i++)
        b.numbers[i] = 1;
    write_matrix(library, &a);
    write_matrix(library, &b);
    write_matrix(library, &c);
    must(tw_gemm_ex(library, NULL, &d, a.buffer, b.buffer, c.buffer, &error), error);
    read_buffer(library, c.buffer, c.bytes, (size_t)(COUNT * n * format->size));
    for (int64_t i = 0; i < COUNT * n; i++) {
        const double x = numbers[i / n], expected = activated(activation, x);
        const double slack = ldexp(fabs(expected), -format->fraction) + unit * fabs(x);
        uint64_t bits = 0;
        memcpy(&bits, c.bytes + i * format->size, (size_t)format->size);
        const double got = decoded(format, bits);
        if (isnan(expected)   ? !isnan(got)
            : isinf(expected) ? got != expected
                              : !(fabs(got - expected) <= slack))
            fail_msg("activation %d of %g in %s is %g and not %g", (int)activation, x, format->type,
                     got, expected);
    }
    free_matrix(library, &a);
    free_matrix(library, &b);
    free_matrix(library, &c);
}

static void activations(void **state) {
    static const struct format *const formats[] = {&f32, &f16, &bf16, &f64};
    for (int i = 0; i < (is_quick(*state) ? 4 : 2); i++)
        for (int kind = TW_ACTIVATION_RELU; kind <= TW_ACTIVATION_SILU; kind++) {
            activate(*state, formats[i], (tw_activation)kind, 5, 1);
            if (is_quick(*state))
                activate(*state, formats[i], (tw_activation)kind, 136, 64);
        }
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        LIBRARY_TEST(sixteen_bits), LIBRARY_TEST(epilogues),   LIBRARY_TEST(eight_bits),
        LIBRARY_TEST(wide_types),   LIBRARY_TEST(activations),
    };
    if (!backend_is_here(count, arguments))
        return 0;
    return cmocka_run_group_tests_name("library specials", tests, NULL, NULL);
}
