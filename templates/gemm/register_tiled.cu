/* The kernel: a block's tiles of C, each the sum of its products over K or over a share of K. Which
 * those are, whole.cu, split.cu or stream.cu says. */

/* One share: a tile of C, or of the workspace if others have shares in it. */
#if MIXED
TW_DEVICE void compute_share(const struct share share, TW_LOCAL real *shared,
                             TW_GLOBAL const ELEMENT *TW_RESTRICT A,
                             TW_GLOBAL const ELEMENT *TW_RESTRICT B, TW_GLOBAL RESULT *TW_RESTRICT C,
                             TW_GLOBAL RESULT *TW_RESTRICT workspace, int M, int N, int lda, int ldb,
#if EPILOGUE
                             int ldc, SCALAR alpha, SCALAR beta, int group_m, struct epilogue epilogue)
#else
                             int ldc, SCALAR alpha, SCALAR beta, int group_m)
#endif
#else
TW_DEVICE void compute_share(const struct share share, TW_LOCAL real *shared,
                             TW_GLOBAL const ELEMENT *TW_RESTRICT A,
                             TW_GLOBAL const ELEMENT *TW_RESTRICT B, TW_GLOBAL ELEMENT *TW_RESTRICT C,
                             TW_GLOBAL ELEMENT *TW_RESTRICT workspace, int M, int N, int lda, int ldb,
#if EPILOGUE
                             int ldc, real alpha, real beta, int group_m, struct epilogue epilogue)
#else
                             int ldc, real alpha, real beta, int group_m)
#endif
#endif
{
    const int tid = (int)threadIdx.x;
    const int slice = tid / SLICE_THREADS;
    /* Two rows of a patch alternate lane by lane: a 16-byte shared load takes half the cycles when
     * lanes i and i ^ 1, or i and i ^ 2, read the same address. */
    const int lane = tid % (PATCH_M * PATCH_N);
    const int patch = tid % SLICE_THREADS / (PATCH_M * PATCH_N);
    const int lane_m = PATCH_M % 2 == 0 ? lane / (2 * PATCH_N) * 2 + lane % 2 : lane / PATCH_N;
    const int lane_n = PATCH_M % 2 == 0 ? lane / 2 % PATCH_N : lane % PATCH_N;
    const int m = FIRST_M(patch / PATCHES_N * PATCH_M + lane_m);
    const int n = FIRST_N(patch % PATCHES_N * PATCH_N + lane_n);
    const int block_m = tile_m(share.tile, M, N, group_m);
    const int block_n = tile_n(share.tile, M, N, group_m);

    real sum[TM * TN];
    TW_UNROLL
    for (int i = 0; i < TM * TN; i++)
        sum[i] = 0;
    add_products(sum, shared, A + OFFSET_A(block_m, share.first_k),
                 B + OFFSET_B(share.first_k, block_n), lda, ldb, M - block_m, N - block_n,
#if BLOCK_SCALED
                 share.k_count, tid, m, n, slice,
                 epilogue.a_scales + (tw_index)block_m * BLOCKS_OF_K(share.k_count), epilogue.b_scales, block_n,
                 share.k_count);
#else
                 share.k_count, tid, m, n, slice);
#endif
#if SLICES > 1
    sum_slices(sum, shared, tid);
    if (slice > 0)
        return;
#endif

#if MIXED
    TW_GLOBAL RESULT *to = C + (tw_index)(block_m + m) * ldc + block_n + n;
#else
    TW_GLOBAL ELEMENT *to = C + (tw_index)(block_m + m) * ldc + block_n + n;
#endif
    int m_left = M - block_m - m;
    int n_left = N - block_n - n;
#if SYMMETRIC
    if (block_m / BN != block_n / BN) /* those that meet the diagonal hold both sides of it */
        store_mirrored(C + (tw_index)(block_n + n) * ldc + block_m + m, sum, m_left, n_left, ldc,
                       alpha);
#endif
#if EPILOGUE
    if (share.whole) {
        store_finished(to, sum, block_m + m, block_n + n, m_left, n_left, ldc, alpha, beta, epilogue);
        return;
    }
#endif
    if (!share.whole) { /* a tile of the workspace has no edges */
        to = workspace + share.place + m * BN + n;
        m_left = BM;
        n_left = BN;
        ldc = BN;
        beta = 0;
    }
    if (beta == 0)
        store_results(to, sum, m_left, n_left, ldc, alpha, beta, 0);
    else
        store_results(to, sum, m_left, n_left, ldc, alpha, beta, 1);
}

#if SYMMETRIC
TW_KERNEL(aat_register_tiled)
(TW_GLOBAL const ELEMENT *TW_RESTRICT A, TW_GLOBAL ELEMENT *TW_RESTRICT C, int M, int K, int lda,
 int ldc)
{
    TW_GLOBAL const ELEMENT *TW_RESTRICT B = A;
    const int N = M, ldb = lda, group_m = 1;
    const real alpha = K > 0, beta = 0; /* 1, but the compiler must not know: see store.cu */
#elif MIXED
TW_KERNEL(gemm_register_tiled)
(TW_GLOBAL const ELEMENT *TW_RESTRICT A, TW_GLOBAL const ELEMENT *TW_RESTRICT B,
 TW_GLOBAL RESULT *TW_RESTRICT C, int M, int N, int K, int lda, int ldb, int ldc, SCALAR alpha,
 SCALAR beta, int group_m SHARE_ARGUMENTS EPILOGUE_PARAMETERS BATCH_PARAMETERS)
{
#else
TW_KERNEL(gemm_register_tiled)
(TW_GLOBAL const ELEMENT *TW_RESTRICT A, TW_GLOBAL const ELEMENT *TW_RESTRICT B,
 TW_GLOBAL ELEMENT *TW_RESTRICT C, int M, int N, int K, int lda, int ldb, int ldc, real alpha,
#if EPILOGUE || BATCHED || GROUPED
 real beta, int group_m SHARE_ARGUMENTS EPILOGUE_PARAMETERS BATCH_PARAMETERS)
#else
 real beta, int group_m SHARE_ARGUMENTS)
#endif
{
#endif
    TW_SHARED(real, shared, SHARED_REALS);
#if BATCHED
    TO_LAYER();
#endif
#if GROUPED
    TO_GROUP(BM, TILES_N(N));
#endif
#if DEVICE_SCALARS
    TAKE_ALPHA();
    TAKE_BETA();
#endif
#if EPILOGUE
    const struct epilogue epilogue = EPILOGUE_GIVEN;
#endif
#if MOST_SHARES > 1
    const int shares = share_count(M, N, K);
    TW_UNROLL_BY(1)
    for (int turn = 0; turn < shares; turn++) {
        compute_share(share_of(turn, M, N, K), shared, A, B + TURNED_B, C, workspace, M, N, lda, ldb, ldc,
#if EPILOGUE
                      alpha, beta, group_m, epilogue);
#else
                      alpha, beta, group_m);
#endif
        __syncthreads(); /* before the next share's tiles overwrite this one's */
    }
#else
    compute_share(ONLY_SHARE, shared, A, B, C, SHARE_WORKSPACE, M, N, lda, ldb, ldc, alpha, beta,
#if EPILOGUE
                  group_m, epilogue);
#else
                  group_m);
#endif
#endif
}
