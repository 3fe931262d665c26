/* libtilewise: the best known GPU kernel for the shape and device in front of you.
 *
 * INTRODUCTION
 *
 * The program `tune` finds, for a kernel, a shape and a device, the fastest variant of the kernel's
 * templates and stores which one it was. This library reads what was stored, compiles or loads that
 * variant once, and launches it:
 *
 *     tw_library *tilewise;
 *     tw_error error;
 *     if (tw_open(&tilewise, NULL, &error) != TW_OK)
 *         die(error.message);
 *     tw_gemm(tilewise, stream, TW_F32, TW_NN, m, n, k, 1, a, lda, b, ldb, 0, c, ldc, &error);
 *     tw_close(tilewise);
 *
 * A shape that was never tuned is no error: it gets what is predicted to be the fastest there of
 * what won on others, or a preset, one of which works everywhere. tw_plan_explain says which.
 *
 * Matrices are row-major: element (i, j) of a matrix with leading dimension ld is at i*ld + j.
 * Leading dimensions and shapes count elements.
 *
 * DEVICES. Memory and streams are those of the backend in use:
 *
 *               a buffer (void *)               a stream (void *)
 *     CUDA      device pointer, as              CUstream or cudaStream_t; NULL: the default
 *               cudaMalloc gives it             stream
 *     OpenCL    cl_mem                          cl_command_queue; NULL: the library's own
 *
 * On CUDA the library works inside a program that uses the CUDA runtime, the driver API, cuBLAS or
 * anything else built on them: it takes the context that the calling thread has current (else the
 * device's primary one, which is the runtime's) and leaves every thread's current context as it
 * was. A launch on a stream that is being captured becomes part of the graph, provided that its
 * plan was made before the capture began.
 *
 * ERRORS. A function that can fail returns a tw_status, and takes a tw_error (or NULL) that it
 * fills with one line: what is wrong, where, and what to do. The library never prints and never
 * aborts. Work that the device does later can fail later: such errors come from whatever waits for
 * it.
 *
 * THREADS. All functions but tw_close may be called on one library from any number of threads at
 * once. When several need the same kernel, one compiles it and the others wait for that one. A plan
 * is immutable and may be launched on many streams at once.
 *
 * OWNERSHIP. tw_close frees the library with all its plans, and is the only thing that must be
 * called. Text and pointers to const that functions return belong to the library. What is passed in
 * is only read, and only until the call returns (buffers: until the device is done with them).
 *
 * VERSIONS. Structs that are passed in begin with their size, so that later versions can add
 * fields: programs compiled against an older header go on working, and a program that sets a field
 * which the library at hand is too old to know is told so. Either begin with TW_OPTIONS_INIT and
 * its like, which set the size, or with zeroes: a size of 0 stands for the fields that the struct
 * had in version 0.1, and fields that came later are then not looked at. A field that is zero has
 * its default.
 */
#ifndef TILEWISE_H
#define TILEWISE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TW_API __attribute__((visibility("default")))
#else
#define TW_API
#endif

/* ---- Status and errors ----------------------------------------------------------------------- */

/* TW_OK, TW_INVALID and so on: a name, and what it means to a user. */
#define TW_STATUSES(X)                                                                             \
    X(OK, "success")                                                                               \
    X(INVALID, "invalid input")                                                                    \
    X(BAD_DESCRIPTION, "invalid kernel description")                                               \
    X(NOT_FOUND, "not found")                                                                      \
    X(UNAVAILABLE, "backend or device not available")                                              \
    X(NO_MEMORY, "out of memory")                                                                  \
    X(RESOURCE, "needs more than the device has")                                                  \
    X(COMPILE, "kernel source does not compile")                                                   \
    X(LAUNCH, "launch failed")                                                                     \
    X(DEVICE, "device error")                                                                      \
    X(DEVICE_LOST, "device context unusable")                                                      \
    X(WRONG, "wrong answer")                                                                       \
    X(DATABASE, "database error")                                                                  \
    X(IO, "input or output failed")                                                                \
    X(INTERRUPTED, "interrupted")

typedef enum tw_status {
#define TW_STATUS_ENUM(name, text) TW_##name,
    TW_STATUSES(TW_STATUS_ENUM)
#undef TW_STATUS_ENUM
} tw_status;

enum { TW_ERROR_SIZE = 1024 };

/* Filled in only by a call that fails. */
typedef struct tw_error {
    tw_status status;
    char message[TW_ERROR_SIZE]; /* one line; longer text is cut */
} tw_error;

/* What a status means, in a few words; never NULL. */
TW_API const char *tw_status_text(tw_status status);

/* ---- Versions -------------------------------------------------------------------------------- */

/* Of this header. */
#define TW_VERSION_MAJOR 0
#define TW_VERSION_MINOR 2
#define TW_VERSION_PATCH 0
/* Versions as numbers that can be compared: 1.2.3 is 10203. */
#define TW_VERSION_NUMBER (TW_VERSION_MAJOR * 10000 + TW_VERSION_MINOR * 100 + TW_VERSION_PATCH)

/* Of the library that the program runs with: "1.2.3", and 10203. */
TW_API const char *tw_version(void);
TW_API int tw_version_number(void);

/* ---- Opening ------------------------------------------------------------------------------- */

typedef struct tw_library tw_library;

/* What to do about a problem that no database has a result for on this device. */
typedef enum tw_miss {
    TW_MISS_NEAREST,         /* use what is predicted to be the fastest of what won on others */
    TW_MISS_TUNE,            /* tune it before returning, then use the result */
    TW_MISS_TUNE_BACKGROUND, /* use what is predicted, tune meanwhile, then the result */
    TW_MISS_FAIL             /* TW_NOT_FOUND */
} tw_miss;

/* A NULL pointer to it: the defaults. */
typedef struct tw_options {
    size_t size; /* sizeof(tw_options), or 0: see VERSIONS */
    /* "cuda:0", "opencl:1", or a backend's name for its first. NULL: the device of the calling
     * thread's CUDA context if it has one, else the first CUDA GPU, else the first OpenCL GPU, else
     * the CPU through OpenCL. `tune devices` lists them. */
    const char *device;
    /* A CUcontext or cl_context to work in, on the device named (which must then be). NULL: on CUDA
     * the calling thread's if it is on that device, else the primary; on OpenCL one of our own. */
    void *context;
    /* Database files, ended by NULL; where several have a row about the same thing, the first one's
     * counts. A file that is missing or empty holds nothing; one that is damaged, foreign or too
     * new makes tw_open fail, and names it. NULL: the user's own (as `tune` writes it), then the
     * one that was installed with the library. An array of just NULL: none. */
    const char *const *databases;
    /* Descriptions of kernels beyond the built-in ones, ended by NULL: paths of JSON files, with
     * their templates beside them, or of folders, for all their files that end in .json. One that
     * is named like a built-in kernel takes its place. */
    const char *const *descriptions;
    /* Which results to use: those measured with caches "cold" (NULL) or "warm". */
    const char *cache_policy;
    /* Where compiled binaries are kept between processes. NULL: tilewise/ in $XDG_CACHE_HOME, else
     * in ~/.cache; where there is no such place, nothing is kept. "": nothing is kept. */
    const char *binary_directory;
    uint64_t binary_directory_bytes; /* together at most; 0: 1 GiB */
    /* Not 0: use the compiled binaries that a database carries (`tune db export --binaries`), so
     * that a machine without a compiler runs tuned kernels. A binary is code: do this only with
     * databases that you trust like a program. */
    int trust_binaries;
    tw_miss on_miss;
    /* For tuning on a miss: seconds for each problem (0: 30), and the program to do it with (NULL:
     * the `tune` installed with the library, else the one on the PATH). Results are stored in the
     * first database. */
    double tune_seconds;
    const char *tune_program;
    /* Not 0: tw_gemm and the other kernels in one call make no plans, and so never compile, load or
     * tune anything. A call whose plan is not there yet fails with TW_NOT_FOUND, and its message
     * says which plan tw_prepare must be given. */
    int prepared_only;
    /* Keep at most so many plans that nobody holds; 0: all. When another is made, those that were
     * not used for longest are dropped, and made again when they are asked for. Those that
     * tw_plan_create and tw_prepare handed out are held until tw_plan_release. Kernels stay loaded:
     * they are shared by the plans of many shapes, and by graphs that were captured. */
    uint64_t plan_limit;
    /* A file to add the shapes to that are asked for, and how often each was launched, for
     * `tune audit` and `tune --from-log`; it is made if it is not there. NULL: the one that the
     * environment variable TILEWISE_LOG_SHAPES names, if it is set; "": none. A line of JSON a
     * shape and rule, whose counts add up, so that several processes may share a file; tune(1) has
     * the members. Lines are written by a thread of the library's own: a new shape's soon, counts
     * every 5 seconds and by tw_close. What cannot be written, because the disk is full say, is
     * tried again then, and lost at tw_close. A launch that is captured in a graph counts once,
     * however often the graph runs. */
    const char *log_shapes;
    /* For shapes without a result of their own, as sizes that change from call to call: where the
     * configuration that is predicted to be the fastest would have to be compiled, and the binary
     * of another is loaded or on the disk, that one is taken if it is predicted to take no more
     * than this share longer. 0: 0.05; at most 1; below 0: what is predicted to be the fastest is
     * compiled. */
    double compile_tolerance;
} tw_options;

#ifdef __cplusplus
#define TW_OPTIONS_INIT                                                                            \
    ([] {                                                                                          \
        tw_options o = tw_options();                                                               \
        o.size = sizeof o;                                                                         \
        return o;                                                                                  \
    }())
#else
#define TW_OPTIONS_INIT                                                                            \
    { .size = sizeof(tw_options) }
#endif

/* Opens a device, reads the databases into memory and closes them again: what is stored later is
 * not seen, except what the library tuned itself. A failure sets *out to NULL. */
TW_API tw_status tw_open(tw_library **out, const tw_options *options, tw_error *error);

/* Waits for tuning in the background to stop, and frees everything. All work that was launched must
 * be done, and no other thread may be using the library. NULL is fine. */
TW_API void tw_close(tw_library *library);

/* The device in use, "cuda:0", and its model, "NVIDIA H200". */
TW_API const char *tw_device_id(const tw_library *library);
TW_API const char *tw_device_name(const tw_library *library);

/* ---- The built-in kernels, in one call ---------------------------------------------------------
 *
 * The first call for a shape makes its plan, which can take as long as a compiler does; later ones
 * find it in some tens of nanoseconds and launch. Calls return when the work is queued. Buffers
 * must not overlap unless they are the same argument.
 *
 * Sizes are less than 2^31: kernels count in 32 bits, though a matrix may have more elements. As in
 * the BLAS, a matrix without elements is no error: where nothing is to be written the call returns
 * at once, and needs no buffers. */

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

/* What is done to each element of C last. */
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
     *                  tensor cores take, or in plain f32 where that is faster
     *     bf16x6       at most 4 times plain f32's; numbers below 1e-33 may lose bits
     *     tf32x3       at most 2^-20 of the sum of |a||b|, 2^-22 rms, and 2 times plain f32's
     *     bf16x3       at most 2^-16 of it, 2^-18 rms, and 4 times plain f32's
     *     tf32         operands may be rounded to 10 bits of fraction
     *
     * The promises were held when results were tuned, on uniform and on hard inputs: see the manual
     * of descriptions, "accuracy". NaN and infinities come out as in plain f32. What runs keeps the
     * promise that was asked for and never a weaker one; kernels in plain f32 are candidates for
     * all of them and run where nothing faster was found. Each promise is tuned by itself: its
     * results serve no other. A product of i8 is exact, modulo 2^32; alpha and beta other than 1
     * and 0 are applied in double, and the result is rounded to the nearest, ties to even, and kept
     * within i32. */
    const char *a_type, *b_type, *c_type, *compute_type;
    tw_transposes transposes;
    int64_t m, n, k;       /* elements; 0 as in tw_gemm */
    int64_t lda, ldb, ldc; /* elements; 0: rows lie one after the other */
    /* TW_GEMM_DESCRIPTOR_INIT sets alpha to 1. */
    double alpha, beta;
    /* NULL, or in place of alpha and of beta: where a number is in device memory, which is read
     * when the product is computed, an f64 where A is f64 or i8 and otherwise an f32. One of them
     * may be given alone. What is multiplied by 0 there is not read. */
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
    /* Every buffer's contents begin at a multiple of so many bytes: a power of two. 0: on CUDA what
     * their addresses are multiples of; on OpenCL, where a cl_mem has no address, 16. To be said of
     * a cl_mem that is part of another, or is made of memory of the host's that begins anywhere. */
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
     * fraction, which tensor cores take. */
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

/* ---- Problem -> plan -> launch: any kernel -----------------------------------------------------
 */

enum { TW_REQUEST_DIMENSIONS = 8, TW_REQUEST_STRIDES = 8 };

/* A problem to make a plan for. Requests that say the same in other words are one plan, and so are
 * those of the kernels in one call: attributes in any order or left at their defaults, a stride of
 * 0 or the one it stands for, an alignment of 0 or 16. */
typedef struct tw_request {
    size_t size;            /* sizeof(tw_request), or 0: see VERSIONS */
    const char *kernel;     /* "gemm" */
    const char *attributes; /* "dtype=f64,trans=tn"; NULL: defaults */
    /* In the description's order: M, N, K. From 1 to 2^31-1, for kernels count in 32 bits. */
    int64_t dimensions[TW_REQUEST_DIMENSIONS];
    /* In the description's order: lda, ldb, ldc. 0: rows lie one after the other. */
    int64_t strides[TW_REQUEST_STRIDES];
    /* Every buffer's address is a multiple of so many bytes: a power of two; 0: 16, as tuned. With
     * less the same configuration works with narrower accesses. */
    int64_t alignment;
} tw_request;

#ifdef __cplusplus
#define TW_REQUEST_INIT                                                                            \
    ([] {                                                                                          \
        tw_request r = tw_request();                                                               \
        r.size = sizeof r;                                                                         \
        return r;                                                                                  \
    }())
#else
#define TW_REQUEST_INIT                                                                            \
    { .size = sizeof(tw_request) }
#endif

typedef struct tw_plan tw_plan;

/* Finds the plan for a problem, or makes it: selects a configuration, then loads its binary from
 * disk or compiles it. Finding one that was made before takes some tens of nanoseconds, no lock and
 * no allocation, so there is no need to keep plans. A configuration that turns out not to compile
 * or load here is passed over for the next best. The plan lives until tw_close, or where
 * tw_options.plan_limit is set until tw_plan_release was called as often as this returned it. A
 * failure sets *out to NULL. */
TW_API tw_status tw_plan_create(const tw_plan **out, tw_library *library, const tw_request *request,
                                tw_error *error);

/* The caller is done with a plan that tw_plan_create or tw_prepare returned, and does not touch it
 * any more; what was launched may still run. From then on tw_options.plan_limit may drop it;
 * without that limit this does nothing. NULL is fine. */
TW_API void tw_plan_release(const tw_plan *plan);

/* Makes the plans of `count` requests, on several threads at once: `threads`, or as many as there
 * are processors if that is 0. Each request must have its size set. `plans` and `errors` have an
 * entry a request, or are NULL: the plan, or NULL where there is none; and the status (TW_OK where
 * there is one) and message. Where `plans` is NULL the plans are held until tw_close. All requests
 * are tried; the result is TW_OK, or the status of the first that failed, with a message that names
 * it and counts them. */
TW_API tw_status tw_prepare(tw_library *library, const tw_request *requests, size_t count,
                            int threads, const tw_plan **plans, tw_error *errors, tw_error *error);

/* Shapes that differ in one dimension: of `request` with from, from + step and so on up to `to` in
 * its place. */
typedef struct tw_range {
    size_t size; /* sizeof(tw_range): must be set */
    const tw_request *request;
    int dimension;          /* which, counted from 0: with gemm 0 is M */
    int64_t from, to, step; /* sizes; a step of 0: 1 */
} tw_range;

/* Makes the plans of all shapes of ranges, as tw_prepare does, for sizes that change from call to
 * call; at most 1,000,000 of them. Binaries are few where tw_options.compile_tolerance lets shapes
 * share them: which ones is settled before any is compiled, here and in tw_prepare. The plans are
 * not held: tw_options.plan_limit may drop them. */
TW_API tw_status tw_prepare_ranges(tw_library *library, const tw_range *ranges, size_t count,
                                   int threads, tw_error *error);

/* What one argument of a kernel is for a problem: what a program needs to know that has no more
 * than a description's name. */
typedef struct tw_argument_info {
    size_t size;      /* sizeof(tw_argument_info), or 0: see VERSIONS */
    const char *name; /* the library's */
    const char *kind; /* "buffer" or "scalar", which are bound; "stride", which requests have */
    const char *type; /* of elements or of the number: "f32"; NULL: of a stride */
    /* Of a buffer: "in", "out" or "inout"; otherwise NULL. */
    const char *access;
    /* Not 0: the problem has it. A buffer that it has not must not be bound. */
    int present;
    /* Of a buffer: so many matrices, nearly always one. Strides are in elements, from one row and
     * from one matrix to the next; `stride` is also a stride's own. */
    int64_t layers, rows, columns, stride, layer_stride;
    uint64_t bytes; /* from a buffer's first element to its last, gaps included */
    /* Which of tw_request.strides are a buffer's, or a stride itself is; -1: none. */
    int stride_index, layer_stride_index;
} tw_argument_info;

/* What the argument number `index`, in the description's order, is for a problem. Compiles nothing.
 * TW_NOT_FOUND: there is none of that number. */
TW_API tw_status tw_request_argument(tw_argument_info *out, tw_library *library,
                                     const tw_request *request, size_t index, tw_error *error);

/* What one argument of a launch is given, by its name in the description. */
typedef struct tw_binding {
    const char *name;
    void *buffer;  /* for buffers */
    double number; /* for scalars */
} tw_binding;

/* Queues a plan's kernel on a stream. Every buffer must be bound; a scalar that is not has its
 * default. Bindings may come in any order; that of the description is the fastest. Strides and
 * dimensions belong to the plan, and so does the alignment that buffers on CUDA must have. */
TW_API tw_status tw_launch(const tw_plan *plan, void *stream, const tw_binding *bindings,
                           size_t count, tw_error *error);

/* Why a plan is what it is. */
typedef struct tw_explanation {
    const char *kernel;
    const char *problem; /* "M=4096,N=4096,K=1024;dtype=f32,trans=nn" */
    /* "exact": tuned for this problem on this device; "nearest": what won on another problem tuned
     * on this device, and is predicted to be the fastest on this one; "architecture": likewise, on
     * another device of this architecture; "predicted": what a model that was fitted on such a
     * device predicts to be the fastest; "fallback": the description's own choice; "default": the
     * preset of that name. */
    const char *rule;
    const char *reason; /* the same in words */
    const char *implementation;
    const char *configuration; /* JSON */
    const char *row_problem;   /* of the row it came from; NULL: from none */
    const char *row_device;
    double row_time_us;       /* as it was measured */
    double distance;          /* to the row's problem: the norm of log2 of the dimensions' ratios */
    const char *passed_over;  /* the first better row that could not be used, and why, and a model
                                 that cannot be read; else NULL */
    const char *binary;       /* "compiled", "disk" or "database": where it came from */
    double made_ms;           /* how long making the plan took, */
    double loading_ms;        /* and what of it was the compiler's and the driver's */
    uint64_t workspace_bytes; /* device memory that a launch borrows while it runs */
    const char *text;         /* all of this, a few lines to print */
    double predicted_us;      /* how long a launch should take; 0: nothing was predicted, */
    double uncertainty;       /* and the standard deviation of that one's natural logarithm */
    const char *runners_up;   /* what else was predicted, a line each; NULL: nothing was */
    int preferred_ready;      /* not 0: for its binary, see tw_options.compile_tolerance, it was
                                 preferred to the first of the runners-up */
} tw_explanation;

TW_API const tw_explanation *tw_plan_explain(const tw_plan *plan);

/* ---- Device memory -----------------------------------------------------------------------------
 *
 * For programs that want nothing else of the backend: the same code then runs on CUDA and on
 * OpenCL. */

/* TW_NO_MEMORY when there is no room. A failure sets *out to NULL. */
TW_API tw_status tw_allocate(void **out, tw_library *library, uint64_t bytes, tw_error *error);
/* NULL is fine. The device must be done with it. */
TW_API void tw_release(tw_library *library, void *buffer);
/* Copies to a buffer, at once; whatever uses the buffer must be done. */
TW_API tw_status tw_write(tw_library *library, void *buffer, const void *bytes, uint64_t size,
                          tw_error *error);
/* Waits for a stream, then copies from a buffer. */
TW_API tw_status tw_read(tw_library *library, void *stream, void *bytes, const void *buffer,
                         uint64_t size, tw_error *error);
/* Waits until all that was queued on a stream is done. */
TW_API tw_status tw_wait(tw_library *library, void *stream, tw_error *error);

#ifdef __cplusplus
}
#endif

#endif
