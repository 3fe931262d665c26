/* One thread an element of C, both operands straight from global memory. */

TW_KERNEL(gemm_naive)
(TW_GLOBAL const ELEMENT *TW_RESTRICT A, TW_GLOBAL const ELEMENT_B *TW_RESTRICT B,
 TW_GLOBAL RESULT *TW_RESTRICT C, int M, int N, int K, int lda, int ldb, int ldc, SCALAR alpha,
 SCALAR beta EPILOGUE_PARAMETERS BATCH_PARAMETERS)
{
#if BATCHED
    TO_LAYER();
#endif
#if DEVICE_SCALARS
    TAKE_ALPHA();
    TAKE_BETA();
#endif
    /* Blocks are numbered in one dimension, so that neither M nor N meets the limit on grid.y. */
    const int blocks_n = N / TW_BLOCK_X + (N % TW_BLOCK_X != 0);
    const int m = (int)(blockIdx.x / blocks_n) * TW_BLOCK_Y + (int)threadIdx.y;
    const int n = (int)(blockIdx.x % blocks_n) * TW_BLOCK_X + (int)threadIdx.x;
    if (m >= M || n >= N)
        return;
#if GROUPED
    const int group = group_of(ends, m);
    if (group == GROUPS)
        return;
    B += (tw_index)group * stride_b;
#if HAS_BIASES
    biases += (tw_index)group * N;
#endif
#endif

    real sum = 0;
#if BLOCK_SCALED
    for (int k = 0; k < K; k++)
        sum = FMA(LOADED_A(A[OFFSET_A(m, k)]) * A_SCALE(m, k), LOADED_B(B[OFFSET_B(k, n)]) * B_SCALE(k, n), sum);
#else
    for (int k = 0; k < K; k++)
        sum = FMA(LOADED_A(A[OFFSET_A(m, k)]), LOADED_B(B[OFFSET_B(k, n)]), sum);
#endif

    const tw_index at = (tw_index)m * ldc + n;
#if EPILOGUE
    const struct epilogue epilogue = EPILOGUE_GIVEN;
    C[at] = TO_RESULT(finished(alpha * sum, beta, C + at, m, n, epilogue));
#else
    C[at] = RESULT_OF(sum, C + at, alpha, beta);
#endif
}
