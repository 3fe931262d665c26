/* The sample of a matrix that errors are measured on: of so many rows, columns and layers at most, spread
 * evenly, the first and the last among them. */
#define TW_SAMPLED_ROWS 256
#define TW_SAMPLED_LAYERS 2

/* How many of `count` are sampled, and which the i-th of them is. */
TW_DEVICE int tw_sampled_count(int count, int most) {
    return count < most ? count : most;
}

TW_DEVICE int tw_sampled(int i, int sampled, int count) {
    return sampled < 2 ? 0 : (int)((tw_index)i * (count - 1) / (sampled - 1));
}
