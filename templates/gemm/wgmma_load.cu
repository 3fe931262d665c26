/* The producer: one thread asks the copy engine for stage after stage, as far ahead as stages are empty.
 *
 * Blocks of a cluster that need the same operand load a part of it each, for all of them. */

#if !PLANES
/* Of which operand there are several. */
#if GROUPED
#define LAYERED_ROWS (SWAP && GROUPS > 1)
#define LAYERED_COLUMNS (!SWAP && GROUPS > 1)
#else
#define LAYERED_ROWS BATCHED
#define LAYERED_COLUMNS BATCHED
#endif

TW_DEVICE void load_rows(tw_u32 to, const tensor_map *map, tw_u32 full, int row, int k,
                         struct share share)
{
#if CLUSTER_N > 1
    /* The blocks that differ in rank_n alone. */
    int blocks = 0;
    TW_UNROLL
    for (int n = 0; n < CLUSTER_N; n++)
        blocks |= 1 << (n * CLUSTER_M + share.rank_m);
#if LAYERED_ROWS
#define LOAD_ROWS(to, x, y) load_layer_box_for(blocks, to, map, full, x, y, share.layer)
#else
#define LOAD_ROWS(to, x, y) load_box_for(blocks, to, map, full, x, y)
#endif
#elif LAYERED_ROWS
#define LOAD_ROWS(to, x, y) load_layer_box(to, map, full, x, y, share.layer)
#else
#define LOAD_ROWS(to, x, y) load_box(to, map, full, x, y)
#endif
#if ROWS_ACROSS_K
    for (int i = share.rank_n; i < BM / STEP; i += CLUSTER_N)
        LOAD_ROWS(to + i * STEP * 128, row + i * STEP, k);
#else
    const int part = share.rank_n * (BM / CLUSTER_N);
    LOAD_ROWS(to + part * 128, k, row + part);
#endif
}

TW_DEVICE void load_columns(tw_u32 to, const tensor_map *map, tw_u32 full, int column, int k,
                            struct share share)
{
#if CLUSTER_M > 1
    const int blocks = ((1 << CLUSTER_M) - 1) << (share.rank_n * CLUSTER_M);
#if LAYERED_COLUMNS
#define LOAD_COLUMNS(to, x, y) load_layer_box_for(blocks, to, map, full, x, y, share.layer)
#else
#define LOAD_COLUMNS(to, x, y) load_box_for(blocks, to, map, full, x, y)
#endif
#elif LAYERED_COLUMNS
#define LOAD_COLUMNS(to, x, y) load_layer_box(to, map, full, x, y, share.layer)
#else
#define LOAD_COLUMNS(to, x, y) load_box(to, map, full, x, y)
#endif
#if COLUMNS_ACROSS_K
    for (int i = share.rank_m; i < (BN + 63) / 64; i += CLUSTER_M)
        LOAD_COLUMNS(to + i * 8192, column + i * 64, k);
#else
    const int part = share.rank_m * (BN / CLUSTER_M);
    LOAD_COLUMNS(to + part * 128, k, column + part);
#endif
}
#endif

TW_DEVICE void produce(const tensor_map *map_rows, const tensor_map *map_columns, tw_u32 base, int rows,
#if GROUPED
                       int columns, int group, struct share share LAYER_STRIDES)
#else
                       int columns, int group, struct share share)
#endif
{
    struct ring ring = {0, 1}; /* stages begin empty: the phase before the first is over */
#if GROUPED
    struct cursor cursor = {0, 0, 0};
#endif
    for (int tile = share.first; tile < share.tiles; tile += share.step) {
#if GROUPED
        const struct place place =
            place_of(tile, SWAP ? columns : rows, SWAP ? rows : columns, group, ends, &cursor);
#else
        const struct place place = place_of(tile, rows, columns, group);
#endif
#if BATCHED || GROUPED
        share.layer = place.layer;
#endif
        for (int step = 0; step < share.steps; step++) {
            const int k = (share.step_first + step) * STEP;
            barrier_wait(EMPTY(ring.stage), ring.phase);
            barrier_expect(FULL(ring.stage), ROWS_BYTES + COLUMNS_BYTES);
            load_rows(ROWS_AT(ring.stage), map_rows, FULL(ring.stage), place.row + share.rank_m * BM, k,
                      share);
            load_columns(COLUMNS_AT(ring.stage), map_columns, FULL(ring.stage),
                         place.column + share.rank_n * BN, k, share);
            ring_next(&ring);
        }
    }
}
