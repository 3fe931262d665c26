/* Parts of matrices: buffers that are aligned to less than kernels are tuned for.
 *
 *     test_library_alignment BACKEND
 *
 * On CUDA the buffers begin that far into an allocation, so that one access that is too wide ends
 * the context; on OpenCL, whose buffers have no addresses, the narrower kernels are run all the
 * same. */
#include "tests/support/library.h"

#include <math.h>

enum { M = 132, N = 72, K = 40, WIDEST = 16 };

static size_t offset_of(int64_t alignment) {
    return strcmp(backend, "cuda") == 0 ? (size_t)alignment : 0;
}

/* A buffer in an allocation, `alignment` bytes after its beginning where buffers have addresses. */
struct part {
    void *whole, *buffer;
};

static struct part create_part(tw_library *library, const void *bytes, size_t size,
                               int64_t alignment) {
    size_t offset = offset_of(alignment);
    char *padded = calloc(1, size + WIDEST);
    assert_non_null(padded);
    memcpy(padded + offset, bytes, size);
    struct part part = {.whole = buffer_with(library, padded, size + WIDEST)};
    part.buffer = (char *)part.whole + offset;
    free(padded);
    return part;
}

static void read_part(tw_library *library, const struct part *part, void *bytes, size_t size,
                      int64_t alignment) {
    size_t offset = offset_of(alignment);
    char *padded = malloc(size + WIDEST);
    assert_non_null(padded);
    read_buffer(library, part->whole, padded, size + WIDEST);
    memcpy(bytes, padded + offset, size);
    free(padded);
}

static void move(tw_library *library, const char *kernel, const char *attributes, size_t element,
                 int64_t alignment) {
    const bool turned = strcmp(kernel, "transpose") == 0;
    const size_t size = M * N * element;
    unsigned char *from = malloc(size), *to = calloc(1, size);
    assert_true(from != NULL && to != NULL);
    for (size_t i = 0; i < size; i++)
        from[i] = (unsigned char)(i * 7 + i / 251);
    struct part a = create_part(library, from, size, alignment);
    struct part b = create_part(library, to, size, alignment);
    const tw_request request = {
        .kernel = kernel, .attributes = attributes, .dimensions = {M, N}, .alignment = alignment};
    const tw_binding bindings[] = {{.name = "A", .buffer = a.buffer},
                                   {.name = "B", .buffer = b.buffer}};
    tw_error error;
    must(tw_launch(make_plan(library, &request), NULL, bindings, 2, &error), error);
    read_part(library, &b, to, size, alignment);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++)
            assert_memory_equal(to + (turned ? j * M + i : i * N + j) * element,
                                from + (i * N + j) * element, element);
    tw_release(library, a.whole);
    tw_release(library, b.whole);
    free(from);
    free(to);
}

static void moving(void **state) {
    static const char *const kernels[] = {"copy", "transpose"};
    static const struct {
        const char *attributes;
        size_t element;
    } types[] = {{"dtype=u8", 1}, {"dtype=u16", 2}, {"dtype=f32", 4}, {"dtype=f64", 8}};
    for (int k = 0; k < 2; k++)
        for (int t = 0; t < 4; t++)
            for (int64_t alignment = (int64_t)types[t].element; alignment <= 8; alignment *= 2)
                move(*state, kernels[k], types[t].attributes, types[t].element, alignment);
}

static void multiply(tw_library *library, const char *kernel, int64_t alignment) {
    static float a[M * K], b[K * N], c[M * M];
    const bool square = strcmp(kernel, "aat") == 0;
    const int n = square ? M : N;
    for (int i = 0; i < M * K; i++)
        a[i] = (float)number_at((size_t)i, 1);
    for (int i = 0; i < K * N; i++)
        b[i] = (float)number_at((size_t)i, 2);
    struct part from = create_part(library, a, sizeof a, alignment);
    struct part with = create_part(library, b, sizeof b, alignment);
    struct part to = create_part(library, c, sizeof c, alignment);
    tw_request request = {.kernel = kernel, .dimensions = {M, K}, .alignment = alignment};
    if (!square)
        memcpy(request.dimensions, (int64_t[]){M, N, K}, 3 * sizeof(int64_t));
    const tw_binding bindings[] = {{.name = "A", .buffer = from.buffer},
                                   {.name = "C", .buffer = to.buffer},
                                   {.name = "B", .buffer = with.buffer}};
    tw_error error;
    must(tw_launch(make_plan(library, &request), NULL, bindings, square ? 2 : 3, &error), error);
    read_part(library, &to, c, sizeof c, alignment);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += (double)a[i * K + k] * (double)(square ? a[j * K + k] : b[k * n + j]);
            assert_true(fabs((double)c[i * n + j] - sum) < 1e-4);
        }
    }
    tw_release(library, from.whole);
    tw_release(library, with.whole);
    tw_release(library, to.whole);
}

static void multiplying(void **state) {
    for (int64_t alignment = 4; alignment <= 8; alignment *= 2) {
        multiply(*state, "gemm", alignment);
        multiply(*state, "aat", alignment);
    }
}

/* Direct calls find out by themselves. */
static void direct_calls(void **state) {
    tw_library *library = *state;
    static float a[M * K], b[K * N], c[M * N];
    for (int i = 0; i < M * K; i++)
        a[i] = 1;
    for (int i = 0; i < K * N; i++)
        b[i] = 0.5f;
    struct part from = create_part(library, a, sizeof a, 4);
    struct part with = create_part(library, b, sizeof b, 8);
    struct part to = create_part(library, c, sizeof c, 4);
    tw_error error;
    must(tw_gemm(library, NULL, TW_F32, TW_NN, M, N, K, 2, from.buffer, K, with.buffer, N, 0,
                 to.buffer, N, &error),
         error);
    read_part(library, &to, c, sizeof c, 4);
    for (int i = 0; i < M * N; i++)
        assert_true(c[i] == K);
    must(tw_copy(library, NULL, 4, M, K, from.buffer, K, to.buffer, K, &error), error);
    read_part(library, &to, c, sizeof a, 4);
    assert_memory_equal(c, a, sizeof a);
    tw_release(library, from.whole);
    tw_release(library, with.whole);
    tw_release(library, to.whole);
}

/* Operands of small elements begin anywhere, C and a bias at a multiple of theirs. */
static void small_elements(void **state) {
    static const struct {
        const char *type;
        size_t bytes, result_bytes;
        unsigned one, sum; /* of K ones and a bias of one */
    } types[] = {
        {"f16", 2, 2, 0x3c00, 0x5120}, {"e4m3", 1, 2, 0x38, 0x4224}, {"i8", 1, 4, 1, K + 1}};
    tw_library *library = *state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const unsigned bias_one = types[t].bytes == 2          ? 0x3c00
                                  : types[t].result_bytes == 2 ? 0x3f80
                                                               : 1;
        static unsigned char ones[2 * M * K], biases[4 * N], c[4 * M * N];
        for (size_t i = 0; i < M * K; i++)
            memcpy(&ones[i * types[t].bytes], &types[t].one, types[t].bytes);
        for (size_t i = 0; i < N; i++)
            memcpy(&biases[i * types[t].result_bytes], &bias_one, types[t].result_bytes);
        const int64_t least = (int64_t)types[t].bytes, own = (int64_t)types[t].result_bytes;
        struct part a = create_part(library, ones, M * K * types[t].bytes, least);
        struct part b = create_part(library, ones, K * N * types[t].bytes, least);
        struct part bias = create_part(library, biases, N * types[t].result_bytes, own);
        struct part to = create_part(library, c, M * N * types[t].result_bytes, own);
        tw_gemm_descriptor d = TW_GEMM_DESCRIPTOR_INIT;
        tw_error error;
        d.a_type = types[t].type;
        d.m = M, d.n = N, d.k = K;
        d.bias = bias.buffer;
        d.alignment = strcmp(backend, "cuda") == 0 ? 0 : least;
        must(tw_gemm_ex(library, NULL, &d, a.buffer, b.buffer, to.buffer, &error), error);
        read_part(library, &to, c, M * N * types[t].result_bytes, own);
        for (size_t i = 0; i < M * N; i++)
            assert_memory_equal(&c[i * types[t].result_bytes], &types[t].sum,
                                types[t].result_bytes);
        tw_release(library, a.whole);
        tw_release(library, b.whole);
        tw_release(library, bias.whole);
        tw_release(library, to.whole);
    }
}

static void wrong_alignments(void **state) {
    static const struct {
        int64_t alignment;
        const char *says;
    } wrong[] = {{-4, "must be a power of two"},
                 {12, "must be a power of two"},
                 {INT64_C(1) << 40, "must be a power of two"},
                 {2, "the elements of A need an alignment of 4 bytes, not 2"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const tw_request request = {
            .kernel = "copy", .dimensions = {M, N}, .alignment = wrong[i].alignment};
        const tw_plan *plan;
        tw_error error;
        assert_refuses(tw_plan_create(&plan, *state, &request, &error), TW_INVALID, error,
                       wrong[i].says);
    }
    /* More than is needed is what is needed. */
    const tw_request request = {.kernel = "copy", .dimensions = {M, N}, .alignment = 256};
    make_plan(*state, &request);
}

int main(int count, char **arguments) {
    if (!backend_is_here(count, arguments))
        return 0;
    const struct CMUnitTest tests[] = {
        LIBRARY_TEST(moving),         LIBRARY_TEST(multiplying),      LIBRARY_TEST(direct_calls),
        LIBRARY_TEST(small_elements), LIBRARY_TEST(wrong_alignments),
    };
    return cmocka_run_group_tests_name("library_alignment", tests, NULL, NULL);
}
