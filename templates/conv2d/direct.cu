/* One thread a result, images and filters straight from global memory. */

TW_KERNEL(conv2d_direct)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT filters,
 TW_GLOBAL ELEMENT *TW_RESTRICT output, int pixels, int channels, int in_h, int in_w, int filter_count,
 int filter_r, int filter_s, int out_h, int out_w, int ld_in, int ld_f, int ld_out, real alpha,
 real beta EPILOGUE_PARAMETERS)
{
    DECLARE_EPILOGUE();
    const int group_channels = channels / GROUPS, group_filters = filter_count / GROUPS;
    /* Along x is what is contiguous in memory: filters, or pixels. */
    const int length = NHWC ? filter_count : pixels;
    const int blocks_x = length / TW_BLOCK_X + (length % TW_BLOCK_X != 0);
    const int x = (int)(blockIdx.x % blocks_x) * TW_BLOCK_X + (int)threadIdx.x;
    const int y = (int)(blockIdx.x / blocks_x) * TW_BLOCK_Y + (int)threadIdx.y;
    const int f = NHWC ? x : y, pixel = NHWC ? y : x;
    if (f >= filter_count || pixel >= pixels)
        return;
    const int n = pixel / (out_h * out_w), p = pixel / out_w % out_h, q = pixel % out_w;
    const int first_channel = f / group_filters * group_channels;

    real sum = 0;
    for (int r = 0; r < filter_r; r++) {
        const tw_index h = (tw_index)p * STRIDE_H - PAD_H + (tw_index)r * DILATION_H;
        if (h < 0 || h >= in_h)
            continue;
        for (int s = 0; s < filter_s; s++) {
            const tw_index w = (tw_index)q * STRIDE_W - PAD_W + (tw_index)s * DILATION_W;
            if (w < 0 || w >= in_w)
                continue;
            for (int c = 0; c < group_channels; c++)
                sum = FMA(LOADED(input[INPUT_AT(n, first_channel + c, h, w)]),
                          LOADED(filters[FILTER_AT(f, c, r, s)]), sum);
        }
    }
    TW_GLOBAL ELEMENT *at = output + OUTPUT_AT(n, f, p, q);
    *at = FINISHED(sum, at, pixel, f);
}
