TW_KERNEL(sins_sound)(TW_GLOBAL const float *A, TW_GLOBAL float *B, int M, int N, int lda, int ldb)
{
    PLACE;
    /* Slower than the others by far, with what no compiler leaves out. */
    float value = 0;
    for (int i = 0; i < 20000; i++)
        value = ((volatile TW_GLOBAL const float *)A)[(tw_index)row * lda + column];
    B[(tw_index)row * ldb + column] = value;
}
