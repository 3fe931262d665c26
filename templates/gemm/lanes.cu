/* Adds what the lanes of a group summed over their shares of K: the upper half hands its sums to the
 * lower, and so on until lane 0 has them all. */

#if EXACT_SUMS
#define SHARED_LANES (2 * (LANES / 2) * GROUPS * ROWS * COLUMNS)
#else
#define SHARED_LANES (LANES / 2 * GROUPS * ROWS * COLUMNS)
#endif
#define SHARED_REALS (SHARED_SHORT > SHARED_LANES ? SHARED_SHORT : SHARED_LANES)

#if EXACT_SUMS
TW_DEVICE void sum_lanes(double *sum, TW_LOCAL real *room, int lane, int group)
{
    TW_LOCAL double *shared = (TW_LOCAL double *)room;
#else
TW_DEVICE void sum_lanes(real *sum, TW_LOCAL real *shared, int lane, int group)
{
#endif
    TW_UNROLL
    for (int upper = LANES / 2; upper > 0; upper /= 2) {
        const int count = upper * GROUPS;
        const int place = ALONG_K ? group * upper + lane % upper : lane % upper * GROUPS + group;
        __syncthreads();
        if (lane >= upper && lane < 2 * upper) {
            TW_UNROLL
            for (int e = 0; e < ROWS * COLUMNS; e++)
                shared[e * count + place] = sum[e];
        }
        __syncthreads();
        if (lane < upper) {
            TW_UNROLL
            for (int e = 0; e < ROWS * COLUMNS; e++)
                sum[e] += shared[e * count + place];
        }
    }
}
