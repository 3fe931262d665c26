/* From a warp's sums to C: straight from the registers, or where the warps of a block or the blocks of a cluster divide
 * K, through shared memory, from which each block takes its rows of all parts and adds them in their order. */

#define EDGE_M (SWAP ? EDGE_COLUMNS : EDGE_ROWS)
#define EDGE_N (SWAP ? EDGE_ROWS : EDGE_COLUMNS)

/* alpha times two neighbours in a row of C, of which `left` are there, plus beta times what is there. */
TW_DEVICE void store_two(TW_GLOBAL double *C, double first, double second, int left, double alpha, double beta,
                         const int read)
{
    if (EDGE_N && left <= 0)
        return;
    first *= alpha;
    second *= alpha;
    if (VEC_C == 2 && (!EDGE_N || left > 1)) {
        if (read) {
            const double2 old = *(TW_GLOBAL const double2 *)C;
            first = fma(beta, old.x, first);
            second = fma(beta, old.y, second);
        }
        *(TW_GLOBAL double2 *)C = make_double2(first, second);
        return;
    }
    C[0] = read ? fma(beta, C[0], first) : first;
    if (!EDGE_N || left > 1)
        C[1] = read ? fma(beta, C[1], second) : second;
}

/* Does something with every two neighbours in a row of C that the lane has, `m` and `n` from the tile's corner. */
#define EACH_PAIR(sums, DO)                                                                              \
    do {                                                                                                 \
        const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;                            \
        TW_UNROLL                                                                                        \
        for (int b = 0; b < TALL; b++)                                                                   \
            TW_UNROLL                                                                                    \
            for (int c = 0; c < ACROSS; c++)                                                             \
                TW_UNROLL                                                                                \
                for (int half = 0; half < 4; half++) {                                                   \
                    const int i = half / 2, j = half % 2 * 2;                                            \
                    const int row = WARP_ROW(warp) + b * 16 + lane / 4 * 2;                     \
                    const int column = WARP_COLUMN(warp) + c * 16 + lane % 4 * 4;                  \
                    if (SWAP) {                                                                          \
                        DO(column + half, row, SUM(sums[b][c], 0, half), SUM(sums[b][c], 1, half));      \
                    } else {                                                                             \
                        DO(row + i, column + j, SUM(sums[b][c], i, j), SUM(sums[b][c], i, j + 1));       \
                    }                                                                                    \
                }                                                                                        \
    } while (0)

#if SPLIT * SLICES == 1
TW_DEVICE void store_sums(TW_GLOBAL double *C, double sums[TALL][ACROSS][2][4], int m_left, int n_left, int ldc,
                          double alpha, double beta)
{
#define STORE_PAIR(m, n, first, second)                                                                  \
    if (!EDGE_M || (m) < m_left)                                                                         \
    store_two(C + (tw_index)(m)*ldc + (n), first, second, n_left - (n), alpha, beta, 0)
#define UPDATE_PAIR(m, n, first, second)                                                                 \
    if (!EDGE_M || (m) < m_left)                                                                         \
    store_two(C + (tw_index)(m)*ldc + (n), first, second, n_left - (n), alpha, beta, 1)
    if (beta == 0)
        EACH_PAIR(sums, STORE_PAIR);
    else
        EACH_PAIR(sums, UPDATE_PAIR);
}
#else
#define TILE_M (SWAP ? BN : BM)
#define TILE_N (SWAP ? BM : BN)
#define PITCH (TILE_N + 2)

TW_DEVICE void store_sums(TW_GLOBAL double *C, double sums[TALL][ACROSS][2][4], int m_left, int n_left, int ldc,
                          double alpha, double beta)
{
    double *tiles = (double *)tw_shared_bytes;
    double *tile = tiles + (int)threadIdx.x / (32 * WARPS_M * WARPS_N) * (TILE_M * PITCH);
    COPIES_WAIT(0);
    __syncthreads();
#define KEEP_PAIR(m, n, first, second) *(double2 *)(tile + (m)*PITCH + (n)) = make_double2(first, second)
    EACH_PAIR(sums, KEEP_PAIR);
    PARTS_SYNC();
    for (int pair = (int)threadIdx.x; pair < (TILE_M + SPLIT - 1) / SPLIT * (TILE_N / 2); pair += THREADS) {
        const int m = pair / (TILE_N / 2) * SPLIT + OWN_PART, n = pair % (TILE_N / 2) * 2;
        double2 sum = make_double2(0, 0);
        if (m >= TILE_M || m >= m_left || n >= n_left)
            continue;
        TW_UNROLL
        for (int part = 0; part < SPLIT * SLICES; part++) {
            const double *at = tiles + part % SLICES * (TILE_M * PITCH) + m * PITCH + n;
            tw_u32 words[4];
            read_part(words, shared_address(at), part / SLICES);
            sum.x += __hiloint2double((int)words[1], (int)words[0]);
            sum.y += __hiloint2double((int)words[3], (int)words[2]);
        }
        store_two(C + (tw_index)m * ldc + n, sum.x, sum.y, n_left - n, alpha, beta, beta != 0);
    }
    if (SPLIT > 1)
        PARTS_SYNC(); /* before a block ends whose part is still read */
}
#endif
