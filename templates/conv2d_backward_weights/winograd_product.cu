/* Winograd's products: filters x tiles times tiles x channels for every point, which is the block's z, over a share of the
 * tiles. gemm's pipeline and fragments. */

TW_KERNEL(conv2d_backward_weights_winograd)
(int group_m SHARE_ARGUMENTS)
{
    TW_SHARED(real, shared, SHARED_REALS);
    const int M = ALL_FILTERS, N = ALL_CHANNELS, K = ALL_TILES, lda = ALL_TILES, ldb = ALL_TILES;
    const int tid = (int)threadIdx.x, point = (int)blockIdx.z;
    const struct share share = ONLY_SHARE;
    const int slice = tid / SLICE_THREADS;
    /* As gemm/register_tiled.cu deals lanes. */
    const int lane = tid % (PATCH_M * PATCH_N);
    const int warp = tid % SLICE_THREADS / (PATCH_M * PATCH_N);
    const int lane_m = PATCH_M % 2 == 0 ? lane / (2 * PATCH_N) * 2 + lane % 2 : lane / PATCH_N;
    const int lane_n = PATCH_M % 2 == 0 ? lane / 2 % PATCH_N : lane % PATCH_N;
    const int m = FIRST_M(warp / PATCHES_N * PATCH_M + lane_m);
    const int n = FIRST_N(warp % PATCHES_N * PATCH_N + lane_n);
    const int block_m = tile_m(share.tile, M, N, group_m), block_n = tile_n(share.tile, M, N, group_m);

    real sum[TM * TN];
    TW_UNROLL
    for (int i = 0; i < TM * TN; i++)
        sum[i] = 0;
    add_products(sum, shared, workspace + RESULTS_AT(point) + OFFSET_A(block_m, share.first_k),
                 workspace + IMAGES_AT(point) + OFFSET_B(share.first_k, block_n), lda, ldb, M - block_m, N - block_n,
                 share.k_count, tid, m, n, slice);
#if SLICES > 1
    sum_slices(sum, shared, tid);
    if (slice > 0)
        return;
#endif
    TW_GLOBAL real *part = workspace + PART_AT((int)blockIdx.x / (TILES_M(M) * TILES_N(N)), point) +
                           (tw_index)block_m * N + block_n;
    TW_UNROLL
    for (int i = 0; i < TM; i++) {
        if (EDGE_M && block_m + m + PLACE_M(i) >= M)
            continue;
        TW_UNROLL
        for (int j = 0; j < TN; j += VEC_C)
            if (!EDGE_N || block_n + n + PLACE_N(j) < N)
                store_global(part + (tw_index)(m + PLACE_M(i)) * N + n + PLACE_N(j), sum + i * TN + j, VEC_C);
    }
}
