/* Images at Winograd's points: one thread a tile of a channel. */

TW_KERNEL(conv2d_winograd_images)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL real *TW_RESTRICT workspace, int images)
{
    const tw_index element = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    const int tile = (int)(element % ALL_TILES), c = (int)(element / ALL_TILES);
    const int row = tile / TILES_W, n = row / TILES_H;
#if SPARE_TILES
    /* What lies behind the last tile is multiplied as well. Nobody uses that, but it is not to be what nobody wrote. */
    if (c < ALL_CHANNELS && n >= images) {
        TW_UNROLL
        for (int point = 0; point < POINTS; point++)
            workspace[IMAGES_AT(point) + (tw_index)c * ALL_TILES + tile] = 0;
    }
#endif
    if (c >= ALL_CHANNELS || n >= images)
        return;
    const int top = row % TILES_H * SPAN - PAD_H, left = tile % TILES_W * SPAN - PAD_W;
    TW_GLOBAL const ELEMENT *image = input + ((tw_index)n * ALL_CHANNELS + c) * IMAGE_H * LD_IN;
    real x[POINTS];
    TW_UNROLL
    for (int i = 0; i < POINTS; i++) {
        const int h = top + i / ALPHA, w = left + i % ALPHA;
        x[i] = h >= 0 && h < IMAGE_H && w >= 0 && w < IMAGE_W ? image[(tw_index)h * LD_IN + w] : 0;
    }
    TW_UNROLL
    for (int i = 0; i < ALPHA; i++)
        transform_pixels(x + i * ALPHA, 1);
    TW_UNROLL
    for (int i = 0; i < ALPHA; i++)
        transform_pixels(x + i, ALPHA);
    TW_UNROLL
    for (int point = 0; point < POINTS; point++)
        workspace[IMAGES_AT(point) + (tw_index)c * ALL_TILES + tile] = x[point];
}
