/* Tiles transposed in place, one thread an element of B. An element of a cut tile whose transposed
 * position lies outside the matrix is copied. */
TW_KERNEL(transpose_fine_reference)
(TW_GLOBAL const input *A, TW_GLOBAL answer *B, int M, int N, int lda, int ldb,
 int side)
{
    tw_index i = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (i >= (tw_index)M * N)
        return;
    tw_index row = i / N;
    tw_index column = i % N;
    tw_index from_row = row - row % side + column % side;
    tw_index from_column = column - column % side + row % side;
    if (from_row >= M || from_column >= N) {
        from_row = row;
        from_column = column;
    }
    B[row * ldb + column] = (answer)A[from_row * lda + from_column];
}
