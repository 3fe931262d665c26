/* B = A, one thread an element. */
TW_KERNEL(copy_reference)
(TW_GLOBAL const input *A, TW_GLOBAL answer *B, int M, int N, int lda, int ldb)
{
    tw_index i = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (i >= (tw_index)M * N)
        return;
    tw_index row = i / N;
    tw_index column = i % N;
    B[row * ldb + column] = (answer)A[row * lda + column];
}
