/* B = A^T, one thread an element of B. */
TW_KERNEL(transpose_reference)
(TW_GLOBAL const input *A, TW_GLOBAL answer *B, int M, int N, int lda, int ldb)
{
    tw_index i = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (i >= (tw_index)M * N)
        return;
    tw_index row = i / M;
    tw_index column = i % M;
    B[row * ldb + column] = (answer)A[column * lda + row];
}
