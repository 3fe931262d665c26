/* The tiles that gemm's register-tiled kernel computes, given A twice: those on and below the diagonal.
 * They are square or twice as wide as they are tall. Rows of tiles come in bands as tall as a tile is
 * wide, so that band b has b + 1 tiles in each row, and only the last of them meets the diagonal. */

#define BAND_ROWS (BN / BM)

TW_DEVICE int tile_m(int tile, int M, int N, int group_m)
{
    const int band = triangle_row(tile / BAND_ROWS);
    const int in_band = tile - BAND_ROWS * (band * (band + 1) / 2);
    return band * BN + in_band % BAND_ROWS * BM;
}

TW_DEVICE int tile_n(int tile, int M, int N, int group_m)
{
    const int band = triangle_row(tile / BAND_ROWS);
    const int in_band = tile - BAND_ROWS * (band * (band + 1) / 2);
    return in_band / BAND_ROWS * BN;
}
