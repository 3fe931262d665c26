/* C = A A^T where A has few columns, so that writing C is what takes the time.
 *
 * A lane keeps the rows of A in registers that belong to its TN columns of C, and its warp goes down rows of C whose
 * factors are in shared memory, the same for all lanes. Every row's stretch begins at a multiple of ALIGN elements in
 * memory wherever the row itself begins: rows that are PERIOD apart begin equally far behind one, and a warp has such
 * rows only, with columns that are so many further to the left. All of C is computed, for a mirrored half would have
 * stretches of its own; an element and its mirror image add the same products in the same order. */
#define THREADS (32 * WARPS)
#define BN (32 * TN)
#define AREA (BN + ALIGN - 1)
#define VECTORS (TN / WIDTH)

/* Rows of A for rows of C are read as they lie, four numbers at a time; those for columns by lanes WIDTH rows apart, at
 * an odd distance, so that no two of a warp read the same bank: every WIDTH rows there is a number between. */
#define LEFT_PITCH ((TERMS + 3) / 4 * 4)
#define RIGHT_PITCH (WIDTH > 1 ? TERMS : TERMS / 2 * 2 + 1)
#define SKEW (WIDTH > 1)
#define PLACED(n, pitch, skew) ((n) * (pitch) + (n) / WIDTH * (skew))
#define PLACE(n) PLACED(n, RIGHT_PITCH, SKEW)

/* SPAN threads take a row of A; so many of its numbers a thread asks for before it waits for the first. */
#define STEP (THREADS / SPAN)
#define AHEAD 16

/* `count` rows of A from `first` on into shared memory, `terms` of each, with zeros for what A does not have. STEP is a
 * multiple of WIDTH. */
TW_DEVICE void take(TW_LOCAL float *to, int count, int pitch, int skew, int terms, TW_GLOBAL const float *A, int first,
                    int M, int lda)
{
    const int n = (int)(threadIdx.x / (tw_u32)SPAN);
    const tw_index step = (tw_index)STEP * lda;
    TW_UNROLL
    for (int begin = 0; begin < terms; begin += SPAN) {
        const int k = begin + (int)(threadIdx.x % (tw_u32)SPAN);
        const tw_u32 rows = (tw_u32)(k < TERMS ? M : 0);
        const int end = k < terms ? count : 0;
        TW_LOCAL float *place = to + PLACED(n, pitch, skew) + k;
        tw_index from = (tw_index)(first + n) * lda + k;
        for (int i = n; i < end; i += AHEAD * STEP) {
            float held[AHEAD];
            TW_UNROLL
            for (int q = 0; q < AHEAD; q++) {
                held[q] = (tw_u32)(first + i + q * STEP) < rows ? A[from] : 0.0f;
                from += step;
            }
            TW_UNROLL
            for (int q = 0; q < AHEAD; q++)
                if (i + q * STEP < end)
                    place[PLACED(q * STEP, pitch, skew)] = held[q];
            place += PLACED(AHEAD * STEP, pitch, skew);
        }
    }
}

/* The sums of TM rows that are PERIOD apart, by all columns of this lane. */
TW_DEVICE void multiply(float *sums, const float *kept, TW_LOCAL const float *left)
{
    TW_UNROLL
    for (int i = 0; i < TM * TN; i++)
        sums[i] = 0.0f;
    TW_UNROLL
    for (int k = 0; k < TERMS; k += 4) {
        TW_UNROLL
        for (int i = 0; i < TM; i++) {
            const float4 four = *(TW_LOCAL const float4 *)(left + i * PERIOD * LEFT_PITCH + k);
            const float factors[4] = {four.x, four.y, four.z, four.w};
            TW_UNROLL
            for (int q = 0; q < 4; q++)
                TW_UNROLL
                for (int j = 0; j < TN; j++)
                    if (k + q < TERMS)
                        sums[i * TN + j] = fmaf(factors[q], kept[(k + q) * TN + j], sums[i * TN + j]);
        }
    }
}

/* One row's part of this lane, from where its first column is; `inside`, where the whole warp's part is in the row, and
 * otherwise what of it lies between column 0 and column M. */
TW_DEVICE void store(TW_GLOBAL float *to, const float *sums, int inside, int column, int M)
{
    TW_UNROLL
    for (int v = 0; v < VECTORS; v++) {
#if WIDTH == 4
        if (inside) {
            *(TW_GLOBAL float4 *)(to + v * 128) =
                make_float4(sums[v * 4], sums[v * 4 + 1], sums[v * 4 + 2], sums[v * 4 + 3]);
            continue;
        }
#elif WIDTH == 2
        if (inside) {
            *(TW_GLOBAL float2 *)(to + v * 64) = make_float2(sums[v * 2], sums[v * 2 + 1]);
            continue;
        }
#endif
        TW_UNROLL
        for (int e = 0; e < WIDTH; e++) {
            const int n = v * 32 * WIDTH + e;
            if (inside || (column + n >= 0 && column + n < M))
                to[n] = sums[v * WIDTH + e];
        }
    }
}

TW_KERNEL(aat_strips)
(TW_GLOBAL const float *TW_RESTRICT A, TW_GLOBAL float *TW_RESTRICT C, int M, int lda, int ldc)
{
    TW_SHARED(float, shared, BM * LEFT_PITCH + PLACE(AREA));
    TW_LOCAL float *left = shared, *right = shared + BM * LEFT_PITCH;
    const int strips = (M + ALIGN - 2) / BN + 1;
    const int first_row = (int)blockIdx.x / strips * BM;
    const int first_column = (int)blockIdx.x % strips * BN - (ALIGN - 1);
    const int rows = min(BM, M - first_row);
    const int lane = (int)threadIdx.x % 32;

    take(left, BM, LEFT_PITCH, 0, LEFT_PITCH, A, first_row, M, lda);
    take(right, AREA, RIGHT_PITCH, SKEW, TERMS, A, first_column, M, lda);
    __syncthreads();

    for (int r = (int)threadIdx.x / 32; r < PERIOD; r += WARPS) {
        /* How far behind a multiple of ALIGN these rows begin: first_row is a multiple of ALIGN itself. */
        const int behind = r % ALIGN * (ldc % ALIGN) % ALIGN;
        const int begin = ALIGN - 1 - behind;
        const int column = first_column + begin + lane * WIDTH;
        const int inside = first_column + begin >= 0 && first_column + begin + BN <= M;
        float kept[TN * TERMS];
        TW_UNROLL
        for (int v = 0; v < VECTORS; v++)
            TW_UNROLL
            for (int e = 0; e < WIDTH; e++) {
                TW_LOCAL const float *from = right + PLACE(begin + lane * WIDTH + e) + v * PLACE(32 * WIDTH);
                TW_UNROLL
                for (int k = 0; k < TERMS; k++)
                    kept[k * TN + v * WIDTH + e] = from[k];
            }
        tw_index to = (tw_index)(first_row + r) * ldc + column;
        for (int i = r; i < rows; i += PERIOD * TM) {
            float sums[TM * TN];
            multiply(sums, kept, left + i * LEFT_PITCH);
            TW_UNROLL
            for (int j = 0; j < TM; j++) {
                if (j == 0 || i + j * PERIOD < rows)
                    store(C + to, sums + j * TN, inside, column, M);
                to += (tw_index)PERIOD * ldc;
            }
        }
    }
}
