/* The built-in kernels as functions: a request, then a launch. */
#include "runtime/library/library.h"

/* What all buffers are aligned to, if that is less than what is usual: parts of matrices begin
 * anywhere. cl_mem handles are no addresses. */
static int64_t alignment_of(const tw_library *library, const tw_binding *bindings, size_t count) {
    uintptr_t address = TW_FULL_ALIGNMENT;
    for (size_t i = 0; i < count && library->backend->has_addresses; i++)
        address |= (uintptr_t)bindings[i].buffer;
    return (address & (TW_FULL_ALIGNMENT - 1)) == 0 ? 0 : (int64_t)(address & -address);
}

static tw_status run(tw_library *library, void *stream, tw_request *request,
                     const tw_binding *bindings, size_t count, tw_error *error) {
    const tw_plan *plan;
    request->alignment = alignment_of(library, bindings, count);
    tw_status status = tw_plan_create(&plan, library, request, error);
    return status == TW_OK ? tw_launch(plan, stream, bindings, count, error) : status;
}

tw_status tw_gemm(tw_library *library, void *stream, tw_real type, tw_transposes transposes,
                  int64_t m, int64_t n, int64_t k, double alpha, const void *a, int64_t lda,
                  const void *b, int64_t ldb, double beta, void *c, int64_t ldc, tw_error *error) {
    static const char *const attributes[2][4] = {
        {"dtype=f32,trans=nn", "dtype=f32,trans=nt", "dtype=f32,trans=tn", "dtype=f32,trans=tt"},
        {"dtype=f64,trans=nn", "dtype=f64,trans=nt", "dtype=f64,trans=tn", "dtype=f64,trans=tt"}};
    if ((unsigned)type > TW_F64 || (unsigned)transposes > TW_TT)
        return tw_fail(error, TW_INVALID, "tw_gemm: no such type or transposition");
    tw_request request = {.kernel = "gemm",
                          .attributes = attributes[type][transposes],
                          .dimensions = {m, n, k},
                          .strides = {lda, ldb, ldc}};
    const tw_binding bindings[] = {{.name = "A", .buffer = (void *)a},
                                   {.name = "B", .buffer = (void *)b},
                                   {.name = "C", .buffer = c},
                                   {.name = "alpha", .number = alpha},
                                   {.name = "beta", .number = beta}};
    return run(library, stream, &request, bindings, 5, error);
}

/* The dtype that stands for elements of so many bytes; NULL when there is none. */
static const char *element_attribute(int bytes) {
    switch (bytes) {
    case 1:
        return "dtype=u8";
    case 2:
        return "dtype=u16";
    case 4:
        return "dtype=f32";
    case 8:
        return "dtype=f64";
    default:
        return NULL;
    }
}

static tw_status move(tw_library *library, void *stream, const char *kernel, int element_bytes,
                      int64_t m, int64_t n, const void *a, int64_t lda, void *b, int64_t ldb,
                      tw_error *error) {
    tw_request request = {.kernel = kernel,
                          .attributes = element_attribute(element_bytes),
                          .dimensions = {m, n},
                          .strides = {lda, ldb}};
    if (request.attributes == NULL)
        return tw_fail(error, TW_INVALID, "%s: elements have 1, 2, 4 or 8 bytes, not %d", kernel,
                       element_bytes);
    const tw_binding bindings[] = {{.name = "A", .buffer = (void *)a}, {.name = "B", .buffer = b}};
    return run(library, stream, &request, bindings, 2, error);
}

tw_status tw_transpose(tw_library *library, void *stream, int element_bytes, int64_t m, int64_t n,
                       const void *a, int64_t lda, void *b, int64_t ldb, tw_error *error) {
    return move(library, stream, "transpose", element_bytes, m, n, a, lda, b, ldb, error);
}

tw_status tw_copy(tw_library *library, void *stream, int element_bytes, int64_t m, int64_t n,
                  const void *a, int64_t lda, void *b, int64_t ldb, tw_error *error) {
    return move(library, stream, "copy", element_bytes, m, n, a, lda, b, ldb, error);
}

tw_status tw_aat(tw_library *library, void *stream, int64_t m, int64_t k, const void *a,
                 int64_t lda, void *c, int64_t ldc, tw_error *error) {
    tw_request request = {.kernel = "aat", .dimensions = {m, k}, .strides = {lda, ldc}};
    const tw_binding bindings[] = {{.name = "A", .buffer = (void *)a}, {.name = "C", .buffer = c}};
    return run(library, stream, &request, bindings, 2, error);
}
