/* B = A^T with wide accesses whatever the rows' alignment, as where a stride is odd.
 *
 * Rows of A are read in whole aligned words of IN elements, so a row of the tile begins up to
 * IN - 1 elements before the tile: every row of the tile is shifted by its own misalignment, and
 * reading a column adds it. Rows of B are cut at multiples of CUT elements in memory, so a row's
 * piece begins up to CUT - 1 elements after the tile, and the tile has as many rows more for that.
 * Pieces are written in words of OUT elements, gathered one by one from a column of the tile.
 *
 * The tile has ROWS rows, PITCH elements apart and SKEW more after every OUT of them, which puts
 * neighbouring words of B into different banks of shared memory.
 *
 * IN divides OUT and OUT divides CUT. A thread writes columns whose pieces have the same shift
 * modulo OUT: its words' rows then lie at the same few distances from the word's first. */
#define IN_WORDS WORDS_OF(IN)
#define OUT_WORDS WORDS_OF(OUT)

/* An element's place in memory, counted in elements: its low bits, which are all that is used. */
TW_DEVICE tw_u32 place_in_memory(TW_GLOBAL const element *p)
{
    return (tw_u32)((tw_u64)p / ESIZE);
}

/* How far row `row` of the tile is shifted, and the piece of B's row `column`; the first of each
 * lies at `place`. */
TW_DEVICE int row_shift(tw_u32 place, int row, int lda)
{
    return (int)((place + (tw_u32)row * (tw_u32)lda) & (IN - 1));
}

TW_DEVICE int piece_shift(tw_u32 place, int column, int ldb)
{
    return (int)(-(place + (tw_u32)column * (tw_u32)ldb) & (CUT - 1));
}

/* Where row `row` of the tile begins, without its shift. */
TW_DEVICE int row_at(int row)
{
    return row * PITCH + row / OUT * SKEW;
}

/* Words that fill the tile, and how many a thread has in flight: few enough that several
 * blocks share a multiprocessor. */
#define PER_ROW (PITCH / IN)
#define FILLS ((ROWS * PER_ROW - 1) / THREADS + 1)
#define HELD (16 / IN_WORDS)
#define TURNS ((FILLS - 1) / HELD + 1)
#define FLIGHT ((FILLS - 1) / TURNS + 1)

/* `last` is the index of the last element of the buffer: no word is read that passes either end. */
TW_DEVICE void fill_shifted(TW_LOCAL element *tile, TW_GLOBAL const element *A, area at, int lda,
                            tw_index last)
{
    tw_u32 words[FLIGHT * IN_WORDS];
    tw_index start = at.row * (tw_index)lda + at.column;
    tw_u32 place = place_in_memory(A + start);
    for (int first = 0; first < FILLS; first += FLIGHT) {
        TW_UNROLL
        for (int k = 0; k < FLIGHT; k++) {
            int i = (first + k) * THREADS + (int)threadIdx.x;
            int row = i / PER_ROW;
            int column = i % PER_ROW * IN - row_shift(place, row, lda);
            tw_index from = start + row * (tw_index)lda + column;
            TW_UNROLL
            for (int w = 0; w < IN_WORDS; w++)
                words[k * IN_WORDS + w] = 0;
            if (row < at.height && column < at.width && from >= 0 && from + IN - 1 <= last)
                load_global(words + k * IN_WORDS, A + from, IN * ESIZE);
        }
        TW_UNROLL
        for (int k = 0; k < FLIGHT; k++) {
            int i = (first + k) * THREADS + (int)threadIdx.x;
            if (i < ROWS * PER_ROW)
                store_shared(tile + (i * IN + i / PER_ROW / OUT * SKEW), words + k * IN_WORDS,
                             IN * ESIZE);
        }
    }
}

/* Whether the buffer's ends kept words of this tile from being read. The last word may begin in the
 * tile before the last. */
TW_DEVICE int has_ends(area at, int M, int N)
{
    return IN > 1 && ((at.row == 0 && at.column == 0) ||
                      (at.row + at.height == M && N - at.column - at.width < IN));
}

/* The elements of such words, of the buffer's first row and of its last: the rows next to them are
 * too far from the ends, for no stride is below IN - 1. */
TW_DEVICE void fill_ends(TW_LOCAL element *tile, TW_GLOBAL const element *A, area at, int lda,
                         int M, int N)
{
    tw_u32 place = place_in_memory(A + (at.row * (tw_index)lda + at.column));
    int i = threadIdx.x;
    if (i >= IN - 1)
        return;
    if (at.row == 0 && at.column == 0 && i < at.width)
        tile[row_shift(place, 0, lda) + i] = A[i];
    int row = at.height - 1;
    int column = N - 1 - i - at.column;
    if (at.row + row == M - 1 && column >= 0 && column < at.width)
        tile[row_at(row) + row_shift(place, row, lda) + column] =
            A[(M - 1) * (tw_index)lda + at.column + column];
}

#define RUNS (TILE_M / OUT)
#define STEP (THREADS / RUNS)

TW_KERNEL(transpose_shifted)
(TW_GLOBAL const element *TW_RESTRICT A, TW_GLOBAL element *TW_RESTRICT B, int M, int N, int lda,
 int ldb)
{
    TW_SHARED(element, tile, TILE_ELEMENTS);
    area at = find_area(M, N, TILE_M, TILE_N, ROWS);

    fill_shifted(tile, A, at, lda, (M - 1) * (tw_index)lda + N - 1);
    __syncthreads();
    if (has_ends(at, M, N)) {
        fill_ends(tile, A, at, lda, M, N);
        __syncthreads();
    }

    tw_u32 place_a = place_in_memory(A + (at.row * (tw_index)lda + at.column));
    B += at.column * (tw_index)ldb + at.row;
    tw_u32 place_b = place_in_memory(B);
    int first = (int)(threadIdx.x / (tw_u32)RUNS);
    int run = (int)(threadIdx.x % (tw_u32)RUNS);

    /* From a word's first row to its elements'. */
    int away[OUT];
    TW_UNROLL
    for (int j = 0; j < OUT; j++) {
        int row = (piece_shift(place_b, first, ldb) & (OUT - 1)) + j;
        away[j] = row_at(row) + row_shift(place_a, row, lda) + first;
    }
    TW_UNROLL_BY(4)
    for (int k = 0; k < TILE_N / STEP; k++) {
        int column = first + k * STEP;
        int shift = piece_shift(place_b, column, ldb);
        int row = run * OUT + shift;
        TW_LOCAL const element *from = tile + ((run + shift / OUT) * (OUT * PITCH + SKEW) + k * STEP);
        TW_GLOBAL element *p = B + (column * (tw_index)ldb + row);
        tw_u32 words[OUT_WORDS];
        TW_UNROLL
        for (int w = 0; w < OUT_WORDS; w++)
            words[w] = 0;
        TW_UNROLL
        for (int j = 0; j < OUT; j++)
            put_element(words, j, from[away[j]]);
        if (column < at.width) {
            if (row + OUT <= at.height)
                store_global(p, words, OUT * ESIZE);
            else
                store_part(p, words, OUT, at.height - row);
        }
    }
    /* Rows of B begin with what comes before the first cut. */
    if (CUT > 1 && at.row == 0) {
        for (int i = threadIdx.x; i < CUT * at.width; i += THREADS) {
            int column = i / CUT;
            int row = i % CUT;
            if (row < piece_shift(place_b, column, ldb) && row < at.height)
                B[column * (tw_index)ldb + row] =
                    tile[row_at(row) + row_shift(place_a, row, lda) + column];
        }
    }
}
