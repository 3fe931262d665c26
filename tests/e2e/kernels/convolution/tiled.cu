/* As direct, but the TILE_H x TILE_W pixels of one input image that a block needs are fetched once. */
TW_KERNEL(convolution_tiled)
(TW_GLOBAL const float *TW_RESTRICT input, TW_GLOBAL const float *TW_RESTRICT filters,
 TW_GLOBAL float *TW_RESTRICT output, int C, int K, int H, int W, int ld_in, int ld_out)
{
    TW_SHARED(float, tile, TILE_H * TILE_W);
    int left = (int)blockIdx.x * (BLOCK_X * PIXELS), top = (int)blockIdx.y * BLOCK_Y;
    int x = (int)threadIdx.x, y = (int)threadIdx.y, k = (int)blockIdx.z * OUTPUTS;
    int image = H + EXTENT - 1, width = W + EXTENT - 1;
    float sums[OUTPUTS][PIXELS];
    for (int o = 0; o < OUTPUTS; o++)
        for (int p = 0; p < PIXELS; p++)
            sums[o][p] = 0;
    for (int c = 0; c < C; c++) {
        for (int i = y * BLOCK_X + x; i < TILE_H * TILE_W; i += BLOCK_X * BLOCK_Y) {
            int row = top + i / TILE_W, column = left + i % TILE_W;
            tile[i] = row < image && column < width ? input[((tw_index)c * image + row) * ld_in + column] : 0;
        }
        __syncthreads();
        TW_UNROLL
        for (int i = 0; i < EXTENT; i++) {
            TW_UNROLL
            for (int j = 0; j < EXTENT; j++) {
                TW_UNROLL
                for (int o = 0; o < OUTPUTS; o++) {
                    int which = RAGGED ? min(k + o, K - 1) : k + o;
                    float weight = filters[((tw_index)which * C + c) * (EXTENT * EXTENT) + i * EXTENT + j];
                    TW_UNROLL
                    for (int p = 0; p < PIXELS; p++)
                        sums[o][p] = fmaf(weight, tile[(y + i) * TILE_W + x + p * BLOCK_X + j], sums[o][p]);
                }
            }
        }
        __syncthreads(); /* all have read before the next image comes */
    }
    TW_UNROLL
    for (int o = 0; o < OUTPUTS; o++)
        TW_UNROLL
        for (int p = 0; p < PIXELS; p++)
            if (top + y < H && left + x + p * BLOCK_X < W && (!RAGGED || k + o < K))
                output[((tw_index)(k + o) * H + top + y) * ld_out + left + x + p * BLOCK_X] = sums[o][p];
}
