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
 * SHAPES. Matrices are row-major: element (i, j) of a matrix with leading dimension ld is at
 * i*ld + j. Leading dimensions and shapes count elements.
 *
 * UNITS. What is a time or an amount of memory ends its name with its unit: _us, _ms, _seconds,
 * _bytes.
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
 * OWNERSHIP. tw_close frees the library with all its plans, and is the only thing that must be
 * called. Text and pointers to const that functions return belong to the library. What is passed in
 * is only read, and only until the call returns (buffers: until the device is done with them).
 *
 * THREADS. All functions but tw_close may be called on one library from any number of threads at
 * once. When several need the same kernel, one compiles it and the others wait for that one. A plan
 * is immutable and may be launched on many streams at once.
 *
 * PROCESSES. A child of fork cannot use what its parent opened, nor open a device of a backend that
 * the parent has used, for the drivers do not allow it: calls fail there. Fork before anything is
 * opened, or start a new program.
 *
 * ERRORS. A function that can fail returns a tw_status, and takes a tw_error (or NULL) that it
 * fills with one line: what is wrong, where, and what to do. The library never prints and never
 * aborts. Work that the device does later can fail later: such errors come from whatever waits for
 * it.
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
     * environment variable TILEWISE_LOG_SHAPES names, if it is set; "": none. A file that cannot
     * be opened for writing makes tw_open fail, either way, and names it. A line of JSON a shape
     * and rule, whose counts add up, so that several processes may share a file; tune(1) has the
     * members. Lines are written by a thread of the library's own: a new shape's soon, counts every
     * 5 seconds, by tw_close, and when the process ends by exit or from main. What cannot be
     * written, because the disk is full say, is tried again then, and lost at tw_close. A launch
     * that is captured in a graph counts once, however often the graph runs. */
    const char *log_shapes;
    /* For shapes without a result of their own, as sizes that change from call to call: where the
     * configuration that is predicted to be the fastest would have to be compiled, and the binary
     * of another is loaded or on the disk, that one is taken if it is predicted to take no more
     * than this share longer. Where none is there and a dimension has had another size in an
     * otherwise equal request, that one is preferred likewise whose binary is predicted to do best
     * for other sizes too, beside the binaries that are there, and the share is twice as much in
     * both cases. Of sizes that tw_prepare is given together a binary is compiled if all of them
     * gain by it, in the sum of what each gains: twice the share, up to five times where they are
     * 32 and more; the share is four times as much then for what is there.
     * 0: 0.05; at most 1; below 0: what is predicted to be the fastest is compiled. */
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

/* The device in use, "cuda:0", and its model, "NVIDIA H200"; "" for NULL. */
TW_API const char *tw_device_id(const tw_library *library);
TW_API const char *tw_device_name(const tw_library *library);

#include "tilewise_kernels.h"

/* ---- Problem -> plan -> launch: any kernel -----------------------------------------------------
 */

enum { TW_REQUEST_DIMENSIONS = 8, TW_REQUEST_STRIDES = 8 };

/* A problem to make a plan for. Requests that say the same in other words are one plan, and so are
 * those of the kernels in one call: attributes in any order or left at their defaults, a stride of
 * 0 or the one it stands for, an alignment of 0 or 16. */
typedef struct tw_request {
    size_t size;        /* sizeof(tw_request), or 0: see VERSIONS */
    const char *kernel; /* "gemm" */
    /* "dtype=f64,trans=tn"; NULL: defaults. Of two words for one attribute the last counts. */
    const char *attributes;
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
 * share them: which ones is settled before any is compiled, here and in tw_prepare, and for three
 * sizes and more of one dimension by all of them, or 32 of them, at once. The plans are not held:
 * tw_options.plan_limit may drop them. */
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
                                 preferred to the first of the runners-up; 1: which is there already,
                                 2: which does better for the sizes that change */
} tw_explanation;

/* It lives as long as the plan. NULL for NULL. */
TW_API const tw_explanation *tw_plan_explain(const tw_plan *plan);

/* ---- Device memory -----------------------------------------------------------------------------
 *
 * For programs that want nothing else of the backend: the same code then runs on CUDA and on
 * OpenCL. */

/* TW_NO_MEMORY when there is no room. A failure sets *out to NULL. */
TW_API tw_status tw_allocate(void **out, tw_library *library, uint64_t bytes, tw_error *error);
/* NULL is fine. The device must be done with it. */
TW_API void tw_release(tw_library *library, void *buffer);
/* Copies to a buffer, at once; whatever uses the buffer must be done. Of 0 bytes nothing is copied
 * and nothing looked at, here and in tw_read. */
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
