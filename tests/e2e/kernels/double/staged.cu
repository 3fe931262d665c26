#if DTYPE == DTYPE_f64
typedef double element;
#else
typedef float element;
#endif

TW_KERNEL(double_staged)
(TW_GLOBAL const element *A, TW_GLOBAL element *B, int M, int N, int lda, int ldb)
{
    TW_SHARED(element, piece, BLOCK);
    int column = blockIdx.x * BLOCK + threadIdx.x;
    if (column < N)
        piece[threadIdx.x] = A[(tw_index)blockIdx.y * lda + column];
    __syncthreads();
    if (column < N)
        B[(tw_index)blockIdx.y * ldb + column] = piece[threadIdx.x] + piece[threadIdx.x];
}
