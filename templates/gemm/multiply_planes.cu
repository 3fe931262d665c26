/* Products of stages that are planes. */

#define INSTRUCTION_K (32 / OPERAND_SIZE)
/* What is multiplied at a time, of a stage's K, and how many stages before sums are emptied. */
#define CHUNK_K (PROMOTE < STEP ? PROMOTE : STEP)
#define CHUNKS (STEP / CHUNK_K)
#define EMPTIED_AFTER (PROMOTE > STEP ? PROMOTE / STEP : 1)

/* Queues the products of a chunk of a stage. `first` since the sums were emptied: unless COMPENSATED, what they hold is
 * forgotten. */
TW_DEVICE void multiply_chunk(tw_u32 base, sum_type sum[TALL][BN / 2], int row, int stage, int chunk, int first)
{
    tw_u32 begun = COMPENSATED || !first;
    WGMMA_BEGIN();
    TW_UNROLL
    for (int order = ORDERS - 1; order >= 0; order--)
        TW_UNROLL
        for (int p = 0; p < PLANES; p++) {
            if (p > order || order - p >= PLANES)
                continue;
            TW_UNROLL
            for (int k = 0; k < CHUNK_K / INSTRUCTION_K; k++) {
                const int at = chunk * CHUNK_K * OPERAND_SIZE + k * 32;
                TW_UNROLL
                for (int t = 0; t < TALL; t++) {
                    tw_u64 rows =
                        plane_at(ROWS_AT(stage) + p * PLANE_OF_ROWS + (row + t * 64) * LINE_BYTES + at);
                    tw_u64 columns = plane_at(COLUMNS_AT(stage) + (order - p) * PLANE_OF_COLUMNS + at);
                    tw_u32 add = begun;
                    WGMMA(sum[t], rows, columns, add);
                }
                begun = 1;
            }
        }
    WGMMA_COMMIT();
}

/* As multiply_tile of wgmma_multiply.cu. */
TW_DEVICE int multiply_tile(tw_u32 base, sum_type total[TALL][BN / 2], int row, int steps, struct ring *ring)
{
    sum_type sum[TALL][BN / 2];
    int last = 0;
    clear_sums(total);
    if (COMPENSATED)
        clear_sums(sum);
    for (int step = 0; step < steps;) {
        const int first = step, end = steps - step < EMPTIED_AFTER ? steps : step + EMPTIED_AFTER;
        for (; step < end; step++) {
            barrier_wait(FULL(ring->stage), ring->phase);
            multiply_chunk(base, sum, row, ring->stage, 0, step == first);
            TW_UNROLL
            for (int chunk = 1; chunk < CHUNKS; chunk++) {
                finish_sums(sum);
                empty_sums(total, sum);
                multiply_chunk(base, sum, row, ring->stage, chunk, 1);
            }
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
        empty_sums(total, sum);
    }
    return last;
}
