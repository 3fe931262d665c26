/* One thread an element of C. The block shares a tile of each operand, so that an element of A is
 * read from global memory once for BN columns and one of B once for BM rows (the matrix product of
 * the CUDA programming guide, with ragged edges). */

/* Neighbouring threads read neighbouring addresses, whichever way round the operand is stored. */
#define LOAD_TILE(tile, rows, columns, row_length, by_rows, inside, value)                       \
    for (int e = tid; e < (rows) * (columns); e += BM * BN) {                                    \
        const int r = (by_rows) ? e / (columns) : e % (rows);                                    \
        const int c = (by_rows) ? e % (columns) : e / (rows);                                    \
        (tile)[r * (row_length) + c] = (inside) ? (value) : (real)0;                             \
    }

#define ROW_A (BK + PAD)
#define ROW_B (BN + PAD)

TW_KERNEL(gemm_tiled)
(TW_GLOBAL const ELEMENT *TW_RESTRICT A, TW_GLOBAL const ELEMENT_B *TW_RESTRICT B,
 TW_GLOBAL RESULT *TW_RESTRICT C, int M, int N, int K, int lda, int ldb, int ldc, SCALAR alpha,
 SCALAR beta EPILOGUE_PARAMETERS BATCH_PARAMETERS)
{
    TW_SHARED(real, shared, BM *ROW_A + BK * ROW_B);
#if BATCHED
    TO_LAYER();
#endif
#if DEVICE_SCALARS
    TAKE_ALPHA();
    TAKE_BETA();
#endif
    TW_LOCAL real *tile_a = shared;
    TW_LOCAL real *tile_b = shared + BM * ROW_A;

    const int x = (int)threadIdx.x;
    const int y = (int)threadIdx.y;
    const int tid = y * BN + x;
    const int blocks_n = N / BN + (N % BN != 0);
#if GROUPED
    TO_GROUP(BM, blocks_n);
    const int block_m = group.tile / blocks_n * BM;
    const int block_n = group.tile % blocks_n * BN;
#else
    const int block_m = (int)(blockIdx.x / blocks_n) * BM;
    const int block_n = (int)(blockIdx.x % blocks_n) * BN;
#endif

    real sum = 0;
    /* Zeros beyond K add nothing; rows and columns beyond M and N are not stored. */
    for (int left = K; left > 0; left -= BK) {
        const int block_k = K - left;
#if BLOCK_SCALED
        LOAD_TILE(tile_a, BM, BK, ROW_A, !TRANS_A, r < M - block_m && c < left,
                  LOADED_A(A[OFFSET_A(block_m + r, block_k + c)]) * A_SCALE(block_m + r, block_k + c))
        LOAD_TILE(tile_b, BK, BN, ROW_B, !TRANS_B, r < left && c < N - block_n,
                  LOADED_B(B[OFFSET_B(block_k + r, block_n + c)]) * B_SCALE(block_k + r, block_n + c))
#else
        LOAD_TILE(tile_a, BM, BK, ROW_A, !TRANS_A, r < M - block_m && c < left,
                  LOADED_A(A[OFFSET_A(block_m + r, block_k + c)]))
        LOAD_TILE(tile_b, BK, BN, ROW_B, !TRANS_B, r < left && c < N - block_n,
                  LOADED_B(B[OFFSET_B(block_k + r, block_n + c)]))
#endif
        __syncthreads();
        TW_UNROLL_BY(UNROLL)
        for (int k = 0; k < BK; k++)
            sum = FMA(tile_a[y * ROW_A + k], tile_b[k * ROW_B + x], sum);
        __syncthreads();
    }

    if (y < M - block_m && x < N - block_n) {
        const tw_index at = (tw_index)(block_m + y) * ldc + block_n + x;
#if EPILOGUE
        const struct epilogue epilogue = EPILOGUE_GIVEN;
        C[at] = TO_RESULT(finished(alpha * sum, beta, C + at, block_m + y, block_n + x, epilogue));
#else
        C[at] = RESULT_OF(sum, C + at, alpha, beta);
#endif
    }
}
