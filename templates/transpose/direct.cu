/* B = A^T without shared memory: a thread turns patches of PIECE x PIECE elements in registers.
 *
 * Neighbouring threads go along A's rows (LANES read) or along B's (LANES write), so one side's
 * accesses are together and the other's are a stride apart. */
#define P_WORDS WORDS_OF(PIECE)

TW_KERNEL(transpose_direct)
(TW_GLOBAL const element *TW_RESTRICT A, TW_GLOBAL element *TW_RESTRICT B, int M, int N, int lda,
 int ldb)
{
    int fast = threadIdx.x % BLOCK_X;
    int slow = threadIdx.x / BLOCK_X;
#if LANES == LANES_read
    int tiles = (N - 1) / TILE_N + 1;
    tw_index row = (tw_index)(blockIdx.x / tiles) * TILE_M + slow * PIECE;
    tw_index column = (tw_index)(blockIdx.x % tiles) * TILE_N + fast * PIECE;
    int row_step = BLOCK_Y * PIECE;
    int column_step = 0;
#else
    int tiles = (M - 1) / TILE_M + 1;
    tw_index row = (tw_index)(blockIdx.x % tiles) * TILE_M + fast * PIECE;
    tw_index column = (tw_index)(blockIdx.x / tiles) * TILE_N + slow * PIECE;
    int row_step = 0;
    int column_step = BLOCK_Y * PIECE;
#endif
    tw_u32 pieces[PATCHES * PIECE * P_WORDS];

    TW_UNROLL
    for (int k = 0; k < PATCHES; k++) {
        tw_index r = row + k * row_step;
        tw_index c = column + k * column_step;
        int width = RAGGED ? (int)max((tw_index)0, min((tw_index)PIECE, N - c)) : PIECE;
        TW_UNROLL
        for (int j = 0; j < PIECE; j++) {
            tw_u32 *words = pieces + (k * PIECE + j) * P_WORDS;
            TW_GLOBAL const element *p = A + ((r + j) * lda + c);
            if (!RAGGED || (r + j < M && width == PIECE))
                load_piece(words, p, WIDE_A);
            else
                load_part(words, p, PIECE, r + j < M ? width : 0);
        }
    }
    TW_UNROLL
    for (int k = 0; k < PATCHES; k++) {
        tw_index r = row + k * row_step;
        tw_index c = column + k * column_step;
        int height = RAGGED ? (int)max((tw_index)0, min((tw_index)PIECE, M - r)) : PIECE;
        tw_u32 runs[PIECE * P_WORDS];
        turn(runs, pieces + k * PIECE * P_WORDS, PIECE, PIECE);
        TW_UNROLL
        for (int i = 0; i < PIECE; i++) {
            const tw_u32 *words = runs + i * P_WORDS;
            TW_GLOBAL element *p = B + ((c + i) * ldb + r);
            if (!RAGGED || (c + i < N && height == PIECE))
                store_piece(p, words, WIDE_B);
            else
                store_part(p, words, PIECE, c + i < N ? height : 0);
        }
    }
}
