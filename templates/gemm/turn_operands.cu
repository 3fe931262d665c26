/* Copies to the workspace the operands that tensor cores cannot take as they lie: those with rows along M or N in
 * place of K, which are turned, and those with rows that the copy engine cannot take. Rows of a copy run along K
 * and begin at multiples of 128 bytes; what they are longer by is not written, and nothing reads it. */

#if OPERAND_SIZE == 1
typedef tw_u8 cell;
#elif OPERAND_SIZE == 2
typedef tw_u16 cell;
#else
typedef tw_u32 cell;
#endif

/* A block turns or copies so many rows of a copy, and so many elements of each. */
#define TILE 64
#define TILE_PITCH (TILE + 4 / OPERAND_SIZE)
#define TILES(length) ((length) / TILE + ((length) % TILE != 0))

TW_DEVICE void copy_tile(TW_LOCAL cell *tile, TW_GLOBAL const cell *from, int ld, TW_GLOBAL cell *to,
                         int padded, int rows, int K, int number, const int across)
{
    const int tid = (int)threadIdx.x;
    const int row = number / TILES(K) * TILE, k = number % TILES(K) * TILE;
    /* Lines as they lie in memory. */
    TW_UNROLL
    for (int i = tid; i < TILE * TILE; i += TW_BLOCK_X) {
        const int line = i / TILE, at = i % TILE;
        const int r = row + (across ? at : line), c = k + (across ? line : at);
        if (r < rows && c < K)
            tile[line * TILE_PITCH + at] = from[across ? (tw_index)c * ld + r : (tw_index)r * ld + c];
    }
    __syncthreads();
    TW_UNROLL
    for (int i = tid; i < TILE * TILE; i += TW_BLOCK_X) {
        const int r = i / TILE, c = i % TILE;
        if (row + r < rows && k + c < K)
            to[(tw_index)(row + r) * padded + k + c] =
                tile[across ? c * TILE_PITCH + r : r * TILE_PITCH + c];
    }
}

TW_KERNEL(gemm_turn_operands)
(TW_GLOBAL const cell *TW_RESTRICT A, TW_GLOBAL const cell *TW_RESTRICT B,
 TW_GLOBAL cell *TW_RESTRICT workspace, int M, int N, int K, int lda, int ldb)
{
    TW_SHARED(cell, tile, TILE *TILE_PITCH);
#if EARLY
    asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::: "memory");
#endif
    const int tiles_a = COPY_A ? TILES(M) * TILES(K) : 0;
    const int block = (int)blockIdx.x;
    if (block < tiles_a)
        copy_tile(tile, A, lda, workspace, PADDED, M, K, block, TRANS_A);
    else
        copy_tile(tile, B, ldb, workspace + (COPY_A ? (tw_index)M * PADDED : 0), PADDED, N, K,
                  block - tiles_a, !TRANS_B);
}
