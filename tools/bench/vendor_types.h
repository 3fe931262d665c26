/* What cuBLAS and cuBLASLt call the types of a product; one table row makes a combination known to
 * both. */
#ifndef TOOLS_BENCH_VENDOR_TYPES_H
#define TOOLS_BENCH_VENDOR_TYPES_H

#include <cublas_v2.h>

#include "tools/bench/data.h"

struct vendor_types {
    enum tw_type in, out; /* of A and B; of C */
    cudaDataType_t in_type, out_type;
    cublasComputeType_t compute;
    cublasMath_t math;      /* the mode of cuBLAS that goes with it */
    cudaDataType_t scale;   /* of alpha and beta */
    const void *one, *zero; /* alpha and beta */
};

/* Those of the data's task. NULL: the libraries have no such product; `error` says so. */
const struct vendor_types *vendor_types_of(const struct data *data, tw_error *error);

#endif
