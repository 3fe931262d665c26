/* Products of matrices whose rows lie so far apart that elements are further from the first than
 * 2^31: what counts them must not do so in 32 bits. A, B and C in turn.
 *
 *     test_library_far BACKEND */
#include "tests/support/library.h"

enum { M = 130, N = 72, K = 40 };
static const int64_t SPAN = INT64_C(2200000000); /* elements, of which gaps are never touched */

struct format {
    const char *type;
    int size;
    unsigned numbers[3]; /* 0, 1 and 2 */
};

static const struct format bf16 = {"bf16", 2, {0, 0x3f80, 0x4000}},
                           e4m3 = {"e4m3", 1, {0, 0x38, 0x40}}, i8 = {"i8", 1, {0, 1, 2}},
                           f32 = {"f32", 4, {0, 0x3f800000, 0x40000000}};

struct matrix {
    const struct format *format;
    int64_t rows, columns, stride;
    char *buffer;
};

static int number_in(int64_t row, int64_t column) {
    return (int)((row * 5 + column * 3 + row * column) % 3);
}

/* False where the device has no room for it. */
static bool create(tw_library *library, struct matrix *m, const struct format *format, int64_t rows,
                   int64_t columns, int64_t stride) {
    static unsigned char line[4 * (M + N + K)];
    const uint64_t size = (uint64_t)format->size;
    void *buffer;
    tw_error error;
    *m = (struct matrix){format, rows, columns, stride, NULL};
    tw_status status =
        tw_allocate(&buffer, library,
                    ((uint64_t)(rows - 1) * (uint64_t)stride + (uint64_t)columns) * size, &error);
    if (status == TW_NO_MEMORY)
        return false;
    must(status, error);
    m->buffer = buffer;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++)
            memcpy(&line[j * format->size], &format->numbers[number_in(i, j)], size);
        must(tw_write(library, m->buffer + (uint64_t)(i * stride) * size, line,
                      (uint64_t)columns * size, &error),
             error);
    }
    return true;
}

static void check(tw_library *library, const struct matrix *c, bool a_turned, bool b_turned) {
    tw_error error;
    uint32_t got[N];
    for (int64_t i = 0; i < M; i++) {
        must(tw_read(library, NULL, got, c->buffer + i * c->stride * 4, sizeof got, &error), error);
        for (int64_t j = 0; j < N; j++) {
            int expected = 0;
            float number;
            for (int64_t k = 0; k < K; k++)
                expected += (a_turned ? number_in(k, i) : number_in(i, k)) *
                            (b_turned ? number_in(j, k) : number_in(k, j));
            memcpy(&number, &got[j], sizeof number);
            if (c->format == &i8 ? (int)got[j] != expected : number != (float)expected)
                fail_msg("%s: element %d, %d is wrong", c->format->type, (int)i, (int)j);
        }
    }
}

/* C is of 4 bytes: of i8 it is i32, of others f32. */
static bool multiply(tw_library *library, const struct format *format, tw_transposes transposes,
                     int far, int64_t odd) {
    const bool a_turned = transposes == TW_TN || transposes == TW_TT;
    const bool b_turned = transposes == TW_NT || transposes == TW_TT;
    static const struct format results = {"f32", 4, {0, 0x3f800000, 0x40000000}};
    const int64_t rows[] = {a_turned ? K : M, b_turned ? N : K, M};
    const int64_t columns[] = {a_turned ? M : K, b_turned ? K : N, N};
    struct matrix m[3] = {{0}};
    bool there = true;
    for (int i = 0; i < 3 && there; i++)
        there = create(library, &m[i], i < 2 ? format : &results, rows[i], columns[i],
                       i == far ? SPAN / (rows[i] - 1) / 16 * 16 + odd : columns[i]);
    if (there) {
        tw_gemm_descriptor d = TW_GEMM_DESCRIPTOR_INIT;
        tw_error error;
        d.a_type = format->type;
        d.c_type = format == &i8 ? "i32" : "f32";
        d.compute_type = format == &f32 ? "tf32" : NULL;
        d.transposes = transposes;
        d.m = M, d.n = N, d.k = K;
        d.lda = m[0].stride, d.ldb = m[1].stride, d.ldc = m[2].stride;
        must(tw_gemm_ex(library, NULL, &d, m[0].buffer, m[1].buffer, m[2].buffer, &error), error);
        m[2].format = format;
        check(library, &m[2], a_turned, b_turned);
    }
    for (int i = 0; i < 3; i++)
        tw_release(library, m[i].buffer);
    return there;
}

static void multiply_all(tw_library *library, const struct format *format) {
    int tried = 0;
    if (strncmp(tw_device_id(library), "cuda", 4) != 0)
        skip(); /* buffers have no addresses to write at */
    for (int t = TW_NN; t <= TW_TT; t++)
        for (int far = 0; far < 3; far++)
            tried += multiply(library, format, (tw_transposes)t, far, (t + far) % 2);
    if (tried == 0)
        skip();
}

static void sixteen_bits(void **state) {
    multiply_all(*state, &bf16);
}

static void eight_bits(void **state) {
    multiply_all(*state, &e4m3);
}

static void whole_numbers(void **state) {
    multiply_all(*state, &i8);
}

static void rounded_operands(void **state) {
    multiply_all(*state, &f32);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        LIBRARY_TEST(sixteen_bits),
        LIBRARY_TEST(eight_bits),
        LIBRARY_TEST(whole_numbers),
        LIBRARY_TEST(rounded_operands),
    };
    if (!backend_is_here(count, arguments))
        return 0;
    return cmocka_run_group_tests_name("library far", tests, NULL, NULL);
}
