/* One thread a result, gradient and filters straight from global memory. What is read, the gradient by the results,
 * are the images of conv2d/layout.cu, and what is written its results. */

TW_KERNEL(conv2d_backward_data_direct)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT filters,
 TW_GLOBAL ELEMENT *TW_RESTRICT output, int pixels, int channels, int in_h, int in_w, int filter_count, int filter_r,
 int filter_s, int out_h, int out_w, int ld_in, int ld_f, int ld_out, real alpha, real beta)
{
    const int read_channels = channels / GROUPS, group_channels = filter_count / GROUPS;
    /* Along x is what is contiguous in memory: channels, or pixels. */
    const int length = NHWC ? filter_count : pixels;
    const int blocks_x = length / TW_BLOCK_X + (length % TW_BLOCK_X != 0);
    const int x = (int)(blockIdx.x % blocks_x) * TW_BLOCK_X + (int)threadIdx.x;
    const int y = (int)(blockIdx.x / blocks_x) * TW_BLOCK_Y + (int)threadIdx.y;
    const int c = NHWC ? x : y, pixel = NHWC ? y : x;
    if (c >= filter_count || pixel >= pixels)
        return;
    const int n = pixel / (out_h * out_w), h = pixel / out_w % out_h, w = pixel % out_w;
    const int first = c / group_channels * read_channels;

    real sum = 0;
    for (int r = 0; r < filter_r; r++) {
        const tw_index down = (tw_index)h + PAD_H - (tw_index)r * DILATION_H;
        if (down < 0 || down % STRIDE_H != 0 || down / STRIDE_H >= in_h)
            continue;
        for (int s = 0; s < filter_s; s++) {
            const tw_index across = (tw_index)w + PAD_W - (tw_index)s * DILATION_W;
            if (across < 0 || across % STRIDE_W != 0 || across / STRIDE_W >= in_w)
                continue;
            for (int f = first; f < first + read_channels; f++)
                sum = FMA(LOADED(input[INPUT_AT(n, f, down / STRIDE_H, across / STRIDE_W)]),
                          LOADED(filters[FILTER_AT(f, c % group_channels, r, s)]), sum);
        }
    }
    TW_GLOBAL ELEMENT *at = output + OUTPUT_AT(n, c, h, w);
    *at = FINISHED(sum, at, pixel, c);
}
