/* The loop over K where C has few columns: what it costs is to read the rows' operand, once, which goes from global
 * memory to registers and to the tensor cores from there, with STAGES steps of it on the way. The columns, which all
 * blocks read, come by the caches.
 *
 * A step is 64 bytes of K for each of the warp's slice. Which elements of K meet in an instruction is for us to say, as
 * long as rows and columns agree: the four lanes that share a row take 16 bytes each, of which the words 2h and 2h + 1
 * are instruction h's. Elements of two bytes whose rows lie across K come in 16 bytes as well, eight rows at one K; their
 * halves are put together in pairs along K, so that a lane's eight rows are rows of four blocks of 16. */

#define PIECE (16 / ELEMENT_BYTES) /* elements that a lane loads at once */
#define STEP_K (4 * PIECE)
#define STEPS_AT_ONCE (SLICE_K / STEP_K)

/* An operand's tiles: where K begins, for `left` rows or columns that are there. */
struct operand {
    TW_GLOBAL const ELEMENT *from;
    int stride, left;
};

TW_DEVICE void operand_begin(struct operand *operand, int k, int x, const int along_k, const int tile,
                             const int width)
{
    operand->from += along_k ? (tw_index)x * operand->stride + k : (tw_index)k * operand->stride + x;
    operand->left -= x;
}

#if ROWS_ALONG_K
#define ROW_POINTERS (2 * TALL) /* of rows l/4 and l/4 + 8 of each block of 16, with a lane l */
#else
#define ROW_POINTERS (TALL / 4) /* of eight rows of each 64 */
#define TILE_ROW(b, i)                                                                                       \
    (WARP_ROW((int)threadIdx.x / 32) + (b) / 4 * 64 + (int)threadIdx.x % 32 / 4 * 8 + (b) % 4 * 2 + (i))
#endif
#define COLUMN_POINTERS (2 * ACROSS)

/* What a lane has of the operands: it reads from the nearest row or column that is there, and what comes of others is
 * not stored. */
struct stream {
    TW_GLOBAL const ELEMENT *rows[ROW_POINTERS], *columns[COLUMN_POINTERS];
};

TW_DEVICE struct stream stream_of(const struct operand *rows, const struct operand *columns, int k)
{
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    struct stream stream;
    TW_UNROLL
    for (int i = 0; i < ROW_POINTERS; i++) {
#if ROWS_ALONG_K
        const int row = min(WARP_ROW(warp) + i * 8 + lane / 4, rows->left - 1);
        stream.rows[i] = rows->from + (tw_index)row * rows->stride + k;
#else
        const int row = min(WARP_ROW(warp) + i * 64 + lane / 4 * 8, rows->left - 8);
        stream.rows[i] = rows->from + (tw_index)k * rows->stride + row;
#endif
    }
    TW_UNROLL
    for (int i = 0; i < COLUMN_POINTERS; i++) {
        const int column = min(WARP_COLUMN(warp) + i * 8 + lane / 4, columns->left - 1);
        stream.columns[i] = columns->from + (tw_index)column * columns->stride + k;
    }
    return stream;
}

/* Sixteen bytes, or zeros. What is read once need not stay in the first cache. */
TW_DEVICE void load_once(tw_u32 to[4], TW_GLOBAL const ELEMENT *from, int there)
{
    asm volatile("{\n.reg .pred there;\nsetp.ne.b32 there, %5, 0;\n"
                 "mov.b32 %0, 0;\nmov.b32 %1, 0;\nmov.b32 %2, 0;\nmov.b32 %3, 0;\n"
                 "@there ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
                 : "=&r"(to[0]), "=&r"(to[1]), "=&r"(to[2]), "=&r"(to[3])
                 : "l"(from), "r"(there));
}

TW_DEVICE void load_shared_by_blocks(tw_u32 to[4], TW_GLOBAL const ELEMENT *from, int there)
{
    asm volatile("{\n.reg .pred there;\nsetp.ne.b32 there, %5, 0;\n"
                 "mov.b32 %0, 0;\nmov.b32 %1, 0;\nmov.b32 %2, 0;\nmov.b32 %3, 0;\n"
                 "@there ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];\n}"
                 : "=&r"(to[0]), "=&r"(to[1]), "=&r"(to[2]), "=&r"(to[3])
                 : "l"(from), "r"(there));
}

/* A step's rows as they come, for the lane's elements of K: 16 bytes of each of its rows, or of each of its K. */
struct pieces {
    tw_u32 of[2 * TALL][4];
};

/* `k` elements behind the stream's beginning, of which `left` are there. */
TW_DEVICE void load_rows(struct pieces *to, const struct stream *stream, int stride, int k, int left)
{
    TW_UNROLL
    for (int i = 0; i < 2 * TALL; i++)
#if ROWS_ALONG_K
        load_once(to->of[i], stream->rows[i] + k, k < left);
#else
        load_once(to->of[i], stream->rows[i / 8] + (tw_index)(k + i % 8) * stride, k < left);
#endif
}

#if DTYPE == DTYPE_f32
/* The tensor cores would cut off what tf32 has no bits for. */
TW_DEVICE tw_u32 as_taken(tw_u32 word)
{
    tw_u32 rounded;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(word)));
    return rounded;
}
#else
#define as_taken(word) (word)
#endif

#if DTYPE == DTYPE_e4m3 || DTYPE == DTYPE_e5m2
/* Numbers of 8 bits become f16, which has all of their values: the tensor cores' sums are f16's then, with more bits than
 * those of 8-bit products. A word is two of a lane's fragments, of its lower half and of its upper. */
#if DTYPE == DTYPE_e4m3
#define BITS_OF_A "e4m3"
#else
#define BITS_OF_A "e5m2"
#endif
#if BTYPE == BTYPE_e4m3
#define BITS_OF_B "e4m3"
#elif BTYPE == BTYPE_e5m2
#define BITS_OF_B "e5m2"
#else
#define BITS_OF_B BITS_OF_A
#endif
#if SWAP
#define BITS_OF_ROWS BITS_OF_B
#define BITS_OF_COLUMNS BITS_OF_A
#else
#define BITS_OF_ROWS BITS_OF_A
#define BITS_OF_COLUMNS BITS_OF_B
#endif
#define INSTRUCTIONS 4 /* of a step */

#define WIDENED(pair, bits, word, half)                                                                      \
    asm("{\n.reg .b16 half<2>;\nmov.b32 {half0, half1}, %1;\ncvt.rn.f16x2." bits "x2 %0, half" half ";\n}"     \
        : "=r"(pair)                                                                                         \
        : "r"(word))
#define WIDEN(pair, bits, word, h)                                                                           \
    do {                                                                                                     \
        if ((h) % 2)                                                                                         \
            WIDENED(pair, bits, word, "1");                                                                  \
        else                                                                                                 \
            WIDENED(pair, bits, word, "0");                                                                  \
    } while (0)

/* Instruction `h` of a step. */
TW_DEVICE void fragments_of(struct fragments *to, const struct pieces *rows, tw_u32 columns[COLUMN_POINTERS][4],
                            const int h)
{
    TW_UNROLL
    for (int b = 0; b < TALL; b++)
        TW_UNROLL
        for (int i = 0; i < 4; i++)
            WIDEN(to->rows[b][i], BITS_OF_ROWS, rows->of[2 * b + i % 2][h / 2 * 2 + i / 2], h);
    TW_UNROLL
    for (int c = 0; c < COLUMN_POINTERS; c++)
        TW_UNROLL
        for (int i = 0; i < 2; i++)
            WIDEN(to->columns[c / 2][c % 2 * 2 + i], BITS_OF_COLUMNS, columns[c][h / 2 * 2 + i], h);
}

/* As multiply_fragments in mma.cu. */
TW_DEVICE void multiply_widened(real sums[TALL][ACROSS][2][4], const struct fragments *fragments)
{
    TW_UNROLL
    for (int m = 0; m < TALL; m++)
        TW_UNROLL
        for (int n = 0; n < 2 * ACROSS; n++) {
            real *sum = sums[m][n / 2][n % 2];
            const tw_u32 *rows = fragments->rows[m], *columns = fragments->columns[n / 2] + n % 2 * 2;
            asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                "{%0, %1, %2, %3};"
                : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(columns[0]), "r"(columns[1]));
        }
}
#define MULTIPLY multiply_widened
#else
#define INSTRUCTIONS 2
#define MULTIPLY multiply_fragments

/* Instruction `h` of a step. */
TW_DEVICE void fragments_of(struct fragments *to, const struct pieces *rows, tw_u32 columns[COLUMN_POINTERS][4],
                            const int h)
{
    TW_UNROLL
    for (int b = 0; b < TALL; b++)
        TW_UNROLL
        for (int i = 0; i < 4; i++) {
#if ROWS_ALONG_K
            to->rows[b][i] = as_taken(rows->of[2 * b + i % 2][2 * h + i / 2]);
#else
            const int k = b / 4 * 8 + 4 * h + i / 2 * 2;
            /* The first halves of two words at neighbouring K, or the second. */
            to->rows[b][i] = __byte_perm(rows->of[k][b % 4], rows->of[k + 1][b % 4], i % 2 ? 0x7632 : 0x5410);
#endif
        }
    TW_UNROLL
    for (int c = 0; c < COLUMN_POINTERS; c++) {
        to->columns[c / 2][c % 2 * 2] = as_taken(columns[c][2 * h]);
        to->columns[c / 2][c % 2 * 2 + 1] = as_taken(columns[c][2 * h + 1]);
    }
}
#endif

TW_DEVICE void multiply_step(real sums[TALL][ACROSS][2][4], const struct pieces *rows, const struct stream *stream,
                             int k, int left)
{
    tw_u32 columns[COLUMN_POINTERS][4];
    TW_UNROLL
    for (int c = 0; c < COLUMN_POINTERS; c++)
        load_shared_by_blocks(columns[c], stream->columns[c] + k, k < left);
    TW_UNROLL
    for (int h = 0; h < INSTRUCTIONS; h++) {
        struct fragments fragments;
        fragments_of(&fragments, rows, columns, h);
        MULTIPLY(sums, &fragments);
    }
}

/* Where step `step` of a lane's begins, from its first: warps of a block take turns of SLICE_K. */
#define K_OF(step) ((step) / STEPS_AT_ONCE * BK + (step) % STEPS_AT_ONCE * STEP_K)

/* Multiplies all of K that is left. Steps behind the end are zeros. */
TW_DEVICE void multiply_all(real sums[TALL][ACROSS][2][4], const struct operand *rows,
                            const struct operand *columns, int k_left)
{
    const int first = (int)threadIdx.x / 32 / (WARPS_M * WARPS_N) * SLICE_K + (int)threadIdx.x % 4 * PIECE;
    const struct stream stream = stream_of(rows, columns, first);
    const int steps = (k_left / BK + (k_left % BK != 0)) * STEPS_AT_ONCE, left = k_left - first;
    struct pieces ring[STAGES];
    TW_UNROLL
    for (int stage = 0; stage < STAGES; stage++)
        load_rows(&ring[stage], &stream, rows->stride, K_OF(stage), left);
    TW_UNROLL_BY(1)
    for (int step = 0; step < steps; step += STAGES)
        TW_UNROLL
        for (int stage = 0; stage < STAGES; stage++) {
            const int behind = step + stage + STAGES;
            multiply_step(sums, &ring[stage], &stream, K_OF(step + stage), left);
            load_rows(&ring[stage], &stream, rows->stride, K_OF(behind), left);
        }
}
