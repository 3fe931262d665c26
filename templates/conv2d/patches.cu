/* The operand of the product that no memory holds: its rows (nhwc) or columns (nchw) are output pixels, and along K
 * lie the elements of the images under the filter, in the order that the filters have theirs. A thread keeps for
 * each of its pixels where the filter begins, and adds to it how far a term of K is from there: worked out in the
 * loop, or with TABLE read from a table in shared memory that the block wrote before. What falls on the padding is
 * zero.
 *
 * The pipeline is gemm's: this takes the place of how staged.cu and async.cu read that one operand. */

/* Which images a product's tile is of. */
struct images {
    int channels, in_h, in_w, out_h, out_w, ld_in;
    int first, count; /* pixels: the tile's first, and all there are */
    int end_k;        /* behind the last term of the block's share of K */
};

#if !PLAIN_PIXELS

/* From where the filter begins to one of its terms. */
struct term {
    tile_offset away;
    int down, across;
};

TW_DEVICE struct term term_at(int k, struct images images)
{
#if NHWC
    const int c = k % GROUP_CHANNELS, s = k / GROUP_CHANNELS % FILTER_S, r = k / GROUP_CHANNELS / FILTER_S;
#else
    const int s = k % FILTER_S, r = k / FILTER_S % FILTER_R, c = k / FILTER_S / FILTER_R;
#endif
    struct term term;
    term.down = r * DILATION_H;
    term.across = s * DILATION_W;
#if NHWC
    term.away = ((tile_offset)term.down * images.in_w + term.across) * images.ld_in + c;
#else
    term.away = ((tile_offset)c * images.in_h + term.down) * images.ld_in + term.across;
#endif
    return term;
}

/* The table has an entry for every vector of terms: where it is, and behind that how far down and across. */
#if TABLE
#define TABLE_STEP (NHWC ? VEC_A : 1)
#define TABLE_ENTRIES ((TERMS + TABLE_STEP - 1) / TABLE_STEP)
#define TABLE_REALS (TABLE_ENTRIES * (int)(2 * sizeof(int) / sizeof(real)))
#define TABLE_AT(shared) ((TW_LOCAL int *)((shared) + SHARED_REALS))

TW_DEVICE void write_table(TW_LOCAL int *table, struct images images, int tid)
{
    for (int entry = tid; entry < TABLE_ENTRIES; entry += THREADS) {
        const struct term term = term_at(entry * TABLE_STEP, images);
        table[2 * entry] = (int)term.away;
        table[2 * entry + 1] = term.down << 16 | term.across;
    }
    __syncthreads();
}

TW_DEVICE struct term term_of(int k, struct images images, TW_LOCAL const int *table)
{
    TW_LOCAL const int *entry = table + 2 * (k / TABLE_STEP);
    struct term term;
    term.away = entry[0];
    term.down = entry[1] >> 16;
    term.across = entry[1] & 65535;
    return term;
}
#else
#define TABLE_REALS 0
#define TABLE_AT(shared) 0
#define term_of(k, images, table) term_at(k, images)
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

struct patch {
    tile_offset begin; /* of the filter over this pixel, which padding may put before the image */
    int top, left;
};

TW_DEVICE struct patch patch_of(int pixel, struct images images)
{
    const int q = pixel % images.out_w, row = pixel / images.out_w;
    const int p = row % images.out_h, n = row / images.out_h;
    struct patch patch;
    patch.top = p * STRIDE_H - PAD_H;
    patch.left = q * STRIDE_W - PAD_W;
#if NHWC
    patch.begin = (((tile_offset)n * images.in_h + patch.top) * images.in_w + patch.left) * images.ld_in;
#else
    patch.begin = ((tile_offset)n * images.channels * images.in_h + patch.top) * images.ld_in + patch.left;
#endif
    return patch;
}

/* A pixel behind the last feeds results that do not exist, and is read from the last. */
TW_DEVICE void find_patches(struct patch *patches, struct images images, int tid)
{
    TW_UNROLL
    for (int i = 0; i < PATCHES; i++) {
        const int place = NHWC ? pass_line(tid, i, PATCH_LENGTH, PATCH_VEC) : pass_column(tid, i, PATCH_LENGTH, PATCH_VEC);
        patches[i] = patch_of(clamped(images.first + place, images.count - (NHWC ? 1 : PATCH_VEC), 1), images);
    }
}

/* Whether a term falls on the image. */
TW_DEVICE int is_inside(struct patch patch, struct term term, struct images images)
{
    return !PADDED || ((tw_u32)(patch.top + term.down) < (tw_u32)images.in_h &&
                       (tw_u32)(patch.left + term.across) < (tw_u32)images.in_w);
}

#if STAGING == STAGING_registers
TW_DEVICE void fetch_patches(real *staged, TW_GLOBAL const ELEMENT *input, const struct patch *patches,
                             struct images images, TW_LOCAL const int *table, int tid, int k_left, const int partial)
{
    TW_UNROLL
    for (int pass = 0; pass < PATCH_PASSES; pass++) {
        if (!pass_covered(tid, pass, PATCH_TILE))
            continue;
        const int k = NHWC ? pass_column(tid, pass, PATCH_LENGTH, PATCH_VEC) : pass_line(tid, pass, PATCH_LENGTH, PATCH_VEC);
        int there = !partial || k < k_left;
        if (there) {
            const struct term term = term_of(images.end_k - k_left + k, images, table);
            const struct patch patch = patches[pass % PATCHES];
            there = is_inside(patch, term, images);
            if (there)
                load_global(staged + pass * PATCH_VEC, input + (patch.begin + term.away), PATCH_VEC);
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
    struct patch patches[PATCHES];                                                               \
    find_patches(patches, images, tid)
#undef FETCH
#if NHWC
#define FETCH(partial)                                                                           \
    do {                                                                                         \
        fetch_patches(staged_a, A, patches, images, TABLE_AT(shared), tid, left, partial);       \
        fetch(staged_b, from_b, ldb, tid, last_b, left, SHAPE_B, TRANS_B, EDGE_N, partial);      \
    } while (0)
#else
#define FETCH(partial)                                                                           \
    do {                                                                                         \
        fetch(staged_a, from_a, lda, tid, last_a, left, SHAPE_A, !TRANS_A, EDGE_M, partial);     \
        fetch_patches(staged_b, B, patches, images, TABLE_AT(shared), tid, left, partial);       \
    } while (0)
#endif
#endif

#if STAGING == STAGING_async
TW_DEVICE void copy_patches(tw_u32 to, const real *input, const struct patch *patches, struct images images,
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
        tile_offset away = 0;
        if (there) {
            const struct term term = term_of(images.end_k - k_left + k, images, table);
            const struct patch patch = patches[pass % PATCHES];
            there = is_inside(patch, term, images);
            away = there ? patch.begin + term.away : 0;
        }
        copy_async(to + place * (int)sizeof(real), input + away, PATCH_VEC * (int)sizeof(real), there);
    }
}

#undef DECLARE_STAGED
#define DECLARE_STAGED()                                                                         \
    struct patch patches[PATCHES];                                                               \
    find_patches(patches, images, tid)
#undef COPY
#if NHWC
#define COPY(offset, partial)                                                                    \
    do {                                                                                         \
        copy_patches(shared_address(to_a + (offset)), A, patches, images, TABLE_AT(shared), tid, left, \
                     ROW_A, TURN_A, partial);                                                    \
        copy_tile(shared_address(to_b + (offset)), from_b, ldb, tid, last_b, left, ROW_B, TURN_B, \
                  SHAPE_B, TRANS_B, EDGE_N, partial);                                            \
    } while (0)
#else
#define COPY(offset, partial)                                                                    \
    do {                                                                                         \
        copy_tile(shared_address(to_a + (offset)), from_a, lda, tid, last_a, left, ROW_A, TURN_A, \
                  SHAPE_A, !TRANS_A, EDGE_M, partial);                                           \
        copy_patches(shared_address(to_b + (offset)), B, patches, images, TABLE_AT(shared), tid, left, \
                     ROW_B, TURN_B, partial);                                                    \
    } while (0)
#endif
#endif

/* gemm's pipeline as it stands, with the images behind its other parameters: results are tied to its text. */
#define add_products(sum, shared, A, B, lda, ldb, m_size, n_size, left, tid, m, n, slice)        \
    add_products(sum, shared, A, B, lda, ldb, m_size, n_size, left, tid, m, n, slice, struct images images)
#else
#define TABLE_REALS 0
#endif
