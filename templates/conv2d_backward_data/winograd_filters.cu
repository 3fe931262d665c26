/* Filters at Winograd's points, turned about: what was a channel's becomes a filter. One thread a channel of a filter;
 * neighbours have neighbouring channels, which lie side by side both ways. */

TW_KERNEL(conv2d_winograd_turned)
(TW_GLOBAL const ELEMENT *TW_RESTRICT filters, TW_GLOBAL real *TW_RESTRICT workspace, int channel_count, int ld_f)
{
    const int element = (int)blockIdx.x * TW_BLOCK_X + (int)threadIdx.x;
    const int channel = element % ALL_FILTERS, f = element / ALL_FILTERS;
    if (f >= ALL_CHANNELS)
        return;
    real rows[3 * ALPHA], points[POINTS];
    TW_UNROLL
    for (int r = 0; r < 3; r++) {
        real of[3];
        TW_UNROLL
        for (int s = 0; s < 3; s++)
            of[s] = channel < channel_count ? filters[(tw_index)f * ld_f + channel * 9 + (2 - r) * 3 + 2 - s] : 0;
        transform_filter(rows + r * ALPHA, 1, of[0], of[1], of[2]);
    }
    TW_UNROLL
    for (int i = 0; i < ALPHA; i++)
        transform_filter(points + i, ALPHA, rows[i], rows[ALPHA + i], rows[2 * ALPHA + i]);
    TW_UNROLL
    for (int point = 0; point < POINTS; point++)
        workspace[FILTERS_AT(point) + (tw_index)f * ALL_FILTERS + channel] = points[point];
}
