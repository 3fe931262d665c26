/* Along z a thread keeps the cells below, here and above; with PLANE shared, the plane's cells and a border
 * around them come from shared memory. Threads outside of the grid go along, for the barriers' sake. */
#define PITCH (BLOCK_X + 2)

TW_KERNEL(stencil_marching)
(TW_GLOBAL const float *TW_RESTRICT A, TW_GLOBAL float *TW_RESTRICT B, int D, int H, int W, int lda, int ldb,
 float centre, float side, int DEPTH)
{
#if PLANE == PLANE_shared
    TW_SHARED(float, plane, PITCH * (BLOCK_Y + 2));
#endif
    int pieces = (W + BLOCK_X - 1) / BLOCK_X, layers = (D + DEPTH - 1) / DEPTH;
    int layer = (int)blockIdx.x / pieces, n = layer / layers;
    int left = (int)blockIdx.x % pieces * BLOCK_X, top = (int)blockIdx.y * BLOCK_Y;
    int tx = (int)threadIdx.x, ty = (int)threadIdx.y, x = left + tx, y = top + ty;
    int first = layer % layers * DEPTH, last = min(first + DEPTH, D);
    A += (tw_index)n * D * H * lda;
    B += (tw_index)n * D * H * ldb;
    float below = cell(A, first - 1, y, x, D, H, W, lda), here = cell(A, first, y, x, D, H, W, lda);
    for (int z = first; z < last; z++) {
        float above = cell(A, z + 1, y, x, D, H, W, lda);
#if PLANE == PLANE_shared
        for (int i = ty * BLOCK_X + tx; i < PITCH * (BLOCK_Y + 2); i += BLOCK_X * BLOCK_Y)
            plane[i] = cell(A, z, top - 1 + i / PITCH, left - 1 + i % PITCH, D, H, W, lda);
        __syncthreads();
        TW_LOCAL const float *mine = plane + (ty + 1) * PITCH + tx + 1;
        float sum = mine[-1] + mine[1] + mine[-PITCH] + mine[PITCH] + below + above;
        __syncthreads(); /* all have read before the next plane comes */
#else
        float sum = cell(A, z, y, x - 1, D, H, W, lda) + cell(A, z, y, x + 1, D, H, W, lda) +
                    cell(A, z, y - 1, x, D, H, W, lda) + cell(A, z, y + 1, x, D, H, W, lda) + below + above;
#endif
        if (x < W && y < H)
            B[((tw_index)z * H + y) * ldb + x] = centre * here + side * sum;
        below = here;
        here = above;
    }
}
