TW_KERNEL(stencil_direct)
(TW_GLOBAL const float *TW_RESTRICT A, TW_GLOBAL float *TW_RESTRICT B, int D, int H, int W, int lda, int ldb,
 float centre, float side)
{
    int pieces = (W + BLOCK_X - 1) / BLOCK_X, layers = (D + BLOCK_Z - 1) / BLOCK_Z;
    int layer = (int)blockIdx.x / pieces, n = layer / layers;
    int x = (int)blockIdx.x % pieces * BLOCK_X + (int)threadIdx.x;
    int y = (int)(blockIdx.y * BLOCK_Y + threadIdx.y), z = layer % layers * BLOCK_Z + (int)threadIdx.z;
    if (x >= W || y >= H || z >= D)
        return;
    A += (tw_index)n * D * H * lda;
    B += (tw_index)n * D * H * ldb;
    float sum = cell(A, z, y, x - 1, D, H, W, lda) + cell(A, z, y, x + 1, D, H, W, lda) +
                cell(A, z, y - 1, x, D, H, W, lda) + cell(A, z, y + 1, x, D, H, W, lda) +
                cell(A, z - 1, y, x, D, H, W, lda) + cell(A, z + 1, y, x, D, H, W, lda);
    B[((tw_index)z * H + y) * ldb + x] = centre * cell(A, z, y, x, D, H, W, lda) + side * sum;
}
