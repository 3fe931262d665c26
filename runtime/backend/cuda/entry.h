/* A kernel's parameters, read from PTX. */
#ifndef TW_BACKEND_CUDA_ENTRY_H
#define TW_BACKEND_CUDA_ENTRY_H

#include "runtime/backend/expected.h"

/* Holds the kernel of that name in `ptx`, as NVRTC writes it, against what a launch will give it.
 */
tw_status tw_ptx_check(const char *ptx, const char *function, const struct tw_expected *expected,
                       struct tw_error *error);

#endif
