/* The kernel: the pipeline over K, and the result. */

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

/* The next tile of each operand into registers; only the last one can be partial. */
#define FETCH(partial)                                                                           \
    fetch(staged_a, from_a, lda, tid, last_a, left, SHAPE_A, !TRANS_A, EDGE_M, partial);         \
    fetch(staged_b, from_b, ldb, tid, last_b, left, SHAPE_B, TRANS_B, EDGE_N, partial)
#define FETCH_NEXT()                                                                             \
    do {                                                                                         \
        if (EDGE_K && left < BK) {                                                               \
            FETCH(1);                                                                            \
        } else {                                                                                 \
            FETCH(0);                                                                            \
        }                                                                                        \
    } while (0)
#define ADVANCE()                                                                                \
    do {                                                                                         \
        from_a += ADVANCE_A;                                                                     \
        from_b += ADVANCE_B;                                                                     \
        left -= BK;                                                                              \
    } while (0)

#define STASH(offset)                                                                            \
    do {                                                                                         \
        stash(to_a + (offset), staged_a, tid, ROW_A, TURN_A, SHAPE_A);                           \
        stash(to_b + (offset), staged_b, tid, ROW_B, TURN_B, SHAPE_B);                           \
    } while (0)

/* Makes the tile after the one being multiplied visible to all threads. */
#if PREFETCH == 1
#define TURN_OVER()                                                                              \
    do {                                                                                         \
        __syncthreads();                                                                         \
        if (left > 0) {                                                                          \
            FETCH_NEXT();                                                                        \
            STASH(0);                                                                            \
        }                                                                                        \
        __syncthreads();                                                                         \
    } while (0)
#else
#define TURN_OVER()                                                                              \
    do {                                                                                         \
        if (left > 0)                                                                            \
            STASH(0);                                                                            \
        __syncthreads();                                                                         \
    } while (0)
#endif

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

#if SYMMETRIC
TW_KERNEL(aat_register_tiled)
(TW_GLOBAL const real *TW_RESTRICT A, TW_GLOBAL real *TW_RESTRICT C, int M, int K, int lda,
 int ldc)
{
    TW_GLOBAL const real *TW_RESTRICT B = A;
    const int N = M, ldb = lda, group_m = 1;
    const real alpha = K > 0, beta = 0; /* 1, but the compiler must not know: see store.cu */
#else
TW_KERNEL(gemm_register_tiled)
(TW_GLOBAL const real *TW_RESTRICT A, TW_GLOBAL const real *TW_RESTRICT B,
 TW_GLOBAL real *TW_RESTRICT C, int M, int N, int K, int lda, int ldb, int ldc, real alpha,
 real beta, int group_m SPLIT_ARGUMENTS)
{
#endif
    TW_SHARED(real, shared, SHARED_REALS);

#if SPLIT
    const int whole = (int)blockIdx.x < WHOLE;
    const int tile = whole ? (int)blockIdx.x : split_tile(M, N);
    const int part = whole ? 0 : split_part(M, N);
    const int parts = whole ? 1 : split_k;
#else
    const int tile = (int)blockIdx.x;
#endif
    const int block_m = tile_m(tile, M, N, group_m);
    const int block_n = tile_n(tile, M, N, group_m);

    /* Two rows of a patch alternate lane by lane: a 16-byte shared load takes half the cycles when
     * lanes i and i ^ 1, or i and i ^ 2, read the same address. */
    const int tid = (int)threadIdx.x;
    const int lane = tid % (PATCH_M * PATCH_N);
    const int patch = tid % SLICE_THREADS / (PATCH_M * PATCH_N);
    const int slice = tid / SLICE_THREADS;
    const int lane_m = PATCH_M % 2 == 0 ? lane / (2 * PATCH_N) * 2 + lane % 2 : lane / PATCH_N;
    const int lane_n = PATCH_M % 2 == 0 ? lane / 2 % PATCH_N : lane % PATCH_N;
    const int m = FIRST_M(patch / PATCHES_N * PATCH_M + lane_m);
    const int n = FIRST_N(patch % PATCHES_N * PATCH_N + lane_n);

    /* The last line or vector that an edge tile may read. */
    const int last_a = M - block_m - (TRANS_A ? VEC_A : 1);
    const int last_b = N - block_n - (TRANS_B ? 1 : VEC_B);
    TW_GLOBAL const real *from_a =
        A + OFFSET_A(block_m, 0) + first_vector(lda, tid, last_a, LENGTH_A, VEC_A, !TRANS_A, EDGE_M);
    TW_GLOBAL const real *from_b =
        B + OFFSET_B(0, block_n) + first_vector(ldb, tid, last_b, LENGTH_B, VEC_B, TRANS_B, EDGE_N);
    int left = K; /* from the tile that is fetched next to the end */
#if SPLIT
    const int first_step = split_step(K, part, parts);
    left = SMALLER(K - first_step * BK, (split_step(K, part + 1, parts) - first_step) * BK);
    from_a += first_step * (tw_index)(ADVANCE_A);
    from_b += first_step * (tw_index)(ADVANCE_B);
#endif

    TW_LOCAL const real *read_a =
        shared + m * (A_BY_K ? 1 : ROW_A) + slice * SLICE_K * NEXT_K_A;
    TW_LOCAL const real *read_b = shared + TILE_A + n + slice * SLICE_K * NEXT_K_B;
    TW_LOCAL real *to_a = shared + first_place(tid, ROW_A, TURN_A, LENGTH_A, VEC_A);
    TW_LOCAL real *to_b = shared + TILE_A + first_place(tid, ROW_B, TURN_B, LENGTH_B, VEC_B);

    real sum[TM * TN], a[TM], b[TN], staged_a[STAGED_A], staged_b[STAGED_B];
    TW_UNROLL
    for (int i = 0; i < TM * TN; i++)
        sum[i] = 0;

    TW_UNROLL
    for (int stage = 0; stage < LEAD; stage++) {
        if (left > 0) {
            FETCH_NEXT();
            STASH(stage * STAGE);
        }
        ADVANCE();
    }
    __syncthreads();
#if REG_PREFETCH
    read_fragments(a, b, read_a, read_b, 0);
#endif
#if PREFETCH > 1
    to_a += LEAD * STAGE;
    to_b += LEAD * STAGE;
    int stage = 0; /* being read; the one before it, around the ring, is being written */
#endif

    TW_UNROLL_BY(1)
    while (left > -LEAD * BK) {
#if PREFETCH > 1
        if (left > 0)
            FETCH_NEXT();
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
        /* With three stages the next tile is visible already, and its first fragments need not
         * wait for the barrier. */
#if PREFETCH < 3
        TURN_OVER();
#endif
        read_a += read_step;
        read_b += read_step;
        MULTIPLY_AND_READ(read_a, read_b, 0);
#if PREFETCH == 3
        TURN_OVER();
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
        TURN_OVER();
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

#if SLICES > 1
    sum_slices(sum, shared, tid);
    if (slice > 0)
        return;
#endif

    TW_GLOBAL real *to = C + (tw_index)(block_m + m) * ldc + block_n + n;
    int m_left = M - block_m - m;
    int n_left = N - block_n - n;
#if SPLIT
    if (!whole) { /* a tile in the workspace is stored as one of C, but has no edges */
        to = workspace + part_place(part, tile, M, N) + m * BN + n;
        m_left = BM;
        n_left = BN;
        ldc = BN;
        beta = 0;
    }
#endif
    if (beta == 0)
        store_results(to, sum, m_left, n_left, ldc, alpha, beta, 0);
    else
        store_results(to, sum, m_left, n_left, ldc, alpha, beta, 1);
#if SYMMETRIC
    if (block_m != block_n)
        store_mirrored(C + (tw_index)(block_n + n) * ldc + block_m + m, sum, m_left, n_left,
                       ldc, alpha);
#endif
}
