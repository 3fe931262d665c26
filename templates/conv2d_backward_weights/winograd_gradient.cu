/* The gradient by the results at Winograd's points: one thread a tile of a filter. */

TW_KERNEL(conv2d_winograd_gradient)
(TW_GLOBAL const ELEMENT *TW_RESTRICT gradient, TW_GLOBAL real *TW_RESTRICT workspace, int ld_gradient)
{
    const tw_index element = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    const int tile = (int)(element % ALL_TILES), f = (int)(element / ALL_TILES);
    const int row = tile / TILES_W, n = row / TILES_H;
    if (f >= ALL_FILTERS)
        return;
    const int top = row % TILES_H * SPAN, left = tile % TILES_W * SPAN;
    TW_GLOBAL const ELEMENT *results = gradient + ((tw_index)n * ALL_FILTERS + f) * RESULT_H * ld_gradient;
    real rows[SPAN * ALPHA], points[POINTS];
    TW_UNROLL
    for (int i = 0; i < SPAN; i++) {
        real of[SPAN];
        TW_UNROLL
        for (int j = 0; j < SPAN; j++)
            of[j] = top + i < RESULT_H && left + j < RESULT_W ? results[(tw_index)(top + i) * ld_gradient + left + j] : 0;
        transform_gradient(rows + i * ALPHA, 1, of, 1);
    }
    TW_UNROLL
    for (int i = 0; i < ALPHA; i++)
        transform_gradient(points + i, ALPHA, rows + i, ALPHA);
    TW_UNROLL
    for (int point = 0; point < POINTS; point++)
        workspace[RESULTS_AT(point) + (tw_index)f * ALL_TILES + tile] = points[point];
}
