/* Each thread computes a TM x TN tile of C in registers, from fragments of the block's shared
 * tiles: an element read from shared memory feeds TN or TM multiplications (Volkov and Demmel 2008;
 * the layout of a warp and the pipeline follow the CUTLASS documentation on efficient GEMM). */

/* The block's threads form a grid of THREADS_M x THREADS_N tiles, SLICES times over: each slice
 * takes its share of every BK, and slices.cu adds their sums. */
#define THREADS_M (BM / TM)
#define THREADS_N (BN / TN)
#define SLICE_THREADS (THREADS_M * THREADS_N)
#define SLICE_K (BK / SLICES)
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))

/* A warp covers a patch of that grid and not a line of it: the fewer rows and columns its lanes
 * span, the more of them read the same fragment. */
#define PATCH_N SMALLER(WARP_X, THREADS_N)
#define PATCH_M SMALLER(32 / PATCH_N, THREADS_M)
#define PATCHES_N (THREADS_N / PATCH_N)

/* The widest load of a fragment, 16 bytes; a `split` fragment is pieces of that size spread over
 * the block, so that neighbouring lanes read neighbouring pieces and no two banks collide. */
#if IN_DOUBLE
#define WIDEST 2
#else
#define WIDEST (DTYPE == DTYPE_f64 ? 2 : 4)
#endif
#define PIECE_M SMALLER(TM, WIDEST)
#define PIECE_N SMALLER(TN, WIDEST)
#if FRAGMENT == FRAGMENT_split
#define STEP_M (THREADS_M * PIECE_M)
#define STEP_N (THREADS_N * PIECE_N)
#define FIRST_M(y) ((y)*PIECE_M)
#define FIRST_N(x) ((x)*PIECE_N)
#else
#define STEP_M PIECE_M
#define STEP_N PIECE_N
#define FIRST_M(y) ((y)*TM)
#define FIRST_N(x) ((x)*TN)
#endif
/* Where element i of a fragment lies, counted from the fragment's first. */
#define PLACE_M(i) ((i) / PIECE_M * STEP_M + (i) % PIECE_M)
#define PLACE_N(j) ((j) / PIECE_N * STEP_N + (j) % PIECE_N)

/* B is kept row by row of k, so that fragments are contiguous; A likewise, or as rows of m. */
#define A_BY_K (TRANS_A || A_TRANSPOSED)
#define ROW_A ((A_BY_K ? BM : BK) + PAD_A)
#define ROW_B (BN + PAD_B)
/* From an element to the one of the next k. */
#define NEXT_K_A (A_BY_K ? ROW_A : 1)
#define NEXT_K_B ROW_B
#define TILE_A ((A_BY_K ? BK : BM) * ROW_A)
#define TILE_B (BK * ROW_B)
#define STAGE (TILE_A + TILE_B)
/* Tiles that are in shared memory, or on the way to it, ahead of the one being multiplied. */
#define LEAD (PREFETCH == 1 ? 1 : PREFETCH - 1)

#if TRANS_A
#define LINES_A BK
#define LENGTH_A BM
#else
#define LINES_A BM
#define LENGTH_A BK
#endif
#if TRANS_B
#define LINES_B BN
#define LENGTH_B BK
#else
#define LINES_B BK
#define LENGTH_B BN
#endif
/* Whether a line of global memory becomes a column in shared memory. */
#define TURN_A (!TRANS_A && A_TRANSPOSED)
#define TURN_B TRANS_B
#define SHAPE_A LINES_A, LENGTH_A, VEC_A
#define SHAPE_B LINES_B, LENGTH_B, VEC_B

TW_DEVICE void read_fragments(real *a, real *b, TW_LOCAL const real *from_a,
                              TW_LOCAL const real *from_b, int k)
{
#if A_BY_K
    TW_UNROLL
    for (int i = 0; i < TM; i += PIECE_M)
        load_shared(a + i, from_a + k * NEXT_K_A + PLACE_M(i), PIECE_M);
#else
    TW_UNROLL
    for (int i = 0; i < TM; i++)
        a[i] = from_a[PLACE_M(i) * ROW_A + k * NEXT_K_A];
#endif
    TW_UNROLL
    for (int j = 0; j < TN; j += PIECE_N)
        load_shared(b + j, from_b + k * NEXT_K_B + PLACE_N(j), PIECE_N);
}

/* On NVIDIA GPUs an FFMA has two register read ports for three sources, and one source may be kept from
 * the FFMA before (Jia et al. 2018). A row after the other loses a cycle where a row begins; there and
 * back again, every FFMA shares a factor with the one before. The compiler reorders either. */
TW_DEVICE void multiply(real *sum, const real *a, const real *b)
{
    TW_UNROLL
    for (int i = 0; i < TM; i++) {
        TW_UNROLL
        for (int place = 0; place < TN; place++) {
            const int j = FMA_ORDER == FMA_ORDER_snake && i % 2 == 1 ? TN - 1 - place : place;
            sum[i * TN + j] = FMA(a[i], b[j], sum[i * TN + j]);
        }
    }
}
