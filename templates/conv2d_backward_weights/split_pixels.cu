/* Sums over a share of the pixels for a tile of filters and terms, one group of channels in every z: steps of BK
 * pixels of both operands to shared memory, TM x TN sums in a thread. Each share leaves its part in the workspace. */

#define THREADS (BM / TM * (BN / TN))
#define PITCH_M (BM + 4)
#define PITCH_N (BN + 4)

/* Where the gradient of a filter's result at a pixel is. */
TW_DEVICE tw_index gradient_at(int pixel, int filter, int filter_count, int ld)
{
#if NHWC
    return (tw_index)pixel * ld + filter;
#else
    const int q = pixel % RESULT_W, row = pixel / RESULT_W;
    const int p = row % RESULT_H, n = row / RESULT_H;
    return (((tw_index)n * filter_count + filter) * RESULT_H + p) * ld + q;
#endif
}

TW_KERNEL(conv2d_backward_weights_split)
(TW_GLOBAL const ELEMENT *TW_RESTRICT input, TW_GLOBAL const ELEMENT *TW_RESTRICT gradient,
 TW_GLOBAL real *TW_RESTRICT workspace, int M, int N, int K, int filter_count, int ld_gradient, int split)
{
    TW_SHARED(real, shared, BK * (PITCH_M + PITCH_N));
    TW_LOCAL real *filters_of = shared, *terms_of = shared + BK * PITCH_M;
    const int group = (int)blockIdx.z, tid = (int)threadIdx.x;
    const int tiles_n = N / BN + (N % BN != 0), tiles = (M / BM + (M % BM != 0)) * tiles_n;
    const int part = (int)blockIdx.x / tiles, tile = (int)blockIdx.x % tiles;
    const int first_m = tile / tiles_n * BM, first_n = tile % tiles_n * BN;
    const int steps = K / BK + (K % BK != 0);
    const int first = (int)((tw_index)steps * part / split) * BK;
    const int last = (int)((tw_index)steps * (part + 1) / split) * BK;
    const int end = last < K ? last : K;
    const int m = tid / (BN / TN) * TM, n = tid % (BN / TN) * TN;
    input += (tw_index)group * GROUP_CHANNELS * (NHWC ? 1 : IMAGE_H * LD_IN);

    real sum[TM * TN];
    TW_UNROLL
    for (int i = 0; i < TM * TN; i++)
        sum[i] = 0;
    for (int step = first; step < end; step += BK) {
        /* Neighbouring threads take what is contiguous in memory: filters and channels, or pixels. */
        for (int i = tid; i < BK * BM; i += THREADS) {
            const int k = NHWC ? i / BM : i % BK, at = NHWC ? i % BM : i / BK;
            const int is_there = step + k < end && first_m + at < M;
            filters_of[k * PITCH_M + at] =
                is_there ? LOADED(gradient[gradient_at(step + k, group * M + first_m + at, filter_count, ld_gradient)])
                         : 0;
        }
        for (int i = tid; i < BK * BN; i += THREADS) {
            const int k = NHWC ? i / BN : i % BK, at = NHWC ? i % BN : i / BK;
            real x = 0;
            if (step + k < end && first_n + at < N) {
                const struct patch patch = patch_of(step + k);
                const struct term term = term_at(first_n + at);
                if (is_inside(patch, term))
                    x = LOADED(input[place_of_term(patch, term)]);
            }
            terms_of[k * PITCH_N + at] = x;
        }
        __syncthreads();
        TW_UNROLL_BY(4)
        for (int k = 0; k < BK; k++) {
            real a[TM], b[TN];
            TW_UNROLL
            for (int i = 0; i < TM; i++)
                a[i] = filters_of[k * PITCH_M + m + i];
            TW_UNROLL
            for (int j = 0; j < TN; j++)
                b[j] = terms_of[k * PITCH_N + n + j];
            TW_UNROLL
            for (int i = 0; i < TM * TN; i++)
                sum[i] = FMA(a[i / TN], b[i % TN], sum[i]);
        }
        __syncthreads();
    }
    workspace += ((tw_index)part * filter_count + group * M) * N;
    TW_UNROLL
    for (int i = 0; i < TM * TN; i++)
        if (first_m + m + i / TN < M && first_n + n + i % TN < N)
            workspace[(tw_index)(first_m + m + i / TN) * N + first_n + n + i % TN] = sum[i];
}
