/* The operand of the product that no memory holds: its rows (nhwc) or columns (nchw) are output pixels, and along K
 * lie the elements of the images under the filter, in the order that the filters have theirs. A thread keeps for
 * each of its pixels where the filter begins, and adds to it how far a term of K is from there: worked out in the
 * loop, or with TABLE read from a table in shared memory that the block wrote before. What falls on the padding is
 * zero.
 *
 * The pipeline is gemm's: this takes the place of how staged.cu and async.cu read that one operand. What they do not
 * hand on lies behind the tiles in shared memory: two ints, the tile's first pixel and the term behind the last of the
 * block's share of K, in room for four, and the table. */

#if !PLAIN_PIXELS
#define SHARE_REALS (4 * (int)sizeof(int) / (int)sizeof(real))
#define SHARE_AT(shared) ((TW_LOCAL int *)((shared) + SHARED_REALS))

/* The table has an entry for every vector of terms: where it is, and behind that how far down and across. */
#if TABLE
#define TABLE_STEP (NHWC ? VEC_A : 1)
#define TABLE_ENTRIES ((TERMS + TABLE_STEP - 1) / TABLE_STEP)
#define PATCH_REALS (SHARE_REALS + TABLE_ENTRIES * (int)(2 * sizeof(int) / sizeof(real)))
#define TABLE_AT(shared) (SHARE_AT(shared) + 4)

TW_DEVICE void write_table(TW_LOCAL int *table, int tid)
{
    for (int entry = tid; entry < TABLE_ENTRIES; entry += THREADS) {
        const struct term term = term_at(entry * TABLE_STEP);
        table[2 * entry] = (int)term.away;
        table[2 * entry + 1] = term.down << 16 | term.across;
    }
}

TW_DEVICE struct term term_of(int k, TW_LOCAL const int *table)
{
    TW_LOCAL const int *entry = table + 2 * (k / TABLE_STEP);
    struct term term;
    term.away = entry[0];
    term.down = entry[1] >> 16;
    term.across = entry[1] & 65535;
    return term;
}
#else
#define PATCH_REALS SHARE_REALS
#define TABLE_AT(shared) 0
#define term_of(k, table) term_at(k)
#endif

/* The tile of pixels and terms, as panel.cu has it. */
#if NHWC
#define PATCH_TILE LINES_A, LENGTH_A, VEC_A
#define PATCH_LINES LINES_A
#define PATCH_LENGTH LENGTH_A
#define PATCH_VEC VEC_A
#define PATCH_EDGE EDGE_M
#define PATCH_PASSES PASSES(LINES_A, LENGTH_A, VEC_A)
/* Every pass has a pixel of its own. */
#define PATCHES PATCH_PASSES
#else
#define PATCH_TILE LINES_B, LENGTH_B, VEC_B
#define PATCH_LINES LINES_B
#define PATCH_LENGTH LENGTH_B
#define PATCH_VEC VEC_B
#define PATCH_EDGE EDGE_N
#define PATCH_PASSES PASSES(LINES_B, LENGTH_B, VEC_B)
/* Passes have the same pixels, or where a line takes several, every so many. */
#define PATCHES (VECTORS(LENGTH_B, VEC_B) <= THREADS ? 1 : PASSES_PER_LINE(LENGTH_B, VEC_B))
#endif

/* A pixel behind the last feeds results that do not exist, and is read from the last. */
TW_DEVICE void find_patches(struct patch *patches, int first, int last, int tid)
{
    TW_UNROLL
    for (int i = 0; i < PATCHES; i++) {
        const int place = NHWC ? pass_line(tid, i, PATCH_LENGTH, PATCH_VEC) : pass_column(tid, i, PATCH_LENGTH, PATCH_VEC);
        patches[i] = patch_of(first + clamped(place, last, PATCH_EDGE));
    }
}

#define DECLARE_PATCHES()                                                                        \
    struct patch patches[PATCHES];                                                               \
    const int end_k = SHARE_AT(shared)[1];                                                       \
    find_patches(patches, SHARE_AT(shared)[0], NHWC ? last_a : last_b, tid)

#if STAGING == STAGING_registers
TW_DEVICE void fetch_patches(real *staged, TW_GLOBAL const ELEMENT *input, const struct patch *patches, int end_k,
                             TW_LOCAL const int *table, int tid, int k_left, const int partial)
{
    TW_UNROLL
    for (int pass = 0; pass < PATCH_PASSES; pass++) {
        if (!pass_covered(tid, pass, PATCH_TILE))
            continue;
        const int k = NHWC ? pass_column(tid, pass, PATCH_LENGTH, PATCH_VEC) : pass_line(tid, pass, PATCH_LENGTH, PATCH_VEC);
        int there = !partial || k < k_left;
        if (there) {
            const struct term term = term_of(end_k - k_left + k, table);
            const struct patch patch = patches[pass % PATCHES];
            there = is_inside(patch, term);
            if (there)
                load_global(staged + pass * PATCH_VEC, input + place_of_term(patch, term), PATCH_VEC);
        }
        if (!there) {
            TW_UNROLL
            for (int e = 0; e < PATCH_VEC; e++)
                staged[pass * PATCH_VEC + e] = 0;
        }
    }
}

#undef DECLARE_STAGED
#define DECLARE_STAGED()                                                                         \
    real staged_a[STAGED_A], staged_b[STAGED_B];                                                 \
    DECLARE_PATCHES()
#undef FETCH
#if NHWC
#define FETCH(partial)                                                                           \
    do {                                                                                         \
        fetch_patches(staged_a, A, patches, end_k, TABLE_AT(shared), tid, left, partial);       \
        fetch(staged_b, from_b, ldb, tid, last_b, left, SHAPE_B, TRANS_B, EDGE_N, partial);      \
    } while (0)
#else
#define FETCH(partial)                                                                           \
    do {                                                                                         \
        fetch(staged_a, from_a, lda, tid, last_a, left, SHAPE_A, !TRANS_A, EDGE_M, partial);     \
        fetch_patches(staged_b, B, patches, end_k, TABLE_AT(shared), tid, left, partial);       \
    } while (0)
#endif
#endif

#if STAGING == STAGING_async
TW_DEVICE void copy_patches(tw_u32 to, const real *input, const struct patch *patches, int end_k,
                            TW_LOCAL const int *table, int tid, int k_left, const int row, const int turned,
                            const int partial)
{
    const int line_0 = pass_line(tid, 0, PATCH_LENGTH, PATCH_VEC);
    const int column_0 = pass_column(tid, 0, PATCH_LENGTH, PATCH_VEC);
    TW_UNROLL
    for (int pass = 0; pass < PATCH_PASSES; pass++) {
        if (!pass_covered(tid, pass, PATCH_TILE))
            continue;
        const int line = pass_line(tid, pass, PATCH_LENGTH, PATCH_VEC);
        const int column = pass_column(tid, pass, PATCH_LENGTH, PATCH_VEC);
        const int k = NHWC ? column : line;
        const int place = turned ? (column - column_0) * row + line - line_0
                                 : (line - line_0) * row + column - column_0;
        int there = !partial || k < k_left;
        image_offset away = 0;
        if (there) {
            const struct term term = term_of(end_k - k_left + k, table);
            const struct patch patch = patches[pass % PATCHES];
            there = is_inside(patch, term);
            away = there ? place_of_term(patch, term) : 0;
        }
        copy_async(to + place * (int)sizeof(real), input + away, PATCH_VEC * (int)sizeof(real), there);
    }
}

#undef DECLARE_STAGED
#define DECLARE_STAGED() DECLARE_PATCHES()
#undef COPY
#if NHWC
#define COPY(offset, partial)                                                                    \
    do {                                                                                         \
        copy_patches(shared_address(to_a + (offset)), A, patches, end_k, TABLE_AT(shared), tid, left, \
                     ROW_A, TURN_A, partial);                                                    \
        copy_tile(shared_address(to_b + (offset)), from_b, ldb, tid, last_b, left, ROW_B, TURN_B, \
                  SHAPE_B, TRANS_B, EDGE_N, partial);                                            \
    } while (0)
#else
#define COPY(offset, partial)                                                                    \
    do {                                                                                         \
        copy_tile(shared_address(to_a + (offset)), from_a, lda, tid, last_a, left, ROW_A, TURN_A, \
                  SHAPE_A, !TRANS_A, EDGE_M, partial);                                           \
        copy_patches(shared_address(to_b + (offset)), B, patches, end_k, TABLE_AT(shared), tid, left, \
                     ROW_B, TURN_B, partial);                                                    \
    } while (0)
#endif
#endif
#else
#define PATCH_REALS 0
#endif
