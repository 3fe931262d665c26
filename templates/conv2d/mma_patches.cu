/* Tiles of patches and of filters by cp.async, both along K. Pieces of pixels are as wide as channels and rows of the
 * images allow, so that none has terms of two places of the filter; what falls on the padding becomes zero. */

#if SWAP
#define PIXEL_TILE BN
#define PIXEL_WIDTH WIDTH_COLUMNS
#define FILTER_TILE BM
#define FILTER_WIDTH WIDTH_ROWS
#define FILTER_EDGE (EDGE_ROWS || EDGE_K)
#else
#define PIXEL_TILE BM
#define PIXEL_WIDTH WIDTH_ROWS
#define FILTER_TILE BN
#define FILTER_WIDTH WIDTH_COLUMNS
#define FILTER_EDGE (EDGE_COLUMNS || EDGE_K)
#endif

/* Elements of two bytes that do not come in pairs are loaded one by one. */
#define ONE_BY_ONE (PIXEL_WIDTH < 4)
#define PIXEL_PIECES (ONE_BY_ONE ? BK : PIECES(BK, PIXEL_WIDTH))
#define PIXEL_TURNS ((PIXEL_TILE * PIXEL_PIECES + THREADS - 1) / THREADS)

struct operand {
    TW_GLOBAL const ELEMENT *from; /* filters: of this thread, in the next tile; pixels: the images */
    int stride, left;              /* rows, or columns, that are there */
    int k;                         /* pixels: the next tile's first term, and */
    struct patch patches[ONE_BY_ONE ? 1 : PIXEL_TURNS]; /* those of this thread's pieces */
};

TW_DEVICE void filters_begin(struct operand *filters, int k, int filter)
{
    filters->from += (tw_index)filter * filters->stride + k + first_piece(filters->stride, BK, FILTER_WIDTH);
    filters->left -= filter;
}

TW_DEVICE void filters_copy(struct operand *filters, tw_u32 to, int k_left)
{
    if (k_left > 0 && FILTER_WIDTH < 4)
        copy_elements(to, filters->from, filters->stride, filters->left, k_left, FILTER_TILE, BK, 1);
    else if (k_left > 0)
        copy_tile(to, filters->from, filters->stride, filters->left, k_left, FILTER_TILE, BK, 1, FILTER_WIDTH,
                  FILTER_EDGE);
    filters->from += BK;
}

/* A pixel behind the last feeds results that do not exist, and is read from the last. */
TW_DEVICE int pixel_there(const struct operand *pixels, int line)
{
    return line < pixels->left ? line : pixels->left - 1;
}

#if ONE_BY_ONE
TW_DEVICE void patches_begin(struct operand *pixels, int k, int pixel)
{
    pixels->k = k;
    pixels->left -= pixel;
    pixels->stride = pixel;
}

TW_DEVICE void patches_copy(struct operand *pixels, tw_u32 to, int k_left)
{
    TW_UNROLL_BY(4)
    for (int element = (int)threadIdx.x; element < PIXEL_TILE * BK && k_left > 0; element += THREADS) {
        const int line = element / BK, at = element % BK;
        const struct patch patch = patch_of(pixels->stride + pixel_there(pixels, line));
        const struct term term = term_at(pixels->k + at);
        const int there = at < k_left && is_inside(patch, term);
        const tw_u16 bits = (tw_u16)(there ? pixels->from[place_of_term(patch, term)] : 0);
        asm volatile("st.shared.u16 [%0], %1;" ::"r"(to + ((line * BK + at) * ELEMENT_BYTES ^ SWIZZLED(line, 1))),
                     "h"(bits)
                     : "memory");
    }
    pixels->k += BK;
}
#else
TW_DEVICE void patches_begin(struct operand *pixels, int k, int pixel)
{
    pixels->k = k;
    pixels->left -= pixel;
    TW_UNROLL
    for (int turn = 0; turn < PIXEL_TURNS; turn++)
        pixels->patches[turn] =
            patch_of(pixel + pixel_there(pixels, (turn * THREADS + (int)threadIdx.x) / PIXEL_PIECES));
}

TW_DEVICE void patches_copy(struct operand *pixels, tw_u32 to, int k_left)
{
    TW_UNROLL
    for (int turn = 0; turn < PIXEL_TURNS && k_left > 0; turn++) {
        const int piece = turn * THREADS + (int)threadIdx.x;
        const int line = piece / PIXEL_PIECES, at = piece % PIXEL_PIECES * (PIXEL_WIDTH / ELEMENT_BYTES);
        if (PIXEL_TILE * PIXEL_PIECES % THREADS != 0 && piece >= PIXEL_TILE * PIXEL_PIECES)
            continue;
        const struct term term = term_at(pixels->k + at);
        const struct patch patch = pixels->patches[turn];
        const int there = at < k_left && is_inside(patch, term);
        copy_async(to + ((line * BK + at) * ELEMENT_BYTES ^ SWIZZLED(line, 1)),
                   pixels->from + (there ? place_of_term(patch, term) : 0), PIXEL_WIDTH, there ? PIXEL_WIDTH : 0);
    }
    pixels->k += BK;
}
#endif

/* One step's tiles of both operands. `k_left` is what is left of K, and may be none. */
#if SWAP
#define COPY_STAGE(stage, rows, columns, k_left)                                                           \
    do {                                                                                                   \
        filters_copy(rows, stage, k_left);                                                                 \
        patches_copy(columns, (stage) + ROWS_BYTES, k_left);                                               \
        COPIES_COMMIT();                                                                                   \
    } while (0)
#else
#define COPY_STAGE(stage, rows, columns, k_left)                                                           \
    do {                                                                                                   \
        patches_copy(rows, stage, k_left);                                                                 \
        filters_copy(columns, (stage) + ROWS_BYTES, k_left);                                               \
        COPIES_COMMIT();                                                                                   \
    } while (0)
#endif
