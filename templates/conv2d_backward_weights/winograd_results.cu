/* The gradient by the filters from what Winograd's points have: one thread a channel of a filter, which adds the shares
 * always in the same order. */

TW_KERNEL(conv2d_backward_weights_results)
(TW_GLOBAL const real *TW_RESTRICT workspace, TW_GLOBAL ELEMENT *TW_RESTRICT output, int ld_out, real alpha, real beta,
 int split_k)
{
    const tw_index element = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (element >= (tw_index)ALL_FILTERS * ALL_CHANNELS)
        return;
    real x[POINTS];
    TW_UNROLL
    for (int point = 0; point < POINTS; point++)
        x[point] = workspace[PART_AT(0, point) + element];
    for (int share = 1; share < split_k; share++) {
        TW_UNROLL
        for (int point = 0; point < POINTS; point++)
            x[point] += workspace[PART_AT(share, point) + element];
    }
    TW_UNROLL
    for (int i = 0; i < ALPHA; i++)
        transform_back(x + i * ALPHA, 1);
    TW_UNROLL
    for (int i = 0; i < 3; i++)
        transform_back(x + i, ALPHA);
    TW_GLOBAL ELEMENT *at = output + element / ALL_CHANNELS * ld_out + element % ALL_CHANNELS * 9;
    TW_UNROLL
    for (int i = 0; i < 9; i++)
        at[i] = RESULT_OF(x[i / 3 * ALPHA + i % 3], at + i, alpha, beta);
}
