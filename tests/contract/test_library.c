/* libtilewise as an application uses it: the built-in kernels in one call, against plain loops.
 *
 *     test_library BACKEND
 *
 * Links the shared library, and knows no more of it than tilewise.h. */
#include "tests/support/library.h"

#include <math.h>

/* A matrix on the host as it is stored, gaps between the rows included. */
struct matrix {
    tw_real type;
    int64_t rows, columns, ld;
    void *elements;
    void *buffer;
};

static size_t matrix_bytes(const struct matrix *m) {
    return (size_t)(m->rows * m->ld) * (m->type == TW_F32 ? sizeof(float) : sizeof(double));
}

static double get(const struct matrix *m, int64_t row, int64_t column) {
    int64_t at = row * m->ld + column;
    return m->type == TW_F32 ? (double)((float *)m->elements)[at] : ((double *)m->elements)[at];
}

static void put(const struct matrix *m, int64_t row, int64_t column, double value) {
    int64_t at = row * m->ld + column;
    if (m->type == TW_F32)
        ((float *)m->elements)[at] = (float)value;
    else
        ((double *)m->elements)[at] = value;
}

/* Numbers in the rows and NaN between them, which spoils whatever reads it. */
static struct matrix create_matrix(tw_library *library, tw_real type, int64_t rows, int64_t columns,
                                   int64_t gap, unsigned seed) {
    struct matrix m = {.type = type, .rows = rows, .columns = columns, .ld = columns + gap};
    m.elements = malloc(matrix_bytes(&m));
    assert_non_null(m.elements);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < m.ld; j++)
            put(&m, i, j, j < columns ? number_at((size_t)(i * columns + j), seed) : NAN);
    m.buffer = buffer_with(library, m.elements, matrix_bytes(&m));
    return m;
}

static void free_matrix(tw_library *library, struct matrix *m) {
    tw_release(library, m->buffer);
    free(m->elements);
}

/* What the device has for C must be alpha*op(A)*op(B) + beta*C, and the gaps as they were. */
static void check_gemm(tw_library *library, const struct matrix *a, const struct matrix *b,
                       const struct matrix *c, tw_transposes trans, double alpha, double beta) {
    struct matrix got = *c;
    int64_t depth = trans == TW_TN || trans == TW_TT ? a->rows : a->columns;
    double tolerance = (c->type == TW_F32 ? 1e-6 : 1e-14) * (double)(depth + 8);
    got.elements = malloc(matrix_bytes(c));
    assert_non_null(got.elements);
    read_buffer(library, c->buffer, got.elements, matrix_bytes(c));
    for (int64_t i = 0; i < c->rows; i++) {
        for (int64_t j = 0; j < c->columns; j++) {
            double sum = 0;
            for (int64_t k = 0; k < depth; k++)
                sum += (trans == TW_TN || trans == TW_TT ? get(a, k, i) : get(a, i, k)) *
                       (trans == TW_NT || trans == TW_TT ? get(b, j, k) : get(b, k, j));
            double right = alpha * sum + (beta != 0 ? beta * get(c, i, j) : 0);
            if (!(fabs(get(&got, i, j) - right) <= tolerance)) {
                fail_msg("C[%d][%d] is %.9g and should be %.9g", (int)i, (int)j, get(&got, i, j),
                         right);
            }
        }
        for (int64_t j = c->columns; j < c->ld; j++)
            assert_true(isnan(get(&got, i, j)));
    }
    free(got.elements);
}

static void try_gemm(tw_library *library, tw_real type, tw_transposes trans, int64_t m, int64_t n,
                     int64_t k, int64_t gap) {
    bool a_is_turned = trans == TW_TN || trans == TW_TT;
    bool b_is_turned = trans == TW_NT || trans == TW_TT;
    struct matrix a =
        create_matrix(library, type, a_is_turned ? k : m, a_is_turned ? m : k, gap, 1);
    struct matrix b =
        create_matrix(library, type, b_is_turned ? n : k, b_is_turned ? k : n, gap, 2);
    struct matrix c = create_matrix(library, type, m, n, gap, 3);
    tw_error error;
    must(tw_gemm(library, NULL, type, trans, m, n, k, 1.25, a.buffer, a.ld, b.buffer, b.ld, -0.75,
                 c.buffer, c.ld, &error),
         error);
    check_gemm(library, &a, &b, &c, trans, 1.25, -0.75);
    /* With beta 0 what C held is not read. */
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            put(&c, i, j, NAN);
    must(tw_write(library, c.buffer, c.elements, matrix_bytes(&c), &error), error);
    must(tw_gemm(library, NULL, type, trans, m, n, k, 2, a.buffer, a.ld, b.buffer, b.ld, 0,
                 c.buffer, c.ld, &error),
         error);
    check_gemm(library, &a, &b, &c, trans, 2, 0);
    free_matrix(library, &a);
    free_matrix(library, &b);
    free_matrix(library, &c);
}

static void gemm(void **state) {
    for (int type = TW_F32; type <= TW_F64; type++)
        for (int trans = TW_NN; trans <= TW_TT; trans++)
            try_gemm(*state, (tw_real)type, (tw_transposes)trans, 37, 83, 29, 3);
    try_gemm(*state, TW_F32, TW_NN, 1, 1, 1, 0);
    try_gemm(*state, TW_F64, TW_TN, 128, 64, 32, 0);
}

static void aat(void **state) {
    tw_library *library = *state;
    enum { M = 45, K = 33 };
    struct matrix a = create_matrix(library, TW_F32, M, K, 2, 1);
    struct matrix c = create_matrix(library, TW_F32, M, M, 5, 2);
    tw_error error;
    must(tw_aat(library, NULL, M, K, a.buffer, a.ld, c.buffer, c.ld, &error), error);
    check_gemm(library, &a, &a, &c, TW_NT, 1, 0);
    /* With a promise of errors, and the same on both sides of the diagonal. */
    tw_aat_descriptor d = TW_AAT_DESCRIPTOR_INIT;
    d.compute_type = "f32_split";
    d.m = M;
    d.k = K;
    d.lda = a.ld;
    d.ldc = c.ld;
    must(tw_aat_ex(library, NULL, &d, a.buffer, c.buffer, &error), error);
    check_gemm(library, &a, &a, &c, TW_NT, 1, 0);
    read_buffer(library, c.buffer, c.elements, matrix_bytes(&c));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < i; j++)
            assert_true(get(&c, i, j) == get(&c, j, i));
    free_matrix(library, &a);
    free_matrix(library, &c);
}

/* ---- Elements of any width: bytes are moved, whatever they mean ---- */

typedef tw_status move_call(tw_library *library, void *stream, int element_bytes, int64_t m,
                            int64_t n, const void *a, int64_t lda, void *b, int64_t ldb,
                            tw_error *error);

static void try_move(tw_library *library, move_call *move, bool transposes, int width) {
    enum { M = 33, N = 70, LDA = N + 2, LDB = N + 5, CELLS = LDB * (N + 1), UNTOUCHED = 0x5a };
    unsigned char a[CELLS * 8], b[CELLS * 8];
    for (size_t i = 0; i < sizeof a; i++)
        a[i] = (unsigned char)(number_at(i, 7) * 127 + 127);
    memset(b, UNTOUCHED, sizeof b);
    void *from = buffer_with(library, a, sizeof a), *to = buffer_with(library, b, sizeof b);
    tw_error error;
    must(move(library, NULL, width, M, N, from, LDA, to, LDB, &error), error);
    read_buffer(library, to, b, sizeof b);
    size_t size = (size_t)width;
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) {
            unsigned char *moved = &b[(transposes ? j * LDB + i : i * LDB + j) * size];
            assert_memory_equal(moved, &a[(i * LDA + j) * size], size);
            memset(moved, UNTOUCHED, size);
        }
    for (size_t i = 0; i < sizeof b; i++)
        assert_int_equal(b[i], UNTOUCHED);
    tw_release(library, from);
    tw_release(library, to);
}

static void moves_of_every_width(void **state) {
    for (int width = 1; width <= 8; width *= 2) {
        try_move(*state, tw_copy, false, width);
        try_move(*state, tw_transpose, true, width);
    }
}

/* ---- What cannot be done is said in a line, and nothing breaks ---- */

static void wrong_calls(void **state) {
    tw_library *library = *state;
    float zeros[64] = {0};
    void *a = buffer_with(library, zeros, sizeof zeros), *b = buffer_with(library, zeros, 64);
    tw_error error;
#define GEMM(type, trans, m, n, k, lda, ldb, ldc)                                                  \
    tw_gemm(library, NULL, type, trans, m, n, k, 1, a, lda, a, ldb, 0, b, ldc, &error)
    assert_refuses(GEMM((tw_real)2, TW_NN, 4, 4, 4, 4, 4, 4), TW_INVALID, error, "type is 2");
    assert_refuses(GEMM(TW_F32, (tw_transposes)-1, 4, 4, 4, 4, 4, 4), TW_INVALID, error,
                   "transposes is -1, which is none of tw_transposes");
    assert_refuses(GEMM(TW_F32, TW_NN, 4, -1, 4, 4, 4, 4), TW_INVALID, error, "n is -1");
    assert_refuses(GEMM(TW_F32, TW_NN, 4, 4, INT64_C(1) << 31, 4, 4, 4), TW_INVALID, error,
                   "dimension K is 2147483648; it must be from 1 to 2147483647");
    assert_refuses(GEMM(TW_F32, TW_NN, 4, 4, 4, 3, 4, 4), TW_INVALID, error, "lda is 3");
    assert_refuses(GEMM(TW_F32, TW_NN, 4, 4, 4, 4, 4, 3), TW_INVALID, error, "ldc is 3");
    assert_refuses(GEMM(TW_F32, TW_NN, 4, 4, 4, 4, -4, 4), TW_INVALID, error, "ldb is -4");
    assert_refuses(GEMM(TW_F32, TW_TN, 5, 4, 4, 4, 4, 4), TW_INVALID, error, "lda is 4");
#undef GEMM
    static const int widths[] = {-4, 0, 3, 16};
    for (int i = 0; i < 4; i++)
        assert_refuses(tw_copy(library, NULL, widths[i], 4, 4, a, 4, b, 4, &error), TW_INVALID,
                       error, "elements have 1, 2, 4 or 8 bytes");
    assert_refuses(tw_transpose(library, NULL, 4, 4, 4, a, 4, NULL, 4, &error), TW_INVALID, error,
                   "needs the buffer B");
    assert_refuses(tw_aat(library, NULL, 4, 4, NULL, 4, b, 4, &error), TW_INVALID, error,
                   "needs the buffer A");
    /* The same without anybody to tell. */
    assert_status(tw_aat(library, NULL, 4, 4, NULL, 4, b, 4, NULL), TW_INVALID);
    must(tw_aat(library, NULL, 4, 4, a, 4, b, 4, &error), error);
    static const struct {
        tw_aat_descriptor d;
        const char *says;
    } wrong[] = {
        {{.m = 4, .k = 4, .compute_type = "f64"},
         "aat has no compute \"f64\"; there are default, tf32, f32_split"},
        {{.m = 4, .k = 4, .compute_type = "f32,dtype"}, "there is no compute_type \"f32,dtype\""},
        {{.m = 4, .k = -1}, "k is -1; it must not be negative"},
        {{.size = 3}, "the size of tw_aat_descriptor is 3"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refuses(tw_aat_ex(library, NULL, &wrong[i].d, a, b, &error), TW_INVALID, error,
                       wrong[i].says);
    must(tw_wait(library, NULL, &error), error);
    tw_release(library, a);
    tw_release(library, b);
}

static void memory(void **state) {
    tw_library *library = *state;
    void *buffer = state;
    tw_error error;
    assert_refuses(tw_allocate(&buffer, library, 0, &error), TW_INVALID, error, "one byte");
    assert_null(buffer);
    buffer = state;
    assert_refuses(tw_allocate(&buffer, library, UINT64_C(1) << 50, &error), TW_NO_MEMORY, error,
                   "no room");
    assert_null(buffer);
    tw_release(library, NULL);
    char text[] = "as it was written", got[sizeof text] = "";
    must(tw_write(library, NULL, NULL, 0, &error), error);
    must(tw_read(library, NULL, NULL, NULL, 0, &error), error);
    assert_refuses(tw_write(library, NULL, text, 1, &error), TW_INVALID, error,
                   "tw_write: the buffer is NULL");
    buffer = buffer_with(library, text, sizeof text);
    assert_refuses(tw_write(library, buffer, NULL, 1, &error), TW_INVALID, error,
                   "tw_write: the bytes are NULL");
    assert_refuses(tw_read(library, NULL, NULL, buffer, 1, &error), TW_INVALID, error,
                   "tw_read: the bytes are NULL");
    read_buffer(library, buffer, got, sizeof got);
    assert_string_equal(got, text);
    tw_release(library, buffer);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        LIBRARY_TEST(gemm),        LIBRARY_TEST(aat),    LIBRARY_TEST(moves_of_every_width),
        LIBRARY_TEST(wrong_calls), LIBRARY_TEST(memory),
    };
    if (!backend_is_here(count, arguments))
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
