/* Filters at Winograd's points: one thread a channel of a filter. */

TW_KERNEL(conv2d_winograd_filters)
(TW_GLOBAL const ELEMENT *TW_RESTRICT filters, TW_GLOBAL real *TW_RESTRICT workspace, int filter_count, int ld_f)
{
    const int element = (int)blockIdx.x * TW_BLOCK_X + (int)threadIdx.x;
    const int f = element % ALL_FILTERS, c = element / ALL_FILTERS;
    if (c >= ALL_CHANNELS)
        return;
    real rows[3 * ALPHA], points[POINTS];
    TW_UNROLL
    for (int r = 0; r < 3; r++) {
        real of[3];
        TW_UNROLL
        for (int s = 0; s < 3; s++)
            of[s] = f < filter_count ? filters[(tw_index)f * ld_f + c * 9 + r * 3 + s] : 0;
        transform_filter(rows + r * ALPHA, 1, of[0], of[1], of[2]);
    }
    TW_UNROLL
    for (int i = 0; i < ALPHA; i++)
        transform_filter(points + i, ALPHA, rows[i], rows[ALPHA + i], rows[2 * ALPHA + i]);
    TW_UNROLL
    for (int point = 0; point < POINTS; point++)
        workspace[FILTERS_AT(point) + (tw_index)c * ALL_FILTERS + f] = points[point];
}
