/* Adds the parts that shares of the pixels left in the workspace, always in the same order, and makes results of them.
 * One thread a result. */

/* How many, where that is a constant. */
#ifdef BATCH
#define PARTS_PARAMETER
#define PARTS BATCH
#else
#define PARTS_PARAMETER , int split
#define PARTS split
#endif

TW_KERNEL(conv2d_backward_weights_add)
(TW_GLOBAL const real *TW_RESTRICT workspace, TW_GLOBAL ELEMENT *TW_RESTRICT output, int filter_count, int terms,
 int ld_out, real alpha, real beta PARTS_PARAMETER)
{
    const tw_index results = (tw_index)filter_count * terms;
    const tw_index result = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (result >= results)
        return;
    real sum = 0;
    TW_UNROLL_BY(8)
    for (int part = 0; part < PARTS; part++)
        sum += workspace[part * results + result];
    TW_GLOBAL ELEMENT *at = output + result / terms * ld_out + result % terms;
    *at = RESULT_OF(sum, at, alpha, beta);
}
