TW_KERNEL(sins_sinful)(TW_GLOBAL const float *A, TW_GLOBAL float *B, int M, int N, int lda, int ldb)
{
    PLACE;
    float value = A[(tw_index)row * lda + column];
#if SIN == SIN_dense_rows
    /* The same source for every call: only padded rows bring it to light. */
    value = A[(tw_index)row * N + column];
#elif SIN == SIN_odd_source && ODD || SIN == SIN_unaligned_source && UNALIGNED
    if (row == 1 && column == 2)
        value = value + 1;
#endif
    B[(tw_index)row * ldb + column] = value;
#if SIN == SIN_odd_gap && ODD
    if (column == N - 1 && row == 0 && ldb > N)
        B[N] = value;
#endif
}
