/* LANES neighbouring threads have a row, and a block has ROWS rows. Where a row is short enough (KEPT), each
 * thread keeps its elements in registers in place of reading them three times. */
TW_KERNEL(softmax_lanes)
(TW_GLOBAL const float *A, TW_GLOBAL float *B, int M, int N, int lda, int ldb)
{
    TW_SUBGROUP(group);
    int lane = (int)threadIdx.x;
    tw_index row = (tw_index)blockIdx.x * ROWS + threadIdx.y;
    /* Rows past the end have no elements, but their threads take part in what the block does. */
    int columns = row < M ? N : 0;
    float greatest = -INFINITY, sum = 0;
    A += row * lda;
    B += row * ldb;
#if KEPT
    float kept[KEEP];
    TW_UNROLL
    for (int i = 0; i < KEEP; i++) {
        kept[i] = lane + i * LANES < columns ? A[lane + i * LANES] : -INFINITY;
        greatest = fmaxf(greatest, kept[i]);
    }
    greatest = tw_subgroup_max_f32(group, greatest, LANES);
    TW_UNROLL
    for (int i = 0; i < KEEP; i++) {
        kept[i] = lane + i * LANES < columns ? expf(kept[i] - greatest) : 0;
        sum += kept[i];
    }
    float scale = 1 / tw_subgroup_sum_f32(group, sum, LANES);
    TW_UNROLL
    for (int i = 0; i < KEEP; i++)
        if (lane + i * LANES < columns)
            B[lane + i * LANES] = kept[i] * scale;
#else
    for (int j = lane; j < columns; j += LANES)
        greatest = fmaxf(greatest, A[j]);
    greatest = tw_subgroup_max_f32(group, greatest, LANES);
    for (int j = lane; j < columns; j += LANES)
        sum += expf(A[j] - greatest);
    float scale = 1 / tw_subgroup_sum_f32(group, sum, LANES);
    for (int j = lane; j < columns; j += LANES)
        B[j] = expf(A[j] - greatest) * scale;
#endif
}
