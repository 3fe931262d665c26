/* Copies images and filters to the workspace, channels padded with zeros to PADDED_C, and columns of images by the
 * padding: what a line of the filter covers is contiguous then, and its rows are what the copy engine takes. One thread
 * sixteen bytes of a pixel. */

#define PIECE (16 / (int)sizeof(ELEMENT))

struct __align__(16) piece {
    ELEMENT of[PIECE];
};

TW_KERNEL(conv2d_copy_lines)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT filters,
 TW_GLOBAL unsigned char *TW_RESTRICT workspace, int images, int filter_count, int filter_r, int filter_s, int ld_in, int ld_f)
{
    const int pieces = PADDED_C / PIECE;
    const int all = images * IMAGE_H * COLUMNS_W * pieces;
    const int i = (int)blockIdx.x * TW_BLOCK_X + (int)threadIdx.x;
    const int is_image = i < all, j = is_image ? i : i - all;
    const int c = j % pieces * PIECE, at = j / pieces;
    TW_GLOBAL const ELEMENT *from = 0;
    if (is_image) {
        const int w = at % COLUMNS_W - PAD_W;
        if (w >= 0 && w < IMAGE_W)
            from = input + ((tw_index)(at / COLUMNS_W) * IMAGE_W + w) * ld_in;
    } else {
        const int taps = filter_r * filter_s;
        if (at >= filter_count * taps)
            return;
        from = filters + (tw_index)(at / taps) * ld_f + at % taps * ALL_CHANNELS;
    }
    struct piece piece;
    TW_UNROLL
    for (int e = 0; e < PIECE; e++)
        piece.of[e] = from != 0 && c + e < ALL_CHANNELS ? from[c + e] : (ELEMENT)0;
    TW_GLOBAL unsigned char *to = workspace + (is_image ? 0 : (tw_index)FILTERS_AT);
    *(TW_GLOBAL struct piece *)(to + (tw_index)j * 16) = piece;
}
