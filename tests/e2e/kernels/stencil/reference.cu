/* A cell a thread, in double. Blocks in x are those of a row for each grid and plane, n*D + z: in y and z CUDA
 * has no more than 65535. */
TW_DEVICE double at(TW_GLOBAL const float *A, int inside, tw_index row, int x, int lda)
{
    return inside ? (double)A[row * lda + x] : 0.0;
}

TW_KERNEL(stencil_reference)
(TW_GLOBAL const float *A, TW_GLOBAL double *B, int D, int H, int W, int lda, int ldb, float centre, float side)
{
    int pieces = (W + TW_BLOCK_X - 1) / TW_BLOCK_X, plane = (int)blockIdx.x / pieces;
    int x = (int)blockIdx.x % pieces * TW_BLOCK_X + (int)threadIdx.x, y = (int)blockIdx.y, z = plane % D;
    tw_index row = (tw_index)plane * H + y;
    if (x >= W)
        return;
    double sum = at(A, x > 0, row, x - 1, lda) + at(A, x < W - 1, row, x + 1, lda) +
                 at(A, y > 0, row - 1, x, lda) + at(A, y < H - 1, row + 1, x, lda) +
                 at(A, z > 0, row - H, x, lda) + at(A, z < D - 1, row + H, x, lda);
    B[row * ldb + x] = (double)centre * A[row * lda + x] + (double)side * sum;
}
