/* The right answer: every product and sum in double, one element a thread. */

#if MIXED
#if WHOLE_RESULTS
#define RIGHT int
#else
#define RIGHT double
#endif
TW_KERNEL(gemm_reference)
(TW_GLOBAL const ELEMENT *TW_RESTRICT A, TW_GLOBAL const ELEMENT_B *TW_RESTRICT B,
 TW_GLOBAL RIGHT *TW_RESTRICT C, TW_GLOBAL const RESULT *TW_RESTRICT before, int M, int N, int K,
 int lda, int ldb, int ldc, SCALAR alpha, SCALAR beta EPILOGUE_PARAMETERS BATCH_PARAMETERS)
#else
TW_KERNEL(gemm_reference)
(TW_GLOBAL const ELEMENT *TW_RESTRICT A, TW_GLOBAL const ELEMENT *TW_RESTRICT B,
 TW_GLOBAL double *TW_RESTRICT C, TW_GLOBAL const ELEMENT *TW_RESTRICT before, int M, int N, int K,
#if EPILOGUE || BATCHED || GROUPED
 int lda, int ldb, int ldc, real alpha, real beta EPILOGUE_PARAMETERS BATCH_PARAMETERS)
#else
 int lda, int ldb, int ldc, real alpha, real beta)
#endif
#endif
{
#if BATCHED
    TO_LAYER();
    before += (tw_index)blockIdx.z * stride_c;
#endif
#if DEVICE_SCALARS
    TAKE_ALPHA();
    TAKE_BETA();
#endif
    /* Elements are numbered in one dimension, so that neither M nor N meets the limit on grid.y. */
    const tw_index element = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    if (element >= (tw_index)M * N)
        return;
    const int m = (int)(element / N);
    const int n = (int)(element % N);
#if GROUPED
    const int group = group_of(ends, m);
    if (group == GROUPS)
        return;
    B += (tw_index)group * stride_b;
#if HAS_BIASES
    biases += (tw_index)group * N;
#endif
#endif

#if WHOLE_RESULTS
    int sum = 0;
    for (int k = 0; k < K; k++)
        sum += LOADED_A(A[OFFSET_A(m, k)]) * LOADED_B(B[OFFSET_B(k, n)]);
    const tw_index at = (tw_index)m * ldc + n;
#if EPILOGUE
    const struct epilogue epilogue = EPILOGUE_GIVEN;
    C[at] = TO_RESULT(finished(alpha * sum, beta, before + at, m, n, epilogue));
#else
    C[at] = RESULT_OF(sum, before + at, alpha, beta);
#endif
#elif EPILOGUE
    double sum = 0;
    for (int k = 0; k < K; k++)
#if BLOCK_SCALED
        sum = fma((double)LOADED_A(A[OFFSET_A(m, k)]) * (double)A_SCALE(m, k),
                  (double)LOADED_B(B[OFFSET_B(k, n)]) * (double)B_SCALE(k, n), sum);
#else
        sum = fma((double)LOADED_A(A[OFFSET_A(m, k)]), (double)LOADED_B(B[OFFSET_B(k, n)]), sum);
#endif
    const tw_index at = (tw_index)m * ldc + n;
    double result = (double)alpha * sum;
#if SCALED && !BLOCK_SCALED
    result *= (double)OUTER_SCALE(a_scales, b_scales, m, n);
#endif
#if HAS_E
    if (beta != 0)
        result = fma((double)beta, (double)FROM_RESULT(E[(tw_index)m * lde + n]), result);
#else
    if (beta != 0)
        result = fma((double)beta, (double)FROM_RESULT(before[at]), result);
#endif
#if HAS_BIASES
    result += (double)FROM_RESULT(biases[BIAS_PLACE(m, n)]);
#endif
    C[at] = ACTIVATED_F64(result);
#elif MIXED
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum = fma((double)LOADED_A(A[OFFSET_A(m, k)]), (double)LOADED_B(B[OFFSET_B(k, n)]), sum);
    const tw_index at = (tw_index)m * ldc + n;
    C[at] = beta == 0 ? (double)alpha * sum
                      : fma((double)beta, (double)HELD(before[at]), (double)alpha * sum);
#else
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum = fma((double)LOADED(A[OFFSET_A(m, k)]), (double)LOADED(B[OFFSET_B(k, n)]), sum);

    const tw_index at = (tw_index)m * ldc + n;
    double result = (double)alpha * sum;
    if (beta != 0) /* C holds anything, NaN included, when beta is zero */
        result = fma((double)beta, (double)LOADED(before[at]), result);
    C[at] = result;
#endif
}
