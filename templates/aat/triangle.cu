/* The place in the lower triangle of a block number: row r begins at r (r + 1) / 2. The root is
 * near, and the loops make it exact. */
TW_DEVICE int triangle_row(tw_index id)
{
    tw_index r = (tw_index)((sqrt(8.0f * (float)id + 1.0f) - 1.0f) * 0.5f);
    while (r * (r + 1) / 2 > id)
        r--;
    while ((r + 1) * (r + 2) / 2 <= id)
        r++;
    return (int)r;
}

/* The first row and column of tile `tile`, as gemm's register-tiled kernel asks: here it is given A
 * twice, only the tiles on and below the diagonal, and writes each to both its places. */
TW_DEVICE int tile_m(int tile, int M, int N, int group_m)
{
    return triangle_row(tile) * BM;
}

TW_DEVICE int tile_n(int tile, int M, int N, int group_m)
{
    const tw_index row = triangle_row(tile);
    return (int)(tile - row * (row + 1) / 2) * BM;
}
