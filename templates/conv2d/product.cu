/* The product of patches and filters: a block's tile of it, over all of K or with SPLIT over a share of it, one group
 * of channels in every z. gemm's pipeline and fragments, with patches.cu in place of one operand. */

TW_KERNEL(conv2d_product)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT filters,
 TW_GLOBAL ELEMENT *TW_RESTRICT output, int M, int N, int K, int filter_count, int out_h, int out_w, int ld_f, int ld_out,
 real alpha, real beta, int group_m SHARE_ARGUMENTS EPILOGUE_PARAMETERS)
{
    TW_SHARED(real, shared, SHARED_REALS + PATCH_REALS);
    const int group = (int)blockIdx.z, group_filters = filter_count / GROUPS;
    TW_GLOBAL const ELEMENT *images_of_group =
        input + (NHWC ? (tw_index)group * GROUP_CHANNELS : (tw_index)group * GROUP_CHANNELS * IMAGE_H * LD_IN);
    TW_GLOBAL const ELEMENT *filters_of_group = filters + (tw_index)group * group_filters * ld_f;
    TW_GLOBAL ELEMENT *C = output + (NHWC ? (tw_index)group * group_filters
                                          : (tw_index)group * group_filters * out_h * ld_out);
#if SPLIT
    workspace += (tw_index)group * split_k * (TILES_M(M) * TILES_N(N)) * (BM * BN);
#endif
    const struct share share = ONLY_SHARE;

    const int tid = (int)threadIdx.x;
    const int slice = tid / SLICE_THREADS;
    /* As gemm/register_tiled.cu deals lanes. */
    const int lane = tid % (PATCH_M * PATCH_N);
    const int warp = tid % SLICE_THREADS / (PATCH_M * PATCH_N);
    const int lane_m = PATCH_M % 2 == 0 ? lane / (2 * PATCH_N) * 2 + lane % 2 : lane / PATCH_N;
    const int lane_n = PATCH_M % 2 == 0 ? lane / 2 % PATCH_N : lane % PATCH_N;
    const int m = FIRST_M(warp / PATCHES_N * PATCH_M + lane_m);
    const int n = FIRST_N(warp % PATCHES_N * PATCH_N + lane_n);
    const int block_m = tile_m(share.tile, M, N, group_m);
    const int block_n = tile_n(share.tile, M, N, group_m);

    real sum[TM * TN];
    TW_UNROLL
    for (int i = 0; i < TM * TN; i++)
        sum[i] = 0;
#if PLAIN_PIXELS
    const int lda = LD_IN, ldb = ld_f;
    add_products(sum, shared, images_of_group + OFFSET_A(block_m, share.first_k),
                 filters_of_group + OFFSET_B(share.first_k, block_n), lda, ldb, M - block_m, N - block_n,
                 share.k_count, tid, m, n, slice);
#else
    if (tid == 0) {
        SHARE_AT(shared)[0] = NHWC ? block_m : block_n;
        SHARE_AT(shared)[1] = share.first_k + share.k_count;
    }
#if TABLE
    write_table(TABLE_AT(shared), tid);
#endif
    __syncthreads();
#if NHWC
    const int ldb = ld_f;
    add_products(sum, shared, images_of_group, filters_of_group + OFFSET_B(share.first_k, block_n), 0, ldb,
                 M - block_m, N - block_n, share.k_count, tid, m, n, slice);
#else
    const int lda = ld_f;
    add_products(sum, shared, filters_of_group + OFFSET_A(block_m, share.first_k), images_of_group, lda, 0,
                 M - block_m, N - block_n, share.k_count, tid, m, n, slice);
#endif
#endif
#if SLICES > 1
    sum_slices(sum, shared, tid);
    if (slice > 0)
        return;
#endif

#if SPLIT
    TW_GLOBAL real *part = workspace + share.place + m * BN + n;
    TW_UNROLL
    for (int i = 0; i < TM; i++)
        TW_UNROLL
        for (int j = 0; j < TN; j++)
            part[PLACE_M(i) * BN + PLACE_N(j)] = sum[i * TN + j];
#else
#if HAS_BIASES
    biases += group * group_filters;
#endif
    DECLARE_EPILOGUE();
    const struct results results = {filter_count, out_h, out_w, ld_out};
    TW_UNROLL
    for (int i = 0; i < TM; i++) {
        if (EDGE_M && block_m + m + PLACE_M(i) >= M)
            continue;
        TW_UNROLL
        for (int j = 0; j < TN; j += VEC_C) {
            if (!EDGE_N || block_n + n + PLACE_N(j) < N)
                store_pixels(C, sum + i * TN + j, block_m + m + PLACE_M(i), block_n + n + PLACE_N(j), results,
                             alpha, beta EPILOGUE_PASSED);
        }
    }
#endif
}
