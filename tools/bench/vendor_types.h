/* What cuBLAS and cuBLASLt call the types of a product; one table row makes a combination known to
 * both. */
#ifndef TOOLS_BENCH_VENDOR_TYPES_H
#define TOOLS_BENCH_VENDOR_TYPES_H

#include <cublas_v2.h>

#include "tools/bench/data.h"

struct vendor_types {
    enum tw_type a;
    cudaDataType_t a_type;
    enum tw_type b;
    cudaDataType_t b_type;
    enum tw_type c;
    cudaDataType_t c_type;
    cublasComputeType_t compute;
    cublasMath_t math;      /* the mode of cuBLAS that goes with it */
    cudaDataType_t scale;   /* of alpha and beta */
    const void *one, *zero; /* alpha and beta */
    bool tf32;              /* whether operands may be rounded to that */
};

/* Those of the data's task. NULL: the libraries have no such product; `error` says so. */
const struct vendor_types *vendor_types_of(const struct data *data, tw_error *error);

#endif
