/* The right answer: every product and sum in double, one element a thread. */

TW_KERNEL(conv2d_reference)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT filters,
 TW_GLOBAL double *TW_RESTRICT output, TW_GLOBAL const ELEMENT *TW_RESTRICT before, int pixels, int channels,
 int in_h, int in_w, int filter_count, int filter_r, int filter_s, int out_h, int out_w, int ld_in, int ld_f,
 int ld_out, real alpha, real beta EPILOGUE_PARAMETERS)
{
    const int group_channels = channels / GROUPS, group_filters = filter_count / GROUPS;
    const tw_index element = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (element >= (tw_index)pixels * filter_count)
        return;
    const int pixel = (int)(element / filter_count), f = (int)(element % filter_count);
    const int n = pixel / (out_h * out_w), p = pixel / out_w % out_h, q = pixel % out_w;
    const int first_channel = f / group_filters * group_channels;

    double sum = 0;
    for (int r = 0; r < filter_r; r++) {
        const tw_index h = (tw_index)p * STRIDE_H - PAD_H + (tw_index)r * DILATION_H;
        for (int s = 0; s < filter_s; s++) {
            const tw_index w = (tw_index)q * STRIDE_W - PAD_W + (tw_index)s * DILATION_W;
            if (h < 0 || h >= in_h || w < 0 || w >= in_w)
                continue;
            for (int c = 0; c < group_channels; c++)
                sum = fma((double)LOADED(input[INPUT_AT(n, first_channel + c, h, w)]),
                          (double)LOADED(filters[FILTER_AT(f, c, r, s)]), sum);
        }
    }
    const tw_index at = OUTPUT_AT(n, f, p, q);
    double result = (double)alpha * sum;
    if (beta != 0) /* the results hold anything, NaN included, when beta is zero */
        result = fma((double)beta, (double)LOADED(before[at]), result);
#if HAS_BIASES
    result += (double)LOADED(biases[f]);
#endif
#if EPILOGUE
    result = ACTIVATED_F64(result);
#endif
    output[at] = result;
}
