/* How many tiles there are, in the terms of gemm/split.cu, which divides K for all of them: bands of
 * the triangle in place of columns. */

#define BANDS(N) ((N) / BN + ((N) % BN != 0))
#define TILES_M(M) BAND_ROWS
#define TILES_N(N) (BANDS(N) * (BANDS(N) + 1) / 2)
