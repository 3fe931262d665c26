/* An absent buffer is a null pointer, and need not be looked at. */
TW_KERNEL(biased_direct)
(TW_GLOBAL const ELEMENT *A, TW_GLOBAL const float *bias, TW_GLOBAL float *C, TW_GLOBAL tw_bf16 *rounded,
 int M, int N, int lda, int ldc)
{
    tw_index i = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (i >= (tw_index)M * N)
        return;
    tw_index row = i / N, column = i % N;
    float sum = TIMES * NUMBER(A[row * lda + column]);
    if (bias != 0)
        sum += bias[column];
    C[row * ldc + column] = sum;
#if HAS_ROUNDED
    rounded[row * ldc + column] = tw_f32_to_bf16(sum);
#endif
}
