/* Adds the parts of alpha*A*B that the blocks of a split K left in the workspace, matrices of MxN one
 * after the other, always in the same order, and makes C of them. HELPERS threads share an element:
 * C is small, and there may be hundreds of parts. */

TW_KERNEL(gemm_sum_gemv)
#if EXACT_SUMS
(TW_GLOBAL const double *TW_RESTRICT workspace, TW_GLOBAL real *TW_RESTRICT C, int M, int N, int ldc,
#else
(TW_GLOBAL const real *TW_RESTRICT workspace, TW_GLOBAL real *TW_RESTRICT C, int M, int N, int ldc,
#endif
#if EPILOGUE
 real beta, int split_k EPILOGUE_PARAMETERS)
#else
 real beta, int split_k)
#endif
{
#if EXACT_SUMS
    TW_SHARED(double, shared, TW_BLOCK_X);
#else
    TW_SHARED(real, shared, TW_BLOCK_X);
#endif
#if DEVICE_SCALARS
    TAKE_BETA();
#endif
    const int width = TW_BLOCK_X / HELPERS;
    const int tid = (int)threadIdx.x;
    const int helper = tid / width;
    const tw_index element = (tw_index)blockIdx.x * width + tid % width;
    const int inside = element < (tw_index)M * N;

#if EXACT_SUMS
    double sum = 0;
#else
    real sum = 0;
#endif
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

    const tw_index at = element / N * ldc + element % N;
#if EPILOGUE
    const struct epilogue epilogue = EPILOGUE_GIVEN;
    C[at] = finished(sum, beta, C + at, element / N, element % N, epilogue);
#else
#if EXACT_SUMS
    C[at] = beta == 0 ? (real)sum : FMA(beta, C[at], (real)sum);
#else
    C[at] = beta == 0 ? sum : FMA(beta, C[at], sum);
#endif
#endif
}
