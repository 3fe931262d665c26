/* An operand's part of a stage by cp.async, laid out as the copy engine would, for rows that it cannot take.
 *
 * A line of 128 bytes is, along K, so much of K of one of the operand's rows; across K it is 64 of its rows at one K, and
 * after 64 lines come the next 64 rows. Its sixteens are moved about as wgmma's 128-byte swizzle has it. */

#define COPYING (WARPGROUP * CONSUMERS)

/* Where a byte of a line lies. */
TW_DEVICE tw_u32 byte_at(tw_u32 stage, int line, int byte)
{
    return stage + line * 128 + (byte ^ line % 8 * 16);
}

/* `from` is the tile's first element at this step of K. Of `rows` of the operand and of a step of K, `rows_left` and
 * `k_left` are there; the others become zero. `width` is what strides and alignment allow, in bytes, and a constant like
 * `across_k` and `rows`. */
TW_DEVICE void copy_operand(tw_u32 to, TW_GLOBAL const ELEMENT *from, int stride, int rows_left, int k_left,
                            const int across_k, const int rows, const int width)
{
    const int lines = across_k ? (rows + 63) / 64 * 64 : rows, pieces = 128 / width;
    TW_UNROLL_BY(4)
    for (int piece = (int)threadIdx.x; piece < lines * pieces; piece += COPYING) {
        const int line = piece / pieces, byte = piece % pieces * width;
        const int memory_line = across_k ? line % 64 : line;
        const int column = across_k ? line / 64 * 64 + byte / OPERAND_SIZE : byte / OPERAND_SIZE;
        const int lines_left = across_k ? k_left : rows_left, columns_left = across_k ? rows_left : k_left;
        const int left = memory_line < lines_left ? (columns_left - column) * OPERAND_SIZE : 0;
        const int there = left < 0 ? 0 : left < width ? left : width;
        TW_GLOBAL const ELEMENT *piece_from = there > 0 ? from + (tw_index)memory_line * stride + column : from;
        const tw_u32 place = byte_at(to, line, byte);
        if (width >= 4) {
            copy_async(place, piece_from, width, there);
        } else {
            const tw_u16 bits = there > 0 ? *piece_from : (tw_u16)0;
            asm volatile("st.shared.u16 [%0], %1;" ::"r"(place), "h"(bits) : "memory");
        }
    }
}
