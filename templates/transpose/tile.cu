/* A square tile of the matrix in shared memory.
 *
 * Three widths, in elements: a PIECE is what a thread would move at once; WIDE_A and WIDE_B are
 * what A's and B's strides let it move, powers of two up to PIECE. The tile is filled WIDE_A at a
 * time along rows. It is drained in patches of WIDE_B rows by PIECE columns: a thread reads WIDE_B
 * pieces, one below the other, turns the patch in registers and so has PIECE runs of WIDE_B
 * elements of the transposed tile. Neighbouring threads take patches below each other, whose runs
 * are side by side. */
#define PIECES (TILE_DIM / PIECE)
#define THREADS (PIECES * BLOCK_ROWS)
#define PATCH_ROWS (TILE_DIM / WIDE_B)
#define PATCHES (PATCH_ROWS * PIECES)
#define A_WORDS WORDS_OF(WIDE_A)
#define B_WORDS WORDS_OF(WIDE_B)
#define P_WORDS WORDS_OF(PIECE)
#define A_BYTES (WIDE_A * ESIZE)
#define B_BYTES (WIDE_B * ESIZE)
#define P_BYTES (PIECE * ESIZE)

/* Draining reads down a column of pieces, which plain rows place in the same few banks. Both cures
 * move data by grains, the larger of a piece and a bank: xor permutes the grains of a row, pad
 * shifts the rows. Either must differ between patch rows, SHARE of which pass before the banks
 * repeat by themselves. */
#ifndef SWIZZLE /* a kernel that turns nothing has no columns to read */
#define SWIZZLE_none 0
#define SWIZZLE_pad 1
#define SWIZZLE_xor 2
#define SWIZZLE SWIZZLE_none
#endif
#define GRAINS (TILE_DIM / GRAIN)
#define SHARE (WIDE_B * TILE_DIM * ESIZE < 128 ? 128 / (WIDE_B * TILE_DIM * ESIZE) : 1)

TW_DEVICE int tile_at(int row, int column)
{
#if SWIZZLE == SWIZZLE_xor
    return row * TILE_DIM + (column ^ row / WIDE_B / SHARE % GRAINS * GRAIN);
#elif SWIZZLE == SWIZZLE_pad
    return row * TILE_DIM + row / WIDE_B * GRAIN + column;
#else
    return row * TILE_DIM + column;
#endif
}

TW_DEVICE int is_whole(area at)
{
    return !RAGGED || (at.height == TILE_DIM && at.width == TILE_DIM);
}

/* Step k of a thread, where steps of all threads walk a tile's rows `per_row` to a row. All counts
 * are powers of two; the step's part is kept from the thread's so that it is a constant. */
TW_DEVICE int step_row(int k, int per_row)
{
    return k * THREADS / per_row + (int)(threadIdx.x / (tw_u32)per_row);
}

TW_DEVICE int step_column(int k, int per_row)
{
    return k * THREADS % per_row + (int)(threadIdx.x % (tw_u32)per_row);
}

/* Moves that fill the tile, and how many a thread has in flight: what its registers can hold. */
#define FILLS (TILE_DIM * PIECE / (WIDE_A * BLOCK_ROWS))
#define HELD_WORDS (THREADS > 512 ? 32 : 64)
#define FILL_FLIGHT (FILLS * A_WORDS > HELD_WORDS ? HELD_WORDS / A_WORDS : FILLS)

TW_DEVICE void fill_tile(TW_LOCAL element *tile, TW_GLOBAL const element *A, area at, int lda)
{
    int whole = is_whole(at);
    tw_u32 words[FILL_FLIGHT * A_WORDS];
    A += at.row * (tw_index)lda + at.column;

    for (int first = 0; first < FILLS; first += FILL_FLIGHT) {
        TW_UNROLL
        for (int k = 0; k < FILL_FLIGHT; k++) {
            int row = step_row(first + k, TILE_DIM / WIDE_A);
            int column = step_column(first + k, TILE_DIM / WIDE_A) * WIDE_A;
            TW_GLOBAL const element *p = A + (row * (tw_index)lda + column);
            if (whole || (row < at.height && column + WIDE_A <= at.width))
                load_global(words + k * A_WORDS, p, A_BYTES);
            else
                load_part(words + k * A_WORDS, p, WIDE_A,
                          row < at.height ? at.width - column : 0);
        }
        TW_UNROLL
        for (int k = 0; k < FILL_FLIGHT; k++) {
            int row = step_row(first + k, TILE_DIM / WIDE_A);
            int column = step_column(first + k, TILE_DIM / WIDE_A) * WIDE_A;
            store_shared(tile + tile_at(row, column), words + k * A_WORDS, A_BYTES);
        }
    }
}
