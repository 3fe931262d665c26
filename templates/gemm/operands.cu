/* What every GEMM template shares: the element types, and how A and B lie in memory. */

/* Whether numbers of f32 are multiplied and summed in f64, which holds every product of two without rounding. */
#ifndef IN_DOUBLE
#define IN_DOUBLE 0
#endif

/* Whether the matrices or the scalars are of other types than A's elements, or those are of one byte. Kernels
 * that know of no such thing (A*A^T) have no CTYPE. */
#ifdef CTYPE
#if DTYPE == DTYPE_e4m3 || DTYPE == DTYPE_e5m2 || DTYPE == DTYPE_i8 || CTYPE != CTYPE_default
#define MIXED 1
#endif
#endif
#if IN_DOUBLE
#define MIXED 1
#endif
#ifndef MIXED
#define MIXED 0
#endif

/* What a product is scaled by (scales.cu); not every kernel knows of it. */
#ifdef SCALES
#define SCALED (SCALES != SCALES_none)
#define BLOCK_SCALED (SCALES == SCALES_blocks)
#else
#define SCALED 0
#define BLOCK_SCALED 0
#endif

#if !MIXED
#if DTYPE == DTYPE_f64
typedef double real;
typedef double2 real2;
#define make_real2 make_double2
#define FMA(a, b, c) fma((a), (b), (c))
#else
typedef float real;
typedef float2 real2;
#define make_real2 make_float2
#define FMA(a, b, c) fmaf((a), (b), (c))
#endif

/* What matrices consist of: numbers to compute with, or smaller ones, which are converted where they are
 * loaded and stored. */
#if DTYPE == DTYPE_f16
#define SMALL 1
#define LOADED(x) tw_f16_to_f32(x)
#define STORED(x) tw_f32_to_f16(x)
#define ELEMENT tw_f16
#elif DTYPE == DTYPE_bf16
#define SMALL 1
#define LOADED(x) tw_bf16_to_f32(x)
#define STORED(x) tw_f32_to_bf16(x)
#define ELEMENT tw_bf16
#else
#define SMALL 0
#define LOADED(x) x
#define STORED(x) x
#define ELEMENT real
#endif

#define INTEGER 0
#define WHOLE_RESULTS 0
#define SCALED_IN_DOUBLE 0
#define APART 0
#define ELEMENT_B ELEMENT
#define RESULT ELEMENT
#define SCALAR real
#define LOADED_A(x) LOADED(x)
#define LOADED_B(x) LOADED(x)
#define RESULT_OF(sum, at, alpha, beta) \
    STORED(beta == 0 ? alpha * sum : FMA(beta, LOADED(*(at)), alpha * sum))

#else
/* Elements of A, of B, the results, and what sums and scalars are: whole numbers of i8, but for those that are
 * scaled on the way. WHOLE_RESULTS: results are whole numbers, too. APART: elements of A and of B, both of one byte, are
 * not of one type. */
#define SMALL 1
#define WHOLE_RESULTS (DTYPE == DTYPE_i8 && CTYPE == CTYPE_default)
#define SCALED_IN_DOUBLE (DTYPE == DTYPE_i8)
#if DTYPE == DTYPE_i8 && !BLOCK_SCALED
#define INTEGER 1
#define ELEMENT tw_i8
#define ELEMENT_SIZE 1
#define LOADED_A(x) ((int)(x))
#define FMA(a, b, c) ((a) * (b) + (c))
typedef int real;
typedef uint2 real2;
#define make_real2 make_uint2
#define SCALAR double
#elif IN_DOUBLE
#define INTEGER 0
#define ELEMENT float
#define ELEMENT_SIZE 4
#define LOADED_A(x) ((double)(x))
#define FMA(a, b, c) fma((a), (b), (c))
typedef double real;
typedef double2 real2;
#define make_real2 make_double2
#define SCALAR float
#else
#define INTEGER 0
#define FMA(a, b, c) fmaf((a), (b), (c))
typedef float real;
typedef float2 real2;
#define make_real2 make_float2
#if DTYPE == DTYPE_i8
#define SCALAR double
#define ELEMENT tw_i8
#define ELEMENT_SIZE 1
#define LOADED_A(x) ((float)(x))
#else
#define SCALAR float
#endif
#if DTYPE == DTYPE_i8
#elif DTYPE == DTYPE_e4m3
#define ELEMENT tw_e4m3
#define ELEMENT_SIZE 1
#define LOADED_A(x) tw_e4m3_to_f32(x)
#elif DTYPE == DTYPE_e5m2
#define ELEMENT tw_e5m2
#define ELEMENT_SIZE 1
#define LOADED_A(x) tw_e5m2_to_f32(x)
#elif DTYPE == DTYPE_bf16
#define ELEMENT tw_bf16
#define ELEMENT_SIZE 2
#define LOADED_A(x) tw_bf16_to_f32(x)
#else
#define ELEMENT tw_f16
#define ELEMENT_SIZE 2
#define LOADED_A(x) tw_f16_to_f32(x)
#endif
#endif

#if BTYPE == BTYPE_e4m3
#define ELEMENT_B tw_e4m3
#define LOADED_B(x) tw_e4m3_to_f32(x)
#elif BTYPE == BTYPE_e5m2
#define ELEMENT_B tw_e5m2
#define LOADED_B(x) tw_e5m2_to_f32(x)
#else
#define ELEMENT_B ELEMENT
#define LOADED_B(x) LOADED_A(x)
#endif
/* What is loaded by code that does not know of which matrix: a number, or where they are APART the bits, which
 * UNPACKED_A and _B make numbers of. */
#if BTYPE == BTYPE_default
#define APART 0
#define LOADED(x) LOADED_A(x)
#else
#define APART 1
#define LOADED(x) ((float)(int)(x))
#define UNPACKED_A(x) LOADED_A((tw_u8)(int)(x))
#define UNPACKED_B(x) LOADED_B((tw_u8)(int)(x))
#endif

#if WHOLE_RESULTS
#define RESULT int
#elif IN_DOUBLE
#define RESULT float
#define STORED(x) ((float)(x))
#define HELD(x) ((double)(x))
#elif CTYPE == CTYPE_f32
#define RESULT float
#define STORED(x) (x)
#define HELD(x) (x)
#elif CTYPE == CTYPE_f16
#define RESULT tw_f16
#define STORED(x) tw_f32_to_f16(x)
#define HELD(x) tw_f16_to_f32(x)
#else
#define RESULT tw_bf16
#define STORED(x) tw_f32_to_bf16(x)
#define HELD(x) tw_bf16_to_f32(x)
#endif

/* The sum times alpha, plus beta times what `C` points to, which is not read where beta is 0. */
#if WHOLE_RESULTS
TW_DEVICE int result_of(int sum, TW_GLOBAL const int *C, double alpha, double beta)
{
    if (alpha == 1 && beta == 0)
        return sum;
    double exact = alpha * (double)sum;
    if (beta != 0)
        exact = fma(beta, (double)*C, exact);
    return (int)fmin(fmax(rint(exact), -2147483648.0), 2147483647.0);
}
#elif IN_DOUBLE
TW_DEVICE float result_of(double sum, TW_GLOBAL const float *C, float alpha, float beta)
{
    const double product = (double)alpha * sum;
    return (float)(beta == 0 ? product : fma((double)beta, (double)*C, product));
}
#else
TW_DEVICE RESULT result_of(float sum, TW_GLOBAL const RESULT *C, float alpha, float beta)
{
    return STORED(beta == 0 ? alpha * sum : fmaf(beta, HELD(*C), alpha * sum));
}
#endif
#define RESULT_OF(sum, at, alpha, beta) result_of(sum, at, alpha, beta)
#endif

/* op(A) is MxK and op(B) KxN; a transposed operand is stored the other way round. With TURNED, a launch
 * before has stored both operands as tn has them (turn.cu). */
#ifndef TURNED
#define TURNED 0
#endif
#if TURNED
#define TRANS_A 1
#define TRANS_B 0
#else
#define TRANS_A (TRANS == TRANS_tn || TRANS == TRANS_tt)
#define TRANS_B (TRANS == TRANS_nt || TRANS == TRANS_tt)
#endif

#if TRANS_A
#define OFFSET_A(m, k) ((tw_index)(k) * lda + (m))
#else
#define OFFSET_A(m, k) ((tw_index)(m) * lda + (k))
#endif
#if TRANS_B
#define OFFSET_B(k, n) ((tw_index)(n) * ldb + (k))
#else
#define OFFSET_B(k, n) ((tw_index)(k) * ldb + (n))
#endif
