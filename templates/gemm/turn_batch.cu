/* The operands of a batch, each of which turn_operands.cu would copy: the z of a block says which of the products it is
 * for. The copies of all A come before those of B. */
TW_KERNEL(gemm_turn_batch)
(TW_GLOBAL const cell *TW_RESTRICT A, TW_GLOBAL const cell *TW_RESTRICT B,
 TW_GLOBAL cell *TW_RESTRICT workspace, int M, int N, int K, int lda, int ldb, int stride_a, int stride_b)
{
    TW_SHARED(cell, tile, TILE *TILE_PITCH);
#if EARLY
    asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::: "memory");
#endif
    const int tiles_a = COPY_A ? TILES(M) * TILES(K) : 0;
    const int block = (int)blockIdx.x;
    const tw_index layer = blockIdx.z;
    if (block < tiles_a)
        copy_tile(tile, A + layer * stride_a, lda, workspace + layer * M * PADDED, PADDED, M, K, block, TRANS_A);
    else
        copy_tile(tile, B + layer * stride_b, ldb,
                  workspace + ((COPY_A ? (tw_index)BATCH * M : 0) + layer * N) * PADDED, PADDED, N, K,
                  block - tiles_a, !TRANS_B);
}
