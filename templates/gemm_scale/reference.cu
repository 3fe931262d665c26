/* The right answer, one element a thread. */
#if DTYPE == DTYPE_f64
typedef double real;
#else
typedef float real;
#endif

TW_KERNEL(gemm_scale_reference)
(TW_GLOBAL double *TW_RESTRICT C, TW_GLOBAL const real *TW_RESTRICT before, int M, int N, int ldc,
 real beta)
{
    const tw_index element = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (element >= (tw_index)M * N)
        return;
    const tw_index at = element / N * ldc + element % N;
    C[at] = beta == 0 ? 0 : (double)beta * (double)before[at];
}
