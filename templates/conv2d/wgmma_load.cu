/* The producer of a convolution, in the place of gemm/wgmma_load.cu: one thread asks the copy engine for stage after
 * stage. A stage is 128 bytes of channels under one place of the filter, or 64 (SHALLOW). The map of the filters has the
 * places as a dimension of its own, so that behind the last channel both operands are zero. Blocks of a cluster that need
 * the same operand load a part of it each, for all of them. */

#define CHANNEL_STEPS ((GROUP_CHANNELS + STEP - 1) / STEP)
/* What K is for the kernel, which divides it by STEP. */
#define share_of(rows, columns, K) share_of((rows), (columns), FILTER_R *FILTER_S *CHANNEL_STEPS *STEP)

/* Of an operand, the lines that a block loads of a tile, for how many blocks, and which. */
#if SWAP
#define PIXEL_SHARERS CLUSTER_M
#define FILTER_SHARERS CLUSTER_N
#else
#define PIXEL_SHARERS CLUSTER_N
#define FILTER_SHARERS CLUSTER_M
#endif

TW_DEVICE void load_patches(tw_u32 to, const tensor_map *map, tw_u32 full, int blocks, struct patch patch, int n, int c,
                            int tap)
{
    const int right = tap % FILTER_S * DILATION_W, down = tap / FILTER_S * DILATION_H;
#if PIXEL_SHARERS > 1
    load_pixels_for(blocks, to, map, full, c, WINDOW_LEFT(patch), WINDOW_TOP(patch), n, right, down);
#else
    load_pixels(to, map, full, c, WINDOW_LEFT(patch), WINDOW_TOP(patch), n, right, down);
#endif
}

TW_DEVICE void load_filters(tw_u32 to, const tensor_map *map, tw_u32 full, int blocks, int filter, int c, int tap)
{
#if FILTER_SHARERS > 1
    load_layer_box_for(blocks, to, map, full, c, tap, filter);
#else
    load_layer_box(to, map, full, c, tap, filter);
#endif
}

TW_DEVICE void produce(const tensor_map *map_rows, const tensor_map *map_columns, tw_u32 base, int rows, int columns,
                       int group, struct share share)
{
    struct ring ring = {0, 1}; /* stages begin empty: the phase before the first is over */
    /* Rows are shared by the blocks that differ in rank_n alone, columns by those that differ in rank_m. */
    const int row_part = share.rank_n * (BM / CLUSTER_N), column_part = share.rank_m * (BN / CLUSTER_M);
    const int column_blocks = ((1 << CLUSTER_M) - 1) << (share.rank_n * CLUSTER_M);
    int row_blocks = 0;
    TW_UNROLL
    for (int n = 0; n < CLUSTER_N; n++)
        row_blocks |= 1 << (n * CLUSTER_M + share.rank_m);
    for (int tile = share.first; tile < share.tiles; tile += share.step) {
        const struct place place = place_of(tile, rows, columns, group);
        const int row = place.row + share.rank_m * BM + row_part;
        const int column = place.column + share.rank_n * BN + column_part;
        const int pixel = SWAP ? column : row, filter = SWAP ? row : column;
        const int n = pixel / (RESULT_W * RESULT_H);
        const struct patch patch = patch_of(pixel);
        int c = share.step_first % CHANNEL_STEPS * STEP, tap = share.step_first / CHANNEL_STEPS;
        for (int step = 0; step < share.steps; step++) {
            const tw_u32 full = FULL(ring.stage);
#if SHALLOW
            const tw_u32 rows_to = ROWS_AT(ring.stage) + row_part * 64;
            const tw_u32 columns_to = COLUMNS_AT(ring.stage) + column_part * 64;
#else
            const tw_u32 rows_to = ROWS_AT(ring.stage) + row_part * 128;
            const tw_u32 columns_to = COLUMNS_AT(ring.stage) + column_part * 128;
#endif
            barrier_wait(EMPTY(ring.stage), ring.phase);
            barrier_expect(full, ROWS_BYTES + COLUMNS_BYTES);
#if SWAP
            load_filters(rows_to, map_rows, full, row_blocks, filter, c, tap);
            load_patches(columns_to, map_columns, full, column_blocks, patch, n, c, tap);
#else
            load_patches(rows_to, map_rows, full, row_blocks, patch, n, c, tap);
            load_filters(columns_to, map_columns, full, column_blocks, filter, c, tap);
#endif
            c += STEP;
            if (c >= CHANNEL_STEPS * STEP) {
                c = 0;
                tap++;
            }
            ring_next(&ring);
        }
    }
}
