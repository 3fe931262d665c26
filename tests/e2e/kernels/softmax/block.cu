/* A block a row. Each sub-group reduces what its threads have, and leaves it in shared memory. */
#define GROUPS (THREADS / LANES)

TW_KERNEL(softmax_block)
(TW_GLOBAL const float *A, TW_GLOBAL float *B, int N, int lda, int ldb)
{
    TW_SHARED(float, parts, GROUPS);
    TW_SUBGROUP(group);
    int thread = (int)threadIdx.x;
    float greatest = -INFINITY, sum = 0;
    A += (tw_index)blockIdx.x * lda;
    B += (tw_index)blockIdx.x * ldb;
    for (int j = thread; j < N; j += THREADS)
        greatest = fmaxf(greatest, A[j]);
    greatest = tw_subgroup_max_f32(group, greatest, LANES);
    if (thread % LANES == 0)
        parts[thread / LANES] = greatest;
    __syncthreads();
    for (int i = 0; i < GROUPS; i++)
        greatest = fmaxf(greatest, parts[i]);
    __syncthreads(); /* all have read before the sums are written */
    for (int j = thread; j < N; j += THREADS)
        sum += expf(A[j] - greatest);
    sum = tw_subgroup_sum_f32(group, sum, LANES);
    if (thread % LANES == 0)
        parts[thread / LANES] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < GROUPS; i++)
        sum += parts[i];
    for (int j = thread; j < N; j += THREADS)
        B[j] = expf(A[j] - greatest) / sum;
}
