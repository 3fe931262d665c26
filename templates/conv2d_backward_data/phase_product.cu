/* conv2d/product.cu for the phases of a gradient through strides (phases.cu): a block's tile of one phase's product of
 * patches and filters, whose pixels go where they are among all. */

TW_KERNEL(conv2d_phase_product)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT filters,
 TW_GLOBAL ELEMENT *TW_RESTRICT output, int images, int channels, int in_h, int in_w, int ld_out, real alpha, real beta,
 int group_m)
{
    TW_SHARED(real, shared, SHARED_REALS + PATCH_REALS);
    const struct phase phase = BLOCK_PHASE;
    const int group = (int)blockIdx.z / PHASES, group_channels = channels / GROUPS;
    const int pixels = images * phase.rows * phase.columns;
    const int M = NHWC ? pixels : group_channels, N = NHWC ? group_channels : pixels;
    /* Phases have different numbers of tiles, and where strides are longer than the filter nothing met some pixels: such
     * blocks go along without terms. */
    const int is_tile = (int)blockIdx.x < TILES_M(M) * TILES_N(N);
    const int K = GROUP_CHANNELS * phase.height * phase.width, terms = is_tile ? K : 0;
    TW_GLOBAL const ELEMENT *images_of_group =
        input + (NHWC ? (tw_index)group * GROUP_CHANNELS : (tw_index)group * GROUP_CHANNELS * IMAGE_H * LD_IN);
    TW_GLOBAL const ELEMENT *filters_of_group =
        filters + (tw_index)channels * GROUP_CHANNELS * places_before(phase) + (tw_index)group * group_channels * K;
    TW_GLOBAL ELEMENT *C = output + (NHWC ? (tw_index)group * group_channels
                                          : (tw_index)group * group_channels * in_h * ld_out);

    const int tid = (int)threadIdx.x;
    const int slice = tid / SLICE_THREADS;
    /* As gemm/register_tiled.cu deals lanes. */
    const int lane = tid % (PATCH_M * PATCH_N);
    const int warp = tid % SLICE_THREADS / (PATCH_M * PATCH_N);
    const int lane_m = PATCH_M % 2 == 0 ? lane / (2 * PATCH_N) * 2 + lane % 2 : lane / PATCH_N;
    const int lane_n = PATCH_M % 2 == 0 ? lane / 2 % PATCH_N : lane % PATCH_N;
    const int m = FIRST_M(warp / PATCHES_N * PATCH_M + lane_m);
    const int n = FIRST_N(warp % PATCHES_N * PATCH_N + lane_n);
    const int block_m = is_tile ? tile_m((int)blockIdx.x, M, N, group_m) : 0;
    const int block_n = is_tile ? tile_n((int)blockIdx.x, M, N, group_m) : 0;

    real sum[TM * TN];
    TW_UNROLL
    for (int i = 0; i < TM * TN; i++)
        sum[i] = 0;
    if (tid == 0) {
        SHARE_AT(shared)[0] = NHWC ? block_m : block_n;
        SHARE_AT(shared)[1] = terms;
    }
    write_table(TABLE_AT(shared), tid);
    __syncthreads();
#if NHWC
    const int ldb = K;
    add_products(sum, shared, images_of_group, filters_of_group + OFFSET_B(0, block_n), 0, ldb, M - block_m, N - block_n,
                 terms, tid, m, n, slice);
#else
    const int lda = K;
    add_products(sum, shared, filters_of_group + OFFSET_A(block_m, 0), images_of_group, lda, 0, M - block_m, N - block_n,
                 terms, tid, m, n, slice);
#endif
#if SLICES > 1
    sum_slices(sum, shared, tid);
    if (slice > 0)
        return;
#endif
    /* All that is not stored is told in one condition: with a return or `continue` in its place PoCL's compiler made
     * code that stored elsewhere. */
    const struct results results = {channels, in_h, in_w, ld_out};
    TW_UNROLL
    for (int i = 0; i < TM; i++) {
        TW_UNROLL
        for (int j = 0; j < TN; j += VEC_C) {
            const int row = block_m + m + PLACE_M(i), column = block_n + n + PLACE_N(j);
            if (is_tile && (!EDGE_M || row < M) && (!EDGE_N || column < N))
                store_pixels(C, sum + i * TN + j, NHWC ? whole_pixel(row, phase) : row,
                             NHWC ? column : whole_pixel(column, phase), results, alpha, beta);
        }
    }
}
