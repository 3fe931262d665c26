/* C = A A^T, one thread an element, summed in double. */
TW_KERNEL(aat_reference)
(TW_GLOBAL const float *A, TW_GLOBAL double *C, int M, int K, int lda, int ldc)
{
    tw_index i = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (i >= (tw_index)M * M)
        return;
    tw_index row = i / M;
    tw_index column = i % M;
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum = fma((double)A[row * lda + k], (double)A[column * lda + k], sum);
    C[row * ldc + column] = sum;
}
