/* From a warp's sums to C: straight from the registers where a lane's neighbours are those of C (f64), or through shared
 * memory, from which each block takes its rows of all parts of a sum (its warps' slices of K, the cluster's blocks) and
 * adds them in their order. */

#define EDGE_M (SWAP ? EDGE_COLUMNS : EDGE_ROWS)
#define EDGE_N (SWAP ? EDGE_ROWS : EDGE_COLUMNS)

/* Neighbours in a row of C that strides allow to move in one access. */
struct __align__(VEC_C * (int)sizeof(RESULT)) neighbours {
    RESULT of[VEC_C];
};

/* alpha times `count` neighbours in a row of C, of which `left` are there, plus beta times what is there. With an
 * epilogue, the first is (m, n). */
#if EPILOGUE
TW_DEVICE void store_neighbours(TW_GLOBAL RESULT *C, const real *sum, const int count, int left, SCALAR alpha,
                                SCALAR beta, int m, int n, struct epilogue epilogue)
{
    TW_UNROLL
    for (int first = 0; first < count; first += VEC_C) {
        TW_GLOBAL RESULT *to = C + first;
        struct neighbours some;
        TW_UNROLL
        for (int e = 0; e < VEC_C; e++)
            if (!EDGE_N || first + e < left)
                some.of[e] = TO_RESULT(finished(alpha * sum[first + e], beta, to + e, m, n + first + e, epilogue));
        if (!EDGE_N || first + VEC_C <= left) {
            *(TW_GLOBAL struct neighbours *)to = some;
            continue;
        }
        TW_UNROLL
        for (int e = 0; e < VEC_C; e++)
            if (first + e < left)
                to[e] = some.of[e];
    }
}
#else
TW_DEVICE void store_neighbours(TW_GLOBAL RESULT *C, const real *sum, const int count, int left, SCALAR alpha,
                                SCALAR beta)
{
    TW_UNROLL
    for (int first = 0; first < count; first += VEC_C) {
        TW_GLOBAL RESULT *to = C + first;
        struct neighbours some;
        if (EDGE_N && first + VEC_C > left) {
            TW_UNROLL
            for (int e = 0; e < VEC_C; e++)
                if (first + e < left)
                    to[e] = RESULT_OF(sum[first + e], to + e, alpha, beta);
            continue;
        }
        if (beta != 0)
            some = *(TW_GLOBAL const struct neighbours *)to;
        TW_UNROLL
        for (int e = 0; e < VEC_C; e++)
            some.of[e] = RESULT_OF(sum[first + e], some.of + e, alpha, beta);
        *(TW_GLOBAL struct neighbours *)to = some;
    }
}
#endif

/* Of block (b, c) of a warp's 16 rows and 16 columns, row i of a lane's two and column j of its four. */
#ifndef TILE_ROW
#define TILE_ROW(b, i) (WARP_ROW((int)threadIdx.x / 32) + (b)*16 + ROW_OF((int)threadIdx.x % 32, i))
#endif
#define TILE_COLUMN(c, j) (WARP_COLUMN((int)threadIdx.x / 32) + (c)*16 + COLUMN_OF((int)threadIdx.x % 32, j))

#if DIRECT
/* Two neighbours of C are two rows of the tile where C's transpose was computed, or two columns. */
#if EPILOGUE
TW_DEVICE void store_sums(TW_GLOBAL RESULT *C, real sums[TALL][ACROSS][2][4], int m_left, int n_left, int ldc,
                          SCALAR alpha, SCALAR beta, int first_m, int first_n, struct epilogue epilogue)
#else
TW_DEVICE void store_sums(TW_GLOBAL RESULT *C, real sums[TALL][ACROSS][2][4], int m_left, int n_left, int ldc,
                          SCALAR alpha, SCALAR beta)
#endif
{
    TW_UNROLL
    for (int b = 0; b < TALL; b++)
        TW_UNROLL
        for (int c = 0; c < ACROSS; c++)
            TW_UNROLL
            for (int pair = 0; pair < 4; pair++) {
                const int i = SWAP ? 0 : pair / 2, j = SWAP ? pair : pair % 2 * 2;
                const int row = TILE_ROW(b, i), column = TILE_COLUMN(c, j);
                const int m = SWAP ? column : row, n = SWAP ? row : column;
                const real two[2] = {SUM_OF(sums[b][c], i, j), SUM_OF(sums[b][c], i + SWAP, j + !SWAP)};
                if (!EDGE_M || m < m_left)
#if EPILOGUE
                    store_neighbours(C + (tw_index)m * ldc + n, two, 2, n_left - n, alpha, beta, first_m + m,
                                     first_n + n, epilogue);
#else
                    store_neighbours(C + (tw_index)m * ldc + n, two, 2, n_left - n, alpha, beta);
#endif
            }
}
#else
#define TILE_M (SWAP ? BN : BM)
#define TILE_N (SWAP ? BM : BN)
#define VECTOR (16 / (int)sizeof(real))
#define PITCH (TILE_N + VECTOR)

/* Adds sixteen bytes of a part to a sum. */
TW_DEVICE void add_part(real *sum, tw_u32 at, int part)
{
    tw_u32 words[4];
    read_part(words, at, part);
#if DTYPE == DTYPE_f64 || IN_DOUBLE
    sum[0] += __hiloint2double((int)words[1], (int)words[0]);
    sum[1] += __hiloint2double((int)words[3], (int)words[2]);
#else
    TW_UNROLL
    for (int e = 0; e < 4; e++)
        sum[e] += INTEGER ? (real)(int)words[e] : (real)__uint_as_float(words[e]);
#endif
}

#if EPILOGUE
TW_DEVICE void store_sums(TW_GLOBAL RESULT *C, real sums[TALL][ACROSS][2][4], int m_left, int n_left, int ldc,
                          SCALAR alpha, SCALAR beta, int first_m, int first_n, struct epilogue epilogue)
#else
TW_DEVICE void store_sums(TW_GLOBAL RESULT *C, real sums[TALL][ACROSS][2][4], int m_left, int n_left, int ldc,
                          SCALAR alpha, SCALAR beta)
#endif
{
    real *tiles = (real *)tw_shared_bytes;
    real *tile = tiles + (int)threadIdx.x / (32 * WARPS_M * WARPS_N) * (TILE_M * PITCH);
    COPIES_WAIT(0);
    __syncthreads(); /* before stages are written over that others still read */
    TW_UNROLL
    for (int e = 0; e < TALL * ACROSS * 8; e++) {
        const int b = e / 8 / ACROSS, c = e / 8 % ACROSS, i = e % 8 / 4, j = e % 4;
        const int m = SWAP ? TILE_COLUMN(c, j) : TILE_ROW(b, i), n = SWAP ? TILE_ROW(b, i) : TILE_COLUMN(c, j);
        tile[m * PITCH + n] = SUM_OF(sums[b][c], i, j);
    }
    PARTS_SYNC();
    for (int v = (int)threadIdx.x; v < (TILE_M + SPLIT - 1) / SPLIT * (TILE_N / VECTOR); v += THREADS) {
        const int m = v / (TILE_N / VECTOR) * SPLIT + OWN_PART, n = v % (TILE_N / VECTOR) * VECTOR;
        real sum[VECTOR] = {0};
        if (m >= TILE_M || m >= m_left || n >= n_left)
            continue;
        TW_UNROLL
        for (int part = 0; part < SPLIT * SLICES; part++)
            add_part(sum, shared_address(tiles + part % SLICES * (TILE_M * PITCH) + m * PITCH + n), part / SLICES);
#if EPILOGUE
        store_neighbours(C + (tw_index)m * ldc + n, sum, VECTOR, n_left - n, alpha, beta, first_m + m, first_n + n,
                         epilogue);
#else
        store_neighbours(C + (tw_index)m * ldc + n, sum, VECTOR, n_left - n, alpha, beta);
#endif
    }
    if (SPLIT > 1)
        PARTS_SYNC(); /* before a block ends whose part is still read */
}
#endif
