/* The right answer, and one in float. */
#ifdef ROUNDED
TW_KERNEL(product_direct)
(TW_GLOBAL const float *A, TW_GLOBAL const float *B, TW_GLOBAL float *C, int M, int N, int K)
{
    int i = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x);
    if (i >= M * N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++) {
        float a = A[i / N * K + k], b = B[k * N + i % N];
#if ROUNDED
        a = tw_bf16_to_f32(tw_f32_to_bf16(a));
        b = tw_bf16_to_f32(tw_f32_to_bf16(b));
#endif
        sum = fmaf(a, b, sum);
    }
    C[i] = sum;
}
#else
TW_KERNEL(product_reference)
(TW_GLOBAL const float *A, TW_GLOBAL const float *B, TW_GLOBAL double *C, int M, int N, int K)
{
    int i = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x);
    if (i >= M * N)
        return;
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum = fma((double)A[i / N * K + k], (double)B[k * N + i % N], sum);
    C[i] = sum;
}
#endif
