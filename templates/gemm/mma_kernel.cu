/* The kernel around mma_multiply.cu: a tile of C, or of its transpose, or of a group's rows of it, over all of K or a
 * share of it. */

TW_KERNEL(gemm_mma)
(TW_GLOBAL const ELEMENT *TW_RESTRICT A, TW_GLOBAL const ELEMENT_B *TW_RESTRICT B,
 TW_GLOBAL RESULT *TW_RESTRICT C, int M, int N, int K, int lda, int ldb, int ldc, SCALAR alpha, SCALAR beta,
#if GROUPED
 int high EPILOGUE_PARAMETERS BATCH_PARAMETERS)
#elif EPILOGUE || BATCHED
 int group EPILOGUE_PARAMETERS BATCH_PARAMETERS)
#else
 int group)
#endif
{
#if EARLY
    /* The launches before may still run, and the next may come as soon as all blocks are so far. */
    asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::: "memory");
#endif
#if GROUPED
    TO_GROUP(SWAP ? BN : BM, SWAP ? N / BM + (N % BM != 0) : N / BN + (N % BN != 0));
#if EPILOGUE
    const struct epilogue epilogue = EPILOGUE_GIVEN;
#endif
#elif EPILOGUE || BATCHED
#if BATCHED
    TO_LAYER();
#endif
#if DEVICE_SCALARS
    TAKE_ALPHA();
    TAKE_BETA();
#endif
#if EPILOGUE
    const struct epilogue epilogue = EPILOGUE_GIVEN;
#endif
#endif
    const int all = K / BK + (K % BK != 0);
    const int part = SPLIT > 1 ? (int)blockIdx.x % SPLIT : 0;
    const int first = (int)((tw_index)all * part / SPLIT) * BK;
    const int end = (int)((tw_index)all * (part + 1) / SPLIT) * BK;
    struct operand rows = {SWAP ? B : A, SWAP ? ldb : lda, SWAP ? N : M};
    struct operand columns = {SWAP ? A : B, SWAP ? lda : ldb, SWAP ? M : N};
#if GROUPED
    const struct place place = place_of(group.tile, rows.left, columns.left, high);
#else
    const struct place place = place_of((int)blockIdx.x / SPLIT, rows.left, columns.left, group);
#endif
    real sums[TALL][ACROSS][2][4];
    TW_UNROLL
    for (int i = 0; i < TALL * ACROSS * 8; i++)
        sums[i / 8 / ACROSS][i / 8 % ACROSS][i % 8 / 4][i % 4] = 0;
    operand_begin(&rows, first, place.row, ROWS_ALONG_K, BM, WIDTH_ROWS);
    operand_begin(&columns, first, place.column, COLUMNS_ALONG_K, BN, WIDTH_COLUMNS);
    multiply_all(sums, &rows, &columns, (end < K ? end : K) - first);
    const int m = SWAP ? place.column : place.row, n = SWAP ? place.row : place.column;
#if EPILOGUE
    store_sums(C + (tw_index)m * ldc + n, sums, M - m, N - n, ldc, alpha, beta, m, n, epilogue);
#else
    store_sums(C + (tw_index)m * ldc + n, sums, M - m, N - n, ldc, alpha, beta);
#endif
}
