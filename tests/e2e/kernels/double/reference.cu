#if DTYPE == DTYPE_f64
typedef double element;
#else
typedef float element;
#endif

TW_KERNEL(double_reference)
(TW_GLOBAL const element *A, TW_GLOBAL double *B, int M, int N, int lda, int ldb)
{
    int column = blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (column < N)
        B[(tw_index)blockIdx.y * ldb + column] = 2.0 * A[(tw_index)blockIdx.y * lda + column];
}
