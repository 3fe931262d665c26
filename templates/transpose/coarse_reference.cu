/* Tiles moved to their transposed places, one thread an element of B. Where the edge cuts a tile,
 * an element of B whose source would lie outside the matrix comes from the transposed position. */
TW_KERNEL(transpose_coarse_reference)
(TW_GLOBAL const input *A, TW_GLOBAL answer *B, int M, int N, int lda, int ldb,
 int side)
{
    tw_index i = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (i >= (tw_index)M * N)
        return;
    tw_index row = i / M;
    tw_index column = i % M;
    tw_index tile_row = column - column % side;
    tw_index tile_column = row - row % side;
    tw_index from_row = tile_row + row % side;
    tw_index from_column = tile_column + column % side;
    if (from_row >= M || from_column >= N) {
        from_row = tile_row + column % side;
        from_column = tile_column + row % side;
    }
    B[row * ldb + column] = (answer)A[from_row * lda + from_column];
}
