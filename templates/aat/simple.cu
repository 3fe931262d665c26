/* C = A A^T, one element of C a thread, straight from global memory.
 *
 * Neighbouring threads read rows of A a stride apart, which is the point of this kernel: it shows
 * what the tiles of tiled.cu are for. */
TW_KERNEL(aat_simple)
(TW_GLOBAL const float *TW_RESTRICT A, TW_GLOBAL float *TW_RESTRICT C, int M, int K, int lda,
 int ldc)
{
    int tiles = (M - 1) / BLOCK_X + 1;
    tw_index row = (tw_index)(blockIdx.x / tiles) * BLOCK_Y + threadIdx.x / BLOCK_X;
    tw_index column = (tw_index)(blockIdx.x % tiles) * BLOCK_X + threadIdx.x % BLOCK_X;
    if (row >= M || column >= M)
        return;
    TW_GLOBAL const float *a = A + row * lda;
    TW_GLOBAL const float *b = A + column * lda;
    float sum = 0;
    TW_UNROLL_BY(UNROLL)
    for (int k = 0; k < K; k++)
        sum = fmaf(a[k], b[k], sum);
    C[row * ldc + column] = sum;
}
