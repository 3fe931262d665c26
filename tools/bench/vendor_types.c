#include "tools/bench/vendor_types.h"

static const float one_f32 = 1, zero_f32 = 0;
static const double one_f64 = 1, zero_f64 = 0;

#define F32 CUDA_R_32F, &one_f32, &zero_f32
#define F64 CUDA_R_64F, &one_f64, &zero_f64

/* f32 is held to its own arithmetic. f64 has no other unless emulation is asked for, and pedantic
 * it would be kept from the fastest kernels that the libraries have. Of smaller types the default
 * is the fastest. */
static const struct vendor_types table[] = {
    {TW_TYPE_f32, TW_TYPE_f32, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC,
     CUBLAS_PEDANTIC_MATH, F32},
    {TW_TYPE_f64, TW_TYPE_f64, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUBLAS_DEFAULT_MATH,
     F64},
    {TW_TYPE_f16, TW_TYPE_f16, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUBLAS_DEFAULT_MATH,
     F32},
    {TW_TYPE_bf16, TW_TYPE_bf16, CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUBLAS_DEFAULT_MATH,
     F32},
};

const struct vendor_types *vendor_types_of(const struct data *data, tw_error *error) {
    enum tw_type in = data->in[0].type, out = data->out.type;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].in == in && table[i].out == out)
            return &table[i];
    tw_fail(error, TW_UNAVAILABLE, "has no product of %s into %s", tw_type_info(in)->word,
            tw_type_info(out)->word);
    return NULL;
}
