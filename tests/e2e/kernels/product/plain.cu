/* Right answers, sums in float and the sizes summed, of a sample. */
TW_KERNEL(product_plain)
(TW_GLOBAL const float *A, TW_GLOBAL const float *B, TW_GLOBAL double *sample, int M, int N, int K)
{
    int rows = tw_sampled_count(M, TW_SAMPLED_ROWS), columns = tw_sampled_count(N, TW_SAMPLED_ROWS);
    int i = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x);
    if (i >= rows * columns)
        return;
    int m = tw_sampled(i / columns, rows, M), n = tw_sampled(i % columns, columns, N);
    double right = 0, size = 0;
    float plain = 0;
    for (int k = 0; k < K; k++) {
        float a = A[m * K + k], b = B[k * N + n];
        plain = fmaf(a, b, plain);
        right = fma((double)a, (double)b, right);
        size += fabs((double)a * (double)b);
    }
    sample[i] = right;
    sample[rows * columns + i] = (double)plain;
    sample[2 * rows * columns + i] = size;
}
