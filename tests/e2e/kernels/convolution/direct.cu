/* A thread has PIXELS pixels, BLOCK_X apart so that neighbours read neighbours, of OUTPUTS images. */
TW_KERNEL(convolution_direct)
(TW_GLOBAL const float *TW_RESTRICT input, TW_GLOBAL const float *TW_RESTRICT filters,
 TW_GLOBAL float *TW_RESTRICT output, int C, int K, int H, int W, int ld_in, int ld_out)
{
    int x = (int)(blockIdx.x * (BLOCK_X * PIXELS) + threadIdx.x);
    int y = (int)(blockIdx.y * BLOCK_Y + threadIdx.y), k = (int)blockIdx.z * OUTPUTS;
    int image = H + EXTENT - 1;
    float sums[OUTPUTS][PIXELS];
    if (y >= H)
        return;
    for (int o = 0; o < OUTPUTS; o++)
        for (int p = 0; p < PIXELS; p++)
            sums[o][p] = 0;
    for (int c = 0; c < C; c++) {
        TW_UNROLL
        for (int i = 0; i < EXTENT; i++) {
            TW_GLOBAL const float *row = input + ((tw_index)c * image + y + i) * ld_in;
            TW_UNROLL
            for (int j = 0; j < EXTENT; j++) {
                TW_UNROLL
                for (int o = 0; o < OUTPUTS; o++) {
                    /* What is past the last image is computed from the last one, and not stored. */
                    int which = RAGGED ? min(k + o, K - 1) : k + o;
                    float weight = filters[((tw_index)which * C + c) * (EXTENT * EXTENT) + i * EXTENT + j];
                    TW_UNROLL
                    for (int p = 0; p < PIXELS; p++)
                        if (x + p * BLOCK_X < W)
                            sums[o][p] = fmaf(weight, row[x + p * BLOCK_X + j], sums[o][p]);
                }
            }
        }
    }
    TW_UNROLL
    for (int o = 0; o < OUTPUTS; o++)
        TW_UNROLL
        for (int p = 0; p < PIXELS; p++)
            if (x + p * BLOCK_X < W && (!RAGGED || k + o < K))
                output[((tw_index)(k + o) * H + y) * ld_out + x + p * BLOCK_X] = sums[o][p];
}
