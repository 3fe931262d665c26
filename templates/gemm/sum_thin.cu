/* Adds the parts of A*B that the blocks of a split K left in the workspace, matrices of MxN one after the other,
 * always in the same order, and makes C of them. HELPERS threads share an element: C is small, and there may be
 * hundreds of parts. */

TW_KERNEL(gemm_sum_thin)
(TW_GLOBAL const real *TW_RESTRICT workspace, TW_GLOBAL RESULT *TW_RESTRICT C, int M, int N, int ldc, SCALAR alpha,
 SCALAR beta, int split_k EPILOGUE_PARAMETERS)
{
    TW_SHARED(real, shared, TW_BLOCK_X);
#if DEVICE_SCALARS
    TAKE_ALPHA();
    TAKE_BETA();
#endif
    const int width = TW_BLOCK_X / HELPERS;
    const int tid = (int)threadIdx.x;
    const int helper = tid / width;
    const tw_index element = (tw_index)blockIdx.x * width + tid % width;
    const int inside = element < (tw_index)M * N;

    real sum = 0;
    if (inside) {
        TW_UNROLL_BY(8)
        for (int part = helper; part < split_k; part += HELPERS)
            sum += workspace[(tw_index)part * M * N + element];
    }
    shared[tid] = sum;
    __syncthreads();
    if (!inside || helper > 0)
        return;
    for (int other = 1; other < HELPERS; other++)
        sum += shared[other * width + tid];

    const tw_index m = element / N, n = element % N;
    const tw_index at = m * ldc + n;
#if EPILOGUE
    const struct epilogue epilogue = EPILOGUE_GIVEN;
    C[at] = TO_RESULT(finished(alpha * sum, beta, C + at, m, n, epilogue));
#else
    C[at] = RESULT_OF(sum, C + at, alpha, beta);
#endif
}
