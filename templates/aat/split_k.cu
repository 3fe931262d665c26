/* A block's share of K for a tile of the triangle: its sums go to the workspace, where
 * aat/sum_splits.cu adds them up. */

TW_KERNEL(aat_split_k)
(TW_GLOBAL const ELEMENT *TW_RESTRICT A, TW_GLOBAL ELEMENT *TW_RESTRICT workspace, int M, int K, int lda,
 int split_k)
{
    TW_SHARED(real, shared, SHARED_REALS);
    const int ldb = lda;
    const real alpha = K > 0; /* 1, but the compiler must not know: see gemm/store.cu */
    const struct share share = split_share(M, M, K, split_k);
    const int tid = (int)threadIdx.x;
    const int slice = tid / SLICE_THREADS;
    /* Where a thread's elements are: as gemm/register_tiled.cu has it. */
    const int lane = tid % (PATCH_M * PATCH_N);
    const int patch = tid % SLICE_THREADS / (PATCH_M * PATCH_N);
    const int lane_m = PATCH_M % 2 == 0 ? lane / (2 * PATCH_N) * 2 + lane % 2 : lane / PATCH_N;
    const int lane_n = PATCH_M % 2 == 0 ? lane / 2 % PATCH_N : lane % PATCH_N;
    const int m = FIRST_M(patch / PATCHES_N * PATCH_M + lane_m);
    const int n = FIRST_N(patch % PATCHES_N * PATCH_N + lane_n);
    const int block_m = tile_m(share.tile, M, M, 1);
    const int block_n = tile_n(share.tile, M, M, 1);

    real sum[TM * TN];
    TW_UNROLL
    for (int i = 0; i < TM * TN; i++)
        sum[i] = 0;
    add_products(sum, shared, A + OFFSET_A(block_m, share.first_k), A + OFFSET_B(share.first_k, block_n),
                 lda, ldb, M - block_m, M - block_n, share.k_count, tid, m, n, slice);
#if SLICES > 1
    sum_slices(sum, shared, tid);
    if (slice > 0)
        return;
#endif
    /* A tile of the workspace has no edges. */
    store_results(workspace + share.place + m * BN + n, sum, BM, BN, BN, alpha, 0, 0);
}
