/* Sums of 8-bit floats that are emptied after every stage, as in wgmma.cu, where the registers hold the tile's sums and
 * half of what a stage adds up to: one half of the columns is emptied before the other is multiplied, which the other
 * warpgroup's products fill. */

#if PROMOTED && PART_N < BN
/* As WGMMA, for half of the columns. */
#define WGMMA_HALF(sums, rows, columns, add)                                                             \
    asm volatile("{.reg .pred p;\n setp.ne.b32 p, %2, 0;\n wgmma.mma_async.sync.aligned.m64n" TEXT(     \
                     PART_N) WGMMA_SHAPE "." WGMMA_RESULT "." ROWS_TYPE "." COLUMNS_TYPE                 \
                         " {" JOIN(WGMMA_NAMES_, PART_N) "}, %0, %1, p" WGMMA_SIGNS ";}"                 \
                 : "+l"(rows), "+l"(columns), "+r"(add), JOIN(WGMMA_SUMS_, PART_N)(sums))

TW_DEVICE void multiply_half(tw_u32 base, sum_type sum[TALL][PART_N / 2], int row, int stage, int half)
{
    WGMMA_BEGIN();
    TW_UNROLL
    for (int k = 0; k < STEP_INSTRUCTIONS; k++)
        TW_UNROLL
        for (int t = 0; t < TALL; t++) {
            tw_u32 add = k > 0;
            tw_u64 rows = operand_along_k(ROWS_AT(stage) + (row + t * 64) * 128 + k * 32);
            tw_u64 columns = operand_along_k(COLUMNS_AT(stage) + half * PART_N * 128 + k * 32);
            WGMMA_HALF(sum[t], rows, columns, add);
        }
    WGMMA_COMMIT();
    WGMMA_WAIT(0);
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int j = 0; j < PART_N / 2; j++)
            asm volatile("" : WGMMA_IN_OUT(sum[t][j])::"memory");
}

/* As in wgmma.cu; but everything is done when it returns. With scales by blocks, a half is a block of 128 columns. */
#if BLOCK_SCALED
TW_DEVICE int multiply_tile(tw_u32 base, sum_type total[TALL][BN / 2], int row, int steps, struct ring *ring,
                            struct block_scales scales)
#else
TW_DEVICE int multiply_tile(tw_u32 base, sum_type total[TALL][BN / 2], int row, int steps, struct ring *ring)
#endif
{
    int last = 0;
#if BLOCK_SCALED
    const int blocks = BLOCKS_OF_K(scales.K);
#endif
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int j = 0; j < BN / 2; j++)
            total[t][j] = 0;
    for (int step = 0; step < steps; step++) {
#if BLOCK_SCALED
        float by_row[TALL][2], by_block[BN / 128 + 2];
        TAKE_BLOCK_SCALES(scales, blocks, step, by_row, by_block);
#endif
        barrier_wait(FULL(ring->stage), ring->phase);
        last = ring->stage;
        TW_UNROLL
        for (int half = 0; half < 2; half++) {
            sum_type sum[TALL][PART_N / 2];
            multiply_half(base, sum, row, last, half);
            if (half == 1 && step < steps - 1)
                release_stage(EMPTY(last));
            TW_UNROLL
            for (int t = 0; t < TALL; t++)
                TW_UNROLL
                for (int j = 0; j < PART_N / 2; j++)
#if BLOCK_SCALED
                    total[t][half * (PART_N / 2) + j] = fmaf(sum[t][j], by_row[t][j % 4 / 2] * by_block[half],
                                                             total[t][half * (PART_N / 2) + j]);
#else
                    total[t][half * (PART_N / 2) + j] += sum[t][j];
#endif
        }
        ring_next(ring);
    }
    return last;
}
#endif
