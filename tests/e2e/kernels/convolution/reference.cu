/* A pixel of one output a thread, summed in double. */
TW_KERNEL(convolution_reference)
(TW_GLOBAL const float *input, TW_GLOBAL const float *filters, TW_GLOBAL double *output, int C, int H, int W,
 int ld_in, int ld_out)
{
    int x = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x), y = (int)(blockIdx.y * TW_BLOCK_Y + threadIdx.y);
    int k = (int)blockIdx.z;
    if (x >= W || y >= H)
        return;
    double sum = 0;
    for (int c = 0; c < C; c++)
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++)
                sum += (double)input[((tw_index)c * IN_H + y + i) * ld_in + x + j] *
                       filters[((tw_index)k * C + c) * (SIDE * SIDE) + i * SIDE + j];
    output[((tw_index)k * H + y) * ld_out + x] = sum;
}
