/* Sums over a share of the pixels for a tile of filters and terms, one group of channels in every z: gemm's pipeline and
 * fragments, with tiles.cu in place of its operands. Each share leaves its part in the workspace. */

TW_KERNEL(conv2d_backward_weights_product)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT gradient, int M, int N, int K,
 int filter_count SHARE_ARGUMENTS)
{
    TW_SHARED(real, shared, SHARED_REALS + TERMS_REALS);
    const int group = (int)blockIdx.z, lda = NHWC ? LD_GRADIENT : 0;
    const struct share share = ONLY_SHARE;
    const int tid = (int)threadIdx.x, slice = tid / SLICE_THREADS;
    /* As gemm/register_tiled.cu deals lanes. */
    const int lane = tid % (PATCH_M * PATCH_N);
    const int warp = tid % SLICE_THREADS / (PATCH_M * PATCH_N);
    const int lane_m = PATCH_M % 2 == 0 ? lane / (2 * PATCH_N) * 2 + lane % 2 : lane / PATCH_N;
    const int lane_n = PATCH_M % 2 == 0 ? lane / 2 % PATCH_N : lane % PATCH_N;
    const int m = FIRST_M(warp / PATCHES_N * PATCH_M + lane_m);
    const int n = FIRST_N(warp % PATCHES_N * PATCH_N + lane_n);
    const int block_m = tile_m(share.tile, M, N, 8), block_n = tile_n(share.tile, M, N, 8);

    if (tid == 0)
        END_AT(shared)[0] = share.first_k + share.k_count;
    write_terms(TABLE_AT(shared), block_n, N - (NHWC ? VEC_B : 1), tid);
    __syncthreads();
    input += (tw_index)group * GROUP_CHANNELS * (NHWC ? 1 : IMAGE_H * LD_IN);
#if NHWC
    gradient += group * M + OFFSET_A(block_m, share.first_k);
#else
    gradient += (tw_index)(group * M + block_m) * FILTER_STRIDE;
#endif
    real sum[TM * TN];
    TW_UNROLL
    for (int i = 0; i < TM * TN; i++)
        sum[i] = 0;
    add_products(sum, shared, gradient, input, lda, 0, M - block_m, N - block_n, share.k_count, tid, m, n, slice);
#if SLICES > 1
    sum_slices(sum, shared, tid);
    if (slice > 0)
        return;
#endif
    workspace += ((tw_index)((int)blockIdx.x / (TILES_M(M) * TILES_N(N))) * filter_count + group * M + block_m + m) * N +
                 block_n + n;
    TW_UNROLL
    for (int i = 0; i < TM; i++) {
        TW_UNROLL
        for (int j = 0; j < TN; j++)
            if ((!EDGE_M || block_m + m + PLACE_M(i) < M) && (!EDGE_N || block_n + n + PLACE_N(j) < N))
                workspace[(tw_index)PLACE_M(i) * N + PLACE_N(j)] = sum[i * TN + j];
    }
}
