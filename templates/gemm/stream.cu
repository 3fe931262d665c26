/* Stream-K (Osama et al. 2023), without atomics and always with the same sums. As many tiles as fill the
 * device for whole waves have a block each. The tiles of the last, partial wave are divided by their
 * steps of BK: each of STREAMS blocks takes the same number of steps, the end of one tile and the beginning
 * of the next, and leaves what it has of each in the workspace for sum_streams.cu to add. */

#define MOST_SHARES 2

/* Where the streams' tiles begin in the workspace, and before them the second of turned operands. */
#if !TURNED
#define TURNED_B 0
#define PARTS 0
#endif
#define SHARE_ARGUMENTS , TW_GLOBAL real *TW_RESTRICT workspace

struct share {
    int tile;
    int first_k, k_count;
    int whole;
    tw_index place; /* in the workspace */
};

#define STEPS(K) ((K) / BK + ((K) % BK != 0))

/* The first of the steps of all divided tiles, one tile after the other, that belongs to a stream. There
 * are fewer divided tiles than streams, so that none has steps of more than two. */
TW_DEVICE tw_index stream_step(int stream, int M, int N, int K)
{
    return (tw_index)(TILES_M(M) * TILES_N(N) - WHOLE) * STEPS(K) * stream / STREAMS;
}

/* The place in the workspace of a stream's first or second tile. */
TW_DEVICE tw_index stream_place(int stream, int second)
{
    return PARTS + (tw_index)(2 * stream + second) * (BM * BN);
}

TW_DEVICE int share_count(int M, int N, int K)
{
    const int stream = (int)blockIdx.x - WHOLE;
    if (stream < 0)
        return 1;
    const tw_index begin = stream_step(stream, M, N, K);
    const tw_index end = stream_step(stream + 1, M, N, K);
    return begin == end ? 0 : (int)((end - 1) / STEPS(K) - begin / STEPS(K)) + 1;
}

TW_DEVICE struct share share_of(int turn, int M, int N, int K)
{
    const int stream = (int)blockIdx.x - WHOLE;
    struct share share;
    share.whole = stream < 0;
    share.tile = (int)blockIdx.x;
    share.first_k = 0;
    share.k_count = K;
    share.place = 0;
    if (stream >= 0) {
        const tw_index begin = stream_step(stream, M, N, K);
        const tw_index end = stream_step(stream + 1, M, N, K);
        const int tile = (int)(begin / STEPS(K)) + turn;
        const tw_index tile_begin = (tw_index)tile * STEPS(K);
        const int first = turn == 0 ? (int)(begin - tile_begin) : 0;
        const int last = end < tile_begin + STEPS(K) ? (int)(end - tile_begin) : STEPS(K);
        share.tile = WHOLE + tile;
        share.first_k = first * BK;
        share.k_count = (last * BK < K ? last * BK : K) - first * BK;
        share.place = stream_place(stream, turn);
    }
    return share;
}
