/* Every channel is a group of its own. A thread has ROWS x COLUMNS neighbouring results of one filter, and reads each
 * element of the image that they share once: a row of it at a time. */

/* Of the image, what a thread's results need. */
#define SPAN_H ((ROWS - 1) * STRIDE_H + (FILTER_R - 1) * DILATION_H + 1)
#define SPAN_W ((COLUMNS - 1) * STRIDE_W + (FILTER_S - 1) * DILATION_W + 1)

TW_KERNEL(conv2d_depthwise)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT filters,
 TW_GLOBAL ELEMENT *TW_RESTRICT output, int image_count, int channels, int in_h, int in_w, int filter_count, int out_h,
 int out_w, int ld_in, int ld_f, int ld_out, real alpha, real beta EPILOGUE_PARAMETERS)
{
    DECLARE_EPILOGUE();
    const int group_channels = 1, filter_r = FILTER_R, filter_s = FILTER_S;
    const int runs_h = (out_h + ROWS - 1) / ROWS, runs_w = (out_w + COLUMNS - 1) / COLUMNS;
    /* Along x is what is contiguous in memory: filters, or runs of pixels. */
    const int length = NHWC ? filter_count : runs_w;
    const int blocks_x = length / TW_BLOCK_X + (length % TW_BLOCK_X != 0);
    const int x = (int)(blockIdx.x % blocks_x) * TW_BLOCK_X + (int)threadIdx.x;
    const tw_index y = (tw_index)(blockIdx.x / blocks_x) * TW_BLOCK_Y + threadIdx.y;
    const int other = (int)(y % (NHWC ? runs_w : filter_count));
    const int run = (int)(y / (NHWC ? runs_w : filter_count));
    const int f = NHWC ? x : other, q = (NHWC ? other : x) * COLUMNS;
    const int n = run / runs_h, p = run % runs_h * ROWS;
    if (f >= filter_count || q >= out_w || n >= image_count)
        return;

    real weights[FILTER_R * FILTER_S];
    TW_UNROLL
    for (int i = 0; i < FILTER_R * FILTER_S; i++)
        weights[i] = LOADED(filters[FILTER_AT(f, 0, i / FILTER_S, i % FILTER_S)]);
    real sum[ROWS * COLUMNS];
    TW_UNROLL
    for (int i = 0; i < ROWS * COLUMNS; i++)
        sum[i] = 0;

    const int channel = f / (filter_count / channels), top = p * STRIDE_H - PAD_H, left = q * STRIDE_W - PAD_W;
    TW_UNROLL
    for (int y_in = 0; y_in < SPAN_H; y_in++) {
        real line[SPAN_W];
        const int h = top + y_in;
        TW_UNROLL
        for (int i = 0; i < SPAN_W; i++) {
            const int w = left + i;
            line[i] = h >= 0 && h < in_h && w >= 0 && w < in_w ? LOADED(input[INPUT_AT(n, channel, h, w)]) : 0;
        }
        TW_UNROLL
        for (int row = 0; row < ROWS; row++) {
            TW_UNROLL
            for (int r = 0; r < FILTER_R; r++) {
                if (row * STRIDE_H + r * DILATION_H != y_in)
                    continue;
                TW_UNROLL
                for (int i = 0; i < COLUMNS; i++)
                    TW_UNROLL
                    for (int s = 0; s < FILTER_S; s++)
                        sum[row * COLUMNS + i] = FMA(line[i * STRIDE_W + s * DILATION_W], weights[r * FILTER_S + s],
                                                    sum[row * COLUMNS + i]);
            }
        }
    }

    TW_UNROLL
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        const int row = p + i / COLUMNS, column = q + i % COLUMNS;
        if (row >= out_h || column >= out_w)
            continue;
        TW_GLOBAL ELEMENT *at = output + OUTPUT_AT(n, f, row, column);
        *at = FINISHED(sum[i], at, column, f);
    }
}
