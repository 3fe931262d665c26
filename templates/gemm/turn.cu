/* Stores operands whose rows run along K the other way round, in the workspace, so that the product can
 * copy tiles of them in whole vectors. Worth it where the product takes much longer than moving the
 * operands twice. */

#define TURN_TILE 64
#define TURN_ROWS (TW_BLOCK_X / TURN_TILE)

TW_DEVICE void turn(TW_LOCAL real *tile, TW_GLOBAL const real *from, TW_GLOBAL real *to, int rows,
                    int columns, int stride, int turned_stride)
{
    const int tiles_across = columns / TURN_TILE + (columns % TURN_TILE != 0);
    const int row = (int)blockIdx.x / tiles_across * TURN_TILE;
    const int column = (int)blockIdx.x % tiles_across * TURN_TILE;
    const int x = (int)threadIdx.x % TURN_TILE;
    const int y = (int)threadIdx.x / TURN_TILE;

    TW_UNROLL
    for (int i = 0; i < TURN_TILE; i += TURN_ROWS) {
        if (row + y + i < rows && column + x < columns)
            tile[(y + i) * (TURN_TILE + 1) + x] =
                from[(tw_index)(row + y + i) * stride + column + x];
    }
    __syncthreads();
    TW_UNROLL
    for (int i = 0; i < TURN_TILE; i += TURN_ROWS) {
        if (column + y + i < columns && row + x < rows)
            to[(tw_index)(column + y + i) * turned_stride + row + x] =
                tile[x * (TURN_TILE + 1) + y + i];
    }
}

TW_KERNEL(gemm_turn_a)
(TW_GLOBAL const real *TW_RESTRICT A, TW_GLOBAL real *TW_RESTRICT workspace, int M, int K, int lda,
 int turned_lda)
{
    TW_SHARED(real, tile, TURN_TILE *(TURN_TILE + 1));
    turn(tile, A, workspace, M, K, lda, turned_lda);
}

TW_KERNEL(gemm_turn_b)
(TW_GLOBAL const real *TW_RESTRICT B, TW_GLOBAL real *TW_RESTRICT workspace, int N, int K, int ldb,
 int turned_ldb)
{
    TW_SHARED(real, tile, TURN_TILE *(TURN_TILE + 1));
    turn(tile, B, workspace + TURNED_B, N, K, ldb, turned_ldb);
}
