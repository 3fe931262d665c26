#include "runtime/library/sized.h"

#include <stddef.h>
#include <string.h>

#include "runtime/base/error.h"

/* When a field is added, its offset becomes the first size. */
const struct tw_sized tw_sized_options = {"tw_options", sizeof(tw_options),
                                          offsetof(tw_options, log_shapes)};
const struct tw_sized tw_sized_request = {"tw_request", sizeof(tw_request), sizeof(tw_request)};
const struct tw_sized tw_sized_gemm = {"tw_gemm_descriptor", sizeof(tw_gemm_descriptor),
                                       offsetof(tw_gemm_descriptor, alignment)};
const struct tw_sized tw_sized_conv2d = {"tw_conv2d_descriptor", sizeof(tw_conv2d_descriptor),
                                         sizeof(tw_conv2d_descriptor)};
const struct tw_sized tw_sized_aat = {"tw_aat_descriptor", sizeof(tw_aat_descriptor),
                                      sizeof(tw_aat_descriptor)};
const struct tw_sized tw_sized_argument = {"tw_argument_info", sizeof(tw_argument_info),
                                           sizeof(tw_argument_info)};

const struct tw_sized tw_sized_gemm_grouped = {"tw_gemm_grouped_descriptor",
                                               sizeof(tw_gemm_grouped_descriptor),
                                               sizeof(tw_gemm_grouped_descriptor)};

tw_status tw_sized_read(const struct tw_sized *kind, void *out, const void *given,
                        tw_error *error) {
    size_t size;
    if (given == NULL)
        return tw_fail(error, TW_INVALID, "the %s is NULL", kind->name);
    memcpy(&size, given, sizeof size);
    if (size == 0)
        size = kind->first_size;
    /* A struct that is larger than this by far has no size, but something else in its place. */
    if (size < kind->first_size || size > kind->size + 4096)
        return tw_fail(error, TW_INVALID,
                       "the size of %s is %zu; set it to sizeof(%s), or all of it to zero first",
                       kind->name, size, kind->name);
    for (size_t i = kind->size; i < size; i++)
        if (((const char *)given)[i] != 0)
            return tw_fail(error, TW_INVALID,
                           "%s has a field set that libtilewise %s does not know; use a newer "
                           "library, or leave it zero",
                           kind->name, tw_version());
    memset(out, 0, kind->size);
    memcpy(out, given, size < kind->size ? size : kind->size);
    memcpy(out, &kind->size, sizeof kind->size);
    return TW_OK;
}
