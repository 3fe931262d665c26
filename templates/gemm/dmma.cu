/* f64 on tensor cores (PTX ISA, mma.m16n8k16 and its kin on sm_90 and later, m8n8k4 from sm_80).
 *
 * Which element of a tile an instruction calls row 3 or k 5 is free as long as both operands and C agree. Here
 * lane l of a warp reads, of every 16 rows or columns, two neighbours from 2*(l/4) on, and of every 8 of K two
 * neighbours from 2*(l%4) on, so that all its reads have two neighbours, however the operands are stored.
 *
 * What an instruction takes of a lane lies in neighbouring registers: of rows, pairs of them; of columns, of K. Where an
 * operand is stored the other way (APART), sixteen bytes would have to be taken apart, and there are no registers for
 * that. There a lane has of every 4 of K the one number l%4, and reads eight bytes. */
#define APART (!IN_DOUBLE && WIDE_MMA && (ROWS_ALONG_K || !COLUMNS_ALONG_K && MMA_K > 4))

#if IN_DOUBLE
/* Elements are f32, and become f64 when they are read: 8 bytes of them at a time. Either way 32 bytes are moved by which
 * two of every 8 lines the line belongs to, so that the four places of a half of a warp are in banks of their own. */
#define SWIZZLED(line, along_k) (((line) / 2 % 4) << 5)
#define MOVED(along_k) ((along_k) ? 96 : 64) /* bits of an offset in the tile that are turned over, and not added */
#elif APART
/* 32 bytes are moved by which of four lines, or pairs of lines along K, it is. */
#define SWIZZLED(line, along_k) ((along_k) ? ((line) / 2 % 4) << 5 : ((line) % 4) << 5)
#else
/* Lines along K: the halves of 128 bytes change places every two lines. Lines across K: 32 bytes are moved by
 * which two of every 8 of K the line belongs to. */
#define SWIZZLED(line, along_k) ((along_k) ? ((line) / 2 % 2) << 6 : ((line) / 2 % 4) << 5)
#endif

#define FRAGMENT_K (MMA_K < 8 ? 8 : MMA_K) /* of K in one set of fragments */
#define KS (FRAGMENT_K / 4)                /* of K that a lane has of it */

/* Sixteen rows, or columns, of FRAGMENT_K: of the lane's two, KS each. The order is the instruction's. */
struct rows_fragment {
    double of[KS * 2]; /* k, then row */
};
struct columns_fragment {
    double of[2 * KS]; /* column, then k */
};

#if IN_DOUBLE
TW_DEVICE void read_two(double *first, double *second, tw_u32 at)
{
    float x, y;
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "r"(at) : "memory");
    *first = (double)x;
    *second = (double)y;
}

/* Where a lane's first two neighbours lie in a tile whose lines have `length` elements. */
TW_DEVICE tw_u32 lane_offset(const int length, const int along_k)
{
    const int lane = (int)threadIdx.x % 32, pair = lane / 4, two = lane % 4;
    return along_k ? (2 * pair * length * 4 + two * 8) ^ SWIZZLED(2 * pair, 1)
                   : 2 * two * length * 4 + (pair * 8 ^ SWIZZLED(2 * two, 0));
}

#define PLACE_OF(tile, lane, at, along_k) ((tile) + ((at) & ~MOVED(along_k)) + ((lane) ^ ((at) & MOVED(along_k))))
/* As below. */
#define READ_FRAGMENT(element, tile, lane, x, k, length, along_k)                                     \
    do {                                                                                              \
        TW_UNROLL                                                                                     \
        for (int u = 0; u < KS; u += 2) {                                                             \
            TW_UNROLL                                                                                 \
            for (int i = 0; i < 2; i++) {                                                             \
                if (along_k) {                                                                        \
                    const tw_u32 at = (((x) + i) * (length) + (k) + u * 4) * 4;                       \
                    read_two(&element(i, u), &element(i, u + 1), PLACE_OF(tile, lane, at, 1));        \
                } else {                                                                              \
                    const tw_u32 at = (((k) + u * 4 + i) * (length) + (x)) * 4;                       \
                    read_two(&element(0, u + i), &element(1, u + i), PLACE_OF(tile, lane, at, 0));    \
                }                                                                                     \
            }                                                                                         \
        }                                                                                             \
    } while (0)
#elif APART
TW_DEVICE void read_one(double *to, tw_u32 at)
{
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(*to) : "r"(at) : "memory");
}

TW_DEVICE void read_two(double *first, double *second, tw_u32 at)
{
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(*first), "=d"(*second) : "r"(at) : "memory");
}

/* Where a lane's first element lies in a tile whose lines have `length` elements: of two neighbouring rows or columns, or,
 * with columns across K, of two that are eight apart. */
TW_DEVICE tw_u32 lane_offset(const int length, const int along_k, const int of_rows)
{
    const int lane = (int)threadIdx.x % 32, pair = lane / 4, one = lane % 4;
    return along_k ? (2 * pair * length * 8 + one * 8) ^ SWIZZLED(2 * pair, 1)
                   : one * length * 8 + (pair * (of_rows ? 16 : 8) ^ SWIZZLED(one, 0));
}

/* As below. */
#define OF_ROWS_ARE_ROWS 1
#define OF_COLUMNS_ARE_ROWS 0
#define READ_FRAGMENT(element, tile, lane, x, k, length, along_k)                                     \
    do {                                                                                              \
        TW_UNROLL                                                                                     \
        for (int s = 0; s < KS; s++) {                                                                \
            TW_UNROLL                                                                                 \
            for (int i = 0; i < 2; i++) {                                                             \
                const tw_u32 at =                                                                     \
                    along_k ? ((x) + i) * (length)*8 + ((k) + s * 4) * 8                              \
                            : ((k) + s * 4) * (length)*8 + ((x) + i * 8) * 8;                         \
                if (along_k)                                                                          \
                    read_one(&element(i, s), (tile) + (at & ~96) + ((lane) ^ (at & 96)));             \
                else if (!element##_ARE_ROWS)                                                         \
                    read_one(&element(i, s), (tile) + (at & ~64) + ((lane) ^ (at & 64)));             \
                else if (i == 0)                                                                      \
                    read_two(&element(0, s), &element(1, s), (tile) + at + (lane));                   \
            }                                                                                         \
        }                                                                                             \
    } while (0)
#else
TW_DEVICE void read_two(double *first, double *second, tw_u32 at)
{
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(*first), "=d"(*second) : "r"(at) : "memory");
}

/* Where a lane's first sixteen bytes lie in a tile whose lines have `length` elements. */
TW_DEVICE tw_u32 lane_offset(const int length, const int along_k)
{
    const int lane = (int)threadIdx.x % 32, pair = lane / 4, two = lane % 4;
    return along_k ? (2 * pair * length * 8 + two * 16) ^ SWIZZLED(2 * pair, 1)
                   : 2 * two * length * 8 + (pair * 16 ^ SWIZZLED(2 * two, 0));
}

/* Reads for sixteen rows or columns from `x` on and FRAGMENT_K from `k` on what element (i, s) names: of row i
 * of the lane's two, its k number s. */
#define READ_FRAGMENT(element, tile, lane, x, k, length, along_k)                                     \
    do {                                                                                              \
        TW_UNROLL                                                                                     \
        for (int u = 0; u < KS; u += 2) {                                                             \
            TW_UNROLL                                                                                 \
            for (int i = 0; i < 2; i++) {                                                             \
                if (along_k) {                                                                        \
                    const tw_u32 at = ((x) + i) * (length)*8 + ((k) + u * 4) * 8;                     \
                    read_two(&element(i, u), &element(i, u + 1), (tile) + (at & ~64) + ((lane) ^ (at & 64))); \
                } else {                                                                              \
                    const tw_u32 at = ((k) + u * 4 + i) * (length)*8 + (x)*8;                         \
                    read_two(&element(0, u + i), &element(1, u + i), (tile) + at + (lane));           \
                }                                                                                     \
            }                                                                                         \
        }                                                                                             \
    } while (0)
#endif

/* sums += 16 rows times 8 columns. */
TW_DEVICE void multiply(double *sums, const double *rows, const double *columns)
{
#if !WIDE_MMA
    TW_UNROLL
    for (int s = 0; s < KS; s++)
        TW_UNROLL
        for (int h = 0; h < 2; h++)
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                : "+d"(sums[2 * h]), "+d"(sums[2 * h + 1])
                : "d"(rows[2 * s + h]), "d"(columns[s]));
#elif MMA_K == 4
    TW_UNROLL
    for (int s = 0; s < KS; s++)
        asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
            "{%0, %1, %2, %3};"
            : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
            : "d"(rows[2 * s]), "d"(rows[2 * s + 1]), "d"(columns[s]));
#elif MMA_K == 8
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
        : "d"(rows[0]), "d"(rows[1]), "d"(rows[2]), "d"(rows[3]), "d"(columns[0]), "d"(columns[1]));
#else
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, "
        "%11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
        : "d"(rows[0]), "d"(rows[1]), "d"(rows[2]), "d"(rows[3]), "d"(rows[4]), "d"(rows[5]), "d"(rows[6]),
          "d"(rows[7]), "d"(columns[0]), "d"(columns[1]), "d"(columns[2]), "d"(columns[3]));
#endif
}

struct fragments {
    struct rows_fragment rows[TALL];
    struct columns_fragment columns[ACROSS];
};

/* Where a warp's lanes read in a stage, from its beginning. */
struct lanes {
    tw_u32 rows, columns;
};

/* Of an operand: `x` rows or columns and `k` of K from a stage's beginning. */
#if IN_DOUBLE
TW_DEVICE tw_u32 warp_offset(int x, int k, const int tile, const int along_k)
{
    const tw_u32 lane = lane_offset(along_k ? BK : tile, along_k), at = (along_k ? x * BK + k : k * tile + x) * 4;
    return PLACE_OF(0, lane, at, along_k);
}
#elif APART
TW_DEVICE tw_u32 warp_offset(int x, int k, const int tile, const int along_k, const int of_rows)
{
    const tw_u32 lane = lane_offset(along_k ? BK : tile, along_k, of_rows);
    return along_k ? ((x * BK * 8 + k * 8) & ~64) + (lane ^ (k * 8 & 64)) : k * tile * 8 + x * 8 + lane;
}
#else
TW_DEVICE tw_u32 warp_offset(int x, int k, const int tile, const int along_k)
{
    const tw_u32 lane = lane_offset(along_k ? BK : tile, along_k);
    return along_k ? ((x * BK * 8 + k * 8) & ~64) + (lane ^ (k * 8 & 64)) : k * tile * 8 + x * 8 + lane;
}
#endif

TW_DEVICE struct lanes lanes_of(int warp)
{
    const int k = warp / (WARPS_M * WARPS_N) * SLICE_K;
    struct lanes lanes;
#if APART
    lanes.rows = warp_offset(WARP_ROW(warp), k, BM, ROWS_ALONG_K, 1);
    lanes.columns = ROWS_BYTES + warp_offset(WARP_COLUMN(warp), k, BN, COLUMNS_ALONG_K, 0);
#else
    lanes.rows = warp_offset(WARP_ROW(warp), k, BM, ROWS_ALONG_K);
    lanes.columns = ROWS_BYTES + warp_offset(WARP_COLUMN(warp), k, BN, COLUMNS_ALONG_K);
#endif
    return lanes;
}

TW_DEVICE void read_fragments(struct fragments *to, tw_u32 stage, struct lanes lanes, const int part)
{
    TW_UNROLL
    for (int b = 0; b < TALL; b++) {
#define OF_ROWS(i, s) to->rows[b].of[(s)*2 + (i)]
        READ_FRAGMENT(OF_ROWS, stage, lanes.rows, b * 16, part * FRAGMENT_K, ROWS_ALONG_K ? BK : BM, ROWS_ALONG_K);
    }
    TW_UNROLL
    for (int b = 0; b < ACROSS; b++) {
#define OF_COLUMNS(i, s) to->columns[b].of[(i)*KS + (s)]
        READ_FRAGMENT(OF_COLUMNS, stage, lanes.columns, b * 16, part * FRAGMENT_K, COLUMNS_ALONG_K ? BK : BN,
                      COLUMNS_ALONG_K);
    }
}

/* Of a lane, in 16 rows and 16 columns: where rows i of two and columns j of four are, and their sum. Columns 2e + j
 * are sum e of instruction j; those that lie eight apart, columns 8j + e. */
#define ROW_OF(lane, i) ((lane) / 4 * 2 + (i))
#if APART && !COLUMNS_ALONG_K
#define COLUMN_OF(lane, j) ((lane) % 4 * 2 + (j) % 2 + (j) / 2 * 8)
#define SUM_OF(sums, i, j) (sums)[(j) / 2][(i)*2 + (j) % 2]
#else
#define COLUMN_OF(lane, j) ((lane) % 4 * 4 + (j))
#define SUM_OF(sums, i, j) (sums)[(j) % 2][(i)*2 + (j) / 2]
#endif

TW_DEVICE void multiply_fragments(double sums[TALL][ACROSS][2][4], const struct fragments *fragments)
{
    TW_UNROLL
    for (int m = 0; m < TALL; m++)
        TW_UNROLL
        for (int n = 0; n < 2 * ACROSS; n++) {
            const int turn = m % 2 == 0 ? n : 2 * ACROSS - 1 - n;
            multiply(sums[m][turn / 2][turn % 2], fragments->rows[m].of,
                     fragments->columns[turn / 2].of + turn % 2 * KS);
        }
}
