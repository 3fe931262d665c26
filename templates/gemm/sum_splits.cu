/* Adds the parts of alpha*A*B that the blocks of a split K left in the workspace, always in the
 * same order, and makes C of them. Many parts are shared out over several threads of a block, so
 * that a small C with hundreds of parts still has enough loads in flight. */

TW_KERNEL(gemm_sum_splits)
(TW_GLOBAL const real *TW_RESTRICT workspace, TW_GLOBAL real *TW_RESTRICT C, int M, int N, int ldc,
#if EPILOGUE
 real beta, int group_m, int split_k EPILOGUE_PARAMETERS)
#else
 real beta, int group_m, int split_k)
#endif
{
    TW_SHARED(real, shared, TW_BLOCK_X *VEC_C);
#if DEVICE_SCALARS
    TAKE_BETA();
#endif
    /* As the description's grid has it. */
    const int width = split_k < 16 ? TW_BLOCK_X : split_k < 64 ? TW_BLOCK_X / 4 : TW_BLOCK_X / 16;
    const int tid = (int)threadIdx.x;
    const int helpers = TW_BLOCK_X / width;
    const int helper = tid / width;
    const tw_index vector = (tw_index)blockIdx.x * width + tid % width;
    const int tile = (int)(vector / (BM * BN / VEC_C));
    const int place = (int)(vector % (BM * BN / VEC_C)) * VEC_C;
    const int m = tile_m(tile, M, N, group_m) + place / BN;
    const int n = tile_n(tile, M, N, group_m) + place % BN;
    const int inside = tile < TILES_M(M) * TILES_N(N) && m < M && n < N;

    real sum[VEC_C];
    TW_UNROLL
    for (int e = 0; e < VEC_C; e++)
        sum[e] = 0;
    if (inside) {
        TW_UNROLL_BY(8)
        for (int part = helper; part < split_k; part += helpers) {
            real more[VEC_C];
            load_global(more, workspace + part_place(part, tile, M, N) + place, VEC_C);
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

    const tw_index at = (tw_index)m * ldc + n;
    real result[VEC_C];
#if EPILOGUE
    const struct epilogue epilogue = EPILOGUE_GIVEN;
    TW_UNROLL
    for (int e = 0; e < VEC_C; e++)
        result[e] = finished(sum[e], beta, C + at + e, m, n + e, epilogue);
#else
    if (beta != 0)
        load_global(result, C + at, VEC_C);
    TW_UNROLL
    for (int e = 0; e < VEC_C; e++)
        result[e] = beta == 0 ? sum[e] : FMA(beta, result[e], sum[e]);
#endif
    store_global(C + at, result, VEC_C);
}
