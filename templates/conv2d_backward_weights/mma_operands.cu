/* Tiles of both operands by cp.async, both across the pixels that are summed over: of the gradient a line of filters for
 * each pixel, and of the images the terms under the filter there. Pieces of images are as wide as channels and rows allow,
 * so that none has terms of two places of the filter; what falls on the padding becomes zero. */

#if SWAP
#define FILTER_TILE BN
#define FILTER_WIDTH WIDTH_COLUMNS
#define FILTER_EDGE (EDGE_COLUMNS || EDGE_K)
#define TERM_TILE BM
#define TERM_WIDTH WIDTH_ROWS
#else
#define FILTER_TILE BM
#define FILTER_WIDTH WIDTH_ROWS
#define FILTER_EDGE (EDGE_ROWS || EDGE_K)
#define TERM_TILE BN
#define TERM_WIDTH WIDTH_COLUMNS
#endif

/* Elements of two bytes that do not come in pairs are loaded one by one. The threads cover whole lines, so that a thread
 * has the same terms of every pixel. */
#define ONE_BY_ONE (TERM_WIDTH < 4)
#define TERM_PIECES (ONE_BY_ONE ? TERM_TILE : PIECES(TERM_TILE, TERM_WIDTH))
#define PIECE_TERMS (ONE_BY_ONE ? 1 : TERM_WIDTH / ELEMENT_BYTES)
#define PIXELS_A_TIME (THREADS / TERM_PIECES)
#define TERM_TURNS ((BK + PIXELS_A_TIME - 1) / PIXELS_A_TIME)
#if ONE_BY_ONE
#define UNROLL_TURNS TW_UNROLL_BY(4)
#else
#define UNROLL_TURNS TW_UNROLL
#endif

struct operand {
    TW_GLOBAL const ELEMENT *from; /* gradient: of this thread, in the next tile; images: the group's first channel */
    int stride, left;              /* filters, or terms, that are there */
    int pixel, is_there;           /* images: the next tile's first pixel, and whether this thread's terms are any */
    struct term term;              /* images: the first of them */
};

TW_DEVICE void gradient_begin(struct operand *gradient, int pixel, int filter)
{
    gradient->from += (tw_index)pixel * gradient->stride + filter;
    gradient->from += first_piece(gradient->stride, FILTER_TILE, FILTER_WIDTH);
    gradient->left -= filter;
}

TW_DEVICE void gradient_copy(struct operand *gradient, tw_u32 to, int k_left)
{
    if (k_left > 0 && FILTER_WIDTH < 4)
        copy_elements(to, gradient->from, gradient->stride, k_left, gradient->left, BK, FILTER_TILE, 0);
    else if (k_left > 0)
        copy_tile(to, gradient->from, gradient->stride, k_left, gradient->left, BK, FILTER_TILE, 0, FILTER_WIDTH,
                  FILTER_EDGE);
    gradient->from += (tw_index)BK * gradient->stride;
}

TW_DEVICE int own_term(void)
{
    return (int)threadIdx.x % TERM_PIECES * PIECE_TERMS;
}

TW_DEVICE void terms_begin(struct operand *images, int pixel, int first)
{
    images->pixel = pixel;
    images->is_there = own_term() < images->left - first;
    images->term = term_at(first + own_term());
}

TW_DEVICE void terms_copy(struct operand *images, tw_u32 to, int k_left)
{
    UNROLL_TURNS
    for (int turn = 0; turn < TERM_TURNS; turn++) {
        const int line = turn * PIXELS_A_TIME + (int)threadIdx.x / TERM_PIECES;
        if (BK % PIXELS_A_TIME != 0 && line >= BK)
            continue;
        const struct patch patch = patch_of(images->pixel + line);
        const int there = images->is_there && line < k_left && is_inside(patch, images->term);
        TW_GLOBAL const ELEMENT *from = images->from + (there ? place_of_term(patch, images->term) : 0);
        const tw_u32 place = to + ((line * TERM_TILE + own_term()) * ELEMENT_BYTES ^ SWIZZLED(line, 0));
#if ONE_BY_ONE
        const tw_u16 bits = (tw_u16)(there ? *from : 0);
        asm volatile("st.shared.u16 [%0], %1;" ::"r"(place), "h"(bits) : "memory");
#else
        copy_async(place, from, TERM_WIDTH, there ? TERM_WIDTH : 0);
#endif
    }
    images->pixel += BK;
}

/* One step's tiles of both operands. `k_left` is what is left of K, and may be none. */
#if SWAP
#define COPY_STAGE(stage, rows, columns, k_left)                                                           \
    do {                                                                                                   \
        terms_copy(rows, stage, k_left);                                                                   \
        gradient_copy(columns, (stage) + ROWS_BYTES, k_left);                                              \
        COPIES_COMMIT();                                                                                   \
    } while (0)
#else
#define COPY_STAGE(stage, rows, columns, k_left)                                                           \
    do {                                                                                                   \
        gradient_copy(rows, stage, k_left);                                                                \
        terms_copy(columns, (stage) + ROWS_BYTES, k_left);                                                 \
        COPIES_COMMIT();                                                                                   \
    } while (0)
#endif

/* What is left in the workspace are parts of sums, as the tensor cores have them. */
#undef RESULT
#define RESULT real
#undef RESULT_OF
#define RESULT_OF(sum, at, alpha, beta) (sum)
