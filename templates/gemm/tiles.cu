/* Which tile of C a block computes, and which part of K. Blocks in flight at one time should share
 * rows and columns that fit in the L2 cache: tiles are numbered down columns of group_m tiles (as
 * Triton's matrix multiplication tutorial does). */

#define TILES_M(M) ((M) / BM + ((M) % BM != 0))
#define TILES_N(N) ((N) / BN + ((N) % BN != 0))

/* The first row of a tile, and the first column. */
TW_DEVICE int tile_m(int tile, int M, int N, int group_m)
{
    const int tall = group_m < TILES_M(M) ? group_m : TILES_M(M);
    const int first = tile / (tall * TILES_N(N)) * tall;
    const int height = TILES_M(M) - first < tall ? TILES_M(M) - first : tall;
    return (first + tile % (tall * TILES_N(N)) % height) * BM;
}

TW_DEVICE int tile_n(int tile, int M, int N, int group_m)
{
    const int tall = group_m < TILES_M(M) ? group_m : TILES_M(M);
    const int first = tile / (tall * TILES_N(N)) * tall;
    const int height = TILES_M(M) - first < tall ? TILES_M(M) - first : tall;
    return tile % (tall * TILES_N(N)) / height * BN;
}

/* With SPLIT, K is divided over groups of blocks, whose partial sums go to the workspace for
 * sum_splits.cu to add. The first WHOLE tiles are not divided: they fill the device for whole
 * waves, and only the tiles of the last, partial wave are spread over all of it (as in stream-K,
 * Osama et al. 2023, but with no atomics and always the same sums). */

#ifndef SPLIT
#define SPLIT 0
#endif

#if SPLIT
#define SPLIT_ARGUMENTS , TW_GLOBAL real *TW_RESTRICT workspace, int split_k

#define SPLIT_TILES(M, N) (TILES_M(M) * TILES_N(N) - WHOLE)

TW_DEVICE int split_tile(int M, int N)
{
    return WHOLE + ((int)blockIdx.x - WHOLE) % SPLIT_TILES(M, N);
}

TW_DEVICE int split_part(int M, int N)
{
    return ((int)blockIdx.x - WHOLE) / SPLIT_TILES(M, N);
}

/* The first step of BK that belongs to a part. */
TW_DEVICE int split_step(int K, int part, int parts)
{
    return (int)((tw_index)(K / BK + (K % BK != 0)) * part / parts);
}

/* Tiles lie in the workspace one after the other, all of them whole. */
TW_DEVICE tw_index part_place(int part, int tile, int M, int N)
{
    return ((tw_index)part * SPLIT_TILES(M, N) + (tile - WHOLE)) * (BM * BN);
}
#else
#define SPLIT_ARGUMENTS
#endif
