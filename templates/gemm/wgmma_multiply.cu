/* A tile's products, stage after stage, into the sums in a warpgroup's registers. */

/* Waits for the last group, and keeps the compiler from using the sums before. */
TW_DEVICE void finish_sums(sum_type sum[TALL][BN / 2])
{
    WGMMA_WAIT(0);
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int j = 0; j < BN / 2; j++)
            asm volatile("" : WGMMA_IN_OUT(sum[t][j])::"memory");
}

#if !ROWS_IN_REGISTERS && !PLANES
#if UNIFORM
/* An operand so many bytes behind another. Both lie in shared memory, so that nothing is carried. */
TW_DEVICE tw_u64 operand_behind(tw_u64 operand, tw_u32 bytes)
{
    return (operand & 0xFFFFFFFF00000000ULL) | ((tw_u32)operand + (bytes >> 4));
}

/* Queues the products of a stage. `add`: to what the sums hold. `row` is known to be the same for all of a warp, and what
 * follows from it alone is computed once a warp: 51 instructions a stage for 80, which leaves more to another
 * warpgroup's epilogue. */
TW_DEVICE void multiply_stage(tw_u32 base, sum_type sum[TALL][BN / 2], int row, int stage, int first)
{
    const tw_u32 rows_at = ROWS_AT(stage) + row * 128;
#if ROWS_ACROSS_K
    const tw_u64 all_rows = operand_across_k(rows_at);
#else
    const tw_u64 all_rows = operand_along_k(rows_at);
#endif
#if COLUMNS_ACROSS_K
    const tw_u64 all_columns = operand_across_k(COLUMNS_AT(stage));
#else
    const tw_u64 all_columns = operand_along_k(COLUMNS_AT(stage));
#endif
    WGMMA_BEGIN();
    TW_UNROLL
    for (int k = 0; k < STEP_INSTRUCTIONS; k++) {
        TW_UNROLL
        for (int t = 0; t < TALL; t++) {
            tw_u32 add = !first || k > 0;
            tw_u64 rows = operand_behind(all_rows, t * 8192 + k * (ROWS_ACROSS_K ? 2048 : 32));
            tw_u64 columns = operand_behind(all_columns, k * (COLUMNS_ACROSS_K ? 2048 : 32));
            WGMMA(sum[t], rows, columns, add);
        }
    }
    WGMMA_COMMIT();
}
#else
/* Queues the products of a stage. `add`: to what the sums hold. */
TW_DEVICE void multiply_stage(tw_u32 base, sum_type sum[TALL][BN / 2], int row, int stage, int first)
{
    WGMMA_BEGIN();
    TW_UNROLL
    for (int k = 0; k < STEP_INSTRUCTIONS; k++) {
        TW_UNROLL
        for (int t = 0; t < TALL; t++) {
#if SHALLOW
            const tw_u32 rows_at = ROWS_AT(stage) + (row + t * 64) * 64;
#else
            const tw_u32 rows_at = ROWS_AT(stage) + (row + t * 64) * 128;
#endif
            tw_u32 add = !first || k > 0;
#if ROWS_ACROSS_K
            tw_u64 rows = operand_across_k(rows_at + k * 2048);
#else
            tw_u64 rows = operand_along_k(rows_at + k * 32);
#endif
#if COLUMNS_ACROSS_K
            tw_u64 columns = operand_across_k(COLUMNS_AT(stage) + k * 2048);
#else
            tw_u64 columns = operand_along_k(COLUMNS_AT(stage) + k * 32);
#endif
            WGMMA(sum[t], rows, columns, add);
        }
    }
    WGMMA_COMMIT();
}
#endif

/* Multiplies a tile's steps of K; all but the last group of instructions is done then. Returns the last stage,
 * which is not yet released. */
#if !PROMOTED
TW_DEVICE int multiply_tile(tw_u32 base, sum_type sum[TALL][BN / 2], int row, int steps, struct ring *ring)
{
    int last = 0;
#if UNIFORM
    row = __shfl_sync(0xFFFFFFFF, row, 0);
#endif
    for (int step = 0; step < steps; step++) {
        barrier_wait(FULL(ring->stage), ring->phase);
        multiply_stage(base, sum, row, ring->stage, step == 0);
        /* The stage before this one has been read once only this group is under way. */
        if (step > 0) {
            WGMMA_WAIT(1);
            release_stage(EMPTY(last));
        }
        last = ring->stage;
        ring_next(ring);
    }
    return last;
}
#elif PART_N == BN
/* The tensor cores add 8-bit floats with some 14 bits below the largest term, so their sums are emptied into
 * others, which round as f32 does, every PROMOTED stages. */
#if BLOCK_SCALED
TW_DEVICE int multiply_tile(tw_u32 base, sum_type total[TALL][BN / 2], int row, int steps, struct ring *ring,
                            struct block_scales scales)
#else
TW_DEVICE int multiply_tile(tw_u32 base, sum_type total[TALL][BN / 2], int row, int steps, struct ring *ring)
#endif
{
    int last = 0;
#if UNIFORM
    row = __shfl_sync(0xFFFFFFFF, row, 0);
#endif
#if BLOCK_SCALED
    const int blocks = BLOCKS_OF_K(scales.K);
#endif
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int j = 0; j < BN / 2; j++)
            total[t][j] = 0;
    for (int step = 0; step < steps;) {
        sum_type sum[TALL][BN / 2];
        const int end = steps - step < PROMOTED ? steps : step + PROMOTED;
#if BLOCK_SCALED
        float by_row[TALL][2], by_block[BN / 128 + 2];
        TAKE_BLOCK_SCALES(scales, blocks, step, by_row, by_block);
#endif
        for (const int first = step; step < end; step++) {
            barrier_wait(FULL(ring->stage), ring->phase);
            multiply_stage(base, sum, row, ring->stage, step == first);
            if (step > first) {
                WGMMA_WAIT(1);
                release_stage(EMPTY(last));
            }
            last = ring->stage;
            ring_next(ring);
        }
        finish_sums(sum);
        if (step < steps)
            release_stage(EMPTY(last));
#if BLOCK_SCALED
        TW_UNROLL
        for (int j = 0; j < BN / 8; j++) {
            float by_column = by_block[j / 16];
            if (scales.n % 128 + j % 16 * 8 >= 128)
                by_column = by_block[j / 16 + 1];
            TW_UNROLL
            for (int t = 0; t < TALL; t++)
                TW_UNROLL
                for (int e = 0; e < 4; e++)
                    total[t][j * 4 + e] =
                        fmaf(sum[t][j * 4 + e], by_row[t][e / 2] * by_column, total[t][j * 4 + e]);
        }
#else
        TW_UNROLL
        for (int t = 0; t < TALL; t++)
            TW_UNROLL
            for (int j = 0; j < BN / 2; j++)
                total[t][j] += sum[t][j];
#endif
    }
    return last;
}
#endif
#endif
