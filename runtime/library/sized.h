/* Structs of tilewise.h that a caller passes in, and that grow from version to version. */
#ifndef TW_LIBRARY_SIZED_H
#define TW_LIBRARY_SIZED_H

#include "runtime/tilewise.h"

/* What a struct of such a name looks like here, and how much of it version 0.1 had: a size of 0
 * stands for that. */
struct tw_sized {
    const char *name;
    size_t size, first_size;
};

extern const struct tw_sized tw_sized_options, tw_sized_request, tw_sized_gemm,
    tw_sized_gemm_grouped, tw_sized_conv2d, tw_sized_aat, tw_sized_argument;

/* Copies a caller's struct, which begins with its size, to `out` of this version: what it lacks is
 * zero. Fails where there is none, when its size is none, or when it has something set that this
 * version does not know. */
tw_status tw_sized_read(const struct tw_sized *kind, void *out, const void *given, tw_error *error);

#endif
