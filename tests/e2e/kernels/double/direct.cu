#if DTYPE == DTYPE_f64
typedef double element;
#else
typedef float element;
#endif

TW_KERNEL(double_direct)
(TW_GLOBAL const element *A, TW_GLOBAL element *B, int M, int N, int lda, int ldb)
{
    tw_index row = blockIdx.y;
    for (int i = 0; i < EACH; i++) {
#if ORDER == ORDER_near
        int column = (blockIdx.x * BLOCK + threadIdx.x) * EACH + i;
#else
        int column = (blockIdx.x * EACH + i) * BLOCK + threadIdx.x;
#endif
        if (column < N)
            B[row * ldb + column] = A[row * lda + column] + A[row * lda + column];
    }
}
