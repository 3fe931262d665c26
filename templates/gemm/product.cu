/* A thread's part of the product of a row of tiles of A and a column of tiles of B: the pipeline over K.
 * staged.cu or async.cu says how tiles set out and arrive. */

#if TRANS_A
#define ADVANCE_A ((tw_index)BK * lda)
#else
#define ADVANCE_A BK
#endif
#if TRANS_B
#define ADVANCE_B BK
#else
#define ADVANCE_B ((tw_index)BK * ldb)
#endif
#define ADVANCE()                                                                                \
    do {                                                                                         \
        from_a += ADVANCE_A;                                                                     \
        from_b += ADVANCE_B;                                                                     \
        left -= BK;                                                                              \
    } while (0)

/* Fragments for the multiplication after this one are on their way while this one is done. */
#define MULTIPLY_AND_READ(from_a, from_b, k)                                                     \
    do {                                                                                         \
        real next_a[TM], next_b[TN];                                                             \
        read_fragments(next_a, next_b, from_a, from_b, k);                                       \
        multiply(sum, a, b);                                                                     \
        TW_UNROLL                                                                                \
        for (int i = 0; i < TM; i++)                                                             \
            a[i] = next_a[i];                                                                    \
        TW_UNROLL                                                                                \
        for (int j = 0; j < TN; j++)                                                             \
            b[j] = next_b[j];                                                                    \
    } while (0)

/* Adds to `sum`. The operands point to the first elements that belong to the block's tile of C, from which
 * on C has `m_size` rows and `n_size` columns, and to the first of `left` values of k; `m`, `n` and `slice`
 * are the thread's place. With scales by blocks, those of A begin with the tile's, and those of B with the matrix's,
 * of which the tile has the columns from `first_n` on. */
TW_DEVICE void add_products(real *sum, TW_LOCAL real *shared, TW_GLOBAL const ELEMENT *A,
                            TW_GLOBAL const ELEMENT *B, int lda, int ldb, int m_size, int n_size,
#if BLOCK_SCALED
                            int left, int tid, int m, int n, int slice, TW_GLOBAL const float *a_scales,
                            TW_GLOBAL const float *b_scales, int first_n, int K)
#else
                            int left, int tid, int m, int n, int slice)
#endif
{
    /* The last line or vector that an edge tile may read. */
    const int last_a = m_size - (TRANS_A ? VEC_A : 1);
    const int last_b = n_size - (TRANS_B ? 1 : VEC_B);
    TW_GLOBAL const ELEMENT *from_a =
        A + first_vector(lda, tid, last_a, LENGTH_A, VEC_A, !TRANS_A, EDGE_M);
    TW_GLOBAL const ELEMENT *from_b =
        B + first_vector(ldb, tid, last_b, LENGTH_B, VEC_B, TRANS_B, EDGE_N);

    TW_LOCAL const real *read_a =
        shared + m * (A_BY_K ? 1 : ROW_A) + slice * SLICE_K * NEXT_K_A;
    TW_LOCAL const real *read_b = shared + TILE_A + n + slice * SLICE_K * NEXT_K_B;
    TW_LOCAL real *to_a = shared + first_place(tid, ROW_A, TURN_A, LENGTH_A, VEC_A);
    TW_LOCAL real *to_b = shared + TILE_A + first_place(tid, ROW_B, TURN_B, LENGTH_B, VEC_B);

    real a[TM], b[TN];
    DECLARE_STAGED();
    TW_UNROLL
    for (int stage = 0; stage < LEAD; stage++) {
        BRING_FIRST(stage);
        ADVANCE();
    }
    AWAIT_FIRST();
#if REG_PREFETCH
    read_fragments(a, b, read_a, read_b, 0);
#endif
#if PREFETCH > 1
    to_a += LEAD * STAGE;
    to_b += LEAD * STAGE;
    int stage = 0; /* being read; the one before it, around the ring, is being written */
#endif
    BEGIN_FOLDING();

    TW_UNROLL_BY(1)
    while (left > PIECE_END) {
        SET_OUT();
#if PREFETCH > 1
        /* Pointers that move cost one addition a tile, indices several. A plain counter stays on
         * the uniform datapath of NVIDIA GPUs, which offsets derived from each other do not. */
        const int read_step = stage == PREFETCH - 1 ? -LEAD * STAGE : STAGE;
        const int write_step = stage == 0 ? -LEAD * STAGE : STAGE;
#else
        const int read_step = 0;
#endif

        TW_LOCAL const real *at_a = read_a, *at_b = read_b;
#if REG_PREFETCH
        TW_UNROLL_BY(1)
        for (int k = 0; k < SLICE_K - UNROLL; k += UNROLL) {
            TW_UNROLL
            for (int u = 1; u <= UNROLL; u++)
                MULTIPLY_AND_READ(at_a, at_b, u);
            at_a += UNROLL * NEXT_K_A;
            at_b += UNROLL * NEXT_K_B;
        }
        TW_UNROLL
        for (int u = 1; u < UNROLL; u++)
            MULTIPLY_AND_READ(at_a, at_b, u);
#if !ARRIVES_LATE
        ARRIVE();
#endif
        read_a += read_step;
        read_b += read_step;
        MULTIPLY_AND_READ(read_a, read_b, 0);
#if ARRIVES_LATE
        ARRIVE();
#endif
#else
        TW_UNROLL_BY(1)
        for (int k = 0; k < SLICE_K; k += UNROLL) {
            TW_UNROLL
            for (int u = 0; u < UNROLL; u++) {
                read_fragments(a, b, at_a, at_b, u);
                multiply(sum, a, b);
            }
            at_a += UNROLL * NEXT_K_A;
            at_b += UNROLL * NEXT_K_B;
        }
        ARRIVE();
        read_a += read_step;
        read_b += read_step;
#endif
#if PREFETCH > 1
        to_a += write_step;
        to_b += write_step;
        stage = stage == PREFETCH - 1 ? 0 : stage + 1;
#endif
        ADVANCE();
    }

    END_FOLDING();
}
