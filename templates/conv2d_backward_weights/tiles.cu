/* The operands of the product over pixels as gemm's pipeline takes them: the gradient, filters by pixels, and the terms
 * under the filter, pixels by terms. In nhwc the gradient is a matrix that gemm knows, lines of filters for each pixel,
 * and a thread keeps its terms. In nchw pixels lie along the lines of both, and images end within them.
 *
 * This takes the place of how staged.cu and async.cu read what no matrix holds. What they do not hand on lies behind the
 * tiles in shared memory: the pixel behind the last of the block's share, in room for four ints, and for each of the tile's
 * terms where it is, and how far down and across. */

#define TERMS_REALS ((2 * BN + 4) * (int)sizeof(int) / (int)sizeof(real))
#define END_AT(shared) ((TW_LOCAL int *)((shared) + SHARED_REALS))
#define TABLE_AT(shared) (END_AT(shared) + 4)

/* Behind `last`, the last that a thread may read from, stands that once more: it feeds results that do not exist. */
TW_DEVICE void write_terms(TW_LOCAL int *table, int first, int last, int tid)
{
    for (int i = tid; i < BN; i += THREADS) {
        const struct term term = term_at(first + i < last ? first + i : last);
        table[2 * i] = (int)term.away;
        table[2 * i + 1] = term.down << 16 | term.across;
    }
}

TW_DEVICE struct term read_term(TW_LOCAL const int *table, int i)
{
    struct term term;
    term.away = table[2 * i];
    term.down = table[2 * i + 1] >> 16;
    term.across = table[2 * i + 1] & 65535;
    return term;
}

#if NHWC
/* Passes have the same terms, or where a line takes several, every so many. */
#define TERMS_HELD (VECTORS(LENGTH_B, VEC_B) <= THREADS ? 1 : PASSES_PER_LINE(LENGTH_B, VEC_B))
#define DECLARE_TERMS()                                                                          \
    struct term terms[TERMS_HELD];                                                               \
    const int end_k = END_AT(shared)[0];                                                         \
    TW_UNROLL                                                                                    \
    for (int i = 0; i < TERMS_HELD; i++)                                                         \
    terms[i] = read_term(TABLE_AT(shared), pass_column(tid, i, LENGTH_B, VEC_B))
#define TERMS_FROM terms
#define TERM_SOURCE const struct term *
#define TERM_OF(terms, pass, line) terms[(pass) % TERMS_HELD]
#else
#define DECLARE_TERMS() const int end_k = END_AT(shared)[0]
#define TERMS_FROM TABLE_AT(shared)
#define TERM_SOURCE TW_LOCAL const int *
#define TERM_OF(terms, pass, line) read_term(terms, line)

/* Where the gradient of the first filter's result at a pixel is. */
TW_DEVICE tw_index gradient_of(int pixel)
{
    const int n = pixel / (RESULT_H * RESULT_W), place = pixel % (RESULT_H * RESULT_W);
    const tw_index image = (tw_index)n * ALL_FILTERS * RESULT_H * LD_GRADIENT;
    return image + (LD_GRADIENT == RESULT_W ? place : place / RESULT_W * LD_GRADIENT + place % RESULT_W);
}

#define FILTER_STRIDE ((tw_index)RESULT_H * LD_GRADIENT)
#endif

/* Whether there is a term of a pixel, and where. */
#define FIND_TERM(there, away, pass, line, column)                                               \
    const int k = NHWC ? line : column;                                                          \
    int there = !partial || k < k_left;                                                          \
    image_offset away = 0;                                                                       \
    if (there) {                                                                                 \
        const struct term term = TERM_OF(terms, pass, line);                                     \
        const struct patch patch = patch_of(end_k - k_left + k);                                 \
        there = is_inside(patch, term);                                                          \
        away = there ? place_of_term(patch, term) : 0;                                           \
    }

#if STAGING == STAGING_registers
TW_DEVICE void fetch_terms(real *staged, TW_GLOBAL const ELEMENT *images, TERM_SOURCE terms, int end_k, int tid,
                           int k_left, const int partial)
{
    TW_UNROLL
    for (int pass = 0; pass < PASSES(LINES_B, LENGTH_B, VEC_B); pass++) {
        if (!pass_covered(tid, pass, SHAPE_B))
            continue;
        const int line = pass_line(tid, pass, LENGTH_B, VEC_B), column = pass_column(tid, pass, LENGTH_B, VEC_B);
        FIND_TERM(there, away, pass, line, column)
        if (there)
            load_global(staged + pass * VEC_B, images + away, VEC_B);
        TW_UNROLL
        for (int e = 0; e < VEC_B; e++)
            staged[pass * VEC_B + e] = there ? staged[pass * VEC_B + e] : 0;
    }
}

#undef DECLARE_STAGED
#define DECLARE_STAGED()                                                                         \
    real staged_a[STAGED_A], staged_b[STAGED_B];                                                 \
    DECLARE_TERMS()
#undef FETCH
#if NHWC
#define FETCH(partial)                                                                           \
    do {                                                                                         \
        fetch(staged_a, from_a, lda, tid, last_a, left, SHAPE_A, !TRANS_A, EDGE_M, partial);     \
        fetch_terms(staged_b, B, TERMS_FROM, end_k, tid, left, partial);                         \
    } while (0)
#else
TW_DEVICE void fetch_gradient(real *staged, TW_GLOBAL const ELEMENT *gradient, int end_k, int tid, int last, int k_left,
                              const int partial)
{
    TW_UNROLL
    for (int pass = 0; pass < PASSES(LINES_A, LENGTH_A, VEC_A); pass++) {
        if (!pass_covered(tid, pass, SHAPE_A))
            continue;
        const int line = clamped(pass_line(tid, pass, LENGTH_A, VEC_A), last, EDGE_M);
        const int k = pass_column(tid, pass, LENGTH_A, VEC_A);
        if (partial && k >= k_left) {
            TW_UNROLL
            for (int e = 0; e < VEC_A; e++)
                staged[pass * VEC_A + e] = 0;
            continue;
        }
        load_global(staged + pass * VEC_A, gradient + (gradient_of(end_k - k_left + k) + line * FILTER_STRIDE), VEC_A);
    }
}

#define FETCH(partial)                                                                           \
    do {                                                                                         \
        fetch_gradient(staged_a, A, end_k, tid, last_a, left, partial);                          \
        fetch_terms(staged_b, B, TERMS_FROM, end_k, tid, left, partial);                         \
    } while (0)
#endif
#endif

#if STAGING == STAGING_async
TW_DEVICE void copy_terms(tw_u32 to, const real *images, TERM_SOURCE terms, int end_k, int tid, int k_left,
                          const int partial)
{
    const int line_0 = pass_line(tid, 0, LENGTH_B, VEC_B), column_0 = pass_column(tid, 0, LENGTH_B, VEC_B);
    TW_UNROLL
    for (int pass = 0; pass < PASSES(LINES_B, LENGTH_B, VEC_B); pass++) {
        if (!pass_covered(tid, pass, SHAPE_B))
            continue;
        const int line = pass_line(tid, pass, LENGTH_B, VEC_B), column = pass_column(tid, pass, LENGTH_B, VEC_B);
        const int place = TURN_B ? (column - column_0) * ROW_B + line - line_0
                                 : (line - line_0) * ROW_B + column - column_0;
        FIND_TERM(there, away, pass, line, column)
        copy_async(to + place * (int)sizeof(real), images + away, VEC_B * (int)sizeof(real), there);
    }
}

#undef DECLARE_STAGED
#define DECLARE_STAGED() DECLARE_TERMS()
#undef COPY
#if NHWC
#define COPY(offset, partial)                                                                    \
    do {                                                                                         \
        copy_tile(shared_address(to_a + (offset)), from_a, lda, tid, last_a, left, ROW_A, TURN_A, \
                  SHAPE_A, !TRANS_A, EDGE_M, partial);                                           \
        copy_terms(shared_address(to_b + (offset)), B, TERMS_FROM, end_k, tid, left, partial);   \
    } while (0)
#else
TW_DEVICE void copy_gradient(tw_u32 to, const real *gradient, int end_k, int tid, int last, int k_left,
                             const int partial)
{
    const int line_0 = pass_line(tid, 0, LENGTH_A, VEC_A), column_0 = pass_column(tid, 0, LENGTH_A, VEC_A);
    TW_UNROLL
    for (int pass = 0; pass < PASSES(LINES_A, LENGTH_A, VEC_A); pass++) {
        if (!pass_covered(tid, pass, SHAPE_A))
            continue;
        const int line = pass_line(tid, pass, LENGTH_A, VEC_A), k = pass_column(tid, pass, LENGTH_A, VEC_A);
        const int there = !partial || k < k_left;
        const tw_index away = there ? gradient_of(end_k - k_left + k) + clamped(line, last, EDGE_M) * FILTER_STRIDE : 0;
        copy_async(to + ((k - column_0) * ROW_A + line - line_0) * (int)sizeof(real), gradient + away,
                   VEC_A * (int)sizeof(real), there);
    }
}

#define COPY(offset, partial)                                                                    \
    do {                                                                                         \
        copy_gradient(shared_address(to_a + (offset)), A, end_k, tid, last_a, left, partial);    \
        copy_terms(shared_address(to_b + (offset)), B, TERMS_FROM, end_k, tid, left, partial);   \
    } while (0)
#endif
#endif
