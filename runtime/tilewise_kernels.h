/* ---- The built-in kernels, in one call ---------------------------------------------------------
 *
 * The first call for a shape makes its plan, which can take as long as a compiler does; later ones
 * find it in some tens of nanoseconds and launch. Calls return when the work is queued. Buffers
 * must not overlap unless they are the same argument.
 *
 * Sizes are less than 2^31: kernels count in 32 bits, though a matrix may have more elements. As in
 * the BLAS, a matrix without elements is no error: where nothing is to be written the call returns
 * at once, and needs no buffers. */
#ifndef TILEWISE_KERNELS_H
#define TILEWISE_KERNELS_H

#ifndef TILEWISE_H
#error "include tilewise.h, which has this in it"
#endif

typedef enum tw_real { TW_F32, TW_F64 } tw_real;

/* Whether A and B are stored as they are used (N) or transposed (T), A first. */
typedef enum tw_transposes { TW_NN, TW_NT, TW_TN, TW_TT } tw_transposes;

/* C = alpha*op(A)*op(B) + beta*C with op(A) m x k, op(B) k x n and C m x n. With beta 0 what C held
 * is not read. lda counts the elements from one row of A as it is stored to the next: at least k,
 * or m when A is transposed; 0 stands for just that. With k 0 what remains is C = beta*C, and A and
 * B are not looked at. */
TW_API tw_status tw_gemm(tw_library *library, void *stream, tw_real type, tw_transposes transposes,
                         int64_t m, int64_t n, int64_t k, double alpha, const void *a, int64_t lda,
                         const void *b, int64_t ldb, double beta, void *c, int64_t ldc,
                         tw_error *error);

/* What is done to each element x of C last. Into bf16 on Hopper's tensor cores GELU and SiLU come
 * from a tanh that is right to 2^-11: errors of up to 2^-11 of |x|, besides rounding. */
typedef enum tw_activation {
    TW_ACTIVATION_NONE,
    TW_ACTIVATION_RELU,
    TW_ACTIVATION_GELU,      /* x * (1 + erf(x / sqrt(2))) / 2 */
    TW_ACTIVATION_GELU_TANH, /* its approximation by tanh, as cuBLASLt's GELU */
    TW_ACTIVATION_SILU       /* x / (1 + exp(-x)) */
} tw_activation;

/* What a bias has a number for: each column of C (n numbers), or each row (m numbers). */
typedef enum tw_bias_along { TW_BIAS_COLUMNS, TW_BIAS_ROWS } tw_bias_along;

/* What scales are of: of the whole of A and of B one each; of each row of op(A) (m floats) and each
 * column of op(B) (n floats); or of each 128 of k in a row of op(A), an m x ceil(k/128) matrix, and
 * in 128 columns of op(B), a ceil(n/128) x ceil(k/128) matrix, both row-major without gaps. */
typedef enum tw_scaling { TW_SCALING_TENSOR, TW_SCALING_ROWS, TW_SCALING_BLOCKS } tw_scaling;

/* A product of matrices in full, C = act(alpha*op(A)*op(B) + beta*C + bias); tw_gemm is the short
 * form. All of it is one problem, which is tuned as it is asked for. With k 0, C can be
 * scaled by a beta in host memory but has no bias, activation or E: TW_UNAVAILABLE. */
typedef struct tw_gemm_descriptor {
    size_t size; /* sizeof(tw_gemm_descriptor), or 0: see VERSIONS */
    /* Types of the elements, of at most 8 characters, and what is computed in, of at most 16:
     *
     *     A and B      C                          computed in
     *     f32          f32                        f32, or what else compute_type says (below)
     *     f64          f64                        f64
     *     f16, bf16    the same, or f32           f32
     *     e4m3, e5m2   bf16, or f16 or f32        f32; A and B may be one of each
     *     i8           i32                        i32
     *
     * NULL: A is f32, B what A is, C the first in its column, and what is computed in likewise.
     * Products of f32 are computed in plain f32 unless compute_type names another promise:
     *
     *     f32_split    errors no larger than plain f32's, from operands split into parts that
     *                  tensor cores take, or small products in f64 and rounded once
     *     bf16x6       at most 4 times plain f32's
     *     tf32x3       at most 2^-20 of the sum of |a||b|, 2^-22 rms, and 2 times plain f32's
     *     bf16x3       at most 2^-15 of it, 2^-18 rms (a tenth more where one product of a sum
     *                  outweighs the others), and 4 times plain f32's
     *     tf32         operands may be rounded to 10 bits of fraction
     *
     * The weaker ones may lose bits of numbers below 1e-33, denormals among them, as f32_split does
     * not; a request (tw_plan_create) of the attributes "compute=bf16x3,denormals=kept" refuses
     * variants that do.
     *
     * The promises were held when results were tuned, on uniform and on hard inputs: see the manual
     * of descriptions, "accuracy". NaN and infinities come out as in plain f32. What runs keeps the
     * promise that was asked for and never a weaker one; kernels in plain f32 are candidates where
     * they keep it, and run where nothing faster was found. Each promise is tuned by itself: its
     * results serve no other. A product of i8 is exact, modulo 2^32; alpha and beta other than 1
     * and 0 are applied in double, and the result is rounded to the nearest, ties to even, and kept
     * within i32.
     *
     * Tensor cores do not add in all of f32. Hopper's cut products of 8-bit floats off 13 bits
     * below the largest number that they add, 32 terms at a time, and f32 takes over at every 128:
     * of numbers of one sign that leaves errors of some 2^-11 of the sum of |a||b|, seldom more
     * than 2^-10, however large k is. Those of f16 and bf16 are cut off some 25 bits below it, 16
     * terms at a time. */
    const char *a_type, *b_type, *c_type, *compute_type;
    tw_transposes transposes;
    int64_t m, n, k;       /* elements; 0 as in tw_gemm */
    int64_t lda, ldb, ldc; /* elements; 0: rows lie one after the other */
    /* TW_GEMM_DESCRIPTOR_INIT sets alpha to 1. */
    double alpha, beta;
    /* NULL, or in place of alpha and of beta: where a number is in device memory, which is read
     * when the product is computed, an f64 where A is f64 or i8 and otherwise an f32. One of them
     * may be given alone. With a 0 for beta there, too, what it multiplies is not read; an alpha
     * of 0, here or there, multiplies the sums like any other, and of NaN leaves NaN. */
    const void *device_alpha, *device_beta;
    /* Products of so many matrices, up to 65,535, which lie so many elements from one another; 0
     * and 1: of one. A stride of 0: one after the other; they must not overlap. */
    int64_t batch_count;
    int64_t batch_stride_a, batch_stride_b, batch_stride_c;
    /* NULL, or numbers of C's type in device memory, the same for all of a batch. */
    const void *bias;
    /* Applied last. */
    tw_activation activation;
    /* Floats in device memory that A and B are multiplied by, of e4m3, e5m2 and i8, both or none;
     * `scaling` says what they are of. With scales, C of i8 may be f32, f16 or bf16, and is with
     * scales by blocks. c_scale is one float in device memory that beta is multiplied by, whatever
     * the types: C = act(alpha*op(A)*op(B) + beta*c_scale*C + bias). */
    const void *a_scale, *b_scale, *c_scale;
    tw_bias_along bias_along;
    /* Not NULL: what beta multiplies in place of what C held, which is then not read. An m x n
     * matrix of C's type that does not overlap C; with strides as C's. */
    const void *e;
    int64_t lde, batch_stride_e;
    /* Every buffer's contents begin at a multiple of so many bytes, a power of two, or of their
     * elements' size where that is more. 0: on CUDA what their addresses are multiples of; on
     * OpenCL, where a cl_mem has no address, 16. To be said of a cl_mem that is part of another, or
     * is made of memory of the host's that begins anywhere. */
    int64_t alignment;
    tw_scaling scaling;
} tw_gemm_descriptor;

#ifdef __cplusplus
#define TW_GEMM_DESCRIPTOR_INIT                                                                    \
    ([] {                                                                                          \
        tw_gemm_descriptor d = tw_gemm_descriptor();                                               \
        d.size = sizeof d;                                                                         \
        d.alpha = 1;                                                                               \
        return d;                                                                                  \
    }())
#else
#define TW_GEMM_DESCRIPTOR_INIT                                                                    \
    { .size = sizeof(tw_gemm_descriptor), .alpha = 1 }
#endif

/* Does what a descriptor says, as tw_gemm does. */
TW_API tw_status tw_gemm_ex(tw_library *library, void *stream, const tw_gemm_descriptor *descriptor,
                            const void *a, const void *b, void *c, tw_error *error);

/* Rows of A in groups that follow each other, each times a matrix B of its own, as a mixture of
 * experts has them: for the rows of group g, C = act(alpha*A*op(B[g]) + beta*C + bias[g]). Where
 * groups end is read by the device when it comes to it, and not by the call, so that a graph that
 * was captured takes the groups that there are when it runs. Kernel gemm_grouped. */
typedef struct tw_gemm_grouped_descriptor {
    size_t size; /* sizeof(tw_gemm_grouped_descriptor), or 0: see VERSIONS */
    /* As in tw_gemm_descriptor; C may be f32 where it has another type by default. */
    const char *a_type, *b_type, *c_type;
    tw_transposes transposes; /* TW_NN or TW_NT */
    int64_t groups;           /* 1 to 1024 */
    int64_t m, n, k;          /* elements; m: the rows of A and C, those of all groups */
    int64_t lda, ldb, ldc;    /* elements; 0: rows lie one after the other */
    int64_t stride_b;         /* elements from one B to the next; 0: one after the other */
    double alpha, beta;       /* TW_GEMM_GROUPED_DESCRIPTOR_INIT sets alpha to 1 */
    /* NULL, or in device memory n numbers of C's type for each group, one group after the other. */
    const void *bias;
    tw_activation activation; /* applied last */
    /* NULL, or in host memory how many rows each group has, where that is known: what does not add
     * up to m is refused with TW_INVALID. Nothing else is done with it. */
    const int64_t *group_rows;
} tw_gemm_grouped_descriptor;

#ifdef __cplusplus
#define TW_GEMM_GROUPED_DESCRIPTOR_INIT                                                            \
    ([] {                                                                                          \
        tw_gemm_grouped_descriptor d = tw_gemm_grouped_descriptor();                               \
        d.size = sizeof d;                                                                         \
        d.alpha = 1;                                                                               \
        return d;                                                                                  \
    }())
#else
#define TW_GEMM_GROUPED_DESCRIPTOR_INIT                                                            \
    { .size = sizeof(tw_gemm_grouped_descriptor), .alpha = 1 }
#endif

/* `ends`, in device memory, has an int32_t for each group: the row behind its last one, where the
 * next begins; the last is m. A group may be empty. In a list that is not so, a number below the
 * one before it makes an empty group, rows from m on do not exist, and rows of C behind the last
 * end are left as they are. */
TW_API tw_status tw_gemm_grouped(tw_library *library, void *stream,
                                 const tw_gemm_grouped_descriptor *descriptor, const void *a,
                                 const void *b, const void *ends, void *c, tw_error *error);

/* How the images of a convolution lie in memory, with their filters and results. */
typedef enum tw_layout {
    TW_NCHW, /* a row of pixels of one channel after the other; filters as channels x h x w */
    TW_NHWC  /* the channels of one pixel after the other; filters as h x w x channels */
} tw_layout;

/* A convolution as neural networks have it (filters are not turned over): with X the input, F the
 * filters and Y the output,
 *
 *     Y = act(alpha*conv(X, F) + beta*Y + bias)
 *
 * where Y has `images` images of `filters` channels, each of
 *
 *     out_h = (in_h + 2*pad_h - dilation_h*(filter_h - 1) - 1) / stride_h + 1
 *
 * rows, rounded down, and as many columns by the same rule. What lies outside of X is zero. With
 * `groups`, the channels and the filters are divided into so many, and a filter sees the channels
 * of its own group: it has channels / groups of them. */
typedef struct tw_conv2d_descriptor {
    size_t size; /* sizeof(tw_conv2d_descriptor), or 0: see VERSIONS */
    /* "f32", "f64", "f16" or "bf16", of X, F, Y and the bias; NULL: "f32". Sums of f16 and bf16 are
     * of f32. */
    const char *type;
    /* NULL: the type of the sums. "tf32": those of f32 may be of products rounded to 10 bits of
     * fraction, which tensor cores take. "direct": those of f32 and f64 are of the products
     * themselves, and never by Winograd's polynomials, which multiply less often and round more. */
    const char *compute_type;
    tw_layout layout;
    int64_t images; /* 0: there is nothing to do */
    int64_t channels, in_h, in_w, filters, filter_h, filter_w;
    int64_t stride_h, stride_w;     /* up to 1024; 0 stands for 1 */
    int64_t pad_h, pad_w;           /* on each of two sides, up to 1024 */
    int64_t dilation_h, dilation_w; /* up to 1024; 0 stands for 1 */
    int64_t groups;                 /* up to 65,535; 0 stands for 1 */
    /* Elements from one row to the next; 0: rows lie one after the other. A row of X and of Y has
     * the pixels of an image's row (TW_NCHW) or the channels of a pixel (TW_NHWC), one of F all of
     * a filter. */
    int64_t ld_input, ld_filters, ld_output;
    /* TW_CONV2D_DESCRIPTOR_INIT sets alpha to 1. With beta 0 what Y held is not read. */
    double alpha, beta;
    const void *bias; /* NULL, or a number for each filter, in device memory */
    tw_activation activation;
} tw_conv2d_descriptor;

#ifdef __cplusplus
#define TW_CONV2D_DESCRIPTOR_INIT                                                                  \
    ([] {                                                                                          \
        tw_conv2d_descriptor d = tw_conv2d_descriptor();                                           \
        d.size = sizeof d;                                                                         \
        d.alpha = 1;                                                                               \
        return d;                                                                                  \
    }())
#else
#define TW_CONV2D_DESCRIPTOR_INIT                                                                  \
    { .size = sizeof(tw_conv2d_descriptor), .alpha = 1 }
#endif

/* Does what a descriptor says. What does not go together (a filter larger than the padded image,
 * groups that do not divide, sizes beyond 32 bits) is TW_INVALID, and nothing is launched. */
TW_API tw_status tw_conv2d(tw_library *library, void *stream,
                           const tw_conv2d_descriptor *descriptor, const void *input,
                           const void *filters, void *output, tw_error *error);

/* The gradient of a convolution by its images, from the gradient by its results: with the
 * convolution's descriptor, whose strides are those of images, filters and results as before,
 *
 *     output = alpha*X' + beta*output
 *
 * where X' has the shape of X, and sums for each pixel and channel what `gradient`, of the shape of
 * Y, has wherever a filter lay over it, times the filter there. There is no bias and no activation:
 * a descriptor that has one is TW_INVALID. */
TW_API tw_status tw_conv2d_backward_data(tw_library *library, void *stream,
                                         const tw_conv2d_descriptor *descriptor,
                                         const void *gradient, const void *filters, void *output,
                                         tw_error *error);

/* The gradient of a convolution by its filters, likewise:
 *
 *     output = alpha*F' + beta*output
 *
 * where F' has the shape of F, and sums for each of a filter's places and channels over all pixels
 * of `gradient`, of the shape of Y, what X had there under the filter times the gradient. With
 * `images` 0 it is nothing. */
TW_API tw_status tw_conv2d_backward_weights(tw_library *library, void *stream,
                                            const tw_conv2d_descriptor *descriptor,
                                            const void *input, const void *gradient, void *output,
                                            tw_error *error);

/* B = transpose of A, with A m x n and B n x m, of elements of 1, 2, 4 or 8 bytes. */
TW_API tw_status tw_transpose(tw_library *library, void *stream, int element_bytes, int64_t m,
                              int64_t n, const void *a, int64_t lda, void *b, int64_t ldb,
                              tw_error *error);

/* B = A, both m x n, of elements of 1, 2, 4 or 8 bytes. */
TW_API tw_status tw_copy(tw_library *library, void *stream, int element_bytes, int64_t m, int64_t n,
                         const void *a, int64_t lda, void *b, int64_t ldb, tw_error *error);

/* C = A * transpose of A, all of it, with A m x k and C m x m, in TW_F32. With k 0, C is zeroed. */
TW_API tw_status tw_aat(tw_library *library, void *stream, int64_t m, int64_t k, const void *a,
                        int64_t lda, void *c, int64_t ldc, tw_error *error);

/* The same, in full. */
typedef struct tw_aat_descriptor {
    size_t size; /* sizeof(tw_aat_descriptor), or 0: see VERSIONS */
    /* What is promised of errors: "f32", which is plain f32 and what NULL stands for, or one of
     * tw_gemm_descriptor's other words for products of f32, of at most 16 characters. C is
     * symmetric to the last bit. */
    const char *compute_type;
    int64_t m, k;      /* elements; 0 as in tw_aat */
    int64_t lda, ldc;  /* elements; 0: rows lie one after the other */
    int64_t alignment; /* as in tw_gemm_descriptor */
} tw_aat_descriptor;

#ifdef __cplusplus
#define TW_AAT_DESCRIPTOR_INIT                                                                     \
    ([] {                                                                                          \
        tw_aat_descriptor d = tw_aat_descriptor();                                                 \
        d.size = sizeof d;                                                                         \
        return d;                                                                                  \
    }())
#else
#define TW_AAT_DESCRIPTOR_INIT                                                                     \
    { .size = sizeof(tw_aat_descriptor) }
#endif

/* Does what a descriptor says, as tw_aat does. */
TW_API tw_status tw_aat_ex(tw_library *library, void *stream, const tw_aat_descriptor *descriptor,
                           const void *a, void *c, tw_error *error);

#endif
