TW_KERNEL(biased_reference)
(TW_GLOBAL const ELEMENT *A, TW_GLOBAL const float *bias, TW_GLOBAL double *C, TW_GLOBAL double *rounded,
 int M, int N, int lda, int ldc)
{
    tw_index i = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (i >= (tw_index)M * N)
        return;
    tw_index row = i / N, column = i % N;
    double sum = TIMES * (double)NUMBER(A[row * lda + column]);
#if HAS_BIAS
    sum += bias[column];
#endif
    C[row * ldc + column] = sum;
#if HAS_ROUNDED
    rounded[row * ldc + column] = sum;
#endif
}
