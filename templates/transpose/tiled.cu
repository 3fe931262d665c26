/* B = A^T through a tile in shared memory. */
#define DRAINS (PATCHES / THREADS)

TW_KERNEL(transpose_tiled)
(TW_GLOBAL const element *TW_RESTRICT A, TW_GLOBAL element *TW_RESTRICT B, int M, int N, int lda,
 int ldb)
{
    TW_SHARED(element, tile, TILE_ELEMENTS);
    area at = find_area(M, N, TILE_DIM, TILE_DIM, TILE_DIM);
    int whole = is_whole(at);

    fill_tile(tile, A, at, lda);
    __syncthreads();

    B += at.column * (tw_index)ldb + at.row;
    for (int k = 0; k < DRAINS; k++) {
        int row = step_column(k, PATCH_ROWS) * WIDE_B;
        int column = step_row(k, PATCH_ROWS) * PIECE;
        tw_u32 pieces[WIDE_B * P_WORDS];
        tw_u32 runs[PIECE * B_WORDS];
        TW_UNROLL
        for (int j = 0; j < WIDE_B; j++)
            load_shared(pieces + j * P_WORDS, tile + tile_at(row + j, column), P_BYTES);
        turn(runs, pieces, WIDE_B, PIECE);
        TW_UNROLL
        for (int i = 0; i < PIECE; i++) {
            TW_GLOBAL element *p = B + ((column + i) * (tw_index)ldb + row);
            if (whole || (column + i < at.width && row + WIDE_B <= at.height))
                store_global(p, runs + i * B_WORDS, B_BYTES);
            else
                store_part(p, runs + i * B_WORDS, WIDE_B,
                           column + i < at.width ? at.height - row : 0);
        }
    }
}
