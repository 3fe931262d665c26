/* B = A after 384 branches that are never taken, which nobody but the optimizer has to look at. */
#define STEP(k) if (x == 2.0f + 2.0f * k) x = A[(k + i) % N] * (k + x) + sin(x + k);
#define STEPS4(k) STEP(k) STEP((k + 1)) STEP((k + 2)) STEP((k + 3))
#define STEPS16(k) STEPS4(k) STEPS4((k + 4)) STEPS4((k + 8)) STEPS4((k + 12))
#define STEPS64(k) STEPS16(k) STEPS16((k + 16)) STEPS16((k + 32)) STEPS16((k + 48))

TW_KERNEL(heavy_unrolled)(TW_GLOBAL const float *A, TW_GLOBAL float *B, int N)
{
    int i = blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (i >= N)
        return;
    float x = A[i];
    STEPS64(0) STEPS64(64) STEPS64(128) STEPS64(192) STEPS64(256) STEPS64(320)
    B[i] = x;
}
