/* A cell of the grid that begins at A, 0 outside of it. */
TW_DEVICE float cell(TW_GLOBAL const float *A, int z, int y, int x, int D, int H, int W, int lda)
{
    int inside = z >= 0 && z < D && y >= 0 && y < H && x >= 0 && x < W;
    return inside ? A[((tw_index)z * H + y) * lda + x] : 0.0f;
}
