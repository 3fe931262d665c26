/* libtilewise: sizes of zero as in the BLAS, and gemm's descriptor.
 *
 *     test_library_gemm BACKEND */
#include <math.h>

#include "tests/support/library.h"

enum { M = 3, N = 5, K = 4, LDC = N + 2, CELLS = M * LDC };

/* ---- Sizes of zero ---- */

static void nothing_to_write(void **state) {
    tw_library *library = *state;
    tw_error error;
    must(tw_gemm(library, NULL, TW_F32, TW_NN, 0, N, K, 1, NULL, K, NULL, N, 0, NULL, N, &error),
         error);
    must(tw_gemm(library, NULL, TW_F64, TW_TT, M, 0, 0, 1, NULL, M, NULL, 0, 2, NULL, 0, &error),
         error);
    must(tw_transpose(library, NULL, 4, 0, N, NULL, N, NULL, 0, &error), error);
    must(tw_copy(library, NULL, 8, M, 0, NULL, 0, NULL, 0, &error), error);
    must(tw_aat(library, NULL, 0, K, NULL, K, NULL, 0, &error), error);
    /* What is wrong is wrong before it is nothing. */
    assert_refuses(
        tw_gemm(library, NULL, TW_F32, TW_NN, 0, N, -1, 1, NULL, K, NULL, N, 0, NULL, N, &error),
        TW_INVALID, error, "k is -1; it must not be negative");
    assert_refuses(tw_copy(library, NULL, 8, -1, 0, NULL, 0, NULL, 0, &error), TW_INVALID, error,
                   "copy: m is -1");
    assert_refuses(tw_copy(library, NULL, 3, 0, 0, NULL, 0, NULL, 0, &error), TW_INVALID, error,
                   "1, 2, 4 or 8 bytes");
}

/* Without products C = beta*C remains, rows alone and not the gaps between them; A and B are not
 * looked at, and with beta 0 not even what C held. */
static void products_over_nothing(void **state) {
    static const double betas[] = {0, 1, -0.5};
    tw_library *library = *state;
    tw_error error;
    for (int i = 0; i < 3; i++) {
        double before[CELLS], after[CELLS];
        for (int at = 0; at < CELLS; at++)
            before[at] = betas[i] == 0 ? NAN : number_at((size_t)at, 3);
        void *c = buffer_with(library, before, sizeof before);
        must(tw_gemm(library, NULL, TW_F64, TW_NN, M, N, 0, 7, NULL, 0, NULL, N, betas[i], c, LDC,
                     &error),
             error);
        read_buffer(library, c, after, sizeof after);
        for (int at = 0; at < CELLS; at++) {
            if (at % LDC >= N)
                assert_memory_equal(&after[at], &before[at], sizeof *after);
            else
                assert_true(after[at] == (betas[i] == 0 ? 0 : betas[i] * before[at]));
        }
        tw_release(library, c);
    }
}

static void a_product_of_rows_over_nothing(void **state) {
    tw_library *library = *state;
    float numbers[M * M];
    tw_error error;
    for (int i = 0; i < M * M; i++)
        numbers[i] = NAN;
    void *c = buffer_with(library, numbers, sizeof numbers);
    must(tw_aat(library, NULL, M, 0, NULL, 0, c, M, &error), error);
    read_buffer(library, c, numbers, sizeof numbers);
    for (int i = 0; i < M * M; i++)
        assert_true(numbers[i] == 0);
    tw_release(library, c);
}

/* ---- The descriptor ---- */

struct operands {
    tw_library *library;
    void *a, *b, *c;
    double from[3][CELLS];
};

static struct operands create_operands(tw_library *library) {
    struct operands o = {.library = library};
    for (int i = 0; i < 3; i++)
        for (int at = 0; at < CELLS; at++)
            o.from[i][at] = number_at((size_t)at, (unsigned)i);
    o.a = buffer_with(library, o.from[0], sizeof o.from[0]);
    o.b = buffer_with(library, o.from[1], sizeof o.from[1]);
    o.c = buffer_with(library, o.from[2], sizeof o.from[2]);
    return o;
}

static void free_operands(const struct operands *o) {
    tw_release(o->library, o->a);
    tw_release(o->library, o->b);
    tw_release(o->library, o->c);
}

static tw_status run(const struct operands *o, const tw_gemm_descriptor *d, tw_error *error) {
    return tw_gemm_ex(o->library, NULL, d, o->a, o->b, o->c, error);
}

/* C = 2*A^T*B + 3*C with B as stored, in f64. */
static void multiplies_as_described(void **state) {
    struct operands o = create_operands(*state);
    tw_gemm_descriptor d = TW_GEMM_DESCRIPTOR_INIT;
    assert_true(d.alpha == 1);
    d.a_type = d.c_type = d.compute_type = "f64"; /* and B as A */
    d.transposes = TW_TN;
    d.m = M, d.n = N, d.k = 2;
    d.ldc = LDC;
    d.alpha = 2, d.beta = 3;
    double got[CELLS];
    tw_error error;
    must(run(&o, &d, &error), error);
    read_buffer(o.library, o.c, got, sizeof got);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < 2; k++)
                sum += o.from[0][k * M + i] * o.from[1][k * N + j];
            double expected = 2 * sum + 3 * o.from[2][i * LDC + j];
            assert_true(fabs(got[i * LDC + j] - expected) < 1e-12);
        }
    free_operands(&o);
}

/* What is promised of errors is part of the problem, by words that are longer than types. */
static void computes_as_promised(void **state) {
    static const char *const words[] = {"f32", "tf32", "f32_split", "bf16x6", "bf16x3", "tf32x3"};
    tw_library *library = *state;
    float ones[CELLS], got[CELLS];
    for (int i = 0; i < CELLS; i++)
        ones[i] = 1;
    const struct operands o = {.library = library,
                               .a = buffer_with(library, ones, sizeof ones),
                               .b = buffer_with(library, ones, sizeof ones),
                               .c = buffer_with(library, ones, sizeof ones)};
    tw_gemm_descriptor d = {.m = M, .n = N, .k = 2, .alpha = 4};
    tw_error error;
    for (int i = 0; i < 6; i++) {
        d.compute_type = words[i];
        must(run(&o, &d, &error), error);
        read_buffer(library, o.c, got, sizeof got);
        assert_true(got[0] == 8);
    }
    d.compute_type = "f32_splat";
    assert_int_equal(run(&o, &d, &error), TW_INVALID);
    assert_non_null(
        strstr(error.message, "compute_type is \"f32_splat\", but gemm of these types "));
    d.compute_type = "f32_split_and_more";
    assert_int_equal(run(&o, &d, &error), TW_INVALID);
    d.compute_type = "f32_split";
    d.a_type = "f16";
    assert_int_equal(run(&o, &d, &error), TW_INVALID);
    assert_non_null(strstr(error.message, "only products of f32 may be computed in tf32 or from"));
    free_operands(&o);
}

/* Zeroed with a size of 0 it means the same, but for alpha, and no type is the default one. */
static void zeroes_are_defaults(void **state) {
    tw_library *library = *state;
    float ones[CELLS], got[CELLS];
    for (int i = 0; i < CELLS; i++)
        ones[i] = 1;
    const struct operands o = {.library = library,
                               .a = buffer_with(library, ones, sizeof ones),
                               .b = buffer_with(library, ones, sizeof ones),
                               .c = buffer_with(library, ones, sizeof ones)};
    const tw_gemm_descriptor d = {.m = M, .n = N, .k = 2, .alpha = 4};
    tw_error error;
    must(run(&o, &d, &error), error);
    read_buffer(library, o.c, got, sizeof got);
    for (int i = 0; i < CELLS; i++)
        assert_true(got[i] == (i < M * N ? 8 : 1));
    free_operands(&o);
}

/* With a lower alignment than the buffers have it is another plan, and the same product. */
static void an_alignment_may_be_said(void **state) {
    struct operands o = create_operands(*state);
    double got[2][CELLS];
    for (int low = 0; low < 2; low++) {
        tw_gemm_descriptor d = TW_GEMM_DESCRIPTOR_INIT;
        tw_error error;
        d.a_type = "f64";
        d.m = M, d.n = N, d.k = 2;
        d.alignment = low ? 8 : 16;
        must(run(&o, &d, &error), error);
        read_buffer(o.library, o.c, got[low], sizeof got[low]);
    }
    for (int i = 0; i < M * N; i++)
        assert_true(fabs(got[0][i] - got[1][i]) < 1e-12 && got[0][i] != o.from[2][i]);
    free_operands(&o);
}

static void what_no_kernel_serves(void **state) {
    struct operands o = create_operands(*state);
    const tw_gemm_descriptor good = {
        .size = sizeof good, .a_type = "f64", .m = M, .n = N, .k = 2, .alpha = 1};
    struct {
        tw_gemm_descriptor d;
        tw_status status;
        const char *says;
    } wrong[] = {
        {good, TW_INVALID, "gemm has no batch \"65536\"; it is a whole number from 1 to 65535"},
        {good, TW_UNAVAILABLE, "k is 0, and no kernel scales C by numbers in device memory"},
        {good, TW_UNAVAILABLE, "k is 0, and no kernel scales C by numbers in device memory"},
        {good, TW_INVALID, "this problem of gemm has no stride lde"},
        {good, TW_INVALID, "stride_c is 14 but each of the 2 matrices of C takes 15 elements"},
        {good, TW_INVALID, "b_scale is missing; give a_scale and b_scale, or neither"},
        {good, TW_INVALID, "a_scale is missing"},
        {good, TW_INVALID, "bias_along is 2"},
        {good, TW_INVALID, "batch_count is -1"},
        {good, TW_INVALID, "transposes is 4"},
        {good, TW_INVALID, "activation is 9"},
        {good, TW_INVALID, "a_type: gemm has no A of \"f65\"; there are f32, f64,"},
        {good, TW_INVALID, "b_type: gemm has no B of \"f32\"; there are f64, e4m3, e5m2"},
        {good, TW_INVALID, "gemm M=3,N=5,K=2;dtype=f64,trans=nn,ctype=f32: "},
        {good, TW_INVALID, "a_type: gemm has no A of \"of nine characters\""},
        {good, TW_INVALID, "compute_type is \"f32\", but gemm of these types computes in f64"},
        {good, TW_INVALID, "dimension N is 4294967301"},
        {good, TW_INVALID, "the size of tw_gemm_descriptor is 3"},
        {good, TW_INVALID, "the alignment is 3; it must be a power of two"},
        {good, TW_INVALID, "the elements of A need an alignment of 8 bytes, not 4"},
        {good, TW_INVALID, "scaling is 3"},
        {good, TW_INVALID, "scaling is set, but a_scale and b_scale are missing"},
        {good, TW_INVALID, "products of e4m3, e5m2 and i8 have scales"},
        {good, TW_INVALID, "a batch has no scales"},
        {good, TW_INVALID, "with scales by blocks C is of f32, f16 or bf16"},
        {good, TW_INVALID, "of i8 it is i32, and with scales f32, f16 or bf16"},
        {good, TW_INVALID, "c_type: gemm has no C of \"i8\"; there are i32, f32, f16, bf16"},
        {good, TW_INVALID, "b_type: gemm has no B of \"\"; there are f64, e4m3, e5m2"},
    };
    wrong[0].d.batch_count = 65536;
    wrong[1].d.device_beta = wrong[2].d.c_scale = o.a;
    wrong[1].d.k = wrong[2].d.k = 0;
    wrong[3].d.lde = N;
    wrong[4].d.batch_count = 2;
    wrong[4].d.batch_stride_c = 14;
    wrong[5].d.a_scale = wrong[6].d.b_scale = o.a;
    wrong[7].d.bias_along = (tw_bias_along)2;
    wrong[8].d.batch_count = -1;
    wrong[9].d.transposes = (tw_transposes)4;
    wrong[10].d.activation = (tw_activation)9;
    wrong[11].d.a_type = "f65";
    wrong[12].d.b_type = "f32";
    wrong[13].d.c_type = "f32";
    wrong[14].d.a_type = "of nine characters";
    wrong[15].d.compute_type = "f32";
    wrong[16].d.n = N + (INT64_C(1) << 32); /* the low half is good */
    wrong[17].d.size = 3;
    wrong[18].d.alignment = 3;
    wrong[19].d.alignment = 4;
    wrong[20].d.scaling = (tw_scaling)3;
    wrong[21].d.scaling = TW_SCALING_ROWS;
    for (int i = 22; i < 25; i++)
        wrong[i].d.a_scale = wrong[i].d.b_scale = o.a;
    wrong[23].d.a_type = wrong[24].d.a_type = "i8";
    wrong[23].d.batch_count = 2;
    wrong[24].d.scaling = TW_SCALING_BLOCKS;
    wrong[25].d.a_type = wrong[26].d.a_type = "i8";
    wrong[25].d.c_type = "f32";
    wrong[26].d.c_type = "i8";
    wrong[27].d.b_type = "";
    double got[CELLS];
    tw_error error;
    must(run(&o, &good, &error), error);
    must(tw_wait(o.library, NULL, &error), error); /* a write waits for nothing */
    must(tw_write(o.library, o.c, o.from[2], sizeof o.from[2], &error), error);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (int again = 0; again < 2; again++) {
            assert_refuses(run(&o, &wrong[i].d, &error), wrong[i].status, error, wrong[i].says);
            assert_null(strchr(error.message, '\n'));
        }
    /* Nothing was launched. */
    must(tw_wait(o.library, NULL, &error), error);
    read_buffer(o.library, o.c, got, sizeof got);
    assert_memory_equal(got, o.from[2], sizeof got);
    /* A batch of one is none. */
    tw_gemm_descriptor one = good;
    one.batch_count = 1;
    must(run(&o, &one, &error), error);
    must(tw_wait(o.library, NULL, &error), error);
    free_operands(&o);
}

/* Two products, their matrices of C with a gap between them, a bias for each row, E and an
 * activation. */
static void a_batch_with_an_epilogue(void **state) {
    enum { LAYER = M * N + 3 };
    struct operands o = create_operands(*state);
    double bias[] = {0.5, -0.25, 2}, e[2 * M * N], got[CELLS + LAYER];
    tw_error error;
    for (int i = 0; i < 2 * M * N; i++)
        e[i] = number_at((size_t)i, 5);
    for (int i = 0; i < CELLS + LAYER; i++)
        got[i] = NAN;
    void *biases = buffer_with(o.library, bias, sizeof bias);
    void *addend = buffer_with(o.library, e, sizeof e);
    void *c = buffer_with(o.library, got, sizeof got);
    const tw_gemm_descriptor d = {.size = sizeof d,
                                  .a_type = "f64",
                                  .m = M,
                                  .n = N,
                                  .k = 2,
                                  .alpha = 2,
                                  .beta = -1,
                                  .batch_count = 2,
                                  .batch_stride_c = LAYER,
                                  .bias = biases,
                                  .bias_along = TW_BIAS_ROWS,
                                  .activation = TW_ACTIVATION_RELU,
                                  .e = addend};
    for (int again = 0; again < 2; again++) { /* found by its key the second time */
        must(tw_gemm_ex(o.library, NULL, &d, o.a, o.b, c, &error), error);
        must(tw_wait(o.library, NULL, &error), error);
    }
    read_buffer(o.library, c, got, sizeof got);
    for (int at = 0; at < CELLS + LAYER; at++) {
        const int layer = at / LAYER, m = at % LAYER / N, n = at % LAYER % N;
        if (layer > 1 || m >= M) {
            assert_true(isnan(got[at]));
            continue;
        }
        double expected = bias[m] - e[layer * M * N + m * N + n];
        for (int k = 0; k < 2; k++)
            expected +=
                2 * o.from[0][layer * M * 2 + m * 2 + k] * o.from[1][layer * 2 * N + k * N + n];
        expected = expected < 0 ? 0 : expected;
        assert_true(fabs(got[at] - expected) < 1e-12);
    }
    tw_gemm_descriptor nothing = d;
    nothing.k = 0;
    assert_refuses(tw_gemm_ex(o.library, NULL, &nothing, o.a, o.b, c, &error), TW_UNAVAILABLE,
                   error, "k is 0, and no kernel has a bias");
    tw_release(o.library, biases);
    tw_release(o.library, addend);
    tw_release(o.library, c);
    free_operands(&o);
}

/* C = alpha*A*B + beta*scale*C with some of the factors in device memory, or all: what is there
 * when the product runs counts, and where that is 0 C is not read. */
static void factors_in_device_memory(void **state) {
    enum { ALPHA = 1, BETA = 2, SCALE = 4 };
    static const int cases[] = {ALPHA | SCALE, BETA};
    static const double alphas[] = {2, -0.5}, betas[] = {3, 0};
    struct operands o = create_operands(*state);
    const float scale = 1.5F;
    double number = 0, got[CELLS], nothing[CELLS];
    tw_error error;
    void *alpha = buffer_with(o.library, &number, sizeof number);
    void *beta = buffer_with(o.library, &number, sizeof number);
    void *scales = buffer_with(o.library, &scale, sizeof scale);
    for (int i = 0; i < CELLS; i++)
        nothing[i] = NAN;
    for (int i = 0; i < 2; i++)
        for (int turn = 0; turn < 2; turn++) { /* the second time the plan is there */
            const int which = cases[i];
            const double a = alphas[turn], b = betas[turn];
            const double *before = b == 0 ? nothing : o.from[2];
            const tw_gemm_descriptor d = {.size = sizeof d,
                                          .a_type = "f64",
                                          .m = M,
                                          .n = N,
                                          .k = 2,
                                          .alpha = which & ALPHA ? NAN : a,
                                          .beta = which & BETA ? NAN : b,
                                          .device_alpha = which & ALPHA ? alpha : NULL,
                                          .device_beta = which & BETA ? beta : NULL,
                                          .c_scale = which & SCALE ? scales : NULL};
            must(tw_write(o.library, alpha, &a, sizeof a, &error), error);
            must(tw_write(o.library, beta, &b, sizeof b, &error), error);
            must(tw_write(o.library, o.c, before, sizeof got, &error), error);
            must(run(&o, &d, &error), error);
            must(tw_wait(o.library, NULL, &error), error);
            read_buffer(o.library, o.c, got, sizeof got);
            for (int at = 0; at < M * N; at++) {
                double expected =
                    b == 0 ? 0 : b * (which & SCALE ? (double)scale : 1) * o.from[2][at];
                for (int k = 0; k < 2; k++)
                    expected += a * o.from[0][at / N * 2 + k] * o.from[1][k * N + at % N];
                assert_true(fabs(got[at] - expected) < 1e-12);
            }
        }
    tw_release(o.library, alpha);
    tw_release(o.library, beta);
    tw_release(o.library, scales);
    free_operands(&o);
}

/* Numbers in device memory lie anywhere that their type may: matrices are as aligned as they are.
 */
static void factors_ask_for_no_alignment(void **state) {
    tw_library *library = *state;
    const float numbers[] = {1, 1, 1, 1, 1, 3};
    float got[1];
    tw_error error;
    if (strncmp(tw_device_id(library), "cuda", 4) != 0)
        skip(); /* buffers have no addresses to add to */
    char *floats = buffer_with(library, numbers, sizeof numbers);
    void *c = buffer_with(library, numbers, sizeof numbers);
    tw_gemm_descriptor d = {.m = 1, .n = 1, .k = 4, .alpha = 1, .device_alpha = floats + 20};
    tw_request request = {
        .kernel = "gemm", .attributes = "scalars=alpha", .dimensions = {1, 1, 4}, .strides = {0}};
    const tw_plan *plan;
    must(tw_gemm_ex(library, NULL, &d, floats, floats, c, &error), error);
    read_buffer(library, c, got, sizeof got);
    assert_true(got[0] == 12);
    must(tw_plan_create(&plan, library, &request, &error), error); /* for 16 bytes */
    tw_binding bindings[] = {{.name = "A", .buffer = floats},
                             {.name = "B", .buffer = floats},
                             {.name = "C", .buffer = c},
                             {.name = "device_alpha", .buffer = floats + 20}};
    must(tw_launch(plan, NULL, bindings, 4, &error), error);
    bindings[3].buffer = floats + 18;
    assert_refuses(tw_launch(plan, NULL, bindings, 4, &error), TW_INVALID, error,
                   "device_alpha is not aligned to the 4 bytes");
    must(tw_wait(library, NULL, &error), error);
    tw_plan_release(plan);
    tw_release(library, floats);
    tw_release(library, c);
}

/* Whole numbers with scales of every kind, into f32: 2*A*B, each product times what scales its row
 * and its column, or its blocks. */
static void scaled_products(void **state) {
    enum { ROWS = 2, COLUMNS = 131, DEPTH = 133, BLOCKS = 2 };
    tw_library *library = *state;
    signed char a[ROWS * DEPTH], b[COLUMNS * DEPTH];
    float a_scale[ROWS * BLOCKS], b_scale[COLUMNS], got[ROWS * COLUMNS];
    tw_error error;
    for (int i = 0; i < ROWS * DEPTH; i++)
        a[i] = (signed char)(100 * number_at((size_t)i, 6));
    for (int i = 0; i < COLUMNS * DEPTH; i++)
        b[i] = (signed char)(100 * number_at((size_t)i, 7));
    for (int i = 0; i < ROWS * BLOCKS; i++)
        a_scale[i] = (float)(1.5 + number_at((size_t)i, 8));
    for (int i = 0; i < COLUMNS; i++)
        b_scale[i] = (float)(1.5 + number_at((size_t)i, 9));
    void *buffers[] = {buffer_with(library, a, sizeof a), buffer_with(library, b, sizeof b),
                       buffer_with(library, a_scale, sizeof a_scale),
                       buffer_with(library, b_scale, sizeof b_scale),
                       buffer_with(library, got, sizeof got)};
    tw_gemm_descriptor d = {.size = sizeof d,
                            .a_type = "i8",
                            .c_type = "f32",
                            .transposes = TW_NT,
                            .m = ROWS,
                            .n = COLUMNS,
                            .k = DEPTH,
                            .alpha = 2,
                            .a_scale = buffers[2],
                            .b_scale = buffers[3]};
    for (int scaling = TW_SCALING_TENSOR; scaling <= TW_SCALING_BLOCKS; scaling++) {
        d.scaling = (tw_scaling)scaling;
        must(tw_gemm_ex(library, NULL, &d, buffers[0], buffers[1], buffers[4], &error), error);
        read_buffer(library, buffers[4], got, sizeof got);
        for (int m = 0; m < ROWS; m++)
            for (int n = 0; n < COLUMNS; n++) {
                double expected = 0;
                for (int k = 0; k < DEPTH; k++) {
                    const int at_a[] = {0, m, m * BLOCKS + k / 128};
                    const int at_b[] = {0, n, n / 128 * BLOCKS + k / 128};
                    expected += 2.0 * a[m * DEPTH + k] * b[n * DEPTH + k] *
                                (double)a_scale[at_a[scaling]] * (double)b_scale[at_b[scaling]];
                }
                assert_true(fabs((double)got[m * COLUMNS + n] - expected) < 1);
            }
    }
    for (int i = 0; i < 5; i++)
        tw_release(library, buffers[i]);
}

/* Descriptors that differ in their types only are different plans. */
static void types_are_told_apart(void **state) {
    tw_library *library = *state;
    const float singles[] = {3, 0};
    const double doubles[] = {5, 0};
    float single;
    double twice;
    void *f = buffer_with(library, singles, sizeof singles);
    void *d = buffer_with(library, doubles, sizeof doubles);
    void *c = buffer_with(library, doubles, sizeof doubles);
    tw_error error;
    for (int turn = 0; turn < 2; turn++) {
        must(tw_gemm(library, NULL, TW_F32, TW_NN, 1, 1, 1, 1, f, 1, f, 1, 0, c, 1, &error), error);
        read_buffer(library, c, &single, sizeof single);
        assert_true(single == 9);
        must(tw_gemm(library, NULL, TW_F64, TW_NN, 1, 1, 1, 1, d, 1, d, 1, 0, c, 1, &error), error);
        read_buffer(library, c, &twice, sizeof twice);
        assert_true(twice == 25);
    }
    tw_release(library, f);
    tw_release(library, d);
    tw_release(library, c);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        LIBRARY_TEST(nothing_to_write),
        LIBRARY_TEST(products_over_nothing),
        LIBRARY_TEST(a_product_of_rows_over_nothing),
        LIBRARY_TEST(multiplies_as_described),
        LIBRARY_TEST(computes_as_promised),
        LIBRARY_TEST(zeroes_are_defaults),
        LIBRARY_TEST(an_alignment_may_be_said),
        LIBRARY_TEST(what_no_kernel_serves),
        LIBRARY_TEST(a_batch_with_an_epilogue),
        LIBRARY_TEST(factors_in_device_memory),
        LIBRARY_TEST(factors_ask_for_no_alignment),
        LIBRARY_TEST(scaled_products),
        LIBRARY_TEST(types_are_told_apart),
    };
    if (!backend_is_here(count, arguments))
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
