/* The order of the tiles of C. Blocks in flight at one time should share
 * rows and columns that fit in the L2 cache: tiles are numbered down columns of group_m tiles (as
 * Triton's matrix multiplication tutorial does). */

#if GROUPED
#define TILES_M(M) ((M) / BM + ((M) % BM != 0 || (M) == 0)) /* a block without rows has a place, too */
#else
#define TILES_M(M) ((M) / BM + ((M) % BM != 0))
#endif
#define TILES_N(N) ((N) / BN + ((N) % BN != 0))

/* The first row of a tile, and the first column. Threads that make C of parts may ask for tiles behind the last, and
 * use none of it: a CPU stops at a remainder by zero, of which a GPU makes some number. */
TW_DEVICE int tile_m(int tile, int M, int N, int group_m)
{
    const int tall = group_m < TILES_M(M) ? group_m : TILES_M(M);
    const int first = tile / (tall * TILES_N(N)) * tall;
    const int height = TILES_M(M) - first < tall ? TILES_M(M) - first : tall;
#if !TW_CUDA
    if (height <= 0)
        return M;
#endif
    return (first + tile % (tall * TILES_N(N)) % height) * BM;
}

TW_DEVICE int tile_n(int tile, int M, int N, int group_m)
{
    const int tall = group_m < TILES_M(M) ? group_m : TILES_M(M);
    const int first = tile / (tall * TILES_N(N)) * tall;
    const int height = TILES_M(M) - first < tall ? TILES_M(M) - first : tall;
#if !TW_CUDA
    if (height <= 0)
        return N;
#endif
    return tile % (tall * TILES_N(N)) / height * BN;
}
