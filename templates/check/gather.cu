/* Brings the sampled elements (sampled.cu) of an output together, as doubles: T is its type, LOAD makes a
 * number of one. */
TW_KERNEL(tw_gather)(TW_GLOBAL const T *from, TW_GLOBAL double *to, int layers, int rows, int columns,
                     int stride, int layer_stride) {
    int sampled_layers = tw_sampled_count(layers, TW_SAMPLED_LAYERS);
    int sampled_rows = tw_sampled_count(rows, TW_SAMPLED_ROWS);
    int sampled_columns = tw_sampled_count(columns, TW_SAMPLED_ROWS);
    int count = sampled_layers * sampled_rows * sampled_columns;
    for (int i = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x); i < count; i += (int)gridDim.x * TW_BLOCK_X) {
        tw_index layer = tw_sampled(i / (sampled_rows * sampled_columns), sampled_layers, layers);
        tw_index row = tw_sampled(i / sampled_columns % sampled_rows, sampled_rows, rows);
        tw_index column = tw_sampled(i % sampled_columns, sampled_columns, columns);
        to[i] = (double)LOAD(from[layer * layer_stride + row * stride + column]);
    }
}
