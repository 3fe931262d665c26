/* Scales by blocks: a stage of 8-bit elements is a block of K, and what it adds up to is multiplied on its way to the tile's
 * sums, in row m of C by A's scale, in column n by that of B's block of 128. */

#if BLOCK_SCALED
struct block_scales {
    TW_GLOBAL const float *a_scales, *b_scales;
    int m, n, M, N, K; /* m: the thread's first row; n: the tile's first column */
    int first;         /* the step of K that the block begins with */
};

/* Asks for the scales of a step, before its products are waited for: of the thread's rows, and of all blocks of columns that
 * the tile meets. */
#define TAKE_BLOCK_SCALES(scales, blocks, step, by_row, by_block)                                                  \
    do {                                                                                                           \
        TW_UNROLL                                                                                                  \
        for (int i = 0; i < TALL * 2; i++)                                                                         \
            by_row[i / 2][i % 2] =                                                                                 \
                (scales).a_scales[(tw_index)min((scales).m + i / 2 * 64 + i % 2 * 8, (scales).M - 1) * (blocks) + \
                                  (scales).first + (step)];                                                        \
        TW_UNROLL                                                                                                  \
        for (int i = 0; i < BN / 128 + 2; i++)                                                                     \
            by_block[i] = (scales).b_scales[(tw_index)(min((scales).n + i * 128, (scales).N - 1) / 128) *          \
                                                (blocks) +                                                         \
                                            (scales).first + (step)];                                              \
    } while (0)
#endif
