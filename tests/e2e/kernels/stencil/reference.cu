/* A cell a thread, in double. Blocks of z are grids and their planes: n*D + z. */
TW_DEVICE double at(TW_GLOBAL const float *A, int inside, tw_index row, int x, int lda)
{
    return inside ? (double)A[row * lda + x] : 0.0;
}

TW_KERNEL(stencil_reference)
(TW_GLOBAL const float *A, TW_GLOBAL double *B, int D, int H, int W, int lda, int ldb, float centre, float side)
{
    int x = (int)(blockIdx.x * TW_BLOCK_X + threadIdx.x), y = (int)blockIdx.y, z = (int)(blockIdx.z % D);
    tw_index row = (tw_index)blockIdx.z * H + y;
    if (x >= W)
        return;
    double sum = at(A, x > 0, row, x - 1, lda) + at(A, x < W - 1, row, x + 1, lda) +
                 at(A, y > 0, row - 1, x, lda) + at(A, y < H - 1, row + 1, x, lda) +
                 at(A, z > 0, row - H, x, lda) + at(A, z < D - 1, row + H, x, lda);
    B[row * ldb + x] = (double)centre * A[row * lda + x] + (double)side * sum;
}
