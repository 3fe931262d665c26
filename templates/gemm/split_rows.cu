/* Rows of the tile that are f32 in shared memory and are split on the way to registers, from which the tensor cores take
 * them; columns are planes, in shared memory. What multiply_planes.cu is where both are planes.
 *
 * With its lane l, a thread has rows l/4 and l/4 + 8 of its warp's 16, and of every 16 of K numbers l%4*2 and the
 * next, and those 8 further on (PTX ISA, wgmma's register fragment of A for bf16). */

#define PIECES (STEP / 16) /* of a stage's K, as an instruction takes it */
#define PIECES_EMPTIED (PROMOTE / 16)

/* Two numbers of a row, neighbours in K. */
TW_DEVICE void read_pair(float pair[2], tw_u32 stage, int row, int k)
{
#if ROWS_ACROSS_K
    TW_UNROLL
    for (int e = 0; e < 2; e++)
        asm volatile("ld.shared.f32 %0, [%1];"
                     : "=f"(pair[e])
                     : "r"(stage + (row / 32 * STEP + k + e) * 128 + (row % 32 / 4 ^ (k + e) % 8) * 16 + row % 4 * 4)
                     : "memory");
#else
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];"
                 : "=f"(pair[0]), "=f"(pair[1])
                 : "r"(stage + (k / 32 * BM + row) * 128 + (k % 32 / 4 ^ row % 8) * 16 + k % 4 * 4)
                 : "memory");
#endif
}

/* Splits two numbers at once, the first into the lower halves. What is not finite in f32 or bf16 leaves NaN, and its
 * sums are formed again (mend_sums.cu). */
TW_DEVICE void split_pair(tw_u32 parts[PLANES], float pair[2])
{
    TW_UNROLL
    for (int p = 0; p < PLANES; p++) {
        asm("cvt.rn.bf16x2.f32 %0, %2, %1;" : "=r"(parts[p]) : "f"(pair[0]), "f"(pair[1]));
        pair[0] -= __uint_as_float(parts[p] << 16);
        pair[1] -= __uint_as_float(parts[p] & 0xFFFF0000u);
    }
}

/* `lost`: by row of the thread's, whether a number was left that no plane holds. */
TW_DEVICE void split_rows(tw_u32 parts[TALL][PLANES][4], tw_u32 stage, int first, int piece, int lost[TALL][2])
{
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32 % 4;
    const int row = first + warp * 16 + lane / 4, k = piece * 16 + lane % 4 * 2;
    TW_UNROLL
    for (int t = 0; t < TALL; t++)
        TW_UNROLL
        for (int i = 0; i < 4; i++) {
            float pair[2];
            tw_u32 own[PLANES];
            read_pair(pair, stage, row + t * 64 + i % 2 * 8, k + i / 2 * 8);
            split_pair(own, pair);
            if (UNSPLIT_MARKED)
                lost[t][i % 2] |= pair[0] != 0 || pair[1] != 0;
            TW_UNROLL
            for (int p = 0; p < PLANES; p++)
                parts[t][p][i] = own[p];
        }
}

/* As WGMMA, with the rows in registers, two and two; `add` is a literal. */
#define WGMMA_PARTS(sums, low, high, columns, add)                                                       \
    asm volatile("{.reg .pred p;\n.reg .b32 a, b, c, d;\n setp.ne.u32 p, " #add ", 0;\n"                \
                 " mov.b64 {a, b}, %0;\n mov.b64 {c, d}, %1;\n"                                          \
                 " wgmma.mma_async.sync.aligned.m64n" TEXT(BN) "k16.f32.bf16.bf16"                       \
                 " {" JOIN(WGMMA_NAMES_, BN) "}, {a, b, c, d}, %2, p, 1, 1, 0;}"                         \
                 : "+l"(low), "+l"(high), "+l"(columns), JOIN(WGMMA_SUMS_, BN)(sums))

/* Queues the products of a piece. `first` since the sums were emptied: unless COMPENSATED, what they hold is forgotten. */
TW_DEVICE void multiply_piece(tw_u32 base, sum_type sum[TALL][BN / 2], tw_u32 parts[TALL][PLANES][4], int stage,
                              int piece, const int first)
{
    WGMMA_BEGIN();
    TW_UNROLL
    for (int order = ORDERS - 1; order >= 0; order--)
        TW_UNROLL
        for (int p = 0; p < PLANES; p++) {
            if (p > order || order - p >= PLANES)
                continue;
            const int begins = !COMPENSATED && first && order == ORDERS - 1 && p == max(0, ORDERS - PLANES);
            TW_UNROLL
            for (int t = 0; t < TALL; t++) {
                tw_u64 low = (tw_u64)parts[t][p][1] << 32 | parts[t][p][0];
                tw_u64 high = (tw_u64)parts[t][p][3] << 32 | parts[t][p][2];
                tw_u64 columns =
                    plane_at(COLUMNS_AT(stage) + (order - p) * PLANE_OF_COLUMNS + piece * 32);
                if (begins)
                    WGMMA_PARTS(sum[t], low, high, columns, 0);
                else
                    WGMMA_PARTS(sum[t], low, high, columns, 1);
            }
        }
    WGMMA_COMMIT();
}

/* As multiply_tile of wgmma_multiply.cu. While the products of a piece are under way, the next is split into the registers
 * that they do not use. */
TW_DEVICE int multiply_tile(tw_u32 base, sum_type total[TALL][BN / 2], int row, int steps, struct ring *ring)
{
    sum_type sum[TALL][BN / 2];
    tw_u32 parts[2][TALL][PLANES][4];
    int lost[TALL][2] = {{0, 0}}, stage = ring->stage;
    clear_sums(total);
    if (COMPENSATED)
        clear_sums(sum);
    barrier_wait(FULL(ring->stage), ring->phase);
    split_rows(parts[0], ROWS_AT(stage), row, 0, lost);
    for (int step = 0; step < steps; step++) {
        stage = ring->stage;
        ring_next(ring);
        TW_UNROLL
        for (int piece = 0; piece < PIECES; piece++) {
            multiply_piece(base, sum, parts[piece % 2], stage, piece, piece % PIECES_EMPTIED == 0);
            WGMMA_WAIT(1);
            if (piece + 1 < PIECES) {
                split_rows(parts[(piece + 1) % 2], ROWS_AT(stage), row, piece + 1, lost);
            } else if (step + 1 < steps) {
                barrier_wait(FULL(ring->stage), ring->phase);
                split_rows(parts[0], ROWS_AT(ring->stage), row, 0, lost);
            }
            if ((piece + 1) % PIECES_EMPTIED == 0) {
                finish_sums(sum);
                empty_sums(total, sum);
            }
        }
        if (step + 1 < steps)
            release_stage(EMPTY(stage));
    }
    if (UNSPLIT_MARKED) {
        TW_UNROLL
        for (int t = 0; t < TALL; t++)
            TW_UNROLL
            for (int h = 0; h < 2; h++) {
                lost[t][h] |= __shfl_xor_sync(0xFFFFFFFFu, lost[t][h], 1);
                lost[t][h] |= __shfl_xor_sync(0xFFFFFFFFu, lost[t][h], 2);
                TW_UNROLL
                for (int j = 0; j < BN / 2; j++)
                    if (j / 2 % 2 == h && lost[t][h])
                        total[t][j] = __uint_as_float(0x7FC00000u);
            }
    }
    return stage;
}
