/* What every GEMM template shares: the element types, and how A and B lie in memory. */

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
