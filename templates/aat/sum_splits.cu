/* Adds the parts that the blocks of a split K left in the workspace, always in the same order, and
 * writes what comes of them on both sides of the diagonal. Many parts are shared out over several
 * threads of a block, so that a small C with hundreds of parts still has enough loads in flight. */

TW_KERNEL(aat_sum_splits)
(TW_GLOBAL const real *TW_RESTRICT workspace, TW_GLOBAL real *TW_RESTRICT C, int M, int ldc, int split_k)
{
    TW_SHARED(real, shared, TW_BLOCK_X *VEC_C);
    /* As the description's grid has it. */
    const int width = split_k < 16 ? TW_BLOCK_X : split_k < 64 ? TW_BLOCK_X / 4 : TW_BLOCK_X / 16;
    const int tid = (int)threadIdx.x;
    const int helpers = TW_BLOCK_X / width;
    const int helper = tid / width;
    const tw_index vector = (tw_index)blockIdx.x * width + tid % width;
    const int tile = (int)(vector / (BM * BN / VEC_C));
    const int place = (int)(vector % (BM * BN / VEC_C)) * VEC_C;
    const int block_m = tile_m(tile, M, M, 1);
    const int block_n = tile_n(tile, M, M, 1);
    const int m = block_m + place / BN;
    const int n = block_n + place % BN;
    const int inside = tile < TILES_M(M) * TILES_N(M) && m < M && n < M;

    real sum[VEC_C];
    TW_UNROLL
    for (int e = 0; e < VEC_C; e++)
        sum[e] = 0;
    if (inside) {
        TW_UNROLL_BY(8)
        for (int part = helper; part < split_k; part += helpers) {
            real more[VEC_C];
            load_global(more, workspace + part_place(part, tile, M, M) + place, VEC_C);
            TW_UNROLL
            for (int e = 0; e < VEC_C; e++)
                sum[e] += more[e];
        }
    }

    TW_UNROLL
    for (int e = 0; e < VEC_C; e++)
        shared[e * TW_BLOCK_X + tid] = sum[e];
    __syncthreads();
    if (!inside || helper > 0)
        return;
    for (int other = 1; other < helpers; other++) {
        TW_UNROLL
        for (int e = 0; e < VEC_C; e++)
            sum[e] += shared[e * TW_BLOCK_X + other * width + tid];
    }

    store_global(C + (tw_index)m * ldc + n, sum, VEC_C);
    if (block_m / BN == block_n / BN) /* those that meet the diagonal hold both sides of it */
        return;
    TW_UNROLL
    for (int e = 0; e < VEC_C; e++)
        C[(tw_index)(n + e) * ldc + m] = sum[e];
}
