/* Rows of the tile that lie across K in elements of four bytes, which the tensor cores take from registers only:
 * every thread reads its part of a stage from shared memory, turned on the way.
 *
 * With its lane l, a thread has rows l/4 and l/4 + 8 of its warp's 16, and of every eight of K numbers l%4 and
 * l%4 + 4 (PTX ISA, wgmma's register fragment of A for tf32). In the stage a line of 128 bytes is 32 rows at one
 * K, swizzled; lanes with odd l%4 read the later K first, so that a warp's reads meet all banks. */

#define ROWS_IN_REGISTERS (ROWS_ACROSS_K && OPERAND_SIZE == 4)

#if ROWS_IN_REGISTERS
TW_DEVICE tw_u32 word_in(tw_u32 at)
{
    tw_u32 word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(at) : "memory");
    return word;
}

TW_DEVICE void read_rows(tw_u32 rows[TALL][STEP_INSTRUCTIONS][4], tw_u32 stage, int first)
{
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32 % 4;
    const int row = first + warp * 16 + lane / 4, odd = lane % 2;
    const int k_1 = lane % 4 + odd * 4, k_2 = lane % 4 + (1 - odd) * 4;
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int h = 0; h < 2; h++) {
            const int r = row + t * 64 + h * 8;
            const tw_u32 at = stage + r / 32 * 4096 + r % 4 * 4;
            const tw_u32 at_1 = at + k_1 * 128 + (r % 32 / 4 ^ k_1) * 16;
            const tw_u32 at_2 = at + k_2 * 128 + (r % 32 / 4 ^ k_2) * 16;
            TW_UNROLL
            for (int k = 0; k < STEP_INSTRUCTIONS; k++) {
                const tw_u32 word_1 = word_in(at_1 + k * 1024), word_2 = word_in(at_2 + k * 1024);
                rows[t][k][h] = odd ? word_2 : word_1;
                rows[t][k][h + 2] = odd ? word_1 : word_2;
            }
        }
}

/* As WGMMA, with the rows in registers, two and two; adds to what the sums hold. */
#define WGMMA_ROWS(sums, low, high, columns)                                                             \
    asm volatile("{.reg .pred p;\n.reg .b32 a, b, c, d;\n setp.eq.u32 p, 0, 0;\n mov.b64 {a, b}, %0;\n"  \
                 " mov.b64 {c, d}, %1;\n wgmma.mma_async.sync.aligned.m64n" TEXT(BN) WGMMA_SHAPE         \
                 "." WGMMA_RESULT "." ROWS_TYPE "." COLUMNS_TYPE                                         \
                 " {" JOIN(WGMMA_NAMES_, BN) "}, {a, b, c, d}, %2, p, 1, 1;}"                            \
                 : "+l"(low), "+l"(high), "+l"(columns), JOIN(WGMMA_SUMS_, BN)(sums))

TW_DEVICE void multiply_rows(tw_u32 base, sum_type sum[TALL][BN / 2],
                             tw_u32 rows[TALL][STEP_INSTRUCTIONS][4], int stage)
{
    WGMMA_BEGIN();
    TW_UNROLL
    for (int k = 0; k < STEP_INSTRUCTIONS; k++)
        TW_UNROLL
        for (int t = 0; t < TALL; t++) {
            tw_u64 low = (tw_u64)rows[t][k][1] << 32 | rows[t][k][0];
            tw_u64 high = (tw_u64)rows[t][k][3] << 32 | rows[t][k][2];
            tw_u64 columns = operand_along_k(COLUMNS_AT(stage) + k * 32);
            WGMMA_ROWS(sum[t], low, high, columns);
        }
    WGMMA_COMMIT();
}

/* The rows of a stage are read while the products of the stage before are under way, into the registers that
 * those do not use. */
TW_DEVICE int multiply_tile(tw_u32 base, sum_type sum[TALL][BN / 2], int row, int steps, struct ring *ring)
{
    tw_u32 rows[2][TALL][STEP_INSTRUCTIONS][4];
    int last = 0;
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int j = 0; j < BN / 2; j++)
            sum[t][j] = 0;
    for (int step = 0; step < steps; step += 2) {
        TW_UNROLL
        for (int turn = 0; turn < 2; turn++) {
            if (step + turn >= steps)
                break;
            barrier_wait(FULL(ring->stage), ring->phase);
            read_rows(rows[turn], ROWS_AT(ring->stage), row);
            multiply_rows(base, sum, rows[turn], ring->stage);
            if (step + turn > 0) {
                WGMMA_WAIT(1);
                release_stage(EMPTY(last));
            }
            last = ring->stage;
            ring_next(ring);
        }
    }
    return last;
}
#endif
