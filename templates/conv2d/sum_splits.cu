/* Adds the parts that the blocks of a split K left in the workspace, always in the same order, and makes results of
 * them. One thread VEC_C neighbours. */

TW_KERNEL(conv2d_sum_splits)
(TW_GLOBAL real *TW_RESTRICT workspace, TW_GLOBAL ELEMENT *TW_RESTRICT output, int M, int N, int filter_count,
 int out_h, int out_w, int ld_out, real alpha, real beta, int group_m, int split_k EPILOGUE_PARAMETERS)
{
    const int group = (int)blockIdx.z, group_filters = filter_count / GROUPS;
    const int tiles = TILES_M(M) * TILES_N(N);
    const tw_index vector = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    const int tile = (int)(vector / (BM * BN / VEC_C));
    const int place = (int)(vector % (BM * BN / VEC_C)) * VEC_C;
    if (tile >= tiles)
        return;
    const int m = tile_m(tile, M, N, group_m) + place / BN;
    const int n = tile_n(tile, M, N, group_m) + place % BN;
    if (m >= M || n >= N)
        return;
#if HAS_BIASES
    biases += group * group_filters;
#endif
    DECLARE_EPILOGUE();
    workspace += (tw_index)group * split_k * tiles * (BM * BN) + place;
    real sum[VEC_C];
    TW_UNROLL
    for (int e = 0; e < VEC_C; e++)
        sum[e] = 0;
    TW_UNROLL_BY(8)
    for (int part = 0; part < split_k; part++) {
        TW_UNROLL
        for (int e = 0; e < VEC_C; e++)
            sum[e] += workspace[part_place(part, tile, M, N) + e];
    }
    const struct results results = {filter_count, out_h, out_w, ld_out};
    store_pixels(output + (NHWC ? (tw_index)group * group_filters : (tw_index)group * group_filters * out_h * ld_out),
                 sum, m, n, results, alpha, beta EPILOGUE_PASSED);
}
