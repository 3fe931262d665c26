/* One thread a result, images and gradient straight from global memory. */

TW_KERNEL(conv2d_backward_weights_direct)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT gradient,
 TW_GLOBAL ELEMENT *TW_RESTRICT output, int images, int channels, int in_h, int in_w, int filter_count, int filter_r,
 int filter_s, int out_h, int out_w, int ld_in, int ld_out, int ld_f, real alpha, real beta)
{
    const int group_channels = channels / GROUPS, terms = group_channels * filter_r * filter_s;
    const int blocks_x = terms / TW_BLOCK_X + (terms % TW_BLOCK_X != 0);
    const int term = (int)(blockIdx.x % blocks_x) * TW_BLOCK_X + (int)threadIdx.x;
    const int f = (int)(blockIdx.x / blocks_x) * TW_BLOCK_Y + (int)threadIdx.y;
    if (term >= terms || f >= filter_count)
        return;
    const int c = NHWC ? term % group_channels : term / filter_s / filter_r;
    const int r = NHWC ? term / group_channels / filter_s : term / filter_s % filter_r;
    const int s = NHWC ? term / group_channels % filter_s : term % filter_s;
    const int channel = f / (filter_count / GROUPS) * group_channels + c;

    real sum = 0;
    for (int n = 0; n < images; n++)
        for (int p = 0; p < out_h; p++) {
            const tw_index h = (tw_index)p * STRIDE_H - PAD_H + (tw_index)r * DILATION_H;
            if (h < 0 || h >= in_h)
                continue;
            for (int q = 0; q < out_w; q++) {
                const tw_index w = (tw_index)q * STRIDE_W - PAD_W + (tw_index)s * DILATION_W;
                if (w >= 0 && w < in_w)
                    sum = FMA(LOADED(input[INPUT_AT(n, channel, h, w)]), LOADED(gradient[OUTPUT_AT(n, f, p, q)]), sum);
            }
        }
    TW_GLOBAL ELEMENT *at = output + FILTER_AT(f, c, r, s);
    *at = RESULT_OF(sum, at, alpha, beta);
}
