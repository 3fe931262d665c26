/* Writes a thread's tile: its elements of C, or its part of a sum that is not complete yet.
 *
 * All of them multiply by alpha on the way, even where it is 1. A 16-byte store wants its values in
 * four registers in a row; when these were the sums themselves, NVIDIA's compiler gave more FFMAs of
 * the inner loop three sources of one parity (397 of 1024 in one variant, 263 after). */

#if MIXED
TW_DEVICE void store_results(TW_GLOBAL RESULT *C, const real *sum, int m_left, int n_left, int ldc,
                             SCALAR alpha, SCALAR beta, const int read)
{
    TW_UNROLL
    for (int i = 0; i < TM; i++) {
        if (EDGE_M && PLACE_M(i) >= m_left)
            continue;
        TW_GLOBAL RESULT *row = C + (tw_index)PLACE_M(i) * ldc;
        TW_UNROLL
        for (int j = 0; j < TN; j++)
            if (!EDGE_N || PLACE_N(j) < n_left)
                row[PLACE_N(j)] = RESULT_OF(sum[i * TN + j], row + PLACE_N(j), alpha, read ? beta : 0);
    }
}
#else
TW_DEVICE void store_results(TW_GLOBAL ELEMENT *C, const real *sum, int m_left, int n_left, int ldc,
                             real alpha, real beta, const int read)
{
    TW_UNROLL
    for (int i = 0; i < TM; i++) {
        if (EDGE_M && PLACE_M(i) >= m_left)
            continue;
        TW_GLOBAL ELEMENT *row = C + (tw_index)PLACE_M(i) * ldc;
        TW_UNROLL
        for (int j = 0; j < TN; j += VEC_C) {
            if (EDGE_N && PLACE_N(j) >= n_left)
                continue;
            real result[VEC_C];
            if (read)
                load_global(result, row + PLACE_N(j), VEC_C);
            TW_UNROLL
            for (int e = 0; e < VEC_C; e++) {
                const real product = alpha * sum[i * TN + j + e];
                result[e] = read ? FMA(beta, result[e], product) : product;
            }
            store_global(row + PLACE_N(j), result, VEC_C);
        }
    }
}
#endif

#if EPILOGUE
/* A thread's tile of C that is complete, its first element (m, n), with all that is done to it. */
TW_DEVICE void store_finished(TW_GLOBAL RESULT *C, const real *sum, int m, int n, int m_left, int n_left,
                              int ldc, SCALAR alpha, SCALAR beta, struct epilogue epilogue)
{
    TW_UNROLL
    for (int i = 0; i < TM; i++) {
        if (EDGE_M && PLACE_M(i) >= m_left)
            continue;
        TW_GLOBAL RESULT *row = C + (tw_index)PLACE_M(i) * ldc;
        TW_UNROLL
        for (int j = 0; j < TN; j += VEC_C) {
            if (EDGE_N && PLACE_N(j) >= n_left)
                continue;
            TW_GLOBAL RESULT *to = row + PLACE_N(j);
            SCALAR result[VEC_C];
            TW_UNROLL
            for (int e = 0; e < VEC_C; e++)
                result[e] = finished(alpha * sum[i * TN + j + e], beta, to + e, m + PLACE_M(i),
                                     n + PLACE_N(j) + e, epilogue);
#if MIXED
            TW_UNROLL
            for (int e = 0; e < VEC_C; e++)
                to[e] = TO_RESULT(result[e]);
#else
            store_global(to, result, VEC_C);
#endif
        }
    }
}
#endif

#if SYMMETRIC
/* The transpose of a thread's tile, whose rows are `n_left` of C's and its columns `m_left`. */
TW_DEVICE void store_mirrored(TW_GLOBAL ELEMENT *C, const real *sum, int m_left, int n_left, int ldc,
                              real alpha)
{
    TW_UNROLL
    for (int j = 0; j < TN; j++) {
        if (EDGE_N && PLACE_N(j) >= n_left)
            continue;
        TW_GLOBAL ELEMENT *row = C + (tw_index)PLACE_N(j) * ldc;
        TW_UNROLL
        for (int i = 0; i < TM; i += VEC_MIRRORED) {
            if (EDGE_M && PLACE_M(i) >= m_left)
                continue;
            real result[VEC_MIRRORED];
            TW_UNROLL
            for (int e = 0; e < VEC_MIRRORED; e++)
                result[e] = alpha * sum[(i + e) * TN + j];
            store_global(row + PLACE_M(i), result, VEC_MIRRORED);
        }
    }
}
#endif
