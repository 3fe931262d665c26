/* C = beta*C, an element a thread: what remains of a product over nothing. */

TW_KERNEL(gemm_scale)
(TW_GLOBAL ELEMENT *TW_RESTRICT C, int M, int N, int ldc, real beta)
{
    /* Blocks are numbered in one dimension, so that neither M nor N meets the limit on grid.y. */
    const int blocks_n = N / TW_BLOCK_X + (N % TW_BLOCK_X != 0);
    const int m = (int)(blockIdx.x / blocks_n) * TW_BLOCK_Y + (int)threadIdx.y;
    const int n = (int)(blockIdx.x % blocks_n) * TW_BLOCK_X + (int)threadIdx.x;
    if (m >= M || n >= N)
        return;
    const tw_index at = (tw_index)m * ldc + n;
    C[at] = STORED(beta == 0 ? 0 : beta * LOADED(C[at])); /* C may hold anything, NaN included */
}
