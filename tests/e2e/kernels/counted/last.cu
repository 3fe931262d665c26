/* Finds both counters zero and leaves them so. */
TW_KERNEL(counted_last)
(TW_GLOBAL const float *A, TW_GLOBAL float *B, TW_GLOBAL tw_u32 *counters, int N)
{
    if (threadIdx.x == 0 && atomicAdd(counters, 1u) == BLOCKS - 1) {
        if (atomicAdd(counters + APART, 1u) == 0)
            for (int i = 0; i < N; i++)
                B[i] = A[i] + A[i];
        atomicExch(counters, 0u);
        atomicExch(counters + APART, 0u);
    }
}
