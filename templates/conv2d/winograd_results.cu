/* Results from what Winograd's points have: one thread a tile of a filter. */

TW_KERNEL(conv2d_winograd_results)
(TW_GLOBAL const real *TW_RESTRICT workspace, TW_GLOBAL ELEMENT *TW_RESTRICT output, int images, int filter_count,
 int ld_out, real alpha, real beta EPILOGUE_PARAMETERS)
{
    DECLARE_EPILOGUE();
    const int out_h = RESULT_H, out_w = RESULT_W;
    const tw_index element = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    const int tile = (int)(element % ALL_TILES), f = (int)(element / ALL_TILES);
    const int row = tile / TILES_W, n = row / TILES_H;
    if (f >= filter_count || n >= images)
        return;
    real x[POINTS];
    TW_UNROLL
    for (int point = 0; point < POINTS; point++)
        x[point] = workspace[RESULTS_AT(point) + (tw_index)f * ALL_TILES + tile];
    TW_UNROLL
    for (int i = 0; i < ALPHA; i++)
        transform_results(x + i * ALPHA, 1);
    TW_UNROLL
    for (int i = 0; i < SPAN; i++)
        transform_results(x + i, ALPHA);
    const int top = row % TILES_H * SPAN, left = tile % TILES_W * SPAN;
    TW_UNROLL
    for (int i = 0; i < SPAN * SPAN; i++) {
        const int p = top + i / SPAN, q = left + i % SPAN;
        if (p >= out_h || q >= out_w)
            continue;
        TW_GLOBAL ELEMENT *at = output + OUTPUT_AT(n, f, p, q);
        *at = FINISHED(x[i / SPAN * ALPHA + i % SPAN], at, q, f);
    }
}
