/* The right answer, as plainly as can be: floating outputs are pointers to double, whatever the dtype. */
#if DTYPE == DTYPE_f64
typedef double element;
#else
typedef float element;
#endif

TW_KERNEL(@NAME@_reference)
(TW_GLOBAL const element *A, TW_GLOBAL double *B, int M, int N, int lda, int ldb, element alpha)
{
    int pieces = (N + TW_BLOCK_X - 1) / TW_BLOCK_X; /* blocks of a row */
    int row = (int)blockIdx.x / pieces;
    int column = (int)blockIdx.x % pieces * TW_BLOCK_X + (int)threadIdx.x;
    if (row < M && column < N)
        B[(tw_index)row * ldb + column] = (double)alpha * (double)A[(tw_index)row * lda + column];
}
