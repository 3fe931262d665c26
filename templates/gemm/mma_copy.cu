/* Tiles of both operands by cp.async.
 *
 * Sixteen bytes are what is read and written at a time. They are moved about so that neither the copies that
 * fill a stage nor the reads of fragments meet in a bank of shared memory: SWIZZLED, which the kernel defines,
 * gives the bits of an offset to turn over for a line. */

/* How the threads share out a tile of `lines` lines of `length` elements that are contiguous in memory, in pieces of
 * `width` bytes. Where the threads cover whole lines, 2^n of them at a time, a thread goes from its first piece
 * straight down, and the bits to turn over are those of its first line and of the distance. */
#define PIECES(length, width) ((length)*ELEMENT_BYTES / (width))
#define LINES_A_TIME(length, width) (THREADS / PIECES(length, width))
#define STRAIGHT(length, width)                                                                          \
    (THREADS % PIECES(length, width) == 0 && (LINES_A_TIME(length, width) & (LINES_A_TIME(length, width) - 1)) == 0)

TW_DEVICE int first_line(const int length, const int width)
{
    return (int)threadIdx.x / PIECES(length, width);
}

TW_DEVICE int first_element(const int length, const int width)
{
    return (int)threadIdx.x % PIECES(length, width) * (width / ELEMENT_BYTES);
}

/* What of a tile a thread's first piece is moved by, in elements. */
TW_DEVICE tw_index first_piece(int stride, const int length, const int width)
{
    return width >= 4 && STRAIGHT(length, width)
               ? (tw_index)first_line(length, width) * stride + first_element(length, width)
               : 0;
}

/* Sends this thread's share of one operand's tile on its way, given where its first piece comes from. Of the tile,
 * `lines_left` and `length_left` are there. All but pointers, stride and what is left are constants; `edge` says
 * whether anything may be missing. */
TW_DEVICE void copy_tile(tw_u32 to, TW_GLOBAL const ELEMENT *from, int stride, int lines_left, int length_left,
                         const int lines, const int length, const int along_k, const int width, const int edge)
{
    const int down = LINES_A_TIME(length, width), straight = STRAIGHT(length, width);
    const int line_0 = first_line(length, width), at_0 = first_element(length, width);
    const tw_u32 own = to + ((line_0 * length + at_0) * ELEMENT_BYTES ^ SWIZZLED(line_0, along_k));
    TW_UNROLL
    for (int turn = 0; turn * THREADS < lines * PIECES(length, width); turn++) {
        const int piece = turn * THREADS + (int)threadIdx.x;
        const int line = straight ? line_0 + turn * down : piece / PIECES(length, width);
        const int at = straight ? at_0 : piece % PIECES(length, width) * (width / ELEMENT_BYTES);
        const tw_u32 place =
            straight ? (own ^ SWIZZLED(turn * down, along_k)) + turn * down * length * ELEMENT_BYTES
                     : to + ((line * length + at) * ELEMENT_BYTES ^ SWIZZLED(line, along_k));
        const tw_index away = straight ? (tw_index)(turn * down) * stride : (tw_index)line * stride + at;
        int there = width;
        if (lines * PIECES(length, width) % THREADS != 0 && piece >= lines * PIECES(length, width))
            continue;
        if (edge) {
            const int left = (length_left - at) * ELEMENT_BYTES;
            there = line < lines_left && left > 0 ? left < width ? left : width : 0;
        }
        copy_async(place, there > 0 ? from + away : from, width, there);
    }
}

/* The same one by one, for elements of less than four bytes where strides or alignment allow no more: cp.async takes no
 * fewer bytes. `from` is the tile's first element. */
TW_DEVICE void copy_elements(tw_u32 to, TW_GLOBAL const ELEMENT *from, int stride, int lines_left, int length_left,
                             const int lines, const int length, const int along_k)
{
    TW_UNROLL_BY(4)
    for (int element = (int)threadIdx.x; element < lines * length; element += THREADS) {
        const int line = element / length, at = element % length;
        const int there = line < lines_left && at < length_left;
        const tw_u32 place = to + ((line * length + at) * ELEMENT_BYTES ^ SWIZZLED(line, along_k));
        const tw_u16 bits = (tw_u16)(there ? from[(tw_index)line * stride + at] : 0);
        if (ELEMENT_BYTES == 1)
            asm volatile("st.shared.u8 [%0], %1;" ::"r"(place), "h"(bits) : "memory");
        else
            asm volatile("st.shared.u16 [%0], %1;" ::"r"(place), "h"(bits) : "memory");
    }
}
