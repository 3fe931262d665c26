/* The second launch of stream-K: the parts of a divided tile, in the order of K. A block has sixteen of its columns. */

#define SUMMED_COLUMNS 16

TW_KERNEL(gemm_wgmma_sum_streams)
(TW_GLOBAL result_type *TW_RESTRICT C, TW_GLOBAL const sum_type *TW_RESTRICT workspace, int M, int N, int K, int ldc,
 SCALAR alpha, SCALAR beta, int group, int parts)
{
    const int tile = (int)blockIdx.x / (BN / SUMMED_COLUMNS), slice = (int)blockIdx.x % (BN / SUMMED_COLUMNS);
    const int thread = (int)threadIdx.x, lane = thread % 32;
    struct stream stream = stream_of(0, M, N, K, parts);
    const int tiles = tile_count(M, N) - stream.divided, all = stream.all;
    const int begin = tile * all, end = begin + all;
    sum_type sum[TALL][SUMMED_COLUMNS / 2];
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int j = 0; j < SUMMED_COLUMNS / 2; j++)
            sum[t][j] = 0;
    stream.block = block_at(begin, tiles, all, parts);
    for (int at = begin; at < end; stream.block++) {
        stream.end = stream_at(stream.block + 1, tiles, all, parts);
        const struct piece piece = piece_at(&stream, at);
        if (piece.slot < 0)
            return;
        TW_GLOBAL const sum_type *from = SLOT_AT(workspace, piece.slot, thread) +
                                         (tw_index)slice * (SUMMED_COLUMNS / 2) * SUMMING;
        TW_UNROLL
        for (int t = 0; t < TALL; t++)
            TW_UNROLL
            for (int j = 0; j < SUMMED_COLUMNS / 2; j++)
                sum[t][j] += from[(t * (BN / 2) + j) * SUMMING];
        at += piece.steps;
    }
    const struct place place = place_of(stream.divided + tile, M, N, group);
    const int n = place.column + slice * SUMMED_COLUMNS + lane % 4 * 2;
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int h = 0; h < 2; h++) {
            const int m = place.row + thread / WARPGROUP * (BM / CONSUMERS) + t * 64 + thread / 32 % 4 * 16 + lane / 4 + h * 8;
            TW_GLOBAL result_type *to = C + (tw_index)m * ldc + n;
            if (m >= M)
                continue;
            TW_UNROLL
            for (int j = 0; j < SUMMED_COLUMNS / 8; j++)
                store_neighbours(to + j * 8, &sum[t][j * 4 + h * 2], 2, N - n - j * 8, alpha, beta);
        }
}
