/* What a split cannot do: with infinite numbers, whose products with zero parts are none, and with those that the
 * split marked, sums are not finite. A warp that has such a sum forms all of its own again in f32 from what was split,
 * in chains, so that results are what f32 arithmetic gives: of CHAIN_K, or with SHORT_CHAINS as long as leaves the least
 * error of terms of one sign, which grows with the chains' length over their number and with their number. */

#if SHORT_CHAINS
TW_DEVICE int chain_length(int k)
{
    return max(16, (int)((float)k / cbrtf(2.0f * (float)k)) + 1);
}
#define CHAIN_K chain
#elif !defined(CHAIN_K)
#define CHAIN_K 256
#endif

/* Numbers of the operand whose rows the tile's rows are, and of the other. */
#if SWAP
#define ROW_NUMBER(r, k) B[OFFSET_B(k, r)]
#define COLUMN_NUMBER(k, c) A[OFFSET_A(c, k)]
#else
#define ROW_NUMBER(r, k) A[OFFSET_A(r, k)]
#define COLUMN_NUMBER(k, c) B[OFFSET_B(k, c)]
#endif

/* Half of the tile's columns at a time, for which there are registers besides the sums. */
#define HALF_SUMS (BN / 4)

/* Adds the products of K from `k` to `end`. What is outside of C becomes anything. */
TW_DEVICE void add_products(sum_type sum[TALL][HALF_SUMS], int row, int column, int rows, int columns, int k, int end,
                            TW_GLOBAL const float *A, TW_GLOBAL const float *B, int lda, int ldb)
{
    TW_UNROLL_BY(1)
    for (; k < end; k++) {
        float by_row[TALL * 2];
        TW_UNROLL
        for (int i = 0; i < TALL * 2; i++)
            by_row[i] = ROW_NUMBER(min(row + i / 2 * 64 + i % 2 * 8, rows - 1), k);
        TW_UNROLL
        for (int j = 0; j < HALF_SUMS / 2; j++) {
            const float number = COLUMN_NUMBER(k, min(column + j / 2 * 8 + j % 2, columns - 1));
            TW_UNROLL
            for (int i = 0; i < TALL * 2; i++) {
                sum_type *to = &sum[i / 2][j / 2 * 4 + i % 2 * 2 + j % 2];
                *to = fmaf(by_row[i], number, *to);
            }
        }
    }
}

/* `row`: of the warp's first. */
TW_DEVICE void mend_sums(sum_type sum[TALL][BN / 2], int row, int column, int rows, int columns, struct share share,
                         TW_GLOBAL const float *A, TW_GLOBAL const float *B, int lda, int ldb)
{
    const int lane = (int)threadIdx.x % 32, first_row = row + lane / 4, first_column = column + lane % 4 * 2;
    const int begin = share.step_first * STEP, end = min(share.all_k, begin + share.steps * STEP);
    int finite = 1;
    TW_UNROLL
    for (int i = 0; i < TALL * BN / 2; i++)
        finite &= fabsf(sum[i / (BN / 2)][i % (BN / 2)]) <= 3.402823466e+38f;
    /* The warp stays together, for wgmma wants all of it. */
    if (__all_sync(0xFFFFFFFFu, finite))
        return;
#if SHORT_CHAINS
    const int chain = chain_length(end - begin);
#endif
    TW_UNROLL
    for (int half = 0; half < 2; half++) {
        TW_UNROLL
        for (int i = 0; i < TALL * HALF_SUMS; i++)
            sum[i / HALF_SUMS][half * HALF_SUMS + i % HALF_SUMS] = 0;
        TW_UNROLL_BY(1)
        for (int k = begin; k < end; k += CHAIN_K) {
            sum_type part[TALL][HALF_SUMS];
            TW_UNROLL
            for (int i = 0; i < TALL * HALF_SUMS; i++)
                part[i / HALF_SUMS][i % HALF_SUMS] = 0;
            add_products(part, first_row, first_column + half * (BN / 2), rows, columns, k, min(end, k + CHAIN_K), A,
                         B, lda, ldb);
            TW_UNROLL
            for (int i = 0; i < TALL * HALF_SUMS; i++)
                sum[i / HALF_SUMS][half * HALF_SUMS + i % HALF_SUMS] += part[i / HALF_SUMS][i % HALF_SUMS];
        }
    }
}
