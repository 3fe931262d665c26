/* Splits operands (A where SPLIT_A, B where SPLIT_B) into planes in the workspace: for each PLANES matrices, one after
 * the other, whose rows run along K whichever way the operand lies, and are PADDED long; of a batch those of one product
 * after those of another. A block has 64 rows and 64 of K, a thread eight of K at a time. */

#define TILE 64
#define TILE_PITCH (TILE + 1)
#define TILES(length) ((length) / TILE + ((length) % TILE != 0))

/* Eight numbers of a row, of which `left` are there; the others are zeros. `wide`: rows begin at multiples of 16
 * bytes. */
TW_DEVICE void read_eight(float eight[8], TW_GLOBAL const float *from, int left, const int wide)
{
    if (wide && left >= 8) {
        const float4 low = *(TW_GLOBAL const float4 *)from, high = *(TW_GLOBAL const float4 *)(from + 4);
        eight[0] = low.x;
        eight[1] = low.y;
        eight[2] = low.z;
        eight[3] = low.w;
        eight[4] = high.x;
        eight[5] = high.y;
        eight[6] = high.z;
        eight[7] = high.w;
        return;
    }
    TW_UNROLL
    for (int i = 0; i < 8; i++)
        eight[i] = i < left ? from[i] : 0;
}

/* To the same place of each plane, which are `apart` elements apart. */
TW_DEVICE void write_eight(TW_GLOBAL tw_u16 *to, tw_index apart, const float eight[8])
{
    tw_u32 parts[8][PLANES];
    TW_UNROLL
    for (int i = 0; i < 8; i++)
        split_number(eight[i], parts[i]);
    TW_UNROLL
    for (int p = 0; p < PLANES; p++) {
#if PLANE_BYTES == 2
        tw_u32 pairs[4];
        TW_UNROLL
        for (int i = 0; i < 4; i++)
            pairs[i] = parts[2 * i][p] >> 16 | parts[2 * i + 1][p];
        *(TW_GLOBAL uint4 *)(to + p * apart) = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
#else
        TW_GLOBAL uint4 *words = (TW_GLOBAL uint4 *)(to + p * apart * 2);
        words[0] = make_uint4(parts[0][p], parts[1][p], parts[2][p], parts[3][p]);
        words[1] = make_uint4(parts[4][p], parts[5][p], parts[6][p], parts[7][p]);
#endif
    }
}

TW_DEVICE void split_tile(TW_LOCAL float *tile, TW_GLOBAL const float *from, int ld, TW_GLOBAL tw_u16 *to, int rows,
                          int K, int number, const int across, const int wide)
{
    const int tid = (int)threadIdx.x;
    const int row = number / TILES(K) * TILE, k = number % TILES(K) * TILE;
    if (across) {
        TW_UNROLL
        for (int i = tid; i < TILE * TILE; i += TW_BLOCK_X) {
            const int r = i % TILE, c = i / TILE;
            tile[c * TILE_PITCH + r] =
                row + r < rows && k + c < K ? from[(tw_index)(k + c) * ld + row + r] : 0;
        }
        __syncthreads();
    }
    TW_UNROLL
    for (int i = tid; i < TILE * TILE / 8; i += TW_BLOCK_X) {
        const int r = i / (TILE / 8), c = i % (TILE / 8) * 8;
        float eight[8];
        if (row + r >= rows)
            continue;
        if (across) {
            TW_UNROLL
            for (int e = 0; e < 8; e++)
                eight[e] = tile[(c + e) * TILE_PITCH + r];
        } else {
            read_eight(eight, from + (tw_index)(row + r) * ld + k + c, K - k - c, wide);
        }
        write_eight(to + ((tw_index)(row + r) * PADDED + k + c) * (PLANE_BYTES / 2), (tw_index)rows * PADDED,
                    eight);
    }
}

TW_KERNEL(gemm_split_operands)
(TW_GLOBAL const float *TW_RESTRICT A, TW_GLOBAL const float *TW_RESTRICT B,
#if BATCH > 1
 TW_GLOBAL tw_u16 *TW_RESTRICT workspace, int M, int N, int K, int lda, int ldb, int stride_a, int stride_b)
#else
 TW_GLOBAL tw_u16 *TW_RESTRICT workspace, int M, int N, int K, int lda, int ldb)
#endif
{
    TW_SHARED(float, tile, TILE *TILE_PITCH);
    const int tiles_a = SPLIT_A ? TILES(M) * TILES(K) : 0, block = (int)blockIdx.x;
#if BATCH > 1
    const tw_index layer = blockIdx.z, line = (tw_index)PADDED * PLANES * (PLANE_BYTES / 2);
    if (block < tiles_a)
        split_tile(tile, A + layer * stride_a, lda, workspace + layer * M * line, M, K, block, TRANS_A, WIDE_A);
    else
        split_tile(tile, B + layer * stride_b, ldb, workspace + ((tw_index)BATCH * M + layer * N) * line, N, K,
                   block - tiles_a, !TRANS_B, WIDE_B);
#else
    if (block < tiles_a)
        split_tile(tile, A, lda, workspace, M, K, block, TRANS_A, WIDE_A);
    else
        split_tile(tile, B, ldb, workspace + (SPLIT_A ? (tw_index)M * PADDED * PLANES * (PLANE_BYTES / 2) : 0), N,
                   K, block - tiles_a, !TRANS_B, WIDE_B);
#endif
}
