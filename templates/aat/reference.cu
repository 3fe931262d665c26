/* C = A A^T, one thread an element, summed in double. Tiles of A go through shared memory: straight from
 * global memory, neighbours would read a row apart, and the check of a large product take minutes. */
#define EDGE 16
#define PITCH (EDGE + 1)

TW_KERNEL(aat_reference)
(TW_GLOBAL const float *A, TW_GLOBAL double *C, int M, int K, int lda, int ldc)
{
    TW_SHARED(float, shared, 2 * EDGE * PITCH);
    const int tiles = (M - 1) / EDGE + 1;
    const int x = (int)threadIdx.x % EDGE;
    const int y = (int)threadIdx.x / EDGE;
    const int row = (int)blockIdx.x / tiles * EDGE;
    const int column = (int)blockIdx.x % tiles * EDGE;
    double sum = 0;
    for (int first = 0; first < K; first += EDGE) {
        const int k = first + x;
        shared[y * PITCH + x] = row + y < M && k < K ? A[(row + y) * (tw_index)lda + k] : 0;
        shared[(EDGE + y) * PITCH + x] =
            column + y < M && k < K ? A[(column + y) * (tw_index)lda + k] : 0;
        __syncthreads();
        for (int i = 0; i < EDGE; i++)
            sum = fma((double)shared[y * PITCH + i], (double)shared[(EDGE + x) * PITCH + i], sum);
        __syncthreads();
    }
    if (row + y < M && column + x < M)
        C[(row + y) * (tw_index)ldc + column + x] = sum;
}
