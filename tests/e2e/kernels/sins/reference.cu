TW_KERNEL(sins_reference)(TW_GLOBAL const float *A, TW_GLOBAL double *B, int M, int N, int lda, int ldb)
{
    PLACE;
    B[(tw_index)row * ldb + column] = A[(tw_index)row * lda + column];
}
