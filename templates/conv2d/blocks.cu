/* Images as mma_blocks reads them: what a line of the filter sees is one pixel, and the filters' steps along a row are
 * from pixel to pixel. */

#undef STRIDE_W
#define STRIDE_W 1
