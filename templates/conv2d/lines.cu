/* Images are the copy that copy_lines.cu makes: its columns have the padding in them, its map the steps between columns
 * in its strides, and a line of the filter is one place. */

#undef STRIDE_W
#define STRIDE_W 1
#undef PAD_W
#define PAD_W 0
