/* The right answer: every product and sum in double, one element a thread. What is read, the gradient by the results,
 * are the images of conv2d/layout.cu, and what is written its results. */

TW_KERNEL(conv2d_backward_data_reference)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT filters,
 TW_GLOBAL double *TW_RESTRICT output, TW_GLOBAL const ELEMENT *TW_RESTRICT before, int pixels, int channels, int in_h,
 int in_w, int filter_count, int filter_r, int filter_s, int out_h, int out_w, int ld_in, int ld_f, int ld_out,
 real alpha, real beta)
{
    const int read_channels = channels / GROUPS, group_channels = filter_count / GROUPS;
    const tw_index element = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (element >= (tw_index)pixels * filter_count)
        return;
    const int pixel = (int)(element / filter_count), c = (int)(element % filter_count);
    const int n = pixel / (out_h * out_w), h = pixel / out_w % out_h, w = pixel % out_w;
    const int first = c / group_channels * read_channels;

    double sum = 0;
    for (int r = 0; r < filter_r; r++) {
        const tw_index y = (tw_index)h + PAD_H - (tw_index)r * DILATION_H;
        for (int s = 0; s < filter_s; s++) {
            const tw_index x = (tw_index)w + PAD_W - (tw_index)s * DILATION_W;
            if (y < 0 || x < 0 || y % STRIDE_H != 0 || x % STRIDE_W != 0 || y / STRIDE_H >= in_h ||
                x / STRIDE_W >= in_w)
                continue;
            for (int f = first; f < first + read_channels; f++)
                sum = fma((double)LOADED(input[INPUT_AT(n, f, y / STRIDE_H, x / STRIDE_W)]),
                          (double)LOADED(filters[FILTER_AT(f, c % group_channels, r, s)]), sum);
        }
    }
    const tw_index at = OUTPUT_AT(n, c, h, w);
    double result = (double)alpha * sum;
    if (beta != 0) /* the results hold anything, NaN included, when beta is zero */
        result = fma((double)beta, (double)LOADED(before[at]), result);
    output[at] = result;
}
