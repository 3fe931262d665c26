/* Adds what the block's slices summed over their shares of K, in the memory that held the tiles:
 * the upper half hands its sums to the lower, and so on until slice 0 has them all. Small problems
 * want this: it gives a multiprocessor more threads to hide latency with, when M and N yield too
 * few tiles, and the tile of a thread stays large. */

#define SHARED_SLICES (SLICES / 2 * BM * BN)
#define SHARED_TILES (PREFETCH * STAGE > SHARED_SLICES ? PREFETCH * STAGE : SHARED_SLICES)

#if SLICES > 1
TW_DEVICE void sum_slices(real *sum, TW_LOCAL real *shared, int tid)
{
    TW_UNROLL
    for (int upper = SLICES / 2; upper > 0; upper /= 2) {
        const int count = upper * SLICE_THREADS;
        __syncthreads();
        if (tid >= count && tid < 2 * count) {
            TW_UNROLL
            for (int e = 0; e < TM * TN; e++)
                shared[e * count + tid - count] = sum[e];
        }
        __syncthreads();
        if (tid < count) {
            TW_UNROLL
            for (int e = 0; e < TM * TN; e++)
                sum[e] += shared[e * count + tid];
        }
    }
}
#endif
