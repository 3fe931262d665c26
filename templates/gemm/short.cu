/* The short matrix of a product with few vectors: K rows of COLUMNS. It is small and read by every block;
 * threads take it from global memory as they need it, or with STAGED from shared memory, where the block
 * lays a step of it down column by column. */

#if SHORT_ALONG_K
#define OFFSET_SHORT(k, c) ((tw_index)(c)*short_stride + (k))
#else
#define OFFSET_SHORT(k, c) ((tw_index)(k)*short_stride + (c))
#endif

/* Of a vector in global memory. */
#define SHORT_K (SHORT_ALONG_K ? VEC_SHORT : 1)
#define SHORT_C (SHORT_ALONG_K ? 1 : VEC_SHORT)

/* What is loaded at once for multiplying. */
#if STAGED
#define PIECE_K RUN
#define PIECE_C 1
#else
#define PIECE_K SHORT_K
#define PIECE_C SHORT_C
#endif
#define PIECE (PIECE_K * PIECE_C)

/* Columns in shared memory begin in different banks, yet 16-byte aligned. */
#define STAGED_STRIDE (STEP + 4)
#define SHARED_SHORT (STAGED * COLUMNS * STAGED_STRIDE)

/* Elements past the end are zero on both sides: what lies there may be NaN. */
TW_DEVICE void fetch_short(real *to, TW_GLOBAL const real *vectors, int short_stride, int k, int c,
                           int left, const int edge)
{
    if (!edge || k < left) {
        load_global(to, vectors + OFFSET_SHORT(k, c), VEC_SHORT);
    } else {
        TW_UNROLL
        for (int i = 0; i < VEC_SHORT; i++)
            to[i] = 0;
    }
}

TW_DEVICE void stage_short(TW_LOCAL real *shared, TW_GLOBAL const real *vectors, int short_stride,
                           int tid, int left, const int edge)
{
#if STAGED
    __syncthreads();
    TW_UNROLL_BY(4)
    for (int v = tid; v < STEP * COLUMNS / VEC_SHORT; v += THREADS) {
        const int k = SHORT_ALONG_K ? v % (STEP / SHORT_K) * SHORT_K : v / (COLUMNS / SHORT_C);
        const int c = SHORT_ALONG_K ? v / (STEP / SHORT_K) : v % (COLUMNS / SHORT_C) * SHORT_C;
        real values[VEC_SHORT];
        fetch_short(values, vectors, short_stride, k, c, left, edge);
        TW_UNROLL
        for (int i = 0; i < VEC_SHORT; i++)
            shared[(c + i % SHORT_C) * STAGED_STRIDE + k + i / SHORT_C] = values[i];
    }
    __syncthreads();
#endif
}

TW_DEVICE void load_short(real *piece, TW_LOCAL const real *shared, TW_GLOBAL const real *vectors,
                          int short_stride, int k, int c, int left, const int edge)
{
#if STAGED
    load_shared(piece, shared + c * STAGED_STRIDE + k, PIECE);
#else
    fetch_short(piece, vectors, short_stride, k, c, left, edge);
#endif
}
