/* tw_aat, in short and by its descriptor. */
#include <stdio.h>
#include <string.h>

#include "runtime/library/calls.h"
#include "runtime/library/sized.h"

/* "f32" is what nothing asks for. What is no word of the kernel's is refused with what there is. */
static tw_status write_attributes(const char *compute_type, char attributes[TW_NAME_SIZE],
                                  tw_error *error) {
    attributes[0] = '\0';
    if (compute_type == NULL || strcmp(compute_type, "f32") == 0)
        return TW_OK;
    if (strlen(compute_type) > 16 || strpbrk(compute_type, ",=") != NULL)
        return tw_fail(error, TW_INVALID, "aat: there is no compute_type \"%.40s\"", compute_type);
    snprintf(attributes, TW_NAME_SIZE, "compute=%s", compute_type);
    return TW_OK;
}

static tw_status multiply(tw_library *library, void *stream, const tw_aat_descriptor *d,
                          const void *a, void *c, tw_error *error) {
    char attributes[TW_NAME_SIZE];
    tw_status status = tw_call_size("aat", "m", d->m, error);
    if (status == TW_OK)
        status = tw_call_size("aat", "k", d->k, error);
    if (status == TW_OK)
        status = write_attributes(d->compute_type, attributes, error);
    if (status != TW_OK || d->m == 0)
        return status;
    if (d->k == 0)
        return tw_call_scale(library, stream, "f32", d->m, d->m, 0, c, d->ldc, error);
    tw_request request = {.kernel = "aat",
                          .attributes = attributes[0] != '\0' ? attributes : NULL,
                          .dimensions = {d->m, d->k},
                          .strides = {d->lda, d->ldc},
                          .alignment = d->alignment};
    const tw_binding bindings[] = {{.name = "A", .buffer = (void *)a}, {.name = "C", .buffer = c}};
    return tw_call_run(library, stream, &request, bindings, 2, error);
}

tw_status tw_aat_ex(tw_library *library, void *stream, const tw_aat_descriptor *descriptor,
                    const void *a, void *c, tw_error *error) {
    tw_aat_descriptor read;
    tw_status status = tw_sized_read(&tw_sized_aat, &read, descriptor, error);
    return status == TW_OK ? multiply(library, stream, &read, a, c, error) : status;
}

tw_status tw_aat(tw_library *library, void *stream, int64_t m, int64_t k, const void *a,
                 int64_t lda, void *c, int64_t ldc, tw_error *error) {
    const tw_aat_descriptor descriptor = {.m = m, .k = k, .lda = lda, .ldc = ldc};
    return multiply(library, stream, &descriptor, a, c, error);
}
