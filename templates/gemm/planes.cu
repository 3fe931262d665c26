/* Planes of split numbers (split_number.cu) in shared memory: lines of LINE_BYTES along K, swizzled by as much, in
 * blocks of eight. Those of an operand lie one after the other. A map of planes counts in pairs of bytes. */

#define LINE_BYTES (STEP * OPERAND_SIZE)
#define PLANE_OF_ROWS (BM * LINE_BYTES)
#define PLANE_OF_COLUMNS (BN * LINE_BYTES)

/* Products of planes p and q are summed where p + q is below it, the small ones first. */
#define ORDERS (PRODUCTS == 9 ? 5 : PRODUCTS == 6 ? 3 : 2)

#define LINES_SWIZZLE (LINE_BYTES == 128 ? 1 : LINE_BYTES == 64 ? 2 : 3)
#define LINES_DESCRIPTOR \
    ((tw_u64)LINES_SWIZZLE << 62 | (tw_u64)(8 * LINE_BYTES >> 4) << 32 | (tw_u64)1 << 16)

TW_DEVICE tw_u64 plane_at(tw_u32 at)
{
    return LINES_DESCRIPTOR | (tw_u64)((at & 0x3FFFF) >> 4);
}

/* The tensor cores cut what they add, so their sums are emptied into others, which round as f32 does, after every
 * PROMOTE of K. Where COMPENSATED, what is lost when one is rounded stays in the tensor cores' sum, from which it is
 * added with the next (Kahan's summation), so that errors do not grow with K. */
TW_DEVICE void empty_sums(sum_type total[TALL][BN / 2], sum_type sum[TALL][BN / 2])
{
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int j = 0; j < BN / 2; j++) {
#if COMPENSATED
            const float before = total[t][j];
            total[t][j] = before + sum[t][j];
            sum[t][j] -= total[t][j] - before;
#else
            total[t][j] += sum[t][j];
#endif
        }
}

TW_DEVICE void clear_sums(sum_type sum[TALL][BN / 2])
{
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int j = 0; j < BN / 2; j++)
            sum[t][j] = 0;
}

/* As wgmma_load.cu, plane after plane. `blocks`: of the cluster, by their bits, if there are others that need the same. */
TW_DEVICE void load_planes(tw_u32 to, int plane_bytes, const tensor_map *map, tw_u32 full, int k, int line,
#if BATCHED
                           const int shared, int blocks, int layer)
#else
                           const int shared, int blocks)
#endif
{
    TW_UNROLL
    for (int p = 0; p < PLANES; p++) {
#if BATCHED
        const int z = layer * PLANES + p;
        if (shared)
            load_layer_box_for(blocks, to + p * plane_bytes, map, full, k * (OPERAND_SIZE / 2), line, z);
        else
            load_layer_box(to + p * plane_bytes, map, full, k * (OPERAND_SIZE / 2), line, z);
#else
        if (shared)
            load_layer_box_for(blocks, to + p * plane_bytes, map, full, k * (OPERAND_SIZE / 2), line, p);
        else
            load_layer_box(to + p * plane_bytes, map, full, k * (OPERAND_SIZE / 2), line, p);
#endif
    }
}

#if ROWS_IN_F32
/* Rows as they lie in memory, in lines of 128 bytes, swizzled: along K in boxes of 32 of K, one after the other; across
 * K in boxes of 32 rows, of all of the stage's K. */
#define BOX_WORDS 32

TW_DEVICE void load_rows(tw_u32 to, const tensor_map *map, tw_u32 full, int row, int k, struct share share)
{
    int blocks = 0;
    TW_UNROLL
    for (int n = 0; n < CLUSTER_N; n++)
        blocks |= 1 << (n * CLUSTER_M + share.rank_m);
    const int part = share.rank_n * (BM / CLUSTER_N);
    TW_UNROLL
    for (int i = 0; i < (ROWS_ACROSS_K ? BM / CLUSTER_N : STEP) / BOX_WORDS; i++) {
        const int across = part + i * BOX_WORDS;
        const tw_u32 at = to + (ROWS_ACROSS_K ? across / BOX_WORDS * STEP : i * BM + part) * 128;
        const int x = ROWS_ACROSS_K ? row + across : k + i * BOX_WORDS, y = ROWS_ACROSS_K ? k : row + part;
        if (CLUSTER_N > 1)
            load_box_for(blocks, at, map, full, x, y);
        else
            load_box(at, map, full, x, y);
    }
}
#else
TW_DEVICE void load_rows(tw_u32 to, const tensor_map *map, tw_u32 full, int row, int k, struct share share)
{
    const int part = share.rank_n * (BM / CLUSTER_N);
    int blocks = 0;
    TW_UNROLL
    for (int n = 0; n < CLUSTER_N; n++)
        blocks |= 1 << (n * CLUSTER_M + share.rank_m);
#if BATCHED
    load_planes(to + part * LINE_BYTES, PLANE_OF_ROWS, map, full, k, row + part, CLUSTER_N > 1, blocks, share.layer);
#else
    load_planes(to + part * LINE_BYTES, PLANE_OF_ROWS, map, full, k, row + part, CLUSTER_N > 1, blocks);
#endif
}
#endif

TW_DEVICE void load_columns(tw_u32 to, const tensor_map *map, tw_u32 full, int column, int k, struct share share)
{
    const int part = share.rank_m * (BN / CLUSTER_M);
    const int blocks = ((1 << CLUSTER_M) - 1) << (share.rank_n * CLUSTER_M);
#if BATCHED
    load_planes(to + part * LINE_BYTES, PLANE_OF_COLUMNS, map, full, k, column + part, CLUSTER_M > 1, blocks, share.layer);
#else
    load_planes(to + part * LINE_BYTES, PLANE_OF_COLUMNS, map, full, k, column + part, CLUSTER_M > 1, blocks);
#endif
}
