/* A thread a row, in double. The greatest is taken away first, so that no exponential overflows. */
TW_KERNEL(softmax_reference)
(TW_GLOBAL const float *A, TW_GLOBAL double *B, int M, int N, int lda, int ldb)
{
    int row = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x);
    if (row >= M)
        return;
    A += (tw_index)row * lda;
    B += (tw_index)row * ldb;
    double greatest = A[0], sum = 0;
    for (int j = 1; j < N; j++)
        greatest = fmax(greatest, (double)A[j]);
    for (int j = 0; j < N; j++)
        sum += exp((double)A[j] - greatest);
    for (int j = 0; j < N; j++)
        B[j] = exp((double)A[j] - greatest) / sum;
}
