/* Winograd's products: filters x channels times channels x tiles for every point, which is the block's z. gemm's pipeline
 * and fragments. */

TW_KERNEL(conv2d_winograd_product)
(TW_GLOBAL real *TW_RESTRICT workspace, int group_m)
{
    TW_SHARED(real, shared, SHARED_REALS);
    const int M = ALL_FILTERS, N = ALL_TILES, K = ALL_CHANNELS, lda = ALL_FILTERS, ldb = ALL_TILES;
    const int tid = (int)threadIdx.x, tile = (int)blockIdx.x, point = (int)blockIdx.z;
    const int slice = tid / SLICE_THREADS;
    /* As gemm/register_tiled.cu deals lanes. */
    const int lane = tid % (PATCH_M * PATCH_N);
    const int warp = tid % SLICE_THREADS / (PATCH_M * PATCH_N);
    const int lane_m = PATCH_M % 2 == 0 ? lane / (2 * PATCH_N) * 2 + lane % 2 : lane / PATCH_N;
    const int lane_n = PATCH_M % 2 == 0 ? lane / 2 % PATCH_N : lane % PATCH_N;
    const int m = FIRST_M(warp / PATCHES_N * PATCH_M + lane_m);
    const int n = FIRST_N(warp % PATCHES_N * PATCH_N + lane_n);
    const int block_m = tile_m(tile, M, N, group_m), block_n = tile_n(tile, M, N, group_m);

    real sum[TM * TN];
    TW_UNROLL
    for (int i = 0; i < TM * TN; i++)
        sum[i] = 0;
    add_products(sum, shared, workspace + FILTERS_AT(point) + OFFSET_A(block_m, 0),
                 workspace + IMAGES_AT(point) + OFFSET_B(0, block_n), lda, ldb, M - block_m, N - block_n, K, tid, m, n,
                 slice);
#if SLICES > 1
    sum_slices(sum, shared, tid);
    if (slice > 0)
        return;
#endif
    TW_GLOBAL real *results = workspace + RESULTS_AT(point) + (tw_index)block_m * N + block_n;
    TW_UNROLL
    for (int i = 0; i < TM; i++) {
        if (EDGE_M && block_m + m + PLACE_M(i) >= M)
            continue;
        TW_UNROLL
        for (int j = 0; j < TN; j += VEC_C)
            if (!EDGE_N || block_n + n + PLACE_N(j) < N)
                store_global(results + (tw_index)(m + PLACE_M(i)) * N + n + PLACE_N(j), sum + i * TN + j, VEC_C);
    }
}
