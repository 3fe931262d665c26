/* Which operand is which, which tile a block has, and where its parts lie in shared memory, for kernels on the
 * tensor cores that a warp feeds from registers.
 *
 * An instruction takes 16 rows of one operand and 8 columns of the other. Either of A and B may be the one with
 * the rows: with SWAP the transpose of C is computed. `rows` and `columns` below are the tile's, not C's. */

#if SWAP
#define ROWS_ALONG_K TRANS_B
#define COLUMNS_ALONG_K (!TRANS_A)
#else
#define ROWS_ALONG_K (!TRANS_A)
#define COLUMNS_ALONG_K TRANS_B
#endif

#define THREADS (TW_BLOCK_X)
#define ELEMENT_BYTES ((int)sizeof(ELEMENT))
/* A warp's part of the tile. Where warps divide K too, those of a slice of K come one after the other. */
#define WARP_M (BM / WARPS_M)
#define WARP_N (BN / WARPS_N)
#define WARP_ROW(warp) ((warp) / WARPS_N % WARPS_M * WARP_M)
#define WARP_COLUMN(warp) ((warp) % WARPS_N * WARP_N)
/* Of it, blocks of 16 rows and of 16 columns, and of K what a warp has of a stage. */
#define TALL (WARP_M / 16)
#define ACROSS (WARP_N / 16)
#define SLICE_K (BK / SLICES)
#define PARTS_K (SLICE_K / FRAGMENT_K)

struct place {
    int row, column; /* of the tile, in elements */
};

/* Blocks in flight at one time should share rows and columns that fit in the L2 cache: tiles are numbered down
 * columns of `group` of them (as Triton's matrix multiplication tutorial does). */
TW_DEVICE struct place place_of(int tile, int rows, int columns, int group)
{
    const int tiles_m = rows / BM + (rows % BM != 0), tiles_n = columns / BN + (columns % BN != 0);
    const int tall = group < tiles_m ? group : tiles_m;
    const int first = tile / (tall * tiles_n) * tall;
    const int height = tiles_m - first < tall ? tiles_m - first : tall;
    const int within = tile % (tall * tiles_n);
    struct place place;
    place.row = (first + within % height) * BM;
    place.column = within / height * BN;
    return place;
}

/* A stage holds BM rows of the one operand and BN columns of the other, BK deep. */
#define ROWS_BYTES (BM * BK * ELEMENT_BYTES)
#define STAGE_BYTES ((BM + BN) * BK * ELEMENT_BYTES)
