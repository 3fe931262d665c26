#include "tools/bench/vendor_types.h"

#include <string.h>

static const float one_f32 = 1, zero_f32 = 0;
static const double one_f64 = 1, zero_f64 = 0;
static const int one_i32 = 1, zero_i32 = 0;

#define F32 CUDA_R_32F, &one_f32, &zero_f32
#define F64 CUDA_R_64F, &one_f64, &zero_f64
#define I32 CUDA_R_32I, &one_i32, &zero_i32

#define E4M3 TW_TYPE_e4m3, CUDA_R_8F_E4M3
#define E5M2 TW_TYPE_e5m2, CUDA_R_8F_E5M2
#define FLOAT8(a, b, c, type)                                                                      \
    { a, b, TW_TYPE_##c, type, CUBLAS_COMPUTE_32F, CUBLAS_DEFAULT_MATH, F32, false }

/* f32 is held to its own arithmetic. f64 has no other unless emulation is asked for, and pedantic
 * it would be kept from the fastest kernels that the libraries have. Of smaller types the default
 * is the fastest. */
static const struct vendor_types table[] = {
    {TW_TYPE_f32, CUDA_R_32F, TW_TYPE_f32, CUDA_R_32F, TW_TYPE_f32, CUDA_R_32F,
     CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_PEDANTIC_MATH, F32, false},
    {TW_TYPE_f32, CUDA_R_32F, TW_TYPE_f32, CUDA_R_32F, TW_TYPE_f32, CUDA_R_32F,
     CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_TF32_TENSOR_OP_MATH, F32, true},
    {TW_TYPE_f64, CUDA_R_64F, TW_TYPE_f64, CUDA_R_64F, TW_TYPE_f64, CUDA_R_64F, CUBLAS_COMPUTE_64F,
     CUBLAS_DEFAULT_MATH, F64, false},
    {TW_TYPE_f16, CUDA_R_16F, TW_TYPE_f16, CUDA_R_16F, TW_TYPE_f16, CUDA_R_16F, CUBLAS_COMPUTE_32F,
     CUBLAS_DEFAULT_MATH, F32, false},
    {TW_TYPE_f16, CUDA_R_16F, TW_TYPE_f16, CUDA_R_16F, TW_TYPE_f32, CUDA_R_32F, CUBLAS_COMPUTE_32F,
     CUBLAS_DEFAULT_MATH, F32, false},
    {TW_TYPE_bf16, CUDA_R_16BF, TW_TYPE_bf16, CUDA_R_16BF, TW_TYPE_bf16, CUDA_R_16BF,
     CUBLAS_COMPUTE_32F, CUBLAS_DEFAULT_MATH, F32, false},
    {TW_TYPE_bf16, CUDA_R_16BF, TW_TYPE_bf16, CUDA_R_16BF, TW_TYPE_f32, CUDA_R_32F,
     CUBLAS_COMPUTE_32F, CUBLAS_DEFAULT_MATH, F32, false},
    FLOAT8(E4M3, E4M3, bf16, CUDA_R_16BF),
    FLOAT8(E4M3, E4M3, f16, CUDA_R_16F),
    FLOAT8(E4M3, E4M3, f32, CUDA_R_32F),
    FLOAT8(E4M3, E5M2, bf16, CUDA_R_16BF),
    FLOAT8(E4M3, E5M2, f16, CUDA_R_16F),
    FLOAT8(E4M3, E5M2, f32, CUDA_R_32F),
    FLOAT8(E5M2, E4M3, bf16, CUDA_R_16BF),
    FLOAT8(E5M2, E4M3, f16, CUDA_R_16F),
    FLOAT8(E5M2, E4M3, f32, CUDA_R_32F),
    {TW_TYPE_i8, CUDA_R_8I, TW_TYPE_i8, CUDA_R_8I, TW_TYPE_i32, CUDA_R_32I, CUBLAS_COMPUTE_32I,
     CUBLAS_DEFAULT_MATH, I32, false},
};

const struct vendor_types *vendor_types_of(const struct data *data, tw_error *error) {
    enum tw_type a = data->in[0].type, b = data_type_b(data), c = data->out.type;
    const bool tf32 = strcmp(task_word(data->task, "compute"), "tf32") == 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].a == a && table[i].b == b && table[i].c == c && table[i].tf32 == tf32)
            return &table[i];
    tw_fail(error, TW_UNAVAILABLE, "has no product of %s and %s into %s", tw_type_info(a)->word,
            tw_type_info(b)->word, tw_type_info(c)->word);
    return NULL;
}
