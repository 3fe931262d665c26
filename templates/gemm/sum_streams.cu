/* Adds what the streams have of each divided tile, first stream first, and makes C of them. */

TW_KERNEL(gemm_sum_streams)
(TW_GLOBAL const real *TW_RESTRICT workspace, TW_GLOBAL real *TW_RESTRICT C, int M, int N, int K,
#if EPILOGUE
 int ldc, real beta, int group_m EPILOGUE_PARAMETERS)
#else
 int ldc, real beta, int group_m)
#endif
{
#if DEVICE_SCALARS
    TAKE_BETA();
#endif
    const tw_index vector = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    const int divided = (int)(vector / (BM * BN / VEC_C));
    const int place = (int)(vector % (BM * BN / VEC_C)) * VEC_C;
    const int tile = WHOLE + divided;
    if (tile >= TILES_M(M) * TILES_N(N))
        return;
    const int m = tile_m(tile, M, N, group_m) + place / BN;
    const int n = tile_n(tile, M, N, group_m) + place % BN;
    if (m >= M || n >= N)
        return;

    const tw_index all = stream_step(STREAMS, M, N, K);
    const tw_index begin = (tw_index)divided * STEPS(K);
    const tw_index end = begin + STEPS(K);
    real sum[VEC_C];
    TW_UNROLL
    for (int e = 0; e < VEC_C; e++)
        sum[e] = 0;
    /* From the last stream that begins no later than the tile. */
    for (int stream = (int)(((begin + 1) * STREAMS - 1) / all);
         stream < STREAMS && stream_step(stream, M, N, K) < end; stream++) {
        const tw_index first = stream_step(stream, M, N, K);
        if (first == stream_step(stream + 1, M, N, K))
            continue;
        real more[VEC_C];
        load_global(more, workspace + stream_place(stream, first < begin) + place, VEC_C);
        TW_UNROLL
        for (int e = 0; e < VEC_C; e++)
            sum[e] += more[e];
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
