/* A product with a matrix so thin that all its columns fit in a thread's registers: one vector or a few.
 * What it costs is reading the other operand, the long matrix, and that is read once, in wide loads with
 * many of them in flight. LANES threads share the rows of a group and divide K between them; at the end
 * their sums are added by a tree, always in the same order. With EXACT_SUMS sums of f32 numbers are f64, whose
 * roundings do not count beside that of the result: multiplying is not what takes the time. */

#if SPLIT && EXACT_SUMS
#define SPLIT_ARGUMENTS , TW_GLOBAL double *TW_RESTRICT workspace, int split_k
#elif SPLIT
#define SPLIT_ARGUMENTS , TW_GLOBAL real *TW_RESTRICT workspace, int split_k
#else
#define SPLIT_ARGUMENTS
#endif

/* Multiplies the next STEP of K, or with `edge` the `left` elements that remain. */
#if EXACT_SUMS
TW_DEVICE void multiply_step(double *sum, TW_GLOBAL const real *matrix, int long_stride, int rows,
#else
TW_DEVICE void multiply_step(real *sum, TW_GLOBAL const real *matrix, int long_stride, int rows,
#endif
                             tw_index row, TW_GLOBAL const real *vectors, int short_stride,
                             TW_LOCAL real *shared, int tid, int lane, int left, const int edge)
{
    real patch[ROWS * DEPTH];
    load_long(patch, matrix, long_stride, rows, row, lane, left, edge);
    stage_short(shared, vectors, short_stride, tid, left, edge);
    TW_UNROLL
    for (int d = 0; d < DEPTH; d += PIECE_K) {
        TW_UNROLL
        for (int c = 0; c < COLUMNS; c += PIECE_C) {
            real piece[PIECE];
            load_short(piece, shared, vectors, short_stride, STEP_K(lane, d), c, left, edge);
            TW_UNROLL
            for (int i = 0; i < PIECE; i++) {
                TW_UNROLL
                for (int j = 0; j < ROWS; j++) {
                    const int e = j * COLUMNS + c + i % PIECE_C;
#if EXACT_SUMS
                    sum[e] = fma((double)patch[PATCH(j, d + i / PIECE_C)], (double)piece[i], sum[e]);
#else
                    sum[e] = FMA(patch[PATCH(j, d + i / PIECE_C)], piece[i], sum[e]);
#endif
                }
            }
        }
    }
}

TW_KERNEL(gemm_gemv)
(TW_GLOBAL const real *TW_RESTRICT A, TW_GLOBAL const real *TW_RESTRICT B,
 TW_GLOBAL real *TW_RESTRICT C, int M, int N, int K, int lda, int ldb, int ldc, real alpha,
#if EPILOGUE || BATCHED
 real beta SPLIT_ARGUMENTS EPILOGUE_PARAMETERS BATCH_PARAMETERS)
#else
 real beta SPLIT_ARGUMENTS)
#endif
{
    TW_SHARED(real, shared, SHARED_REALS);
#if BATCHED
    TO_LAYER();
#endif
#if DEVICE_SCALARS
    TAKE_ALPHA();
    TAKE_BETA();
#endif
#if EPILOGUE && !SPLIT
    const struct epilogue epilogue = EPILOGUE_GIVEN;
#endif
    const int tid = (int)threadIdx.x;
    const int lane = LANE(tid);
    const int rows = LONG_B ? N : M;
    const int blocks = rows / BLOCK_ROWS + (rows % BLOCK_ROWS != 0);
    const tw_index row = (tw_index)((int)blockIdx.x % blocks) * BLOCK_ROWS + GROUP(tid) * VEC_ROWS;
#if SPLIT
    const int part = (int)blockIdx.x / blocks;
    const int first = split_step(K, part, split_k) * STEP;
    const int last = split_step(K, part + 1, split_k) * STEP;
    int left = (part + 1 < split_k ? last : K) - first;
#else
    const int first = 0;
    int left = K;
#endif
    const int long_stride = LONG_B ? ldb : lda;
    const int short_stride = LONG_B ? lda : ldb;
    TW_GLOBAL const real *matrix = (LONG_B ? B : A) + OFFSET_LONG(0, first);
    TW_GLOBAL const real *vectors = (LONG_B ? A : B) + OFFSET_SHORT(first, 0);

#if EXACT_SUMS
    double sum[ROWS * COLUMNS];
#else
    real sum[ROWS * COLUMNS];
#endif
    TW_UNROLL
    for (int e = 0; e < ROWS * COLUMNS; e++)
        sum[e] = 0;
    TW_UNROLL_BY(1)
    for (; left >= STEP; left -= STEP) {
        multiply_step(sum, matrix, long_stride, rows, row, vectors, short_stride, shared, tid, lane, STEP,
                      0);
        matrix += OFFSET_LONG(0, STEP);
        vectors += OFFSET_SHORT(STEP, 0);
    }
#if EDGE_K
    /* In every part, the barriers with it, though only the last has elements left. */
    multiply_step(sum, matrix, long_stride, rows, row, vectors, short_stride, shared, tid, lane, left, 1);
#endif
    sum_lanes(sum, shared, lane, GROUP(tid));
    if (lane > 0)
        return;

    TW_UNROLL
    for (int j = 0; j < ROWS; j++) {
        const tw_index r = row + ROW(j);
        if (r >= rows)
            continue;
        TW_UNROLL
        for (int c = 0; c < COLUMNS; c++) {
            const tw_index m = LONG_B ? c : r;
            const tw_index n = LONG_B ? r : c;
#if EXACT_SUMS && SPLIT
            const double product = (double)alpha * sum[j * COLUMNS + c];
#elif EXACT_SUMS
            const real product = (real)((double)alpha * sum[j * COLUMNS + c]);
#else
            const real product = alpha * sum[j * COLUMNS + c];
#endif
#if SPLIT
            workspace[((tw_index)part * M + m) * N + n] = product;
#else
            const tw_index at = m * ldc + n;
#if EPILOGUE
            C[at] = finished(product, beta, C + at, m, n, epilogue);
#else
            C[at] = beta == 0 ? product : FMA(beta, C[at], product);
#endif
#endif
        }
    }
}
