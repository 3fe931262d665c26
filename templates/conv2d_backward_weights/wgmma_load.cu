/* The producer of a gradient by the filters, in the place of gemm/wgmma_load.cu: one thread asks the copy engine for
 * stage after stage. A stage is STEP pixels: of the gradient boxes of 64 filters, and of the images boxes of 64 channels
 * under one place of the filter, all across K. What lies behind the last pixel is zero in both. The layers that the
 * kernel knows are shares of the pixels. Blocks of a cluster that need the same operand load some of its boxes each, for
 * all of them. */

#define BOX 64
#define BOX_BYTES (BOX * 128)
#define CHANNEL_BOXES (GROUP_CHANNELS / BOX)
#define LAST_TERM_BOX (FILTER_R * FILTER_S * CHANNEL_BOXES - 1)
/* What K is for the kernel: a share's. */
#define share_of(rows, columns, K) share_of((rows), (columns), SHARE_STEPS *STEP)

#if SWAP
#define FILTER_SHARERS CLUSTER_M
#define TERM_SHARERS CLUSTER_N
#else
#define FILTER_SHARERS CLUSTER_N
#define TERM_SHARERS CLUSTER_M
#endif

TW_DEVICE void load_filters(tw_u32 to, const tensor_map *map, tw_u32 full, int blocks, int filter, int pixel)
{
#if FILTER_SHARERS > 1
    load_box_for(blocks, to, map, full, filter, pixel);
#else
    load_box(to, map, full, filter, pixel);
#endif
}

/* Terms behind the last feed results that do not exist, and are read from the last. */
TW_DEVICE void load_terms(tw_u32 to, const tensor_map *map, tw_u32 full, int blocks, int term, struct patch patch, int n)
{
    const int box = min(term / BOX, LAST_TERM_BOX);
    const int tap = box / CHANNEL_BOXES, c = box % CHANNEL_BOXES * BOX;
    const int right = tap % FILTER_S * DILATION_W, down = tap / FILTER_S * DILATION_H;
#if TERM_SHARERS > 1
    load_pixels_for(blocks, to, map, full, c, WINDOW_LEFT(patch), WINDOW_TOP(patch), n, right, down);
#else
    load_pixels(to, map, full, c, WINDOW_LEFT(patch), WINDOW_TOP(patch), n, right, down);
#endif
}

TW_DEVICE void produce(const tensor_map *map_rows, const tensor_map *map_columns, tw_u32 base, int rows, int columns,
                       int group, struct share share)
{
    struct ring ring = {0, 1}; /* stages begin empty: the phase before the first is over */
    /* Rows are shared by the blocks that differ in rank_n alone, columns by those that differ in rank_m. */
    const int column_blocks = ((1 << CLUSTER_M) - 1) << (share.rank_n * CLUSTER_M);
    int row_blocks = 0;
    TW_UNROLL
    for (int n = 0; n < CLUSTER_N; n++)
        row_blocks |= 1 << (n * CLUSTER_M + share.rank_m);
    for (int tile = share.first; tile < share.tiles; tile += share.step) {
        const struct place place = place_of(tile, rows, columns, group);
        const int row = place.row + share.rank_m * BM, column = place.column + share.rank_n * BN;
        for (int step = 0; step < share.steps; step++) {
            const int pixel = (place.layer * SHARE_STEPS + share.step_first + step) * STEP;
            const struct patch patch = patch_of(pixel);
            const int n = pixel / (RESULT_W * RESULT_H);
            const tw_u32 full = FULL(ring.stage);
            barrier_wait(EMPTY(ring.stage), ring.phase);
            barrier_expect(full, ROWS_BYTES + COLUMNS_BYTES);
            for (int i = share.rank_n; i < BM / BOX; i += CLUSTER_N) {
                const tw_u32 to = ROWS_AT(ring.stage) + i * BOX_BYTES;
#if SWAP
                load_terms(to, map_rows, full, row_blocks, row + i * BOX, patch, n);
#else
                load_filters(to, map_rows, full, row_blocks, row + i * BOX, pixel);
#endif
            }
            for (int i = share.rank_m; i < (BN + BOX - 1) / BOX; i += CLUSTER_M) {
                const tw_u32 to = COLUMNS_AT(ring.stage) + i * BOX_BYTES;
#if SWAP
                load_filters(to, map_columns, full, column_blocks, column + i * BOX, pixel);
#else
                load_terms(to, map_columns, full, column_blocks, column + i * BOX, patch, n);
#endif
            }
            ring_next(&ring);
        }
    }
}

/* Parts are stored as they are: whoever adds them scales the sum. */
#undef RESULT_OF
#define RESULT_OF(sum, at, alpha, beta) (sum)
