/* Tiles by way of registers: global memory -> registers (fetch) -> shared memory (stash). The two
 * halves are apart so that the arithmetic of a whole step can hide the latency of the first. */

#if STAGING == STAGING_registers
/* Reads this thread's share of a tile, given where the first vector is. In a `partial` tile, k from
 * `k_left` on must be zero, as it feeds elements that exist. */
TW_DEVICE void fetch(real *staged, TW_GLOBAL const ELEMENT *first, int stride, int tid, int last,
                     int k_left, const int lines, const int length, const int vec,
                     const int k_contiguous, const int edge, const int partial)
{
    const int edge_line = edge && k_contiguous;
    const int edge_column = edge && !k_contiguous;
    const int line_0 = clamped(pass_line(tid, 0, length, vec), last, edge_line);
    const int column_0 = clamped(pass_column(tid, 0, length, vec), last, edge_column);
    TW_UNROLL
    for (int pass = 0; pass < PASSES(lines, length, vec); pass++) {
        if (!pass_covered(tid, pass, lines, length, vec))
            continue;
        const int line = pass_line(tid, pass, length, vec);
        const int column = pass_column(tid, pass, length, vec);
        if (partial && (k_contiguous ? column : line) >= k_left) {
            TW_UNROLL
            for (int e = 0; e < vec; e++)
                staged[pass * vec + e] = 0;
            continue;
        }
        const tile_offset down = clamped(line, last, edge_line) - line_0;
        const int along = clamped(column, last, edge_column) - column_0;
        load_global(staged + pass * vec, first + (down * stride + along), vec);
    }
}

TW_DEVICE void stash(TW_LOCAL real *first, const real *staged, int tid, const int row,
                     const int turned, const int lines, const int length, const int vec)
{
    TW_UNROLL
    for (int pass = 0; pass < PASSES(lines, length, vec); pass++) {
        if (!pass_covered(tid, pass, lines, length, vec))
            continue;
        const int down = pass_line(tid, pass, length, vec) - pass_line(tid, 0, length, vec);
        const int along = pass_column(tid, pass, length, vec) - pass_column(tid, 0, length, vec);
        if (!turned && row % vec == 0) {
            store_shared(first + down * row + along, staged + pass * vec, vec);
        } else {
            TW_UNROLL
            for (int e = 0; e < vec; e++)
                first[turned ? (along + e) * row + down : down * row + along + e] =
                    staged[pass * vec + e];
        }
    }
}

#if BLOCK_SCALED
/* Multiplies what is staged by its scales, one for 128 of K and for so many `rows` of the operand that lie across
 * K. The tile begins at `first` of those and at first_k; it has no more of them than up to `last`. */
TW_DEVICE void scale_staged(real *staged, TW_GLOBAL const float *scales, int tid, int first, int last,
                            int first_k, int K, const int rows, const int lines, const int length,
                            const int vec, const int k_contiguous)
{
    TW_UNROLL
    for (int pass = 0; pass < PASSES(lines, length, vec); pass++) {
        if (!pass_covered(tid, pass, lines, length, vec))
            continue;
        TW_UNROLL
        for (int e = 0; e < vec; e++) {
            const int line = pass_line(tid, pass, length, vec);
            const int column = pass_column(tid, pass, length, vec) + e;
            const int place = clamped(k_contiguous ? line : column, last, 1);
            const int k = clamped(first_k + (k_contiguous ? column : line), K - 1, 1);
            staged[pass * vec + e] *= scales[(tw_index)((first + place) / rows) * BLOCKS_OF_K(K) + k / 128];
        }
    }
}
#endif

/* From here on: the steps of the pipeline in product.cu, which has the names. */

#define STAGED_A (PASSES(LINES_A, LENGTH_A, VEC_A) * VEC_A)
#define STAGED_B (PASSES(LINES_B, LENGTH_B, VEC_B) * VEC_B)
#if BLOCK_SCALED
#define DECLARE_STAGED()                                                                         \
    real staged_a[STAGED_A], staged_b[STAGED_B];                                                 \
    int staged_k = 0
#else
#define DECLARE_STAGED() real staged_a[STAGED_A], staged_b[STAGED_B]
#endif

#if BLOCK_SCALED
#define FETCH(partial)                                                                           \
    do {                                                                                         \
        staged_k = K - left;                                                                     \
        fetch(staged_a, from_a, lda, tid, last_a, left, SHAPE_A, !TRANS_A, EDGE_M, partial);     \
        fetch(staged_b, from_b, ldb, tid, last_b, left, SHAPE_B, TRANS_B, EDGE_N, partial);      \
    } while (0)
#else
#define FETCH(partial)                                                                           \
    do {                                                                                         \
        fetch(staged_a, from_a, lda, tid, last_a, left, SHAPE_A, !TRANS_A, EDGE_M, partial);     \
        fetch(staged_b, from_b, ldb, tid, last_b, left, SHAPE_B, TRANS_B, EDGE_N, partial);      \
    } while (0)
#endif
/* Only the last tile can be partial. */
#define FETCH_NEXT()                                                                             \
    do {                                                                                         \
        if (EDGE_K && left < BK)                                                                 \
            FETCH(1);                                                                            \
        else                                                                                     \
            FETCH(0);                                                                            \
    } while (0)
#if APART
#define UNPACK()                                                                                 \
    do {                                                                                         \
        TW_UNROLL                                                                                \
        for (int e = 0; e < STAGED_A; e++)                                                       \
            staged_a[e] = UNPACKED_A(staged_a[e]);                                               \
        TW_UNROLL                                                                                \
        for (int e = 0; e < STAGED_B; e++)                                                       \
            staged_b[e] = UNPACKED_B(staged_b[e]);                                               \
    } while (0)
#else
#define UNPACK()
#endif
#if !BLOCK_SCALED
#define SCALE_STAGED()
#else
#define SCALE_STAGED()                                                                           \
    do {                                                                                         \
        scale_staged(staged_a, a_scales, tid, 0, m_size - 1, staged_k, K, 1, SHAPE_A, !TRANS_A); \
        scale_staged(staged_b, b_scales, tid, first_n, n_size - 1, staged_k, K, 128, SHAPE_B,    \
                     TRANS_B);                                                                   \
    } while (0)
#endif
#if APART || BLOCK_SCALED
#define STASH(offset)                                                                            \
    do {                                                                                         \
        UNPACK();                                                                                \
        SCALE_STAGED();                                                                          \
        stash(to_a + (offset), staged_a, tid, ROW_A, TURN_A, SHAPE_A);                           \
        stash(to_b + (offset), staged_b, tid, ROW_B, TURN_B, SHAPE_B);                           \
    } while (0)
#else
#define STASH(offset)                                                                            \
    do {                                                                                         \
        stash(to_a + (offset), staged_a, tid, ROW_A, TURN_A, SHAPE_A);                           \
        stash(to_b + (offset), staged_b, tid, ROW_B, TURN_B, SHAPE_B);                           \
    } while (0)
#endif

/* A tile before the loop, into stage `stage`. */
#define BRING_FIRST(stage)                                                                       \
    do {                                                                                         \
        if (left > 0) {                                                                          \
            FETCH_NEXT();                                                                        \
            STASH((stage)*STAGE);                                                                \
        }                                                                                        \
    } while (0)
#define AWAIT_FIRST() __syncthreads()

/* The tile LEAD steps ahead sets out while this one is multiplied, and arrives. */
#if PREFETCH == 1
#define SET_OUT()
#define ARRIVE()                                                                                 \
    do {                                                                                         \
        __syncthreads();                                                                         \
        if (left > 0) {                                                                          \
            FETCH_NEXT();                                                                        \
            STASH(0);                                                                            \
        }                                                                                        \
        __syncthreads();                                                                         \
    } while (0)
#else
#define SET_OUT()                                                                                \
    do {                                                                                         \
        if (left > 0)                                                                            \
            FETCH_NEXT();                                                                        \
    } while (0)
#define ARRIVE()                                                                                 \
    do {                                                                                         \
        if (left > 0)                                                                            \
            STASH(0);                                                                            \
        __syncthreads();                                                                         \
    } while (0)
#endif

/* With three stages the next tile is visible already, and its first fragments need not wait for the
 * barrier. */
#define ARRIVES_LATE (PREFETCH == 3)
#endif
