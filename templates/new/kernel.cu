/* B = alpha*A. Every parameter and define of @NAME@.json is a macro here: BLOCK, EACH, RAGGED. A word has
 * one macro for each value that it may have, and ORDER is the chosen one: #if ORDER == ORDER_near. */
#if DTYPE == DTYPE_f64
typedef double element;
#else
typedef float element;
#endif

/* The same text is CUDA C and OpenCL C. TW_KERNEL begins a kernel, TW_DEVICE a function that kernels call. Every
 * pointer to global memory has TW_GLOBAL, every pointer to shared memory TW_LOCAL. */
TW_DEVICE int column_of(int piece, int i)
{
#if ORDER == ORDER_near
    return (piece * BLOCK + (int)threadIdx.x) * EACH + i; /* a thread's elements side by side */
#else
    return (piece * EACH + i) * BLOCK + (int)threadIdx.x; /* or a block's width apart */
#endif
}

/* The parameters are those of `pass`, in its order: buffers as pointers to their type, dimensions and strides as
 * int, scalars as their type. */
TW_KERNEL(@NAME@_direct)
(TW_GLOBAL const element *TW_RESTRICT A, TW_GLOBAL element *TW_RESTRICT B, int N, int lda, int ldb,
 element alpha)
{
    int pieces = (N + BLOCK * EACH - 1) / (BLOCK * EACH); /* blocks of a row */
    int piece = (int)blockIdx.x % pieces;
    /* Offsets into a matrix may pass 2^31: tw_index has 64 bits. */
    tw_index row = (int)blockIdx.x / pieces;
    TW_UNROLL
    for (int i = 0; i < EACH; i++) {
        int column = column_of(piece, i);
        if (!RAGGED || column < N)
            B[row * ldb + column] = alpha * A[row * lda + column];
    }
}
