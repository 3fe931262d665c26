/* Copies both operands to the workspace as they lie, but with rows that the copy engine can take: every row
 * begins at a multiple of 128 bytes, which also spares it rows that lie across lines of the cache. What the
 * rows are longer by is not written, and nothing reads it. */

/* Eight elements, of which `left` are in the row. READ_WIDTH is what strides and alignment allow, in elements. */
TW_DEVICE uint4 eight_of(TW_GLOBAL const tw_u16 *from, int left, const int width)
{
    tw_u32 words[4];
    if (left >= 8 && width == 4) {
        const uint2 low = *(TW_GLOBAL const uint2 *)from, high = *(TW_GLOBAL const uint2 *)(from + 4);
        return make_uint4(low.x, low.y, high.x, high.y);
    }
    TW_UNROLL
    for (int i = 0; i < 4; i++) {
        if (left >= 8 && width == 2) {
            words[i] = ((TW_GLOBAL const tw_u32 *)from)[i];
        } else {
            words[i] = 2 * i < left ? from[2 * i] : 0;
            words[i] |= 2 * i + 1 < left ? (tw_u32)from[2 * i + 1] << 16 : 0;
        }
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
}

TW_DEVICE void pad(TW_GLOBAL const tw_u16 *from, int ld, TW_GLOBAL tw_u16 *to, int padded, int length,
                   tw_index eight, const int width)
{
    const tw_index row = eight / (padded / 8);
    const int column = (int)(eight % (padded / 8)) * 8;
    if (column < length)
        *(TW_GLOBAL uint4 *)(to + row * padded + column) =
            eight_of(from + row * ld + column, length - column, width);
}

TW_KERNEL(gemm_pad)
(TW_GLOBAL const tw_u16 *TW_RESTRICT A, TW_GLOBAL const tw_u16 *TW_RESTRICT B,
 TW_GLOBAL tw_u16 *TW_RESTRICT workspace, int M, int N, int K, int lda, int ldb)
{
#if EARLY
    asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::: "memory");
#endif
    const tw_index eight = (tw_index)blockIdx.x * TW_BLOCK_X + threadIdx.x;
    const tw_index eights_a = (tw_index)(TRANS_A ? K : M) * (PADDED_A / 8);
    const tw_index eights_b = (tw_index)(TRANS_B ? N : K) * (PADDED_B / 8);
    if (eight < eights_a)
        pad(A, lda, workspace, PADDED_A, TRANS_A ? M : K, eight, WIDTH_A);
    else if (eight < eights_a + eights_b)
        pad(B, ldb, workspace + eights_a * 8, PADDED_B, TRANS_B ? K : N, eight - eights_a, WIDTH_B);
}
