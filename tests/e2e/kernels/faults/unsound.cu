TW_KERNEL(faults_unsound)(TW_GLOBAL const float *A, TW_GLOBAL float *B, int N)
{
    int i = blockIdx.x * TW_BLOCK_X + threadIdx.x;
#if MODE == MODE_no_syntax
    there_is_no_such_function(i); /* line 5: the test looks for it */
#elif MODE == MODE_endless
    /* Compilers drop a loop on a local variable, volatile or not. */
    while (((volatile TW_GLOBAL const float *)A)[0] < 2.0f)
        ;
#elif MODE == MODE_wild
    *(TW_GLOBAL float *)(tw_index)16 = A[0];
#elif MODE == MODE_outside
    if (i == 0)
        B[-1] = 7.0f;
#elif MODE == MODE_to_input
    if (i == 0)
        ((TW_GLOBAL float *)A)[0] += 1.0f;
#elif MODE == MODE_forgetful
    N--;
#endif
    float sum = i < N ? A[i] + 1.0f : 0.0f;
#if MODE == MODE_wrong
    sum += 0.5f;
#elif MODE == MODE_not_a_number
    sum = 0.0f / (sum - sum);
#endif
    if (i < N)
        B[i] = sum;
}
