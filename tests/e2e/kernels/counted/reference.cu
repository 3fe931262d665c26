TW_KERNEL(counted_reference)
(TW_GLOBAL const float *A, TW_GLOBAL double *B, int N)
{
    int i = blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (i < N)
        B[i] = 2.0 * A[i];
}
