/* The right answer, as plainly as can be: floating outputs are pointers to double, whatever the dtype. */
#if DTYPE == DTYPE_f64
typedef double element;
#else
typedef float element;
#endif

TW_KERNEL(@NAME@_reference)
(TW_GLOBAL const element *A, TW_GLOBAL double *B, int M, int N, int lda, int ldb, element alpha)
{
    int row = (int)blockIdx.y, column = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x);
    if (row < M && column < N)
        B[(tw_index)row * ldb + column] = (double)alpha * (double)A[(tw_index)row * lda + column];
}
