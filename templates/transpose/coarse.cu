/* Each tile of A at its transposed place in B, itself not transposed: what moving tiles costs,
 * with nothing turned.
 *
 * Where the edge cuts a tile, its place in B is as wide as the tile is high. An element that would
 * fall outside gives way: its place's element comes from the transposed position instead. */
#define WIDE (WIDE_A < WIDE_B ? WIDE_A : WIDE_B)
#define RUNS (TILE_DIM * PIECE / (WIDE_B * BLOCK_ROWS))
#define MOVES (TILE_DIM * PIECE / (WIDE * BLOCK_ROWS))
#define FLIGHT (MOVES * WORDS_OF(WIDE) > HELD_WORDS ? HELD_WORDS / WORDS_OF(WIDE) : MOVES)

#if STAGING == STAGING_shared
#define FETCH_ELEMENT(row, column) tile[tile_at(row, column)]
#else
#define FETCH_ELEMENT(row, column) A[(row) * (tw_index)lda + (column)]
#endif

TW_KERNEL(transpose_coarse)
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
    B += at.column * (tw_index)ldb + at.row;

    if (is_whole(at)) {
#if STAGING == STAGING_shared
        TW_UNROLL_BY(4)
        for (int k = 0; k < RUNS; k++) {
            int row = step_row(k, TILE_DIM / WIDE_B);
            int column = step_column(k, TILE_DIM / WIDE_B) * WIDE_B;
            tw_u32 words[B_WORDS];
            load_shared(words, tile + tile_at(row, column), B_BYTES);
            store_global(B + (row * (tw_index)ldb + column), words, B_BYTES);
        }
#else
        tw_u32 words[FLIGHT * WORDS_OF(WIDE)];
        for (int first = 0; first < MOVES; first += FLIGHT) {
            TW_UNROLL
            for (int k = 0; k < FLIGHT; k++) {
                int row = step_row(first + k, TILE_DIM / WIDE);
                int column = step_column(first + k, TILE_DIM / WIDE) * WIDE;
                load_global(words + k * WORDS_OF(WIDE), A + (row * (tw_index)lda + column),
                            WIDE * ESIZE);
            }
            TW_UNROLL
            for (int k = 0; k < FLIGHT; k++) {
                int row = step_row(first + k, TILE_DIM / WIDE);
                int column = step_column(first + k, TILE_DIM / WIDE) * WIDE;
                store_global(B + (row * (tw_index)ldb + column), words + k * WORDS_OF(WIDE),
                             WIDE * ESIZE);
            }
        }
#endif
    } else {
        for (int i = threadIdx.x; i < at.width * TILE_DIM; i += THREADS) {
            int row = i / TILE_DIM;
            int column = i % TILE_DIM;
            int inside = row < at.height && column < at.width;
            if (column < at.height)
                B[row * (tw_index)ldb + column] =
                    inside ? FETCH_ELEMENT(row, column) : FETCH_ELEMENT(column, row);
        }
    }
}
