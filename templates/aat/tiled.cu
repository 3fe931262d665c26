/* C = A A^T, a BM x BM tile of C a block, TM x TN elements a thread, BK columns of A at a time
 * through shared memory.
 *
 * Both operands are rows of A, so both tiles are loaded along rows and stored turned, k first: the
 * product then reads neighbouring rows from neighbouring banks. With SYMMETRIC only tiles on and
 * below the diagonal are computed, and written to both their places. */
#define TX (BM / TN)
#define TY (BM / TM)
#define THREADS (TX * TY)
#define TILE (BK * PITCH)
#define LOADS (BM * BK / (THREADS * WIDE))

/* A thread's rows and columns come in chunks, dealt out to the threads in turn, so that what
 * neighbours read and write lies side by side. */
#define ROW(ty, i) ((i) / CHUNK * (TY * CHUNK) + (ty) * CHUNK + (i) % CHUNK)
#define COLUMN(tx, j) ((j) * (TX * LANES) + (tx) * LANES)
#define VECTORS (TN / LANES)

/* Where load q of this thread lies in a tile of BM rows; counts are powers of two. */
TW_DEVICE int load_row(int q)
{
    return q * THREADS / (BK / WIDE) + (int)(threadIdx.x / (tw_u32)(BK / WIDE));
}

TW_DEVICE int load_column(int q)
{
    return (q * THREADS % (BK / WIDE) + (int)(threadIdx.x % (tw_u32)(BK / WIDE))) * WIDE;
}

/* `rows` by `columns` are what is left of A from where it points on; the rest counts as zeros. */
TW_DEVICE void load(float *held, TW_GLOBAL const float *A, int rows, int columns, int lda)
{
    TW_UNROLL
    for (int q = 0; q < LOADS; q++) {
        int row = load_row(q);
        int column = load_column(q);
        TW_GLOBAL const float *p = A + (row * (tw_index)lda + column);
        if (!RAGGED || (row < rows && column + WIDE <= columns)) {
#if WIDE == 4
            float4 v = *(TW_GLOBAL const float4 *)p;
            held[q * WIDE + 0] = v.x;
            held[q * WIDE + 1] = v.y;
            held[q * WIDE + 2] = v.z;
            held[q * WIDE + 3] = v.w;
#elif WIDE == 2
            float2 v = *(TW_GLOBAL const float2 *)p;
            held[q * WIDE + 0] = v.x;
            held[q * WIDE + 1] = v.y;
#else
            held[q] = *p;
#endif
        } else {
            TW_UNROLL
            for (int j = 0; j < WIDE; j++)
                held[q * WIDE + j] = row < rows && column + j < columns ? p[j] : 0.0f;
        }
    }
}

TW_DEVICE void put(TW_LOCAL float *tile, const float *held)
{
    TW_UNROLL
    for (int q = 0; q < LOADS; q++) {
        TW_UNROLL
        for (int j = 0; j < WIDE; j++)
            tile[(load_column(q) + j) * PITCH + load_row(q)] = held[q * WIDE + j];
    }
}

TW_DEVICE void read_left(float *a, TW_LOCAL const float *tile, int ty)
{
    TW_UNROLL
    for (int i = 0; i < TM; i += CHUNK) {
        TW_LOCAL const float *p = tile + ROW(ty, i);
#if CHUNK == 4
        float4 v = *(TW_LOCAL const float4 *)p;
        a[i + 0] = v.x;
        a[i + 1] = v.y;
        a[i + 2] = v.z;
        a[i + 3] = v.w;
#elif CHUNK == 2
        float2 v = *(TW_LOCAL const float2 *)p;
        a[i + 0] = v.x;
        a[i + 1] = v.y;
#else
        a[i] = *p;
#endif
    }
}

/* Adds the product of two tiles. The sums are copied in and out because a CPU keeps what lives
 * across a barrier in memory, and would otherwise add there. */
TW_DEVICE void multiply(lanes *sums, TW_LOCAL const float *left, TW_LOCAL const float *right,
                        int ty, int tx)
{
    lanes sum[TM * VECTORS];
    TW_UNROLL
    for (int i = 0; i < TM * VECTORS; i++)
        sum[i] = sums[i];
    TW_UNROLL_BY(8)
    for (int k = 0; k < BK; k++) {
        float a[TM];
        lanes b[VECTORS];
        read_left(a, left + k * PITCH, ty);
        TW_UNROLL
        for (int j = 0; j < VECTORS; j++)
            b[j] = load_lanes(right + k * PITCH + COLUMN(tx, j));
        TW_UNROLL
        for (int i = 0; i < TM; i++) {
            TW_UNROLL
            for (int j = 0; j < VECTORS; j++)
                sum[i * VECTORS + j] = multiply_add(a[i], b[j], sum[i * VECTORS + j]);
        }
    }
    TW_UNROLL
    for (int i = 0; i < TM * VECTORS; i++)
        sums[i] = sum[i];
}

/* The tile at block row and column, of which `rows` by `columns` lie inside C. */
TW_DEVICE void write_tile(TW_GLOBAL float *C, const lanes *sums, int rows, int columns, int ldc,
                          int ty, int tx)
{
    TW_UNROLL
    for (int i = 0; i < TM; i++) {
        TW_UNROLL
        for (int j = 0; j < VECTORS; j++) {
            int row = ROW(ty, i);
            int column = COLUMN(tx, j);
            TW_GLOBAL float *p = C + (row * (tw_index)ldc + column);
            if (RAGGED && row >= rows)
                continue;
            int width = RAGGED ? min(LANES, columns - column) : LANES;
            if (WIDE_C == LANES && width == LANES) {
                store_lanes(p, sums[i * VECTORS + j]);
            } else {
                TW_UNROLL
                for (int e = 0; e < LANES; e++)
                    if (e < width)
                        p[e] = get_lane(&sums[i * VECTORS + j], e);
            }
        }
    }
}

/* The same tile's transpose, of which `rows` by `columns` lie inside C. */
TW_DEVICE void write_mirrored(TW_GLOBAL float *C, const lanes *sums, int rows, int columns,
                              int ldc, int ty, int tx)
{
    TW_UNROLL
    for (int j = 0; j < TN; j++) {
        TW_UNROLL
        for (int i = 0; i < TM; i += CHUNK) {
            int row = COLUMN(tx, j / LANES) + j % LANES;
            int column = ROW(ty, i);
            TW_GLOBAL float *p = C + (row * (tw_index)ldc + column);
            float values[CHUNK];
            TW_UNROLL
            for (int e = 0; e < CHUNK; e++)
                values[e] = get_lane(&sums[(i + e) * VECTORS + j / LANES], j % LANES);
            if (RAGGED && row >= rows)
                continue;
            int width = RAGGED ? min(CHUNK, columns - column) : CHUNK;
            if (WIDE_MIRRORED == CHUNK && width == CHUNK) {
#if CHUNK == 4
                *(TW_GLOBAL float4 *)p = make_float4(values[0], values[1], values[2], values[3]);
#elif CHUNK == 2
                *(TW_GLOBAL float2 *)p = make_float2(values[0], values[1]);
#else
                *p = values[0];
#endif
            } else {
                TW_UNROLL
                for (int e = 0; e < CHUNK; e++)
                    if (e < width)
                        p[e] = values[e];
            }
        }
    }
}

TW_KERNEL(aat_tiled)
(TW_GLOBAL const float *TW_RESTRICT A, TW_GLOBAL float *TW_RESTRICT C, int M, int K, int lda,
 int ldc)
{
    TW_SHARED(float, tiles, 2 * BUFFERS * TILE);
#if SYMMETRIC
    int block_row = triangle_row(blockIdx.x);
    int block_column = (int)(blockIdx.x - (tw_index)block_row * (block_row + 1) / 2);
#else
    int across = (M - 1) / BM + 1;
    int block_row = blockIdx.x / across;
    int block_column = blockIdx.x % across;
#endif
    int first_row = block_row * BM;
    int first_column = block_column * BM;
    int t = threadIdx.x;
    /* Threads are numbered in swaths of LANES_M rows, column after column: a warp's part of the
     * tile then is nearer to a square, and reads less of both operands. */
    int ty = t / (LANES_M * TX) * LANES_M + t % LANES_M;
    int tx = t / LANES_M % TX;

    TW_GLOBAL const float *left = A + first_row * (tw_index)lda;
    TW_GLOBAL const float *right = A + first_column * (tw_index)lda;
    int left_rows = M - first_row;
    int right_rows = M - first_column;
    int steps = (K - 1) / BK + 1;
    float held_left[LOADS * WIDE];
    float held_right[LOADS * WIDE];
    lanes sums[TM * VECTORS];
    TW_UNROLL
    for (int i = 0; i < TM * VECTORS; i++)
        sums[i] = no_lanes();

#if BUFFERS == 1
    for (int step = 0; step < steps; step++) {
        tw_index k = (tw_index)step * BK;
        load(held_left, left + k, left_rows, K - (int)k, lda);
        load(held_right, right + k, right_rows, K - (int)k, lda);
        put(tiles, held_left);
        put(tiles + TILE, held_right);
        __syncthreads();
        multiply(sums, tiles, tiles + TILE, ty, tx);
        __syncthreads();
    }
#else
    /* The next tiles are on their way while these are multiplied. */
    load(held_left, left, left_rows, K, lda);
    load(held_right, right, right_rows, K, lda);
    put(tiles, held_left);
    put(tiles + TILE, held_right);
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        TW_LOCAL float *now = tiles + step % 2 * (2 * TILE);
        TW_LOCAL float *next = tiles + (step + 1) % 2 * (2 * TILE);
        tw_index k = (tw_index)(step + 1) * BK;
        if (step + 1 < steps) {
            load(held_left, left + k, left_rows, K - (int)k, lda);
            load(held_right, right + k, right_rows, K - (int)k, lda);
        }
        multiply(sums, now, now + TILE, ty, tx);
        if (step + 1 < steps) {
            put(next, held_left);
            put(next + TILE, held_right);
        }
        __syncthreads();
    }
#endif

    write_tile(C + (first_row * (tw_index)ldc + first_column), sums, left_rows, right_rows, ldc,
               ty, tx);
#if SYMMETRIC
    if (block_row != block_column)
        write_mirrored(C + (first_column * (tw_index)ldc + first_row), sums, right_rows,
                       left_rows, ldc, ty, tx);
#endif
}
