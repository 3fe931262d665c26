/* B = A, a tile of the matrix a block, straight or through shared memory.
 *
 * A matrix without gaps is copied as one long row (FLAT), so its shape costs nothing. WIDE elements
 * move at once: PIECE where both strides allow, fewer where they do not. A thread then makes more
 * moves rather than narrower tiles, and neighbours stay side by side, so that even single elements
 * make whole memory transactions. */
#define THREADS (TX * TY)
#define MOVES_X (RX * PIECE / WIDE)
#define MOVES (MOVES_X * RY)
#define BYTES (WIDE * ESIZE)
#define WORDS WORDS_OF(WIDE)
/* Moves in flight: all, unless narrow moves would need more registers than there are. */
#define HELD_WORDS (THREADS > 512 ? 32 : 64)
#define FLIGHT (MOVES * WORDS > HELD_WORDS ? HELD_WORDS / WORDS : MOVES)

/* The elements of move k that lie inside the matrix, and where they start. */
TW_DEVICE int locate(int k, int rows, tw_index columns, tw_index *row, tw_index *column)
{
    int tiles = FLAT ? 1 << 30 : (int)((columns - 1) / TILE_X) + 1;
    int tile_y = FLAT ? 0 : blockIdx.x / tiles;
    int tile_x = FLAT ? blockIdx.x : blockIdx.x % tiles;
    tw_u32 t = threadIdx.x;
    *row = (tw_index)tile_y * TILE_Y + k / MOVES_X * TY + (int)(t / TX);
    *column = (tw_index)tile_x * TILE_X + (k % MOVES_X * TX + (int)(t % TX)) * WIDE;
    if (!RAGGED)
        return WIDE;
    tw_index left = *row < rows ? columns - *column : 0;
    return left >= WIDE ? WIDE : left > 0 ? (int)left : 0;
}

TW_DEVICE void read_move(tw_u32 *words, TW_GLOBAL const element *A, int k, int rows,
                         tw_index columns, int lda)
{
    tw_index row;
    tw_index column;
    int count = locate(k, rows, columns, &row, &column);
    TW_GLOBAL const element *p = A + (row * lda + column);
    if (count == WIDE)
        load_global(words, p, BYTES);
    else
        load_part(words, p, WIDE, count);
}

TW_DEVICE void write_move(TW_GLOBAL element *B, const tw_u32 *words, int k, int rows,
                          tw_index columns, int ldb)
{
    tw_index row;
    tw_index column;
    int count = locate(k, rows, columns, &row, &column);
    TW_GLOBAL element *p = B + (row * ldb + column);
    if (count == WIDE)
        store_global(p, words, BYTES);
    else
        store_part(p, words, WIDE, count);
}

TW_KERNEL(copy)
(TW_GLOBAL const element *TW_RESTRICT A, TW_GLOBAL element *TW_RESTRICT B, int M, int N, int lda,
 int ldb)
{
#if STAGING == STAGING_shared
    TW_SHARED(element, tile, TILE_X *TILE_Y);
    int t = threadIdx.x;
#endif
    int rows = FLAT ? 1 : M;
    tw_index columns = FLAT ? (tw_index)M * N : N;
    tw_u32 words[FLIGHT * WORDS];

    for (int first = 0; first < MOVES; first += FLIGHT) {
        TW_UNROLL
        for (int k = 0; k < FLIGHT; k++)
            read_move(words + k * WORDS, A, first + k, rows, columns, lda);
        TW_UNROLL
        for (int k = 0; k < FLIGHT; k++) {
#if STAGING == STAGING_shared
            store_shared(tile + ((first + k) * THREADS + t) * WIDE, words + k * WORDS, BYTES);
#else
            write_move(B, words + k * WORDS, first + k, rows, columns, ldb);
#endif
        }
    }
#if STAGING == STAGING_shared
    __syncthreads();
    for (int first = 0; first < MOVES; first += FLIGHT) {
        TW_UNROLL
        for (int k = 0; k < FLIGHT; k++) {
            load_shared(words, tile + ((first + k) * THREADS + t) * WIDE, BYTES);
            write_move(B, words, first + k, rows, columns, ldb);
        }
    }
#endif
}
