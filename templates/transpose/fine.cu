/* Each tile of A transposed within itself, at its own place in B: what turning a tile costs, with
 * reads and writes as a copy has them.
 *
 * A tile that the edge cuts is transposed as far as both an element's own and its transposed
 * position lie inside; the other elements stay where they are. */
#define DRAINS (PATCHES / THREADS)

/* A piece of row `row` of the tile. */
#if STAGING == STAGING_shared
#define FETCH(words, row, column)                                                                \
    load_shared(words, tile + tile_at(row, column), P_BYTES)
#define FETCH_ELEMENT(row, column) tile[tile_at(row, column)]
#else
#define FETCH(words, row, column)                                                                \
    load_piece(words, A + ((row) * (tw_index)lda + (column)), WIDE_A)
#define FETCH_ELEMENT(row, column) A[(row) * (tw_index)lda + (column)]
#endif

TW_KERNEL(transpose_fine)
(TW_GLOBAL const element *TW_RESTRICT A, TW_GLOBAL element *TW_RESTRICT B, int M, int N, int lda,
 int ldb)
{
#if STAGING == STAGING_shared
    TW_SHARED(element, tile, TILE_ELEMENTS);
#endif
    area at = find_area(M, N, TILE_DIM, TILE_DIM, TILE_DIM);
#if STAGING == STAGING_shared
    fill_tile(tile, A, at, lda);
    __syncthreads();
#else
    A += at.row * (tw_index)lda + at.column;
#endif
    B += at.row * (tw_index)ldb + at.column;

    if (is_whole(at)) {
        for (int k = 0; k < DRAINS; k++) {
            int row = step_column(k, PATCH_ROWS) * WIDE_B;
            int column = step_row(k, PATCH_ROWS) * PIECE;
            tw_u32 pieces[WIDE_B * P_WORDS];
            tw_u32 runs[PIECE * B_WORDS];
            TW_UNROLL
            for (int j = 0; j < WIDE_B; j++)
                FETCH(pieces + j * P_WORDS, row + j, column);
            turn(runs, pieces, WIDE_B, PIECE);
            TW_UNROLL
            for (int i = 0; i < PIECE; i++)
                store_global(B + ((column + i) * (tw_index)ldb + row), runs + i * B_WORDS,
                             B_BYTES);
        }
    } else {
        for (int i = threadIdx.x; i < at.height * TILE_DIM; i += THREADS) {
            int row = i / TILE_DIM;
            int column = i % TILE_DIM;
            int turned = row < at.width && column < at.height;
            if (column < at.width)
                B[row * (tw_index)ldb + column] =
                    turned ? FETCH_ELEMENT(column, row) : FETCH_ELEMENT(row, column);
        }
    }
}
