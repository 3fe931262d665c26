/* The right answer: every product and sum in double, one element a thread. */

TW_KERNEL(conv2d_backward_weights_reference)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT gradient,
 TW_GLOBAL double *TW_RESTRICT output, TW_GLOBAL const ELEMENT *TW_RESTRICT before, int images, int channels, int in_h,
 int in_w, int filter_count, int filter_r, int filter_s, int out_h, int out_w, int ld_in, int ld_out, int ld_f,
 real alpha, real beta)
{
    const int group_channels = channels / GROUPS, terms = group_channels * filter_r * filter_s;
    const tw_index element = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (element >= (tw_index)filter_count * terms)
        return;
    const int f = (int)(element / terms), term = (int)(element % terms);
    const int c = NHWC ? term % group_channels : term / filter_s / filter_r;
    const int r = (NHWC ? term / group_channels / filter_s : term / filter_s % filter_r);
    const int s = NHWC ? term / group_channels % filter_s : term % filter_s;
    const int channel = f / (filter_count / GROUPS) * group_channels + c;

    double sum = 0;
    for (int n = 0; n < images; n++)
        for (int p = 0; p < out_h; p++) {
            const tw_index h = (tw_index)p * STRIDE_H - PAD_H + (tw_index)r * DILATION_H;
            if (h < 0 || h >= in_h)
                continue;
            for (int q = 0; q < out_w; q++) {
                const tw_index w = (tw_index)q * STRIDE_W - PAD_W + (tw_index)s * DILATION_W;
                if (w >= 0 && w < in_w)
                    sum = fma((double)LOADED(input[INPUT_AT(n, channel, h, w)]),
                              (double)LOADED(gradient[OUTPUT_AT(n, f, p, q)]), sum);
            }
        }
    const tw_index at = FILTER_AT(f, c, r, s);
    double result = (double)alpha * sum;
    if (beta != 0) /* the results hold anything, NaN included, when beta is zero */
        result = fma((double)beta, (double)LOADED(before[at]), result);
    output[at] = result;
}
