/* From a warpgroup's sums to C: an element on or below the diagonal to its place and to the mirrored one, so that C is
 * symmetric to the last bit, and none above it. A thread has two neighbours in each of two rows of every eight columns
 * (wgmma_store.cu); eight lanes have neighbours of a row of the transpose. */
TW_DEVICE void store_both(TW_GLOBAL float *C, float sum[TALL][BN / 2], int row, int column, int rows, int ldc)
{
    const int lane = (int)threadIdx.x % 32;
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int j = 0; j < BN / 8; j++)
            TW_UNROLL
            for (int h = 0; h < 2; h++) {
                const int m = row + t * 64 + lane / 4 + h * 8, n = column + j * 8 + lane % 4 * 2;
                const float left = sum[t][j * 4 + h * 2], right = sum[t][j * 4 + h * 2 + 1];
                TW_GLOBAL float *to = C + (tw_index)m * ldc + n, *mirrored = C + (tw_index)n * ldc + m;
                if (m >= rows)
                    continue;
                if (VEC_C == 2 && n < m) {
                    *(float2 *)to = make_float2(left, right);
                } else if (n <= m) {
                    to[0] = left;
                    if (n < m)
                        to[1] = right;
                }
                if (n < m)
                    mirrored[0] = left;
                if (n + 1 < m)
                    mirrored[ldc] = right;
            }
}
