/* Random input that is the same on every device: element i depends on seed and i alone (splitmix64,
 * Steele, Lea and Flood 2014). Gaps between rows are not touched. T is the element type; FLOATING tells
 * whether it is a floating one. */
TW_DEVICE double unit_interval(tw_u64 index, tw_u64 seed) {
    tw_u64 z = index * 0x9E3779B97F4A7C15UL + seed * 0xD1342543DE82EF95UL + 0x9E3779B97F4A7C15UL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9UL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBUL;
    z = z ^ (z >> 31);
    return (double)(z >> 11) * (1.0 / 9007199254740992.0);
}

TW_KERNEL(tw_fill)(TW_GLOBAL T *out, int rows, int columns, int stride, int seed, double low,
                   double high) {
    for (int row = (int)blockIdx.x; row < rows; row += (int)gridDim.x) {
        tw_index first = (tw_index)row * stride;
        for (int column = (int)threadIdx.x; column < columns; column += (int)blockDim.x) {
            double u = unit_interval((tw_u64)row * (tw_u64)columns + (tw_u64)column, (tw_u64)seed);
#if FLOATING
            out[first + column] = (T)(low + u * (high - low));
#else
            out[first + column] = (T)(tw_index)(low + floor(u * (high - low + 1.0)));
#endif
        }
    }
}
