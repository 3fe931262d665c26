/* Input that is hard to be exact on, the same on every device: uniform numbers times powers of two. A
 * buffer's lines have the terms of sums, along rows of memory or ACROSS them. An exponent from `least` to
 * `most` is drawn for every element, line or term. With `second_half` the terms of a line's second half
 * are those of its first times that, 1 or -1. T is the element type, STORE makes one of a number. */
TW_DEVICE double unit_interval(tw_u64 index, tw_u64 seed) {
    tw_u64 z = index * 0x9E3779B97F4A7C15UL + seed * 0xD1342543DE82EF95UL + 0x9E3779B97F4A7C15UL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9UL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBUL;
    z = z ^ (z >> 31);
    return (double)(z >> 11) * (1.0 / 9007199254740992.0);
}

TW_KERNEL(tw_fill_hard)(TW_GLOBAL T *out, int layers, int rows, int columns, int stride, int layer_stride,
                        int seed, double low, double high, int least, int most, int of, int across,
                        int second_half) {
    int pieces = (columns + TW_PIECE - 1) / TW_PIECE;
    tw_index tasks = (tw_index)layers * rows * pieces;
    int terms = across ? rows : columns, lines = across ? columns : rows, middle = terms / 2;
    for (tw_index task = (tw_index)blockIdx.x; task < tasks; task += (tw_index)gridDim.x) {
        tw_index layer = task / pieces / rows;
        int row = (int)(task / pieces % rows);
        int start = (int)(task % pieces) * TW_PIECE;
        int end = columns - start < TW_PIECE ? columns : start + TW_PIECE;
        tw_index first = layer * layer_stride + (tw_index)row * stride;
        for (int column = start + (int)threadIdx.x; column < end; column += TW_BLOCK_X) {
            int term = across ? row : column;
            tw_index line = layer * lines + (across ? column : row);
            double sign = 1;
            if (second_half != 0 && term >= terms - middle) {
                term -= terms - middle;
                sign = second_half;
            }
            tw_u64 element = (tw_u64)line * (tw_u64)terms + (tw_u64)term;
            tw_u64 drawn = of == 0 ? element : of == 1 ? (tw_u64)line : (tw_u64)term;
            double u = unit_interval(element, (tw_u64)seed);
            double v = unit_interval(drawn, (tw_u64)seed + 0x40000000UL);
            int exponent = least + (int)floor(v * (most - least + 1.0));
            out[first + column] = STORE(ldexp(sign * (low + u * (high - low)), exponent));
        }
    }
}
