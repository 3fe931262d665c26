/* The short matrix of a product with few vectors: K rows of COLUMNS. A block lays what belongs to a step of the
 * long matrix down in shared memory, as numbers. */

#if SHORT_ALONG_K
#define OFFSET_SHORT(k, c) ((tw_index)(c)*short_stride + (k))
#else
#define OFFSET_SHORT(k, c) ((tw_index)(k)*short_stride + (c))
#endif

/* Where lines lie along K, a thread's word has elements of this word of K and of the one before, by its line's
 * offset, and neighbouring threads have neighbouring words. So elements lie by their place in a word first: threads
 * that read the same place of theirs read neighbours. Otherwise a step is as many lines. */
#if ALONG_K
#define STEP_WORDS (LANES + 1)
#define SHORT_STEP (STEP_WORDS * PER_WORD)
#define SHORT_AT(i) ((i) % PER_WORD * STEP_WORDS + (i) / PER_WORD)
#else
#define SHORT_STEP (LANES * LINES)
#define SHORT_AT(i) (i)
#endif
#define SHARED_SHORT (SHORT_STEP * COLUMNS)

/* What element `i` of a step has in each column. */
TW_DEVICE void load_short(real *numbers, TW_LOCAL const real *shared, int i)
{
    TW_UNROLL
    for (int c = 0; c < COLUMNS; c++)
        numbers[c] = shared[c * SHORT_STEP + SHORT_AT(i)];
}

/* From `first` on; before 0 and from K on there are zeros. */
TW_DEVICE void stage_short(TW_LOCAL real *shared, TW_GLOBAL const ELEMENT *vectors, int short_stride, int first, int K,
                           int tid)
{
    __syncthreads();
    TW_UNROLL_BY(4)
    for (int v = tid; v < SHARED_SHORT; v += THREADS) {
        const int i = SHORT_ALONG_K ? v % SHORT_STEP : v / COLUMNS;
        const int c = SHORT_ALONG_K ? v / SHORT_STEP : v % COLUMNS;
        const int k = first + i;
        shared[c * SHORT_STEP + SHORT_AT(i)] = k >= 0 && k < K ? LOADED(vectors[OFFSET_SHORT(k, c)]) : 0;
    }
    __syncthreads();
}
