/* The built-in kernels as functions, but for gemm: a request, then a launch. */
#include "runtime/library/calls.h"

#include <inttypes.h>
#include <stdio.h>

#include "runtime/library/plan_create.h"

/* cl_mem handles are no addresses. */
int64_t tw_call_alignment(const tw_library *library, const tw_binding *bindings, size_t count) {
    uintptr_t address = TW_FULL_ALIGNMENT;
    for (size_t i = 0; i < count && library->backend->has_addresses; i++)
        address |= (uintptr_t)bindings[i].buffer;
    return (address & (TW_FULL_ALIGNMENT - 1)) == 0 ? 0 : (int64_t)(address & -address);
}

tw_status tw_call_launch(const tw_plan *plan, void *stream, const tw_binding *bindings,
                         size_t count, tw_error *error) {
    tw_status status = tw_launch(plan, stream, bindings, count, error);
    tw_plan_release(plan);
    return status;
}

tw_status tw_call_run(tw_library *library, void *stream, tw_request *request,
                      const tw_binding *bindings, size_t count, tw_error *error) {
    struct tw_plan_key key;
    if (library == NULL)
        return tw_library_given(library, error);
    if (request->alignment == 0)
        request->alignment = tw_call_alignment(library, bindings, count);
    bool has_key = tw_plan_key_of(&key, request);
    const tw_plan *plan = has_key ? tw_plan_table_hold(library->plans, &key) : NULL;
    tw_status status = plan != NULL
                           ? TW_OK
                           : tw_plan_create_missing(library, has_key ? &key : NULL, request,
                                                    !library->prepared_only, &plan, error);
    return status == TW_OK ? tw_call_launch(plan, stream, bindings, count, error) : status;
}

tw_status tw_call_size(const char *call, const char *name, int64_t size, tw_error *error) {
    return size >= 0 ? TW_OK
                     : tw_fail(error, TW_INVALID, "%s: %s is %" PRId64 "; it must not be negative",
                               call, name, size);
}

tw_status tw_call_scale(tw_library *library, void *stream, const char *type, int64_t m, int64_t n,
                        double beta, void *c, int64_t ldc, tw_error *error) {
    char attributes[TW_NAME_SIZE];
    tw_request request = {.kernel = "gemm_scale", .dimensions = {m, n}, .strides = {ldc}};
    if (beta == 1)
        return TW_OK;
    if (type != NULL) {
        snprintf(attributes, sizeof attributes, "dtype=%s", type);
        request.attributes = attributes;
    }
    const tw_binding bindings[] = {{.name = "C", .buffer = c}, {.name = "beta", .number = beta}};
    return tw_call_run(library, stream, &request, bindings, 2, error);
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
    tw_status status = tw_call_size(kernel, "m", m, error);
    if (status == TW_OK)
        status = tw_call_size(kernel, "n", n, error);
    if (status != TW_OK || m == 0 || n == 0)
        return status;
    const tw_binding bindings[] = {{.name = "A", .buffer = (void *)a}, {.name = "B", .buffer = b}};
    return tw_call_run(library, stream, &request, bindings, 2, error);
}

tw_status tw_transpose(tw_library *library, void *stream, int element_bytes, int64_t m, int64_t n,
                       const void *a, int64_t lda, void *b, int64_t ldb, tw_error *error) {
    return move(library, stream, "transpose", element_bytes, m, n, a, lda, b, ldb, error);
}

tw_status tw_copy(tw_library *library, void *stream, int element_bytes, int64_t m, int64_t n,
                  const void *a, int64_t lda, void *b, int64_t ldb, tw_error *error) {
    return move(library, stream, "copy", element_bytes, m, n, a, lda, b, ldb, error);
}
