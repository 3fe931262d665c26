/* K is divided over split_k groups of blocks, whose sums go to the workspace for sum_splits.cu to add. */

#define MOST_SHARES 1
#define SHARE_ARGUMENTS , TW_GLOBAL real *TW_RESTRICT workspace, int split_k
#define SHARE_WORKSPACE workspace
#define ONLY_SHARE split_share(M, N, K, split_k)

struct share {
    int tile;
    int first_k, k_count;
    int whole;
    tw_index place; /* in the workspace */
};

/* The first step of BK that belongs to a part. */
TW_DEVICE int split_step(int K, int part, int parts)
{
    return (int)((tw_index)(K / BK + (K % BK != 0)) * part / parts);
}

/* Tiles lie in the workspace one after the other, all of them whole. */
TW_DEVICE tw_index part_place(int part, int tile, int M, int N)
{
    return ((tw_index)part * (TILES_M(M) * TILES_N(N)) + tile) * (BM * BN);
}

TW_DEVICE struct share split_share(int M, int N, int K, int split_k)
{
    const int tiles = TILES_M(M) * TILES_N(N);
    const int part = (int)blockIdx.x / tiles;
    const int first = split_step(K, part, split_k) * BK;
    const int end = split_step(K, part + 1, split_k) * BK;
    struct share share;
    share.tile = (int)blockIdx.x % tiles;
    share.first_k = first;
    share.k_count = (end < K ? end : K) - first;
    share.whole = 0;
    share.place = part_place(part, share.tile, M, N);
    return share;
}
