/* The right answer, one element a thread. */

#if DTYPE == DTYPE_i32
#define RIGHT int
#define ANSWER(x) STORED(x)
#else
#define RIGHT double
#define ANSWER(x) (x)
#endif

TW_KERNEL(gemm_scale_reference)
(TW_GLOBAL RIGHT *TW_RESTRICT C, TW_GLOBAL const ELEMENT *TW_RESTRICT before, int M, int N, int ldc,
 real beta)
{
    const tw_index element = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (element >= (tw_index)M * N)
        return;
    const tw_index at = element / N * ldc + element % N;
    C[at] = ANSWER(beta == 0 ? 0 : (double)beta * (double)LOADED(before[at]));
}
