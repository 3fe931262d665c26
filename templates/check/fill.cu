/* Random input that is the same on every device: element i depends on seed and i alone (splitmix64,
 * Steele, Lea and Flood 2014), the rows of all layers counted as one. Gaps are not touched. T is the element type; FLOATING tells
 * whether it is a floating one, and then STORE makes one of a number. */
TW_DEVICE double unit_interval(tw_u64 index, tw_u64 seed) {
    tw_u64 z = index * 0x9E3779B97F4A7C15UL + seed * 0xD1342543DE82EF95UL + 0x9E3779B97F4A7C15UL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9UL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBUL;
    z = z ^ (z >> 31);
    return (double)(z >> 11) * (1.0 / 9007199254740992.0);
}

TW_KERNEL(tw_fill)(TW_GLOBAL T *out, int layers, int rows, int columns, int stride, int layer_stride,
                   int seed, double low, double high) {
    /* Work is dealt out in pieces of rows, so that few long rows keep a device as busy as many. */
    int pieces = (columns + TW_PIECE - 1) / TW_PIECE;
    tw_index tasks = (tw_index)layers * rows * pieces;
    for (tw_index task = (tw_index)blockIdx.x; task < tasks; task += (tw_index)gridDim.x) {
        tw_index row = task / pieces;
        int start = (int)(task % pieces) * TW_PIECE;
        int end = columns - start < TW_PIECE ? columns : start + TW_PIECE;
        tw_index first = row / rows * layer_stride + row % rows * stride;
        for (int column = start + (int)threadIdx.x; column < end; column += TW_BLOCK_X) {
            double u = unit_interval((tw_u64)row * (tw_u64)columns + (tw_u64)column, (tw_u64)seed);
#if FLOATING
            out[first + column] = STORE(low + u * (high - low));
#else
            out[first + column] = (T)(tw_index)(low + floor(u * (high - low + 1.0)));
#endif
        }
    }
}
