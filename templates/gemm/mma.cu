/* f16, bf16, i8 and f32 as tf32 on tensor cores (PTX ISA, ldmatrix and mma.m16n8k16 and its kin; sm_80 and later).
 * A set of fragments is 16 rows or columns of 32 bytes of K, whatever the type, and four registers of each lane. */

/* Eight lines are read together, sixteen bytes of each: these are dealt over the 128 bytes that the banks of shared
 * memory have. Lines along K are so long or half so long. Of lines across K, which are that long at least, elements of
 * four bytes are read one by one, eight of four lines together. */
#define LONG_LINES (BK * ELEMENT_BYTES == 128)
#define SWIZZLED(line, along_k)                                                                            \
    ((along_k) ? LONG_LINES ? ((line) % 8) << 4 : ((line) / 2 % 4) << 4                                    \
               : ELEMENT_BYTES == 4 ? ((line) % 4) << 5 : ((line) % 8) << 4)

#define FRAGMENT_K (32 / ELEMENT_BYTES) /* of K in one set of fragments */

#if DTYPE == DTYPE_bf16
#define MMA "m16n8k16.row.col.f32.bf16.bf16.f32"
#if !MIXED
/* Like tw_f32_to_bf16, in one instruction. */
TW_DEVICE tw_u16 rounded(float x)
{
    tw_u16 bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}
#undef STORED
#define STORED(x) rounded(x)
#endif
#elif DTYPE == DTYPE_f16
#define MMA "m16n8k16.row.col.f32.f16.f16.f32"
#elif DTYPE == DTYPE_i8
#define MMA "m16n8k32.row.col.s32.s8.s8.s32"
#else
#define MMA "m16n8k8.row.col.f32.tf32.tf32.f32"
#endif
#if INTEGER
#define SUM_REGISTER "+r"
#else
#define SUM_REGISTER "+f"
#endif

struct fragments {
    tw_u32 rows[TALL][4], columns[ACROSS][4];
};

#if !STREAMED
/* Where a warp's lanes read in a stage, from its beginning. */
struct lanes {
    tw_u32 rows, columns;
};

/* A lane names a line of one of four 8x8 matrices of two bytes: those of rows are numbered rows first, those of columns K
 * first. Elements of four bytes across K it reads itself, from the place that it has in the first of four. `x` rows or
 * columns and `k` of K lie before. */
TW_DEVICE tw_u32 warp_offset(int x, int k, const int tile, const int along_k, const int of_rows)
{
    const int lane = (int)threadIdx.x % 32, line = lane % 8, matrix = lane / 8;
    const int in_x = (of_rows ? matrix % 2 : matrix / 2) * 8, in_k = (of_rows ? matrix / 2 : matrix % 2) * 8;
    if (along_k)
        return (x + in_x + line) * BK * ELEMENT_BYTES +
               ((in_k * 2 + k * ELEMENT_BYTES) ^ SWIZZLED(in_x + line, 1));
    if (ELEMENT_BYTES == 4)
        return (k + lane % 4) * tile * 4 + ((x + lane / 4) * 4 ^ SWIZZLED(lane % 4, 0));
    return (k + in_k + line) * tile * 2 + ((x + in_x) * 2 ^ SWIZZLED(in_k + line, 0));
}

TW_DEVICE struct lanes lanes_of(int warp)
{
    const int k = warp / (WARPS_M * WARPS_N) * SLICE_K;
    struct lanes lanes;
    lanes.rows = warp_offset(WARP_ROW(warp), k, BM, ROWS_ALONG_K, 1);
    lanes.columns = ROWS_BYTES + warp_offset(WARP_COLUMN(warp), k, BN, COLUMNS_ALONG_K, 0);
    return lanes;
}

/* A lane's place after one of a line that begins `x` elements further on. A warp's part begins at a multiple of its size,
 * so inside of 128 bytes this only turns bits over. */
#define FURTHER(lane, x) (((lane) ^ ((x)*ELEMENT_BYTES & 127)) + ((x)*ELEMENT_BYTES & ~127))

/* Sixteen rows or columns from `x` on, and of K 32 bytes from `k` on. */
TW_DEVICE void read_matrices(tw_u32 to[4], tw_u32 stage, tw_u32 lane, const int x, const int k, const int tile,
                             const int along_k, const int of_rows)
{
    if (along_k) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(stage + FURTHER(lane, k) + x * BK * ELEMENT_BYTES)
                     : "memory");
    } else if (ELEMENT_BYTES == 2) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(stage + FURTHER(lane, x) + k * tile * 2)
                     : "memory");
    } else {
        TW_UNROLL
        for (int matrix = 0; matrix < 4; matrix++) {
            const int in_x = (of_rows ? matrix % 2 : matrix / 2) * 8, in_k = (of_rows ? matrix / 2 : matrix % 2) * 4;
            asm volatile("ld.shared.u32 %0, [%1];"
                         : "=r"(to[matrix])
                         : "r"(stage + FURTHER(lane, x + in_x) + (k + in_k) * tile * 4)
                         : "memory");
        }
    }
#if DTYPE == DTYPE_f32
    /* The tensor cores would cut off what tf32 has no bits for. */
    TW_UNROLL
    for (int matrix = 0; matrix < 4; matrix++)
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(to[matrix]) : "f"(__uint_as_float(to[matrix])));
#endif
}

TW_DEVICE void read_fragments(struct fragments *to, tw_u32 stage, struct lanes lanes, const int part)
{
    TW_UNROLL
    for (int b = 0; b < TALL; b++)
        read_matrices(to->rows[b], stage, lanes.rows, b * 16, part * FRAGMENT_K, BM, ROWS_ALONG_K, 1);
    TW_UNROLL
    for (int b = 0; b < ACROSS; b++)
        read_matrices(to->columns[b], stage, lanes.columns, b * 16, part * FRAGMENT_K, BN, COLUMNS_ALONG_K, 0);
}

#endif

/* Of a lane, in 16 rows and 16 columns: where rows i of two and columns j of four are, and their sum. */
#define ROW_OF(lane, i) ((lane) / 4 + (i)*8)
#define COLUMN_OF(lane, j) ((lane) % 4 * 2 + (j) / 2 * 8 + (j) % 2)
#define SUM_OF(sums, i, j) (sums)[(j) / 2][(i)*2 + (j) % 2]

TW_DEVICE void multiply(real *sums, const tw_u32 *rows, const tw_u32 *columns)
{
    asm("mma.sync.aligned." MMA " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : SUM_REGISTER(sums[0]), SUM_REGISTER(sums[1]), SUM_REGISTER(sums[2]), SUM_REGISTER(sums[3])
        : "r"(rows[0]), "r"(rows[1]), "r"(rows[2]), "r"(rows[3]), "r"(columns[0]), "r"(columns[1]));
}

TW_DEVICE void multiply_fragments(real sums[TALL][ACROSS][2][4], const struct fragments *fragments)
{
    TW_UNROLL
    for (int m = 0; m < TALL; m++)
        TW_UNROLL
        for (int n = 0; n < 2 * ACROSS; n++) {
            const int turn = m % 2 == 0 ? n : 2 * ACROSS - 1 - n;
            multiply(sums[m][turn / 2][turn % 2], fragments->rows[m],
                     fragments->columns[turn / 2] + turn % 2 * 2);
        }
}
