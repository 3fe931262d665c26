/* What a plain product in f32 makes of a sample of C (check/sampled.cu), beside the right answers: each sum by fused
 * multiply-adds, one term after the other in chains of `chained`, which are added one after the other. `sample` holds
 * all right answers, then what the plain products are, then the sums of the terms' sizes. */
TW_KERNEL(aat_plain)
(TW_GLOBAL const float *TW_RESTRICT A, TW_GLOBAL double *TW_RESTRICT sample, int M, int K, int lda, int chained)
{
    const int edge = tw_sampled_count(M, TW_SAMPLED_ROWS), count = edge * edge;
    const int i = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x);
    if (i >= count)
        return;
    TW_GLOBAL const float *left = A + (tw_index)tw_sampled(i / edge, edge, M) * lda;
    TW_GLOBAL const float *right = A + (tw_index)tw_sampled(i % edge, edge, M) * lda;
    double sum = 0, size = 0;
    float plain = 0;
    for (int begin = 0; begin < K; begin += chained) {
        const int end = K - begin < chained ? K : begin + chained;
        float chain = 0;
        for (int k = begin; k < end; k++) {
            chain = fmaf(left[k], right[k], chain);
            sum = fma((double)left[k], (double)right[k], sum);
            size += fabs((double)left[k] * (double)right[k]);
        }
        plain = begin == 0 ? chain : plain + chain;
    }
    sample[i] = sum;
    sample[count + i] = (double)plain;
    sample[2 * count + i] = size;
}
